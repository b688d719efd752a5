"""Who reads a channel: whatever roles, overwrites and members a server has, nothing is called public that somebody cannot read."""

from collections.abc import Callable
from dataclasses import dataclass

import discord
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.discord.access import readers
from adapters.events import Reach
from tests.fakes.discord import Channel, Guild, Kind, Right, Role, User, wire
from tests.fakes.discord.rights import in_channel
from tests.fakes.discord.things import NO_RIGHT, Overwrite
from tests.fakes.discord.world import World
from tests.kits.adapter_kit import channel_circle, server_circle
from tests.kits.size import TORTURE

READING = Right.VIEW_CHANNEL | Right.READ_MESSAGE_HISTORY
SERVERS = 1000 if TORTURE else 100
Rule = Callable[[discord.TextChannel, readers.Gate], bool]


@dataclass
class Server:
    """A server of the loopback world, and a channel of it as discord.py sees it."""

    world: World
    home: Guild
    general: Channel

    def seen(self) -> discord.TextChannel:
        """Return the channel as Lyra's client knows it."""
        state = discord.Client(intents=discord.Intents.default())._connection
        state.user = discord.ClientUser(state=state, data=wire.me(self.world.bot))  # type: ignore[arg-type]
        guild = discord.Guild(data=wire.guild_created(self.world, self.home), state=state)  # type: ignore[arg-type]
        state._add_guild(guild)
        channel = guild.get_channel(self.general.id)
        assert isinstance(channel, discord.TextChannel)
        return channel

    @property
    def people(self) -> list[User]:
        """All members but Lyra."""
        return [one.user for one in self.home.members.values() if one.user is not self.world.bot]

    def rules(self, user: User) -> bool:
        """Whether somebody owns or administers the server."""
        member = self.home.members[user.id]
        rights = [self.home.roles[one].rights for one in (self.home.id, *member.roles)]
        return user is self.home.owner or any(one & Right.ADMINISTRATOR for one in rights)


def rights(*more: Right) -> st.SearchStrategy[Right]:
    choices = [NO_RIGHT, Right.VIEW_CHANNEL, Right.READ_MESSAGE_HISTORY, READING, READING, *more]
    return st.sampled_from(choices)


@st.composite
def servers(draw: st.DrawFn) -> Server:
    world = World()
    home = world.guild("Home", rights=draw(rights()), bot_rights=draw(rights()))
    general = world.channel(home, "general")
    roles = [world.role(home, f"role-{number}", draw(rights(Right.ADMINISTRATOR))) for number in range(draw(st.integers(1, 3)))]
    people = [world.user(f"person-{number}") for number in range(4)]
    for person in people:
        world.join(home, person, *draw(st.lists(st.sampled_from(roles), unique=True)))
    everyone = home.roles[home.id]
    targets: list[Role | User] = [everyone, *roles, *people, world.bot]
    for who in draw(st.lists(st.sampled_from(targets), unique=True, max_size=3)):
        allow, deny = draw(rights()), draw(rights())
        general.overwrites[who.id] = Overwrite(allow & ~deny, deny, isinstance(who, Role))
    return Server(world, home, general)


def rule(channel: discord.TextChannel, gate: readers.Gate) -> bool:
    return readers.place(channel, gate).reach is Reach.PUBLIC


def asks_the_default_role_only(channel: discord.TextChannel, gate: readers.Gate) -> bool:
    named = gate(str(channel.guild.id))
    role = channel.guild.get_role(int(named)) if named else channel.guild.default_role
    return role is not None and channel.permissions_for(role).is_superset(readers.READING)


def public_means_everyone_reads(is_public: Rule) -> int:
    """Try it with many servers, and return in how many the channel was public."""
    public = 0

    @settings(max_examples=SERVERS, database=None, derandomize=True)
    @given(servers())
    def holds(server: Server) -> None:
        nonlocal public
        if is_public(server.seen(), lambda _: ""):
            public += 1
            assert all(in_channel(server.general, one) & READING == READING for one in server.people)

    holds()
    return public


def public_means_the_role_reads(is_public: Rule) -> int:
    """As above, where one of the roles is named as everyone."""
    public = 0

    @settings(max_examples=SERVERS, database=None, derandomize=True)
    @given(servers(), st.data())
    def holds(server: Server, data: st.DataObject) -> None:
        named = data.draw(
            st.sampled_from([one for one in server.home.roles.values() if one.id != server.home.id and not one.bot])
        )
        nonlocal public
        if not is_public(server.seen(), lambda _: str(named.id)):
            return
        public += 1
        viewers = {one.id for one in server.people if in_channel(server.general, one) & Right.VIEW_CHANNEL}
        holders = {one.id for one in server.people if named.id in server.home.members[one.id].roles}
        assert viewers == holders | {one.id for one in server.people if server.rules(one)}
        assert all(in_channel(server.general, server.world.users[one]) & READING == READING for one in viewers)

    holds()
    return public


def test_public_is_only_what_everyone_reads_with_its_history() -> None:
    assert public_means_everyone_reads(rule) > 10


@pytest.mark.torture
def test_asking_the_default_role_alone_is_not_enough() -> None:
    with pytest.raises(AssertionError):
        public_means_everyone_reads(asks_the_default_role_only)


def test_in_a_gated_server_public_is_what_the_role_reads_and_nobody_else() -> None:
    assert public_means_the_role_reads(rule) > 10


@pytest.mark.torture
def test_asking_the_named_role_alone_is_not_enough() -> None:
    with pytest.raises(AssertionError):
        public_means_the_role_reads(asks_the_default_role_only)


def plain(kind: Kind = Kind.TEXT) -> Server:
    world = World()
    home = world.guild("Home")
    return Server(world, home, world.channel(home, "general", kind))


def test_an_ordinary_channel_is_public() -> None:
    place = readers.place(plain().seen(), lambda _: "")
    assert place.reach is Reach.PUBLIC and place.circle == server_circle(place.server) and place.wider is None


def test_a_named_role_that_is_not_there_makes_nothing_public() -> None:
    server = plain()
    for named in ("12345", "everyone"):
        place = readers.place(server.seen(), lambda _, named=named: named)  # type: ignore[misc]
        assert (place.reach, place.circle, place.wider) == (Reach.RESTRICTED, channel_circle(server.general.id), None)
    assert readers.place(server.seen(), lambda server: server).reach is Reach.PUBLIC, "@everyone may be named, too"


def test_a_server_that_is_out_of_order_makes_nothing_public() -> None:
    channel = plain().seen()
    channel.guild.unavailable = True
    place = readers.place(channel, lambda _: "")
    assert (place.reach, place.circle, place.wider) == (Reach.RESTRICTED, channel_circle(channel.id), None)


def test_a_channel_that_is_not_known_is_read_by_few() -> None:
    client = discord.Client(intents=discord.Intents.default())
    place = readers.place(client.get_partial_messageable(7, guild_id=5), lambda _: "")
    assert (place.reach, place.circle, place.wider, place.key) == (Reach.RESTRICTED, channel_circle(7), None, '["5", "7", ""]')


def test_a_thread_whose_channel_is_not_known_is_read_by_few() -> None:
    server = plain()
    guild = server.seen().guild
    thread = server.world.thread(server.general, "holiday", server.world.boss)
    found = discord.Thread(guild=guild, state=guild._state, data=wire.thread_for(server.world, thread))  # type: ignore[arg-type]
    assert readers.place(found, lambda _: "").reach is Reach.PUBLIC
    guild._channels.clear()
    place = readers.place(found, lambda _: "")
    assert (place.reach, place.circle, place.wider) == (Reach.RESTRICTED, channel_circle(server.general.id), None)


@pytest.mark.parametrize("kind", [discord.ChannelType.voice, discord.ChannelType.stage_voice])
def test_a_voice_channel_may_have_guests_who_read_nothing_else(kind: discord.ChannelType) -> None:
    server = plain()
    guild = server.seen().guild
    data = wire.channel(server.general) | {"type": kind.value, "bitrate": 64_000, "user_limit": 0}
    voice = discord.VoiceChannel if kind is discord.ChannelType.voice else discord.StageChannel
    place = readers.place(voice(state=guild._state, guild=guild, data=data), lambda _: "")  # type: ignore[arg-type]
    assert (place.reach, place.circle, place.wider) == (Reach.RESTRICTED, channel_circle(server.general.id), None)
