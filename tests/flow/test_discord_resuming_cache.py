"""What the library knows after a session was resumed is what it would know had it never ended, or been begun anew."""

import asyncio
import random
from array import array
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest

from adapters.discord.access import readers
from adapters.discord.adapter import Discord
from adapters.discord.client import Client
from tests.fakes.discord import Channel, DiscordServer, Kind, Right, Role, User, wire
from tests.fakes.discord.rights import in_channel, sees
from tests.fakes.discord.sessions import Intent
from tests.fakes.pulse import PATIENCE
from tests.kits import discord_resuming
from tests.kits.discord_kit import Ear, listening
from tests.kits.discord_resuming import Restarted
from tests.kits.size import TORTURE

SEEDS = range(40 if TORTURE else 3)
STEPS = 25
_OTHERS = {"_state", "guild", "parent", "_user", "_cs_guild", "channel"}
"""What leads from one thing to another, which is compared by itself."""
_COUNTED = {"message_count", "member_count", "total_message_sent", "_member_count", "_large"}
"""What no session is told of while it lasts."""


def values(thing: object) -> Iterator[tuple[str, Any]]:
    """Yield everything that one of the library's things holds."""
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in _OTHERS | _COUNTED and hasattr(thing, name):
                yield name, plain(getattr(thing, name))


def plain(value: object) -> Any:
    """Return a value as it can be compared with that of another client."""
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in sorted(value.items(), key=lambda pair: str(pair[0]))}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if type(value).__module__.startswith("discord.") and hasattr(type(value), "__slots__"):
        return type(value).__name__, dict(values(value))
    return list(value) if isinstance(value, array) else value


def known(client: Client) -> dict[int, Any]:
    """Return all that a client knows of its servers."""
    return {guild.id: plain(guild) for guild in client.guilds}


def differences(one: Any, other: Any, where: str = "") -> list[str]:
    """Return where two things differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return [found for key in one for found in differences(one[key], other[key], f"{where}.{key}")]
    if isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        return [found for n, both in enumerate(zip(one, other, strict=True)) for found in differences(*both, f"{where}.{n}")]
    return [] if one == other else [f"{where}: {one!r} is not {other!r}"]


def seen(guild: discord.Guild) -> list[discord.Thread]:
    """Return the threads that she sees: no session is told that she lost sight of one, and a new one is told of no other."""
    return sorted((one for one in guild.threads if readers.sees(guild.me, one)), key=lambda one: one.id)


def decided(client: Client, gates: list[str]) -> Iterator[tuple[object, ...]]:
    """Yield what is decided by what a client knows: who reads what, what she sees, and where she may speak."""
    for guild in client.guilds:
        yield guild.id, guild.owner_id, guild.unavailable, sorted(one.id for one in guild.members), guild.self_role
        for gate in gates:
            yield guild.id, gate, readers.joined(guild, lambda _, gate=gate: gate)  # type: ignore[misc]
            for place in (*guild.channels, *seen(guild)):
                yield place.id, gate, readers.place(place, lambda _, gate=gate: gate)  # type: ignore[misc]
        for place in guild.channels:
            rights = {one.id: place.permissions_for(one).value for one in guild.roles}
            rights |= {one.id: place.permissions_for(one).value for one in guild.members}
            views = readers.views(guild.me, place)
            yield place.id, views, rights, getattr(place, "last_message_id", None) if views else None
        for thread in seen(guild):
            yield thread.id, thread.is_private(), thread.created_at, thread.archived, thread.locked, thread.last_message_id


def client_of(adapter: Discord | None) -> Client:
    assert adapter is not None and adapter._client is not None
    return adapter._client


process = discord_resuming.process


class Estate:
    """A server with a bit of everything, and what can happen there."""

    def __init__(self, server: DiscordServer, chance: random.Random) -> None:
        self.server, self.world, self.chance = server, server.world, chance
        self.guild = self.world.guild("Home")
        self.roles = [self.world.role(self.guild, name, Right.VIEW_CHANNEL) for name in ("staff", "guests")]
        self.people = [server.person(name) for name in ("ada", "bob")]
        for person in self.people:
            person.joins(self.guild)
        self.ada = self.people[0].user
        self.places = [
            self.world.channel(self.guild, "general"),
            self.world.channel(self.guild, "office", only=(self.roles[0], self.world.bot)),
            self.world.channel(self.guild, "hidden", only=(self.ada,)),
            self.world.channel(self.guild, "voice", Kind.VOICE),
        ]
        self.world.forum(self.guild, "forum")
        self.world.guild("Elsewhere", rights=Right(0))
        self.threads: list[Channel] = []

    def is_known(self, client: Client) -> bool:
        """Say whether a client knows who speaks aloud as a member."""
        guild = client.get_guild(self.guild.id)
        return guild is not None and guild.get_member(self.ada.id) is not None

    def speaks_aloud(self, *, over: bool = False) -> None:
        """Let somebody join a voice channel, or leave it: as long as they are there, the library knows them."""
        state = {"session_id": "s", "deaf": False, "mute": True, "self_deaf": False, "self_mute": False, "suppress": False}
        where = {
            "guild_id": str(self.guild.id),
            "channel_id": None if over else str(self.places[3].id),
            "user_id": str(self.ada.id),
        }
        data = {**state, **where, "self_video": False, "member": wire.member(self.guild.members[self.ada.id])}
        self.server.gateway.tell("VOICE_STATE_UPDATE", lambda _: data, Intent.GUILDS)

    async def step(self) -> None:
        """Let something happen."""
        await self.chance.choice([self._says, self._overwrites, self._changes_role, self._changes_bot, self._opens, self._archives, self._grows])()  # fmt: skip

    async def _says(self) -> None:
        needed = Right.VIEW_CHANNEL | Right.SEND_MESSAGES
        open_ = [one for one in self.places if needed in in_channel(one, self.ada) and sees(one, self.world.bot)]
        if open_:
            await self.people[0].says(self.chance.choice(open_), "hello")

    async def _overwrites(self) -> None:
        whose: list[Role | User] = [*self.roles, self.ada, self.world.bot, self.guild.roles[self.guild.id]]
        some = [Right.VIEW_CHANNEL, Right.READ_MESSAGE_HISTORY, Right.SEND_MESSAGES]
        rights = {self.chance.choice(["allow", "deny"]): self.chance.choice(some)}
        self.server.acts.overwrite(self.chance.choice(self.places), self.chance.choice(whose), **rights)

    async def _changes_role(self) -> None:
        rights = self.chance.choice([Right(0), Right.VIEW_CHANNEL, Right.ADMINISTRATOR, Right.MANAGE_THREADS])
        self.server.acts.change_role(self.guild, self.chance.choice(self.roles), rights)

    async def _changes_bot(self) -> None:
        own = [one for one in self.guild.roles.values() if one.bot]
        self.server.acts.change_member(
            self.guild, self.world.bot, *own, *self.chance.sample(self.roles, self.chance.randrange(3))
        )

    async def _opens(self) -> None:
        private, texts = self.chance.random() < 0.5, [one for one in self.places if one.kind is Kind.TEXT]
        # Of what is out of her sight then, no session is told, and not every one when it comes into sight.
        if parents := [one for one in texts if sees(one, self.world.bot)]:
            thread = self.server.acts.open_thread(self.chance.choice(parents), "aside", self.ada, private=private)
            self.server.acts.join_thread(thread, self.world.bot)
            self.threads.append(thread)

    async def _archives(self) -> None:
        if threads := [one for one in self.threads if sees(one, self.world.bot)]:
            self.server.acts.change_thread(self.chance.choice(threads), locked=True, name="over")

    async def _grows(self) -> None:
        channel = self.world.channel(self.guild, "new", only=tuple(self.chance.sample(self.roles, 1)))
        self.server.gateway.tell("CHANNEL_CREATE", lambda _: wire.channel(channel), Intent.GUILDS)
        self.places.insert(0, channel)


@asynccontextmanager
async def begun(server: DiscordServer) -> AsyncIterator[Client]:
    """Begin a session beside all others, and yield what it knows."""
    async with listening(server, Ear()) as adapter:
        yield client_of(adapter)


@pytest.mark.parametrize("seed", SEEDS)
async def test_both_know_the_same_whatever_happened_before_and_meanwhile(
    process: Restarted, server: DiscordServer, seed: int
) -> None:
    estate = Estate(server, random.Random(seed))
    async with begun(server) as witness:
        async with process.awake():
            for _ in range(STEPS):
                await estate.step()
        for _ in range(seed and STEPS):
            await estate.step()
        async with process.awake() as ear, begun(server) as fresh:
            zoe = server.person("zoe")
            await zoe.says(await zoe.opens_dm(), "all told")
            await ear.pulse.until(lambda: "all told" in ear.texts, "what was said last")
            gates, resumed = ["", str(estate.roles[0].id)], client_of(process.adapter)
            assert list(decided(resumed, gates)) == list(decided(fresh, gates)) == list(decided(witness, gates))
            assert differences(known(resumed), known(witness)) == []
    assert process.counts(3, 1)


async def test_who_speaks_aloud_is_known_afterwards_until_they_leave(process: Restarted, server: DiscordServer) -> None:
    estate = Estate(server, random.Random(0))
    async with process.awake():
        estate.speaks_aloud()
        async with asyncio.timeout(PATIENCE):
            while not estate.is_known(client_of(process.adapter)):
                await asyncio.sleep(0.01)
        before = known(client_of(process.adapter))
    async with process.awake():
        assert differences(known(client_of(process.adapter)), before) == []
        assert estate.is_known(client_of(process.adapter))
    estate.speaks_aloud(over=True)
    async with process.awake():
        assert not estate.is_known(client_of(process.adapter))
    assert process.counts(1, 2)
