"""An account on Discord that is divided over several processes: each hears its servers and the first the DMs, at one pace."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

from adapters.discord.adapter import Discord
from adapters.discord.connection import AccountAccess, advised
from adapters.discord.limits import SPARED_STARTS, Limits, StartsSpent, Turn
from adapters.errors import SendFailed
from adapters.events import MenuCall, Message
from tests.fakes.discord import Channel, DiscordServer
from tests.fakes.pulse import PATIENCE
from tests.kits.adapter_kit import Ear, Notebook, connected
from tests.kits.discord_kit import adapter_for
from tests.kits.discord_speech import part, spec
from tests.kits.size import TORTURE

SHARDS = 3
GUILDS = 2_500 if TORTURE else 30
STATUS = spec("status")


@asynccontextmanager
async def divided(server: DiscordServer, notes: Notebook) -> AsyncIterator[list[tuple[Discord, Ear]]]:
    """Run an account as so many processes would, each with one shard."""
    async with AsyncExitStack() as stack:
        found = []
        for unit in range(SHARDS):
            adapter, ear = adapter_for(server, notes=notes), Ear({STATUS.name: STATUS})
            adapter.stand_by()
            adapter.take(unit, SHARDS)
            await stack.enter_async_context(connected(adapter, ear))
            found.append((adapter, ear))
        yield found


def said(ear: Ear) -> list[Message]:
    """Return the messages that were heard."""
    return [event for event in ear.events if isinstance(event, Message)]


def asked(ear: Ear) -> list[MenuCall]:
    """Return the commands that were called."""
    return [event for event in ear.events if isinstance(event, MenuCall)]


async def test_each_shard_hears_its_servers_and_the_first_the_dms() -> None:
    async with DiscordServer() as server:
        guilds = [server.world.guild(f"Home {n}", shard=(n % SHARDS, SHARDS)) for n in range(GUILDS)]
        channels = [server.world.channel(guild, "general") for guild in guilds]
        notes = Notebook()
        async with divided(server, notes) as processes:
            for n, channel in enumerate(channels):
                await server.person("ada").says(channel, f"{server.mention} {n}")
            dm = await server.person("bob").opens_dm()
            await server.person("bob").says(dm, "alone")
            async with asyncio.timeout(PATIENCE):
                while sum(len(said(ear)) for _, ear in processes) < GUILDS + 1:
                    await asyncio.sleep(0.01)
            heard = [{message.text.split()[-1] for message in said(ear)} for _, ear in processes]
            for unit in range(SHARDS):
                own = {str(n) for n, guild in enumerate(guilds) if (guild.id >> 22) % SHARDS == unit}
                assert heard[unit] == own | ({"alone"} if unit == 0 else set())
            for unit, (_, ear) in enumerate(processes):
                for message in said(ear):
                    assert [adapter.holds(message.place.key) for adapter, _ in processes] == [n == unit for n in range(SHARDS)]
        assert [one["shard"] for one in server.gateway.identifies] == [[unit, SHARDS] for unit in range(SHARDS)]
        assert server.violations == [] and server.own_faults == []


async def test_a_command_comes_to_who_holds_its_place() -> None:
    async with DiscordServer() as server:
        channels = [server.world.channel(server.world.guild(shard=(n % SHARDS, SHARDS)), "general") for n in range(2 * SHARDS)]
        async with divided(server, Notebook()) as processes:
            ada = server.person("ada")
            for channel in [*channels, await ada.opens_dm()]:
                await ada.runs(channel, "status")
            async with asyncio.timeout(PATIENCE):
                while sum(len(asked(ear)) for _, ear in processes) < 2 * SHARDS + 1:
                    await asyncio.sleep(0.01)
            assert all(adapter.holds(one.place.key) for adapter, ear in processes for one in asked(ear))
            assert {one.place.server for _, ear in processes for one in asked(ear)} == {
                "",
                *(str(one.guild.id) for one in channels if one.guild),
            }


async def test_as_many_shards_as_discord_advises() -> None:
    async with DiscordServer() as server:
        server.gateway.shards = 7
        assert await advised(AccountAccess(server.token, server.api_url, server.gateway_url)) == 7


async def test_starts_and_requests_keep_to_one_pace_with_the_others() -> None:
    taken = list[str]()

    async def turn(name: str, a_second: float) -> float:
        taken.append(f"{name} {a_second:g}")
        return 0.0

    async with DiscordServer() as server:
        adapter = adapter_for(server)
        adapter._turn = turn
        adapter.stand_by()
        adapter.take(0, 1)
        async with connected(adapter, Ear()):
            pass
        assert taken.count("discord.starts 0.2") == 1
        assert taken.count("discord.requests 10") >= 1


async def test_what_waits_for_its_turn_while_she_ends_is_left_to_be_sent_later() -> None:
    waits, go = asyncio.Event(), asyncio.Event()

    async def turn(name: str, a_second: float) -> float:
        if is_connected:
            waits.set()
            await go.wait()
        return 0.0

    is_connected = False
    async with DiscordServer() as server:
        home = server.world.guild(shard=(0, 1))
        adapter = adapter_for(server)
        adapter._turn = turn
        adapter.stand_by()
        adapter.take(0, 1)
        async with connected(adapter, Ear()):
            is_connected = True
            # Five requests are let out at a time: at the latest the sixth waits for a turn.
            sends = [
                asyncio.create_task(adapter.send(part(server.world.channel(home, "general"), f"part {n}"))) for n in range(6)
            ]
            await waits.wait()
        go.set()
        ends = await asyncio.gather(*sends, return_exceptions=True)
        assert {type(one) for one in ends if not isinstance(one, str)} == {SendFailed}


async def spent_by_another(turn: Turn | None) -> bool:
    """Have one process use the day's starts up to those that are spared; say whether another then makes none."""
    notes, clock = Notebook(), itertools.count(1_000_000_000_000_000, 5_000_000)

    async def at_once(seconds: float) -> None:
        pass

    one, other = (Limits(notes, lambda: next(clock), at_once) for _ in range(2))
    for limits in (one, other):
        limits.turn = turn
        await limits.load()
        limits.learn({"total": SPARED_STARTS + 2, "remaining": SPARED_STARTS + 2, "reset_after": 86_400_000})
    for _ in range(3):
        await one.start(initial=True)
    try:
        await other.start(initial=True)
    except StartsSpent:
        return True
    return False


async def test_the_starts_of_a_day_are_those_of_all_processes() -> None:
    async def turn(name: str, a_second: float) -> float:
        return 0.0

    assert await spent_by_another(turn)


async def test_without_the_guard_each_process_would_use_all_of_them() -> None:
    assert not await spent_by_another(None)


async def missed(server: DiscordServer, unit: int, place: Channel, cursors: Mapping[str, int], notes: Notebook) -> list[str]:
    """Connect a shard anew, with what all of them heard before; return what it heard of that when something is said at a place of its."""
    adapter, ear = adapter_for(server, notes=notes), Ear(cursors={stream: str(at) for stream, at in cursors.items()})
    adapter.stand_by()
    adapter.take(unit, SHARDS)
    async with connected(adapter, ear):
        await server.person("cleo").says(place, f"{server.mention} now")
        async with asyncio.timeout(PATIENCE):
            while not (found := [message.text.split()[-1] for message in said(ear)]) or found[-1] != "now":
                await asyncio.sleep(0.01)
        return found[:-1]


async def test_what_others_heard_later_does_not_count_for_a_channel_where_nothing_was_heard_yet() -> None:
    async with DiscordServer() as server:
        here, there = (server.world.guild(f"Home {unit}", shard=(unit, SHARDS)) for unit in (1, 2))
        known, new, other = (server.world.channel(guild, name) for guild, name in ((here, "a"), (here, "b"), (there, "c")))
        ada = server.person("ada")
        first, _, later = [await ada.says(place, f"{server.mention} {place.name}") for place in (known, new, other)]
        assert await missed(server, 1, known, {str(known.id): first.id, str(other.id): later.id}, Notebook()) == ["b"]


async def test_what_was_said_in_a_dm_meanwhile_is_heard_by_the_first_at_once() -> None:
    async with DiscordServer() as server:
        places = [server.world.channel(server.world.guild(shard=(unit, SHARDS)), "a") for unit in (0, 1)]
        notes, bob = Notebook(), server.person("bob")
        dm = await bob.opens_dm()
        async with divided(server, notes) as processes:
            first = await bob.says(dm, "before")
            async with asyncio.timeout(PATIENCE):
                while not said(processes[0][1]):
                    await asyncio.sleep(0.01)
        await bob.says(dm, "meanwhile")
        cursors = {str(dm.id): first.id}
        assert await missed(server, 0, places[0], cursors, notes) == ["meanwhile"]
        assert await missed(server, 1, places[1], cursors, notes) == []


async def test_a_shard_that_ended_before_it_heard_anything_knows_since_when_it_listens() -> None:
    async with DiscordServer() as server:
        place, other = (server.world.channel(server.world.guild(shard=(1, SHARDS)), name) for name in ("a", "b"))
        notes, ada = Notebook(), server.person("ada")
        assert await missed(server, 1, place, {}, notes) == []
        await ada.says(other, f"{server.mention} meanwhile")
        adapter, ear = adapter_for(server, notes=notes), Ear()
        adapter.stand_by()
        adapter.take(1, SHARDS)
        async with connected(adapter, ear), asyncio.timeout(PATIENCE):
            while "meanwhile" not in {message.text.split()[-1] for message in said(ear)}:
                await asyncio.sleep(0.01)
