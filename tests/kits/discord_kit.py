"""Discord's adapter under test, and how it is run."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from adapters.discord.adapter import AccountAccess, Discord
from adapters.discord.connection import Pace
from adapters.discord.resuming.session_position import SealedStorage
from tests.fakes.discord import DiscordServer
from tests.fakes.pulse import Pulse
from tests.kits.adapter_kit import Ear, Notebook, connected

__all__ = ["Clock", "Ear", "Notebook", "adapter_for", "everyone", "listening", "restarted"]


class Clock:
    """Real time, and what was waited: a wait takes no time at all, or moves the clock where `jumps` says so."""

    def __init__(self, *, jumps: bool = False) -> None:
        self._jumps = jumps
        self._ahead = 0
        self.waits: list[float] = []
        self.pulse = Pulse()

    def now(self) -> int:
        """The instant, in microseconds UTC."""
        return time.time_ns() // 1000 + self._ahead

    def passes(self, seconds: float) -> None:
        """Let time pass."""
        self._ahead += round(seconds * 1_000_000)

    async def pause(self, seconds: float) -> None:
        """Note a wait."""
        self.waits.append(seconds)
        self._ahead += round(seconds * 1_000_000) if self._jumps else 0
        self.pulse.beat()
        await asyncio.sleep(0.01)

    def pace(self, **changes: Any) -> Pace:
        """Return a pace by this clock."""
        return Pace(**{"pause": self.pause, "chance": lambda: 1.0, "ready": 0.05, **changes})


def everyone(_: str) -> str:
    """No role is named as everyone of a server."""
    return ""


def adapter_for(
    server: DiscordServer,
    *,
    gate: Callable[[str], str] = everyone,
    notes: Notebook | None = None,
    clock: Clock | None = None,
    pace: Pace | None = None,
    kind: type[Discord] = Discord,
    vault: SealedStorage | None = None,
    **access: Any,
) -> Discord:
    """Make an adapter that will talk to a server; `kind` is one that lacks a guard, in a test of that guard."""
    clock = clock or Clock()
    wanted = AccountAccess(**{"token": server.token, "api_url": server.api_url, "gateway_url": server.gateway_url, **access})
    return kind(wanted, notes or Notebook(), gate, clock.now, pace=pace or clock.pace(), vault=vault)


def restarted(ear: Ear) -> Ear:
    """Return what listens after a restart: it goes on where this one was."""
    return Ear(cursors=ear.kept)


@asynccontextmanager
async def listening(server: DiscordServer, ear: Ear, **changes: Any) -> AsyncIterator[Discord]:
    """Run an adapter, as `adapter_for` makes it, and wait until it listens and has told so."""
    adapter = adapter_for(server, **changes)
    async with connected(adapter, ear):
        yield adapter
