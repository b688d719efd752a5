"""A home on Discord over several processes: what outlives each of them."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientWebSocketResponse

from adapters.discord.adapter import Discord
from adapters.discord.resuming.resumption import SessionReplay, Socket
from memory.store.sealed_files import SealedFiles
from tests.fakes.discord import DiscordServer
from tests.kits.adapter_kit import connected, running
from tests.kits.discord_kit import Clock, Ear, Notebook, adapter_for
from tests.kits.discord_speech import spec

KEY = bytes(range(32))
STATUS = spec("status")


class Hurried(Socket):
    """A connection whose frames are read one after the other during a replay as well; what takes its turn is handled later."""

    def __init__(self, socket: ClientWebSocketResponse, _: Callable[[], bool], earlier: SessionReplay | None = None) -> None:
        super().__init__(socket, lambda: False, earlier)


class Restarted:
    """What outlives a process: its notes, what it heard, and what was left in its folder."""

    def __init__(self, server: DiscordServer, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.notes, self.clock = Notebook(), Clock()
        self.ear = Ear()
        self.adapter: Discord | None = None

    @asynccontextmanager
    async def awake(self, *, waits: bool = True, shard: int = 0, shards: int = 1, **changes: Any) -> AsyncIterator[Ear]:
        """Run a process for the block, with what those before it heard; it `waits` until it listens and has told so."""
        self.ear = Ear({STATUS.name: STATUS}, self.ear.kept)
        kept: dict[str, Any] = {"notes": self.notes, "vault": SealedFiles(self.folder, KEY, 3600), "clock": self.clock}
        self.adapter = adapter_for(self.server, **{**kept, **changes})
        self.adapter.take(shard, shards)
        async with (connected if waits else running)(self.adapter, self.ear):
            yield self.ear

    def counts(self, identified: int, resumed: int) -> bool:
        """Say whether so many sessions were begun and resumed until now; one that was only looked into does not count."""
        stayed = [one for one in self.server.gateway.resumes if one["stays"]]
        return (len(self.server.gateway.identifies), len(stayed)) == (identified, resumed)


@pytest.fixture
def process(server: DiscordServer, tmp_path: Path) -> Restarted:
    """A home in which nothing ran yet, as a fixture."""
    return Restarted(server, tmp_path / "left")
