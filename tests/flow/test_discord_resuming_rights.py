"""Nothing is decided by what was known before a restart: who may know is asked once Discord told all that happened since.

Each test has its twin, in which a session counts as soon as the library is ready.
"""

import asyncio

import pytest

from adapters.discord.adapter import Discord
from adapters.discord.client import Client
from adapters.discord.incoming.convert import PLATFORM
from adapters.discord.resuming.resumption import Resumption
from adapters.events import Circle, MenuCall, Message, Person, Place, Reach
from tests.fakes.discord import Channel, DiscordServer, Guild, Right
from tests.fakes.pulse import PATIENCE
from tests.kits import discord_resuming
from tests.kits.adapter_kit import channel_circle, server_circle
from tests.kits.discord_resuming import Hurried, Restarted

GUARD = pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "the twin"])


class Hasty(Client):
    """A client for which what was known before is true as soon as the library has read it."""

    def _complete_if_known(self) -> None:
        self._resumption.replaying = False
        super()._complete_if_known()


class Unguarded(Discord):
    client = Hasty


process = discord_resuming.process


async def restored(process: Restarted) -> Discord:
    """Wait until a process knows what was known before, and Discord has not told what happened since."""
    adapter = process.adapter
    assert adapter is not None
    async with asyncio.timeout(PATIENCE):
        while adapter._client is None or not adapter._client.is_ready():
            await asyncio.sleep(0.01)
    assert process.server.gateway.waiting == 1
    return adapter


def close(server: DiscordServer, guild: Guild, channel: Channel) -> None:
    """Take a channel from everybody of a server but her."""
    server.acts.overwrite(channel, guild.roles[guild.id], deny=Right.VIEW_CHANNEL)
    server.acts.overwrite(channel, server.world.bot, allow=Right.VIEW_CHANNEL)


async def circle_of(adapter: Discord, channel: Channel) -> Circle | None:
    """Return who reads a channel, None where that is not known now."""
    assert channel.guild
    place = await adapter.locate(Place(PLATFORM, str(channel.id), "", Reach.PUBLIC, "", str(channel.guild.id)))
    return place.circle if place else None


@GUARD
async def test_who_reads_a_channel_is_unknown_until_the_replay_is_over(
    process: Restarted, server: DiscordServer, home: Guild, general: Channel, guarded: bool
) -> None:
    async with process.awake():
        pass
    close(server, home, general)
    server.gateway.before_replay = asyncio.Event()
    async with process.awake(waits=False, kind=Discord if guarded else Unguarded) as ear:
        adapter = await restored(process)
        assert await circle_of(adapter, general) == (None if guarded else server_circle(home.id))
        assert ear.times_ready == (0 if guarded else 1)
        server.gateway.before_replay.set()
        async with asyncio.timeout(PATIENCE):
            while await circle_of(adapter, general) != channel_circle(general.id):
                await asyncio.sleep(0.01)


@GUARD
async def test_what_a_person_may_read_is_unknown_until_the_replay_is_over(
    process: Restarted, server: DiscordServer, home: Guild, guarded: bool
) -> None:
    staff = server.world.role(home, "staff")
    ada = server.person("ada")
    server.world.join(home, ada.user, staff)
    office = server.world.channel(home, "office", only=(staff, server.world.bot))
    who, wanted = Person(PLATFORM, str(ada.user.id), "ada"), {channel_circle(office.id)}
    async with process.awake():
        assert process.adapter and await process.adapter.readable_circles(who, wanted) == wanted
    server.acts.overwrite(office, staff, deny=Right.VIEW_CHANNEL)
    server.gateway.before_replay = asyncio.Event()
    async with process.awake(waits=False, kind=Discord if guarded else Unguarded) as ear:
        adapter = await restored(process)
        assert await adapter.readable_circles(who, wanted) == (set() if guarded else wanted)
        server.gateway.before_replay.set()
        await ear.pulse.until(lambda: ear.times_ready, "the end of the replay")
        async with asyncio.timeout(PATIENCE):
            while await adapter.readable_circles(who, wanted):
                await asyncio.sleep(0.01)


async def test_who_rules_a_server_is_unknown_until_the_replay_is_over(
    process: Restarted, server: DiscordServer, home: Guild, general: Channel
) -> None:
    administrators = server.world.role(home, "rulers", Right.MANAGE_GUILD)
    ada = server.person("ada")
    server.world.join(home, ada.user, administrators)
    who = Person(PLATFORM, str(ada.user.id), "ada")
    async with process.awake():
        assert process.adapter and await process.adapter.administers_server(who, str(home.id))
    server.gateway.before_replay = asyncio.Event()
    async with process.awake(waits=False) as ear:
        adapter = await restored(process)
        assert await adapter.administers_server(who, str(home.id)) is False
        here = Place(PLATFORM, str(general.id), "", Reach.PUBLIC, "", str(home.id))
        assert await adapter.member_names(here, [who.id]) == ()
        server.gateway.before_replay.set()
        await ear.pulse.until(lambda: ear.times_ready, "the end of the replay")
        assert await adapter.administers_server(who, str(home.id)) is True


class AtOnce(Resumption):
    """A resumption for which nobody waits."""

    def begin(self) -> bool:
        begun = super().begin()
        self.over.set()
        return begun


@GUARD
async def test_a_command_from_before_is_judged_by_what_happened_after_it(
    process: Restarted, server: DiscordServer, home: Guild, general: Channel, guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not guarded:
        monkeypatch.setattr("adapters.discord.adapter.Resumption", AtOnce)
    async with process.awake():
        pass
    ada = server.person("ada")
    ada.joins(home)
    await ada.runs(general, "status")
    await ada.says(general, "said after it")
    server.gateway.before_resumed = asyncio.Event()
    async with process.awake(waits=False) as ear:
        adapter = await restored(process)
        async with asyncio.timeout(PATIENCE):
            while getattr(adapter._client and adapter._client.get_channel(general.id), "last_message_id", None) is None:
                await asyncio.sleep(0.01)
        assert len(ear.of(MenuCall)) == (0 if guarded else 1)
        # What takes the channel from everybody is the last of the replay.
        close(server, home, general)
        server.gateway.before_resumed.set()
        asked = await ear.heard(MenuCall)
        assert asked.place.circle == (channel_circle(general.id) if guarded else server_circle(home.id))


@pytest.mark.parametrize(("seconds", "guarded"), [(0, True), (10, True), pytest.param(10, False, id="the twin")])
async def test_a_command_that_its_caller_was_told_is_lost_is_not_run(
    process: Restarted, server: DiscordServer, general: Channel, seconds: int, guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not guarded:
        monkeypatch.setattr("adapters.discord.resuming.resumption.Socket", Hurried)
    async with process.awake():
        pass
    ada = server.person("ada")
    early = await ada.runs(general, "status")
    process.clock.passes(seconds)
    async with process.awake() as ear:
        late = await ada.runs(general, "status")
        await ear.pulse.until(lambda: str(late.id) in {one.id for one in ear.of(MenuCall)}, "the later command")
    assert [one.id for one in ear.of(MenuCall)] == [str(one.id) for one in ([late] if seconds and guarded else [early, late])]


@GUARD
async def test_where_discord_does_not_go_on_nothing_is_decided_before_it_told_everything_anew(
    process: Restarted, server: DiscordServer, home: Guild, general: Channel, guarded: bool
) -> None:
    async with process.awake():
        pass
    close(server, home, general)
    server.gateway.forget()
    server.gateway.before_replay = asyncio.Event()
    go, pause = asyncio.Event(), process.clock.pause

    async def held(seconds: float) -> None:
        await pause(seconds)
        await go.wait()

    pace = process.clock.pace(pause=held)
    async with process.awake(waits=False, pace=pace, kind=Discord if guarded else Unguarded) as ear:
        adapter = await restored(process)
        server.gateway.before_replay.set()
        async with asyncio.timeout(PATIENCE):
            while not process.clock.waits:
                await asyncio.sleep(0.01)
        assert await circle_of(adapter, general) is None and ear.times_ready == (0 if guarded else 1)
        go.set()
        await ear.pulse.until(lambda: ear.times_ready == (1 if guarded else 2), "a session that was begun anew")
        assert await circle_of(adapter, general) == channel_circle(general.id)


async def test_a_replay_that_is_cut_off_is_told_again_and_heard_once(
    process: Restarted, server: DiscordServer, general: Channel
) -> None:
    ada = server.person("ada")
    async with process.awake():
        pass
    await ada.says(general, "meanwhile")
    server.gateway.before_resumed = asyncio.Event()
    async with process.awake(waits=False) as ear:
        adapter = await restored(process)
        server.gateway.disconnect()
        server.gateway.before_resumed.set()
        await ear.heard(Message)
        assert await circle_of(adapter, general) is not None
        await ada.says(general, "after")
        await ear.heard(Message, 2)
    assert ear.texts == ["meanwhile", "after"] and ear.times_ready == 1 and process.counts(1, 2)


async def test_what_is_known_does_not_count_while_the_connection_is_lost_however_it_began(
    process: Restarted, server: DiscordServer, general: Channel
) -> None:
    pace = process.clock.pace(ready=0.3)
    async with process.awake(waits=False, pace=pace) as ear:
        await server.connected()
        async with asyncio.timeout(PATIENCE):
            while (adapter := process.adapter) is None or adapter._client is None or not adapter._client.guilds:
                await asyncio.sleep(0.01)
        server.gateway.before_replay = asyncio.Event()
        server.gateway.disconnect()
        adapter = await restored(process)
        assert await circle_of(adapter, general) is None and ear.times_ready == 0
        server.gateway.before_replay.set()
        await ear.pulse.until(lambda: ear.times_ready, "the connection that is back")
        assert await circle_of(adapter, general) is not None


async def test_an_end_before_the_replay_is_over_leaves_no_session_and_loses_nothing(
    process: Restarted, server: DiscordServer, general: Channel
) -> None:
    ada = server.person("ada")
    async with process.awake() as ear:
        await ada.says(general, "before")
        await ear.heard(Message)
    await ada.says(general, "meanwhile")
    server.gateway.before_replay = asyncio.Event()
    async with process.awake(waits=False):
        await restored(process)
    server.gateway.before_replay.set()
    assert list(process.folder.iterdir()) == [] and process.ear.events == []
    async with process.awake() as ear:
        await ear.heard(Message)
    assert ear.texts == ["meanwhile"] and ear.missing == [()] and process.counts(2, 1)
