"""Lyra awake on the loopback Discord for tests of who may know: with a guard switched off, a fixed clock, a model that waits."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from adapters.base import Adapter
from adapters.discord.adapter import Discord
from adapters.events import Circle, Place
from adapters.events import Person as Someone
from bot.app import App
from bot.conversation.domain_access import DomainAccess
from bot.conversation.preferences import Chosen
from memory.types import Session
from memory.view.view import View
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Message, Person
from tests.fakes.openai_server import OpenAIServer
from tests.kits.discord_home import Awake, answer, awake
from tests.kits.given_time import Noon, going_by


class Everything(DomainAccess):
    """The guard switched off: at every place all of memory is read."""

    async def view_with_session(
        self, place: Place, person: Someone, adapter: Adapter | None, chosen: Chosen
    ) -> tuple[View, Session | None]:
        """Return a view that reads every domain."""
        view, session = await super().view_with_session(place, person, adapter, chosen)
        others = [domain for domain in await self._memory.places.domains() if domain.key != view.home.key]
        return self._memory.view(view.home, others), session

    async def has_same_readers(
        self, place: Place, domain: int, also: Collection[int] = (), adapter: Adapter | None = None
    ) -> bool:
        """Let out what was read of any domain."""
        return await super().has_same_readers(place, domain)


class Unguarded(DomainAccess):
    """The guard of the exit switched off: what was meant for others goes out as well."""

    async def has_same_readers(
        self, place: Place, domain: int, also: Collection[int] = (), adapter: Adapter | None = None
    ) -> bool:
        """Say that nothing has changed."""
        return True


class Believing(Discord):
    """The guard of what a person can read switched off: everybody can read everything."""

    async def readable_circles(
        self, person: Someone, circles: Collection[Circle], spoken: Collection[Circle] = ()
    ) -> set[Circle]:
        """Return all of them."""
        return set(circles)


class Thoughtful(OpenAIServer):
    """A model server that thinks about the next question until it is told to `go`, where `thinks` is set."""

    def __init__(self, default: b.Answerer = answer) -> None:
        super().__init__(default)
        self.thinks = False
        self.go = asyncio.Event()

    async def _record(self, request: web.Request) -> b.Request:
        recorded = await super()._record(request)
        if self.thinks:
            self.thinks = False
            await self.go.wait()
        return recorded


@dataclass(frozen=True)
class Town:
    """The loopback Discord, a model, and a home for Lyra."""

    server: DiscordServer
    model: Thoughtful
    home: Path
    monkeypatch: pytest.MonkeyPatch
    names: dict[str, Channel] = field(default_factory=dict)

    @asynccontextmanager
    async def lyra(
        self, *, config: str = "", domains: type[DomainAccess] = DomainAccess, discord: type[Discord] = Discord, at: int = 0
    ) -> AsyncIterator[Awake]:
        """Wake Lyra for the block; after a first time, as after a restart. `at` makes time stand still."""

        def changed(app: App) -> App:
            base = app.base
            return replace(app, domains=domains(app.memory, base.settings, app.preferences, base.clock, base.time_zone))

        changes: dict[str, Any] = {"model": self.model, "config": config, "kind": discord, "changed": changed}
        with going_by(Noon(at) if at else None):
            async with awake(self.server, self.home, self.monkeypatch, **changes) as lyra:
                yield lyra

    async def asks(self, name: str, place: Channel, text: str) -> Message:
        """Say something to Lyra, and wait for her answer to it; return that."""
        return await self.answer(await self.person(name).says(place, f"{self.server.mention} {text}"))

    async def answer(self, question: Message) -> Message:
        """Wait for Lyra's answer to a message."""
        found = await self.server.pulse.until(lambda: answers(self.server, question), "an answer to a question")
        return found[0]

    async def sets(self, name: str, place: Channel, setting: str, value: str) -> str:
        """Change a setting, and return what is told to who changed it."""
        call = await self.person(name).runs(place, "settings", setting=setting, value=value)
        return (await call.answer()).content

    async def caught_up(self) -> None:
        """Wait until Lyra has heard all that happened so far."""
        await self.asks("zoe", await self.person("zoe").opens_dm(), "are you there?")

    def person(self, name: str) -> Person:
        """Someone by name."""
        return self.server.person(name)


def answers(server: DiscordServer, question: Message) -> list[Message]:
    """Return what answers a message now."""
    return [one for one in server.world.by_bot(question.channel) if one.reply_to == question.id]


def introductions(server: DiscordServer) -> list[Channel]:
    """Return where Lyra said who she is, as often as she did."""
    return [one.channel for one in server.world.said if one.content.startswith("Hello, I am Lyra")]


async def everything(lyra: Awake) -> list[str]:
    """Return every text that is kept, of all domains."""
    views = [lyra.app.memory.view(domain) for domain in await lyra.app.memory.places.domains()]
    return [message.text for view in views async for _, message in view.messages.all()]
