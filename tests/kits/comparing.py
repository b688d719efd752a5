"""What is compared with a platform's history, and when: in the background, or only when it is used."""

import asyncio
from dataclasses import replace

from bot.app import App
from bot.service.priority import Priority
from tests.fakes.pulse import PATIENCE
from tests.kits.awake import Awake


class Taken(Priority):
    """Somebody talks all the time: nothing is done in the background."""

    async def free(self) -> None:
        await asyncio.Event().wait()


def busy(app: App) -> App:
    """Let nothing be compared in the background."""
    return replace(app, priority=Taken())


async def compared(lyra: Awake, platform: str) -> None:
    """Wait until nothing of a platform is left to be compared."""
    async with asyncio.timeout(PATIENCE):
        await lyra.talk.history_comparison.through(platform)
