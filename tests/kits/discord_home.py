"""Lyra awake on the loopback Discord, in this process."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.adapter import AccountAccess, Discord
from bot.app import App
from bot.service.platforms import KeptNotes, vault_of
from memory.types import DomainKind
from tests.fakes.discord import DiscordServer, Guild, Person
from tests.fakes.openai_server import OpenAIServer
from tests.kits.awake import Awake, answer, configured, model_server, prompt, question, woken
from tests.kits.discord_kit import Clock

__all__ = ["Awake", "answer", "awake", "model_server", "prompt", "question", "server_of", "sound", "text_of"]


@asynccontextmanager
async def awake(
    server: DiscordServer,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    model: OpenAIServer | None = None,
    config: str = "",
    discord: str = "streaming = false",
    content: bool = True,
    kind: type[Discord] = Discord,
    clock: Clock | None = None,
    resumes: bool = False,
    changed: Callable[[App], App] = lambda app: app,
    **pace: Any,
) -> AsyncIterator[Awake]:
    """Wake Lyra in a home for the block, listening to a server; after a first time, as after a restart.

    `discord` is more of the section [discord], `kind` an adapter that lacks a guard, in a test of that guard; `changed` does
    the same to other parts of her. A session that was left is resumed only where `resumes` says so. Pauses before trying again take no time.
    """
    toml = configured(model, config, f'[discord]\ntoken_env = "DISCORD_TOKEN"\n{discord}')
    make = maker(server, clock or Clock(), kind, content=content, resumes=resumes, **pace)
    secrets = {"DISCORD_TOKEN": server.token}
    async with woken(home, monkeypatch, toml, make, changed=changed, model=model, secrets=secrets) as lyra:
        yield lyra


def maker(
    server: DiscordServer,
    clock: Clock,
    kind: type[Discord] = Discord,
    *,
    content: bool = True,
    resumes: bool = False,
    **pace: Any,
) -> Callable[[App], Discord]:
    """Return what makes an adapter for a server, by a clock."""

    def make(app: App) -> Discord:
        chosen = app.base.settings.discord
        assert chosen is not None
        access = AccountAccess(server.token, server.api_url, server.gateway_url, content, frozenset(chosen.bots))
        notes, gate = KeptNotes(app.memory.settings, kind.platform), partial(app.preferences.gate, kind.platform)
        vault = vault_of(app.memory) if resumes else None
        return kind(access, notes, gate, clock.now, pace=clock.pace(**pace), vault=vault)

    return make


def sound(server: DiscordServer) -> None:
    """Assert that every request was Discord's own, and every answer of the loopback server as well."""
    assert server.violations == []
    assert server.own_faults == []


def text_of(messages: list[Any]) -> list[str]:
    """Return the texts of messages."""
    return [message.content for message in messages]


def server_of(guild: Guild) -> tuple[DomainKind, int]:
    """Return how the domain of a guild's public places is found."""
    return DomainKind.SERVER, guild.id


@pytest.fixture
def ada(server: DiscordServer) -> Person:
    """Somebody on Discord, as a fixture."""
    return server.person("ada")
