"""An account on Discord that is divided over several processes: each hears its servers and the first the DMs, at one pace."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from adapters.discord.adapter import Discord
from adapters.discord.connection import Access, advised
from adapters.discord.limits import SPARED_STARTS, Limits, StartsSpent, Turn
from adapters.events import Message
from tests.fakes.discord import DiscordServer, Guild
from tests.fakes.pulse import PATIENCE
from tests.kits.adapter_kit import Ear, Notebook, connected
from tests.kits.discord_kit import adapter_for
from tests.kits.size import TORTURE

SHARDS = 3
GUILDS = 2_500 if TORTURE else 30


@asynccontextmanager
async def divided(
    server: DiscordServer, notes: Notebook, earlier: Sequence[Ear] = ()
) -> AsyncIterator[list[tuple[Discord, Ear]]]:
    """Run an account as so many processes would, each with one shard, after what earlier ones heard."""
    cursors = {stream: at for ear in earlier for stream, at in ear.kept.items()}
    async with AsyncExitStack() as stack:
        found = []
        for unit in range(SHARDS):
            adapter, ear = adapter_for(server, notes=notes), Ear(cursors=cursors)
            ear.before = await earlier[unit].own_streams() if earlier else frozenset()
            adapter.stand_by()
            adapter.take(unit, SHARDS)
            await stack.enter_async_context(connected(adapter, ear))
            found.append((adapter, ear))
        yield found


def said(ear: Ear) -> list[Message]:
    """Return the messages that were heard."""
    return [event for event in ear.events if isinstance(event, Message)]


async def heard(processes: Sequence[tuple[Discord, Ear]], messages: int) -> None:
    """Wait until so many messages were heard by all of them together."""
    async with asyncio.timeout(PATIENCE):
        while sum(len(said(ear)) for _, ear in processes) < messages:
            await asyncio.sleep(0.01)


def one_of_each(server: DiscordServer) -> list[Guild]:
    """Make servers until each shard has one, and return those: which one's a server is tells the millisecond in its id."""
    found: dict[int, Guild] = {}
    while len(found) < SHARDS:
        guild = server.world.guild(f"Home {len(found)}")
        found.setdefault((guild.id >> 22) % SHARDS, guild)
    return [found[unit] for unit in range(SHARDS)]


async def test_each_shard_hears_its_servers_and_the_first_the_dms() -> None:
    async with DiscordServer() as server:
        guilds = [server.world.guild(f"Home {n}") for n in range(GUILDS)]
        channels = [server.world.channel(guild, "general") for guild in guilds]
        notes = Notebook()
        async with divided(server, notes) as processes:
            for n, channel in enumerate(channels):
                await server.person("ada").says(channel, f"{server.mention} {n}")
            dm = await server.person("bob").opens_dm()
            await server.person("bob").says(dm, "alone")
            await heard(processes, GUILDS + 1)
            texts = [{message.text.split()[-1] for message in said(ear)} for _, ear in processes]
            for unit in range(SHARDS):
                own = {str(n) for n, guild in enumerate(guilds) if (guild.id >> 22) % SHARDS == unit}
                assert texts[unit] == own | ({"alone"} if unit == 0 else set())
            for unit, (_, ear) in enumerate(processes):
                for message in said(ear):
                    assert [adapter.holds(message.place.key) for adapter, _ in processes] == [n == unit for n in range(SHARDS)]
        assert [one["shard"] for one in server.gateway.identifies] == [[unit, SHARDS] for unit in range(SHARDS)]
        assert server.violations == [] and server.own_faults == []


async def test_what_was_missed_is_heard_by_the_shard_whose_it_is() -> None:
    async with DiscordServer() as server:
        ada, bob = server.person("ada"), server.person("bob")
        guilds = one_of_each(server)
        quiet = [server.world.channel(guild, "quiet") for guild in guilds]
        channels = [server.world.channel(guild, "general") for guild in guilds]
        dm = await bob.opens_dm()
        notes = Notebook()
        async with divided(server, notes) as processes:
            await bob.says(dm, "alone")
            for channel in channels:
                await ada.says(channel, f"{server.mention} hello")
            await heard(processes, SHARDS + 1)
            earlier = [ear for _, ear in processes]
        await bob.says(dm, "still alone")
        for unit in (0, 2):
            await ada.says(quiet[unit], f"{server.mention} {unit}")
        # The second one was connected all the while, and heard what came last.
        last = await ada.says(channels[1], "to nobody")
        earlier[1].kept |= {str(channels[1].id): str(last.id)}
        async with divided(server, notes, earlier) as processes:
            await heard(processes, SHARDS)
            texts = [sorted(message.text.split()[-1] for message in said(ear)) for _, ear in processes]
            assert texts == [["0", "alone"], [], ["2"]]
        assert server.violations == [] and server.own_faults == []


async def test_as_many_shards_as_discord_advises() -> None:
    async with DiscordServer() as server:
        server.gateway.shards = 7
        assert await advised(Access(server.token, server.api_url, server.gateway_url)) == 7


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
