"""How long the event loop stands still while messages of 30,000 characters are taken in, answered, summed up and recalled."""

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from bot.app import opened
from tests.kits.lyra_kit import ModelServer
from tests.kits.stalls import LONG, long_talk, say, stalls

Row = Callable[[str, float, str, float, str], None]
_IDLE_SECONDS = 2.0


async def measure(row: Row, messages: int = 20) -> None:
    """Measure the longest stall, beside that of a loop which has nothing to do."""
    with tempfile.TemporaryDirectory() as name, ModelServer(lambda request: "I see.") as model:
        (Path(name) / "lyra.toml").write_text(model.config())
        os.environ["LYRA_HOME"] = name
        async with opened() as app:
            # What is loaded when it is first needed is not counted: it is no work on a text.
            await say(app, ["hello", "/recall hello", "/summarize"])
            async with stalls() as idle:
                await asyncio.sleep(_IDLE_SECONDS)
            async with stalls() as busy:
                await long_talk(app, messages)
    what = f"longest stall of the event loop, {messages} messages of {LONG:,} characters"
    row(what, busy.longest, "nothing to do", idle.longest, "ms")
