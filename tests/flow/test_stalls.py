"""Whatever the length of what is said or shown, nobody else waits for it: no work on a text holds up the event loop."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.app import open_app
from memory.tiers.messages import known
from memory.types import Kind, NewExchange
from tests.kits.browsing import site
from tests.kits.importing import imported, lines
from tests.kits.lyra_kit import ModelServer
from tests.kits.memory_kit import at_home
from tests.kits.size import TORTURE
from tests.kits.stalls import long_talk, say, stalls
from tests.kits.words_alone import words_alone

MOST = 50
"""Milliseconds."""
MESSAGES = 20 if TORTURE else 2


BY_WHOM = pytest.mark.parametrize("modelled", [True, False], ids=["a model", "no model"])


async def longest_stall(folder: Path, monkeypatch: pytest.MonkeyPatch, *, modelled: bool) -> float:
    """Return for how many milliseconds the loop was busy at a stretch in a talk of long messages.

    Their own time is counted, so that it does not matter what else this machine does.
    """
    monkeypatch.setenv("LYRA_HOME", str(folder))
    with ModelServer(lambda request: "I see.") as model:
        (folder / "lyra.toml").write_text(words_alone(model.config() if modelled else ""))
        async with open_app() as app:
            # What is loaded when it is first needed.
            await say(app, ["hello", "/recall hello", "/summarize", "what did Ben pay?"])
            async with stalls(time.thread_time) as found:
                await long_talk(app, MESSAGES)
    return found.longest


@pytest.mark.first
@BY_WHOM
async def test_long_messages_do_not_hold_up_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modelled: bool
) -> None:
    assert await longest_stall(tmp_path, monkeypatch, modelled=modelled) < MOST


async def at_once(work: Callable[..., object], /, *arguments: Any, **more: Any) -> object:
    """Work in the place of a thread."""
    return work(*arguments, **more)


@pytest.mark.torture
@BY_WHOM
async def test_without_threads_they_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modelled: bool) -> None:
    monkeypatch.setattr(asyncio, "to_thread", at_once)
    assert await longest_stall(tmp_path, monkeypatch, modelled=modelled) > MOST


@pytest.mark.first
@pytest.mark.parametrize(
    "text", ["ﷺ " * 30_000, " ".join(f"[m{at}]" for at in range(9_000))[:60_000]], ids=["of 18 letters each", "marks"]
)
async def test_a_question_of_signs_that_are_much_to_look_at_does_not_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("LYRA_HOME", str(tmp_path))
    (tmp_path / "lyra.toml").write_text(words_alone(""))
    async with open_app() as app:
        await say(app, ["hello", "what is it?", "/recall hello"])
        async with stalls(time.thread_time) as found:
            await say(
                app, [f"/recall {text}", f"x {text} what?", f"/memory about {text[:20_000]}", f"/forget about:{text[:20_000]}"]
            )
        assert found.longest < MOST


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_long_messages_that_are_imported_or_forgotten_do_not_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    async def on_the_loop(length: int, work: Callable[[], object]) -> object:
        return work()

    given = lines([f"{n} {sign}" for n, sign in enumerate(["ﷺ " * 10_000, "我" * 10_000, "&a" * 10_000])])
    async with at_home(tmp_path) as here:
        await imported(here, "other", lines(["hello there"]))
        await here.view.forget_session(await here.view.sessions.find("other"))
        if not guarded:
            monkeypatch.setattr(known, "off_loop", on_the_loop)
        async with stalls(time.thread_time) as found:
            await imported(here, "chat", given)
            await here.view.forget_session(await here.view.sessions.find("chat"))
            assert (await imported(here, "again", given)).forgotten == 3
        assert (found.longest < MOST) is guarded


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_a_page_of_long_answers_does_not_hold_up_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    answer = "## The plan\n\n- **Buy** the *seeds* for `bed 3`\n- Call Ines about the kayak, as we said on Friday.\n\n" * 80
    async with site(tmp_path, monkeypatch) as served:
        session, view, now = await served.told("what is the plan?"), await served.view(), served.app.base.clock.now()
        said = [NewExchange(Kind.REPLY, answer, f"r{n}", now + n, "Lyra", "assistant") for n in range(30)]
        await view.say(session, said)
        ada = await served.visitor()
        assert "Call Ines" in (await ada.get("/search?q=kayak")).words
        if not guarded:
            monkeypatch.setattr(asyncio, "to_thread", at_once)
        async with stalls(time.thread_time) as found:
            page = await ada.get("/talk")
        assert page.text.count("<code>bed 3</code>") == 30 * 80
        assert (found.longest < MOST) is guarded
