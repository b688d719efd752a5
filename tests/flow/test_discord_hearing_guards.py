"""What becomes of Lyra's ear on Discord without its guards: each test is the twin of one that holds with them."""

import asyncio
import threading

import discord
import pytest
from discord.gateway import KeepAliveHandler

from adapters.base import Sending
from adapters.discord.adapter import Discord
from adapters.discord.incoming.backfill import Backfill
from adapters.discord.incoming.hearing import Hearing
from adapters.discord.limits import MOST_REFUSED, Limits
from adapters.discord.session_client import ConnectionChange, GatewayEvent, VisibilityChange
from adapters.events import Message, Person
from tests.fakes.discord import Channel, DiscordServer, Guild, Held, Listener, RateLimit, Right, Status, pointed_at
from tests.fakes.discord import running as connected
from tests.fakes.pulse import PATIENCE
from tests.kits.adapter_kit import running, server_circle
from tests.kits.discord_kit import Clock, Ear, Notebook, adapter_for, listening


async def test_without_the_gate_live_words_come_before_missed_ones(server: DiscordServer, general: Channel) -> None:
    class Hasty(Hearing):
        async def _take(self, item: GatewayEvent | ConnectionChange | VisibilityChange | discord.Guild) -> bool:
            if item is ConnectionChange.COMPLETE:
                self._later = asyncio.create_task(super()._take(item))
                self.is_open = True
                return False
            return await super()._take(item)

    class Ungated(Discord):
        hearing = Hasty

    ada = server.person("ada")
    first = await ada.says(general, "heard")
    await ada.says(general, "missed")
    ear, held = Ear(cursors={str(general.id): str(first.id)}), Held()
    server.faults.script("list_messages", held)
    async with listening(server, ear, kind=Ungated):
        await held.reached.wait()
        await ada.says(general, "live")
        await ear.heard(Message)
        held.go.set()
        await ear.heard(Message, 2)
    assert ear.texts == ["live", "missed"]


async def test_without_a_memory_of_ids_a_repeated_event_is_heard_twice(server: DiscordServer, general: Channel) -> None:
    class Forgetful(Hearing):
        def _was_passed_on(self, position: int) -> bool:
            return False

    class Repeating(Discord):
        hearing = Forgetful

    async with listening(server, ear := Ear(), kind=Repeating):
        await server.person("ada").says(general, "once")
        server.gateway.repeat()
        await ear.heard(Message, 2)
    assert ear.texts == ["once", "once"]


async def test_a_cursor_that_moves_over_a_hidden_history_loses_it(server: DiscordServer, home: Guild, general: Channel) -> None:
    class Trusting(Backfill):
        def may_move(self, stream: str) -> bool:
            return True

    class Unsure(Discord):
        gaps = Trusting

    ada, ear = server.person("ada"), Ear()
    first = await ada.says(general, "before")
    await ada.says(general, "missed")
    home.roles[home.id].rights &= ~Right.READ_MESSAGE_HISTORY
    ear = Ear(cursors={str(general.id): str(first.id)})
    async with listening(server, ear, kind=Unsure):
        await ada.says(general, "live")
        await ear.heard(Message)
    home.roles[home.id].rights |= Right.READ_MESSAGE_HISTORY
    async with listening(server, again := Ear(cursors=ear.kept)):
        await ada.says(general, "after")
        await again.heard(Message)
    assert ear.texts + again.texts == ["live", "after"], "nobody ever heard what was missed"


async def test_without_the_count_refused_requests_go_on(server: DiscordServer, general: Channel) -> None:
    class Careless(Limits):
        def require(self) -> None:
            return

    class Reckless(Discord):
        limits = Careless

    clock = Clock()
    notes = Notebook(refused={str(clock.now() // 60_000_000): MOST_REFUSED})
    place = f'["{general.guild.id if general.guild else 0}", "{general.id}", ""]'
    async with listening(server, Ear(), clock=clock, notes=notes, kind=Reckless) as adapter:
        await adapter.send(Sending("k", place, "hello", "send", "", unsure=False))
    assert [one.content for one in server.world.said] == ["hello"]


async def test_a_question_that_is_dropped_in_a_global_limit_stops_nothing(server: DiscordServer, home: Guild) -> None:
    person = Person("discord", str(server.person("ada").id), "ada")
    server.person("ada").joins(home)
    clock = Clock(jumps=True)
    async with listening(server, Ear(), clock=clock) as adapter:
        server.faults.script("get_guild_member", RateLimit(0.3, everywhere=True))
        asking = asyncio.create_task(adapter.readable_circles(person, [server_circle(home.id)]))
        while adapter._client is None or adapter._client.http._global_over.is_set():
            await asyncio.sleep(0)
        asking.cancel()
        await clock.pause(60)
        async with asyncio.timeout(PATIENCE):
            assert await adapter.readable_circles(person, [server_circle(home.id)]) == {server_circle(home.id)}
    assert server.faults.too_early == []


async def test_discord_py_alone_never_asks_again_after_that(server: DiscordServer, home: Guild) -> None:
    server.person("ada").joins(home)
    async with connected(server, Listener()) as client:
        await client.got("ready")
        server.faults.script("get_guild_member", RateLimit(0.3, everywhere=True))
        asking = asyncio.create_task(client.guilds[0].fetch_member(server.person("ada").id))
        await server.heard("get_guild_member")
        while client.http._global_over.is_set():
            await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await client.guilds[0].fetch_member(server.person("ada").id)


def heartbeats() -> list[KeepAliveHandler]:
    return [one for one in threading.enumerate() if isinstance(one, KeepAliveHandler) and not one._stop_ev.is_set()]


async def test_ending_it_between_hello_and_identify_leaves_no_heartbeat(server: DiscordServer) -> None:
    class Slow(Clock):
        reached = asyncio.Event()

        async def pause(self, seconds: float) -> None:
            self.reached.set()
            await asyncio.Event().wait()

    clock = Slow()
    before = heartbeats()
    notes = Notebook(starts=[clock.now()])
    async with running(adapter_for(server, clock=clock, notes=notes), Ear()):
        await clock.reached.wait()
        assert len(heartbeats()) > len(before)
    assert heartbeats() == before


async def test_discord_py_alone_leaves_it(server: DiscordServer) -> None:
    class Waiting(Listener):
        reached = asyncio.Event()

        async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
            self.reached.set()
            await asyncio.Event().wait()

    before = heartbeats()
    with pointed_at(server):
        async with Waiting() as client:
            started = asyncio.create_task(client.start(server.token))
            await client.reached.wait()
            started.cancel()
            await asyncio.wait([started])
            await client.close()
            [left] = [one for one in heartbeats() if one not in before]
            await left.ws.close()


async def test_failures_of_one_history_stop_no_other(server: DiscordServer, home: Guild, general: Channel) -> None:
    ada = server.person("ada")
    other = server.world.channel(home, "other")
    first = await ada.says(general, "heard")
    for place in (general, other):
        await ada.says(place, f"missed in {place.name}")
    server.faults.script("list_messages", Status(403))
    ear = Ear(cursors={str(general.id): str(first.id)})
    async with listening(server, ear):
        await ada.says(other, "live")
        await ear.heard(Message, 2)
    assert ear.texts == ["missed in other", "live"] and ear.kept[str(general.id)] == str(first.id)
