"""A Lyra that is killed and started again and again in one home: what tests of that share on every platform."""

import random
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

from memory.store.sqlite.database import SqliteDatabase
from tests.fakes import openai_behaviours as b
from tests.kits.lyra_kit import STARTED, Home, ModelServer, Process
from tests.kits.size import TORTURE

M = TypeVar("M")


class LivedIn(Protocol):
    """A platform with people who ask, a model, and the home of Lyra."""

    home: Home
    model: ModelServer
    chance: random.Random

    def ask(self) -> None:
        """Let somebody ask something."""
        ...

    def settle(self) -> None:
        """Wait until everything that was asked is answered."""
        ...


def chosen(moments: Sequence[M], few: Sequence[M], kills: int) -> list[M]:
    """Return the moments of this run: the few, or under torture each of them and further ones at random, `kills` in all."""
    return [*moments, *random.Random(2026).choices(moments, k=kills - len(moments))] if TORTURE else [*few]


@contextmanager
def life(it: LivedIn, platform: str) -> Iterator[Process]:
    """Start Lyra, and wait until she is connected and has answered what was left over."""
    with it.home.started("run") as process:
        process.note(f"{platform}: connected.")
        try:
            it.settle()
        except AssertionError as late:
            raise AssertionError(f"{late}\n{process.kill().err}") from None
        yield process


def killed_while_it_starts(it: LivedIn) -> None:
    """Start Lyra, and kill her within three seconds."""
    with it.home.started("run", command=STARTED) as process:
        time.sleep(it.chance.uniform(0.0, 3.0))
        process.kill()


def in_the_call_of_the_model(it: LivedIn) -> None:
    """Ask, and return once the model was asked, which does not answer."""
    calls = len(it.model.chats)
    it.model.script(b.Hang())
    it.ask()
    it.model.wait(calls + 1)


def repeats(request: b.Request, long: str) -> str:
    """Answer the last line with itself, and with a long text where it begins with "long"."""
    line = request.last_user.splitlines()[-1].rpartition(": ")[2]
    return f"You said {line}. {long}" if line.startswith("long") else f"You said {line}."


async def remembered(home: Home, *, previews: bool = True) -> tuple[Counter[str], list[str]]:
    """Return every text in memory with how often it is there, and what waits in the inbox and outbox, with or without `previews`."""
    async with await SqliteDatabase.open(home.db, bytes.fromhex(home.key.read_text("ascii"))) as db:
        texts = await db.all("SELECT text FROM exchanges")
        unheard = await db.all("SELECT 'heard, ' || state || ': ' || payload AS what FROM inbox WHERE state <> 'done'")
        unsent = await db.all(
            "SELECT operation, operation || ', ' || state || ': ' || text AS what FROM outbox WHERE state IN ('pending', 'attempting')"
        )
    waiting = [*unheard, *(row for row in unsent if previews or row["operation"] != "preview")]
    return Counter(row["text"] for row in texts), [row["what"] for row in waiting]
