"""Discord lists no DMs: whoever wrote to her alone for the first time, while nothing of it was kept yet, is heard after a kill all the same."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import aiohttp
import discord
import pytest

from adapters.discord.adapter import Discord
from adapters.discord.resuming.session_position import SessionPosition
from adapters.events import Message
from tests.fakes.discord import Channel, DiscordServer, Held
from tests.kits.adapter_kit import connected
from tests.kits.discord_kit import Clock, Ear, Notebook, adapter_for, listening


class Forgetful(SessionPosition):
    """Asks nobody what the last session tells."""

    async def begin(self, client: discord.Client, learn: Callable[..., Awaitable[None]]) -> None:
        """Look nowhere."""


class Unaware(Discord):
    """A Discord with such a position."""

    position = Forgetful


class Life:
    """What outlives a process: its notes, and how far it heard."""

    def __init__(self, server: DiscordServer) -> None:
        self.server = server
        self.notes, self.clock = Notebook(), Clock()
        self.ear = Ear()

    @asynccontextmanager
    async def killed(self) -> AsyncIterator[Ear]:
        """Run a process for the block that ends as by a kill: to Discord the connection was lost, and the session waits."""
        async with self.awake() as ear:
            yield ear
            [session] = self.server.gateway.live()
        self.server.gateway.sessions[session.id] = session

    @asynccontextmanager
    async def awake(self, kind: type[Discord] = Discord) -> AsyncIterator[Ear]:
        """Run a process for the block."""
        self.ear = Ear(cursors=self.ear.kept)
        async with listening(self.server, self.ear, notes=self.notes, clock=self.clock, kind=kind):
            yield self.ear


@pytest.fixture
def life(server: DiscordServer) -> Life:
    return Life(server)


async def spoken(server: DiscordServer, place: Channel, life: Life) -> None:
    """Have her hear a word in a channel."""
    await server.person("bob").says(place, "hello")
    await life.ear.heard(Message)


async def told(server: DiscordServer, place: Channel, life: Life, kind: type[Discord] = Discord) -> list[str]:
    """Return what a process hears up to a word in a channel."""
    async with life.awake(kind) as ear:
        await server.person("bob").says(place, "and now?")
        await ear.pulse.until(lambda: "and now?" in ear.texts, "the word in the channel")
    return ear.texts


@pytest.mark.parametrize("kind", [Discord, Unaware], ids=["guarded", "without the guard"])
async def test_the_first_word_in_a_dm_is_heard_though_she_was_killed(
    server: DiscordServer, general: Channel, life: Life, kind: type[Discord]
) -> None:
    ada = server.person("ada")
    dm = await ada.opens_dm()
    async with life.killed():
        await spoken(server, general, life)
    await ada.says(dm, "are you there?")
    await ada.says(dm, "I hope so")
    heard = await told(server, general, life, kind)
    assert heard == (["are you there?", "I hope so", "and now?"] if kind is Discord else ["and now?"])
    assert await told(server, general, life) == ["and now?"], "it is heard once"


async def test_what_came_and_was_not_kept_is_told_by_the_session(server: DiscordServer, general: Channel, life: Life) -> None:
    """The kill comes between the word and the commit of it, for which she waits."""
    ada = server.person("ada")
    dm = await ada.opens_dm()
    async with life.killed() as ear:
        await spoken(server, general, life)
        held = Held()
        server.faults.script("list_messages", held)
        await ada.says(dm, "are you there?")
        await held.reached.wait()
        assert ear.texts == ["hello"]
    server.faults.forgive()
    life.notes.values["dms"] = []
    assert await told(server, general, life) == ["are you there?", "and now?"]


async def test_a_dm_that_was_learned_of_is_read_though_she_is_killed_before_that(
    server: DiscordServer, general: Channel, life: Life
) -> None:
    ada = server.person("ada")
    dm = await ada.opens_dm()
    async with life.awake():
        await spoken(server, general, life)
    await ada.says(dm, "are you there?")
    life.notes.values["dms"] = [str(dm.id)]
    assert await told(server, general, life) == ["are you there?", "and now?"]


async def test_where_the_session_is_over_she_begins_another_and_hears_a_first_dm_with_the_next_word_there(
    server: DiscordServer, general: Channel, life: Life
) -> None:
    async with life.killed():
        await spoken(server, general, life)
    ada = server.person("ada")
    dm = await ada.opens_dm()
    await ada.says(dm, "are you there?")
    server.gateway.sessions.clear()
    assert await told(server, general, life) == ["and now?"]
    assert [len(server.gateway.identifies), len(server.gateway.resumes)] == [2, 1]
    async with life.awake() as ear:
        await ada.says(dm, "hello?")
        await ear.heard(Message, 2)
        assert ear.texts == ["are you there?", "hello?"], "nobody can know of the first before the second"


async def test_where_discord_is_out_of_reach_then_the_next_session_asks(
    server: DiscordServer, general: Channel, life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = server.person("ada")
    dm = await ada.opens_dm()
    async with life.killed():
        await spoken(server, general, life)
    await ada.says(dm, "are you there?")
    connect = discord.http.HTTPClient.ws_connect

    async def lost(self: discord.http.HTTPClient, url: str, *, compress: int = 0) -> aiohttp.ClientWebSocketResponse:
        server.gateway.refuse = int("resumed" in url)
        return await connect(self, url, compress=compress)

    with monkeypatch.context() as away:
        away.setattr(discord.http.HTTPClient, "ws_connect", lost)
        assert await told(server, general, life) == ["and now?"]
    assert await told(server, general, life) == ["are you there?", "and now?"]


async def test_the_position_is_noted_at_the_beginning_and_every_ten_seconds(
    server: DiscordServer, general: Channel, life: Life
) -> None:
    async def noted(text: str) -> int:
        await server.person("bob").says(general, text)
        await life.ear.pulse.until(lambda: text in life.ear.texts, text)
        await server.person("bob").says(general, f"{text} again")
        await life.ear.pulse.until(lambda: f"{text} again" in life.ear.texts, text)
        return int(life.notes.values["position"]["sequence"])

    async with life.awake():
        first = await noted("one")
        life.clock.passes(5)
        assert await noted("two") == first, "not for every message"
        life.clock.passes(5)
        last = await noted("three")
        [session] = server.gateway.live()
        assert first < last < len(session.log), "not ahead of what was passed on"


async def test_only_the_shard_of_the_dms_asks(server: DiscordServer) -> None:
    guilds = [server.world.guild(f"Home {n}", shard=(n, 2)) for n in range(2)]
    places = [server.world.channel(guild, "general") for guild in guilds]
    notes = Notebook()
    for _ in range(2):
        for unit in range(2):
            adapter, ear = adapter_for(server, notes=notes), Ear()
            adapter.take(unit, 2)
            async with connected(adapter, ear):
                await server.person("bob").says(places[unit], "hello")
                await ear.heard(Message)
    assert [one["shard"] for one in server.gateway.identifies] == [[0, 2], [1, 2], [0, 2], [1, 2]]
    assert len(server.gateway.resumes) == 1


async def test_what_came_before_a_first_word_does_not_wait_for_the_history_of_that_dm(
    server: DiscordServer, general: Channel, life: Life
) -> None:
    """A DM's cursor that is ahead of a channel without one would hide, after a kill, what was said in the channel."""
    assert general.guild
    ada, other = server.person("ada"), server.world.channel(general.guild, "other")
    dm = await ada.opens_dm()
    held, resumed = Held(), Held()
    async with life.awake() as ear:
        await spoken(server, general, life)
        server.faults.script("list_messages", held)
        server.gateway.before_resumed = resumed.go
        server.gateway.disconnect()
        await server.pulse.until(lambda: server.gateway.waiting == 1, "a RESUME")
        await ada.says(other, "never asked here before")
        await ada.says(dm, "are you there?")
        resumed.go.set()
        await held.reached.wait()
        assert ear.texts == ["hello", "never asked here before"]
        held.go.set()
        await ear.heard(Message, 3)
