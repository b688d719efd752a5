"""Lyra awake at a real homeserver, in this process, over restarts; what people say to her there, and what they read."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adapters.base import Adapter
from adapters.matrix.adapter import Matrix
from bot.app import App
from bot.service.platforms import KeptNotes, matrix_access, platforms
from tests.fakes.matrix import Event, People, Person, Proxy
from tests.fakes.openai_server import OpenAIServer
from tests.kits.awake import Awake, configured, woken
from tests.kits.matrix_kit import Clock, dm, room_of, sees_inside

__all__ = ["Home", "dm", "home", "room_of", "sees_inside"]


@dataclass
class Home:
    """Where Lyra lives over restarts. `owner` is her account as people know it: no device of hers."""

    owner: Person
    proxy: Proxy
    path: Path
    monkeypatch: pytest.MonkeyPatch
    clock: Clock = field(default_factory=Clock)

    @property
    def user(self) -> str:
        """Her id."""
        return self.owner.user

    @asynccontextmanager
    async def lyra(
        self,
        model: OpenAIServer | None = None,
        config: str = "",
        *,
        matrix: str = "",
        kind: type[Matrix] = Matrix,
        as_run: bool = False,
        changed: Callable[[App], App] = lambda app: app,
        beside: Callable[[App], Adapter] | None = None,
        **pace: Any,
    ) -> AsyncIterator[Awake]:
        """Wake Lyra here for the block; after a first time, as after a restart. Without a model her offline voice answers.

        `matrix` is more of the section [matrix], `kind` an adapter that lacks a guard, in a test of that guard. Pauses before
        trying again take no time, and unless the section says otherwise everybody may invite her; `as_run` has the adapter made
        as `lyra run` makes it. `changed` may switch off one of her guards; `beside` makes a second adapter.
        """
        section = (
            f'[matrix]\nhomeserver = "{self.proxy.url}"\nuser_id = "{self.user}"\npassword_env = "MATRIX_PASSWORD"\n{matrix}'
        )
        secrets = {"MATRIX_PASSWORD": self.owner.password}
        toml = configured(model, config, section)

        def make(app: App) -> Adapter:
            if as_run:
                return platforms(app)[kind.platform]
            chosen = app.base.settings.matrix
            assert chosen is not None
            invites = chosen.invites if chosen.invites is not None else "anyone"
            return kind(
                matrix_access(app), self.path / "matrix", KeptNotes(app.memory.settings, kind.platform), self.clock.now,
                prefix=chosen.prefix, invites=invites if isinstance(invites, str) else frozenset(invites),
                bots=frozenset(chosen.bots), waived=partial(app.preferences.waived, kind.platform), pace=self.clock.pace(**pace),
            )  # fmt: skip

        async with woken(
            self.path, self.monkeypatch, toml, make, changed=changed, model=model, secrets=secrets, beside=beside
        ) as lyra:
            yield lyra

    async def asks(self, who: Person, room: str, text: str, **how: Any) -> Event:
        """Say something to Lyra, and return her answer to it, as it is read at first. `how` is as in `Person.says`."""
        return await self.answer(who, room, await who.says(room, text, **how))

    async def answer(self, who: Person, room: str, said: str) -> Event:
        """Wait for Lyra's answer to a message, as who asked it reads it."""

        def look(event: Event) -> bool:
            replied = event.content.get("m.relates_to") or event.raw["content"].get("m.relates_to") or {}
            to = replied.get("m.in_reply_to", {}).get("event_id")
            return event.sender == self.user and event.type == "m.room.message" and to == said

        return await who.hears(room, look)

    async def reads_aside(self, who: Person, room: str, text: str, **how: Any) -> Event:
        """Give a command whose answer is for the asker alone, and return what comes in their DM, one made now if need be."""
        heard = len(who.ears.events)
        await who.says(room, text, **how)

        async def invited() -> None:
            for one in list(who.ears.invites):
                await who.joins(one)

        def come() -> Event | bool | None:
            if who.ears.invites:
                return True
            return next((one for one in who.ears.events[heard:] if self._aside(one, room)), None)

        while True:
            found = await who.ears.until(come, "an answer aside")
            if isinstance(found, Event):
                return found
            await invited()
            await who.ears.until(lambda: not who.ears.invites, "the DM")

    def _aside(self, event: Event, room: str) -> bool:
        return event.sender == self.user and event.type == "m.room.message" and event.room != room

    async def said(self, who: Person, room: str) -> Sequence[Event]:
        """Return what Lyra said in a room that is still there, oldest first, as someone reads it."""
        return [event for event in await who.messages(room) if event.sender == self.user]


async def home(people: People, proxy: Proxy, path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Return a home for a new account, in which nothing was done yet."""
    return Home(await people.person("lyra", listens=False), proxy, path / "home", monkeypatch)
