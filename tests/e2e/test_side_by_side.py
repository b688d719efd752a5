"""One person at two terminals: their conversation has one turn at a time, whichever process was asked."""

import asyncio
import time
from pathlib import Path

from bot.conversation.conversation_lock import turn_in
from tests.fakes import openai_behaviours as b
from tests.kits.adapter_kit import Silent
from tests.kits.lyra_kit import Home, ModelServer


def test_the_second_is_answered_once_the_first_is_and_knows_what_was_said(tmp_path: Path) -> None:
    with ModelServer(lambda request: "Noted.") as model:
        home = Home(tmp_path, model.config()).begun()
        with home.started("chat") as one, home.started("chat") as other:
            model.script(b.Held("A red one."))
            one.write("which kayak do I have?")
            model.wait(1)
            other.write("and the tent?")
            time.sleep(0.5)
            assert len(model.chats) == 1, "the first is not answered yet"
            model.go()
            assert "A red one." in one.reply()
            assert "Noted." in other.reply()
            assert "A red one." in str(model.chats[1].messages)
            assert one.finish().code == other.finish().code == 0


def test_where_the_first_is_killed_the_second_goes_on_at_once(tmp_path: Path) -> None:
    with ModelServer(lambda request: "Noted.") as model:
        home = Home(tmp_path, model.config()).begun()
        with home.started("chat") as one, home.started("chat") as other:
            model.script(b.Held("A red one."))
            one.write("which kayak do I have?")
            model.wait(1)
            other.write("and the tent?")
            one.kill()
            assert "Noted." in other.reply()
            assert other.finish().code == 0


class Terminal(Silent):
    """A platform where several processes are at one place."""

    platform = "console"
    shares_places = True


class Divided(Silent):
    """One whose places are each one process's."""

    platform = "divided"


async def most_at_once(home: Path, kind: type[Silent]) -> int:
    """Have several processes' worth of turns at one place; return how many were under way together at most."""
    under_way, most = set[int](), 0

    async def turn(n: int) -> None:
        nonlocal most
        async with turn_in(home, kind(), "place"):
            under_way.add(n)
            most = max(most, len(under_way))
            await asyncio.sleep(0)
            under_way.remove(n)

    await asyncio.gather(*map(turn, range(4)))
    return most


async def test_turns_of_a_place_that_is_shared_wait_for_each_other(tmp_path: Path) -> None:
    assert await most_at_once(tmp_path, Terminal) == 1


async def test_without_the_guard_they_do_not(tmp_path: Path) -> None:
    assert await most_at_once(tmp_path, Divided) == 4
