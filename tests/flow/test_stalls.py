"""Whatever the length of what is said, nobody else waits for it: no work on a text holds up the event loop."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.app import opened
from tests.kits.lyra_kit import ModelServer
from tests.kits.size import TORTURE
from tests.kits.stalls import long_talk, say, stalls
from tests.kits.words_alone import words_alone

MOST = 50
"""Milliseconds."""
MESSAGES = 20 if TORTURE else 3


BY_WHOM = pytest.mark.parametrize("modelled", [True, False], ids=["a model", "no model"])


async def longest_stall(folder: Path, monkeypatch: pytest.MonkeyPatch, *, modelled: bool) -> float:
    """Return for how many milliseconds the loop was busy at a stretch in a talk of long messages.

    Their own time is counted, so that it does not matter what else this machine does.
    """
    monkeypatch.setenv("LYRA_HOME", str(folder))
    with ModelServer(lambda request: "I see.") as model:
        (folder / "lyra.toml").write_text(words_alone(model.config() if modelled else ""))
        async with opened() as app:
            # What is loaded when it is first needed.
            await say(app, ["hello", "/recall hello", "/summarize", "what did Ben pay?"])
            async with stalls(time.thread_time) as found:
                await long_talk(app, MESSAGES)
    return found.longest


@BY_WHOM
async def test_long_messages_do_not_hold_up_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modelled: bool
) -> None:
    assert await longest_stall(tmp_path, monkeypatch, modelled=modelled) < MOST


@pytest.mark.torture
@BY_WHOM
async def test_without_threads_they_would(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, modelled: bool) -> None:
    async def at_once(work: Callable[..., object], /, *arguments: Any, **more: Any) -> object:
        return work(*arguments, **more)

    monkeypatch.setattr(asyncio, "to_thread", at_once)
    assert await longest_stall(tmp_path, monkeypatch, modelled=modelled) > MOST
