"""A small town on the loopback Discord where Lyra lives: what its people say, ask and press, and what they read."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.adapter import Discord
from tests.fakes.discord import Channel, DiscordServer, Guild, Interaction, Message, Person, Right
from tests.fakes.openai_server import OpenAIServer
from tests.kits.discord_home import Awake, awake, sound


@dataclass(frozen=True)
class Town:
    """A guild with a public channel and one that only staff sees. Ada is staff, Bob is not, Eve manages the guild."""

    server: DiscordServer
    guild: Guild
    general: Channel
    staff: Channel
    ada: Person
    bob: Person
    eve: Person
    home: Path
    monkeypatch: pytest.MonkeyPatch

    @asynccontextmanager
    async def lyra(
        self, model: OpenAIServer | None = None, config: str = "", *, kind: type[Discord] = Discord, streaming: bool = False,
        **more: Any,
    ) -> AsyncIterator[Awake]:  # fmt: skip
        """Wake Lyra here for the block; after a first time, as after a restart. Without a model her offline voice answers.

        `more` is as in `awake`.
        """
        changes: dict[str, Any] = {"model": model, "config": config, "kind": kind, **more}
        changes["discord"] = f"streaming = {str(streaming).lower()}"
        async with awake(self.server, self.home, self.monkeypatch, **changes) as lyra:
            yield lyra

    async def says(self, who: Person, place: Channel, text: str) -> Message:
        """Say something to Lyra, and wait for her answer to it; return what was said."""
        said = await who.says(place, f"{self.server.mention} {text}" if place.guild else text)
        await self.answer(said)
        return said

    async def answer(self, said: Message) -> Message:
        """Wait for Lyra's answer to a message."""
        found = await self.server.pulse.until(
            lambda: [one for one in self.server.world.said if one.reply_to == said.id], "an answer to a message"
        )
        return found[0]

    async def asks(self, who: Person, place: Channel, command: str, **options: Any) -> Message:
        """Use a slash command, and return what is read in the end."""
        return await (await who.runs(place, command, **options)).answer()

    async def reads(self, who: Person, place: Channel, command: str, **options: Any) -> str:
        """Use a slash command that answers its caller alone, and return the text of it."""
        answer = await self.asks(who, place, command, **options)
        assert answer.ephemeral, "everyone here reads this"
        return answer.shown

    async def caught_up(self) -> None:
        """Wait until Lyra has heard all that happened so far."""
        zoe = self.server.person("zoe")
        await self.says(zoe, await zoe.opens_dm(), "are you there?")

    async def presses(self, who: Person, message: Message, label: str) -> Message:
        """Press a button under an answer, and return what is read then."""
        return await (await who.clicks(message, label)).answer()

    async def uses_menu(self, who: Person, entry: str, message: Message) -> str:
        """Use the menu of a message, and return what its caller alone reads."""
        answer = await (await who.uses_menu(entry, message)).answer()
        assert answer.ephemeral, "everyone here reads this"
        return answer.content


def buttons(message: Message) -> list[str]:
    """Return what stands on the buttons under a message."""
    return [str(one["label"]) for one in message.controls()]


async def finished(call: Interaction) -> Message:
    """Wait until a call that asked its caller back has its last word."""
    await call.edited(3)  # the question, its buttons taken away, the answer
    return await call.answer()


async def rows(lyra: Awake, table: str) -> int:
    """Count what a table of the memory holds, in all domains."""
    row = await lyra.app.memory.db.one(f"SELECT count(*) AS n FROM {table}")
    assert row is not None
    return int(row["n"])


@asynccontextmanager
async def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> AsyncIterator[Town]:
    """Build the town for a test; in the end, all that was sent must have been Discord's own."""
    async with DiscordServer(**changes) as server:
        world = server.world
        guild = world.guild("Home")
        ada, bob, eve = (server.person(name) for name in ("ada", "bob", "eve"))
        general = world.channel(guild, "general")
        staff = world.channel(guild, "staff", only=(world.bot, ada.user, eve.user))
        for one in (ada, bob):
            one.joins(guild)
        world.join(guild, eve.user, world.role(guild, "manager", Right.MANAGE_GUILD))
        yield Town(server, guild, general, staff, ada, bob, eve, tmp_path / "home", monkeypatch)
        sound(server)


@pytest.fixture
async def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    """The town as a fixture, which a test module takes with `town = discord_town.town`."""
    async with built(tmp_path, monkeypatch) as town:
        yield town
