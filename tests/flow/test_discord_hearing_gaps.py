"""What was said while Lyra was away: it is heard before what comes next, and no cursor moves over what was not."""

from datetime import UTC, datetime, timedelta

import pytest

from adapters.discord.incoming import backfill
from adapters.events import Message, Reach
from tests.fakes.discord import Channel, DiscordServer, Guild, Held, Person, Right, Status, Then, wire
from tests.kits.discord_kit import Clock, Ear, Notebook, listening, restarted

LONG_AGO = timedelta(days=1)


@pytest.fixture
def home(server: DiscordServer) -> Guild:
    home = server.world.guild("Home")
    home.members[server.world.bot.id].joined -= LONG_AGO
    return home


@pytest.fixture
def general(server: DiscordServer, home: Guild) -> Channel:
    return server.world.channel(home, "general")


async def test_what_was_missed_is_heard_after_a_restart(server: DiscordServer, home: Guild, general: Channel) -> None:
    ada, ear = server.person("ada"), Ear()
    dm = await ada.opens_dm()
    other = server.world.channel(home, "other")
    thread = server.world.thread(general, "holiday", ada.user)
    old = await ada.says(other, "long before she came", at=datetime.now(UTC) - LONG_AGO)
    async with listening(server, ear):
        for place in (general, dm, thread):
            await ada.says(place, "heard")
        await ear.heard(Message, 3)
    for place in (general, dm, thread, other):
        for number in range(2):
            await ada.says(place, f"{place.id} {number}")
    async with listening(server, ear := restarted(ear)):
        await ear.heard(Message, 8)
    for place in (general, dm, thread, other):
        assert [text for text in ear.texts if text.startswith(str(place.id))] == [f"{place.id} 0", f"{place.id} 1"]
    assert {one.place.reach for one in ear.of(Message) if one.text.startswith(str(dm.id))} == {Reach.DIRECT}
    assert ear.kept == {str(place.id): str(max(place.messages)) for place in (general, dm, thread, other)}
    assert old.content not in ear.texts


async def test_at_the_very_first_start_nothing_old_is_read(server: DiscordServer, general: Channel) -> None:
    await server.person("ada").says(general, "before she came")
    async with listening(server, ear := Ear()):
        await server.person("ada").says(general, "welcome")
        await ear.heard(Message)
    assert ear.texts == ["welcome"] and server.calls("list_messages") == []


@pytest.mark.parametrize("told", ["at once", "on resume"])
async def test_what_was_missed_in_an_invalid_session_is_heard_in_order(
    server: DiscordServer, general: Channel, told: str
) -> None:
    ada, ear = server.person("ada"), Ear()
    async with listening(server, ear):
        await ada.says(general, "before")
        await ear.heard(Message)
        if told == "at once":
            server.gateway.invalidate()
        else:
            server.gateway.disconnect()
            server.gateway.forget()
        await ada.says(general, "meanwhile")
        await server.identified(2)
        await server.connected()
        await ada.says(general, "after")
        await ear.heard(Message, 3)
        assert ear.times_ready == 2
    assert ear.texts == ["before", "meanwhile", "after"]


async def test_after_a_resume_nothing_is_asked_for(server: DiscordServer, general: Channel) -> None:
    ada, ear = server.person("ada"), Ear()
    async with listening(server, ear):
        await ada.says(general, "before")
        await ear.heard(Message)
        server.gateway.disconnect()
        await ada.says(general, "meanwhile")
        await ear.heard(Message, 2)
        await ada.says(general, "after")
        await ear.heard(Message, 3)
    assert ear.texts == ["before", "meanwhile", "after"]
    assert server.calls("list_messages") == [] and ear.times_ready == 1 and len(server.gateway.identifies) == 1


async def test_live_words_wait_until_the_gap_is_filled(server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    first = await ada.says(general, "heard")
    await ada.says(general, "missed")
    ear, held = Ear(cursors={str(general.id): str(first.id)}), Held()
    server.faults.script("list_messages", held)
    async with listening(server, ear):
        await held.reached.wait()
        await ada.edits(await ada.says(general, "live"), "LIVE")
        assert ear.events == []
        held.go.set()
        await ear.heard(Message, 2)
    assert ear.texts == ["missed", "live"] and ear.texts.count("live") == 1


async def test_a_word_that_is_both_missed_and_live_is_heard_once(server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    first = await ada.says(general, "heard")
    await ada.says(general, "missed")
    ear, held = Ear(cursors={str(general.id): str(first.id)}), Held(before=True)
    server.faults.script("list_messages", held)
    async with listening(server, ear):
        await held.reached.wait()
        await ada.says(general, "live and in the history")
        held.go.set()
        await ada.says(general, "done")
        await ear.pulse.until(lambda: "done" in ear.texts, "the last word")
    assert ear.texts == ["missed", "live and in the history", "done"]


async def test_a_hidden_history_says_nothing_and_its_cursor_stays(server: DiscordServer, home: Guild, general: Channel) -> None:
    ada, ear = server.person("ada"), Ear()
    async with listening(server, ear):
        before = await ada.says(general, "before")
        await ear.heard(Message)
    await ada.says(general, "missed")
    everyone = home.roles[home.id]
    everyone.rights &= ~Right.READ_MESSAGE_HISTORY
    async with listening(server, ear := restarted(ear)) as adapter:
        await ada.says(general, "live")
        await ear.heard(Message)
        assert "hide their history from me: 1." in adapter.describe()
    assert ear.texts == ["live"] and ear.kept == {str(general.id): str(before.id)}
    everyone.rights |= Right.READ_MESSAGE_HISTORY
    async with listening(server, ear := restarted(ear)):
        await ear.heard(Message, 2)
    assert ear.texts == ["missed", "live"], "what was hidden is read once it is shown"


async def test_a_hidden_history_that_was_never_heard_gets_a_cursor_to_go_on_from(
    server: DiscordServer, home: Guild, general: Channel
) -> None:
    ada = server.person("ada")
    other = server.world.channel(home, "other")
    last = await ada.says(other, "heard")
    await ada.says(general, "missed")
    server.acts.overwrite(general, server.world.bot, deny=Right.READ_MESSAGE_HISTORY)
    ear = Ear(cursors={str(other.id): str(last.id)})
    async with listening(server, ear):
        await ada.says(other, "live")
        await ear.heard(Message)
    assert ear.texts == ["live"] and ear.kept[str(general.id)] == str(last.id)
    server.acts.overwrite(general, server.world.bot)
    async with listening(server, ear := restarted(ear)):
        assert (await ear.heard(Message)).text == "missed"


async def test_her_own_words_and_notices_move_the_cursor_only(server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    first = await ada.says(general, "heard")
    await server.person("robot", bot=True).says(general, "beep")
    last = await ada.says(general, "", kind=7)
    ear = Ear(cursors={str(general.id): str(first.id)})
    async with listening(server, ear):
        await ear.moved(str(general.id), last.id)
    assert ear.events == []


@pytest.mark.parametrize("status", [503, 403], ids=["broken", "turned away at the edge"])
async def test_a_broken_history_is_tried_again(server: DiscordServer, general: Channel, status: int) -> None:
    ada = server.person("ada")
    first = await ada.says(general, "heard")
    await ada.says(general, "missed")
    server.faults.script("list_messages", Status(status), Status(status))
    ear, clock = Ear(cursors={str(general.id): str(first.id)}), Clock()
    async with listening(server, ear, clock=clock):
        await ada.says(general, "live")
        await ear.heard(Message, 2)
    assert ear.texts == ["missed", "live"] and [wait for wait in clock.waits if wait < 5] == [1.0, 2.0]


async def test_a_history_that_stays_broken_holds_nobody_up_and_is_read_later(server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    first = await ada.says(general, "heard")
    await ada.says(general, "missed")
    server.faults.script("list_messages", *[Status(503)] * 5)
    ear = Ear(cursors={str(general.id): str(first.id)})
    async with listening(server, ear):
        await ada.says(general, "live")
        await ear.heard(Message)
        assert ear.texts == ["live"] and ear.kept == {str(general.id): str(first.id)}
        server.gateway.disconnect()
        last = await ada.says(general, "after the loss")
        await ear.heard(Message, 3)
        await ear.moved(str(general.id), last.id)
    assert sorted(ear.texts) == ["after the loss", "live", "missed"]


async def test_a_long_absence_is_read_in_pages_up_to_a_bound(server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    rows = [await ada.says(general, str(number)) for number in range(backfill.MOST_MISSED + 51)]
    ear = Ear(cursors={str(general.id): str(rows[0].id)})
    async with listening(server, ear):
        await ear.heard(Message, backfill.MOST_MISSED)
        await ada.says(general, "live")
        await ear.pulse.until(lambda: "live" in ear.texts, "a live word")
    assert ear.texts == [*map(str, range(1, backfill.MOST_MISSED + 1)), "live"]
    assert max(map(len, ear.batches)) <= 100
    async with listening(server, ear := restarted(ear)):
        await ear.heard(Message, 51)
    assert ear.texts == [*map(str, range(backfill.MOST_MISSED + 1, backfill.MOST_MISSED + 51)), "live"], "the next start reads on"


async def test_archived_threads_are_read_and_what_is_gone_is_asked_for_once(
    server: DiscordServer, home: Guild, general: Channel
) -> None:
    ada, ear, notes = server.person("ada"), Ear(), Notebook()
    thread = await ada.starts_thread(general, "holiday", text="where to?")
    lost = await ada.starts_thread(general, "secret", private=True)
    server.acts.join_thread(lost, server.world.bot)
    async with listening(server, ear):
        for place in (thread, lost):
            await ada.says(place, "heard")
        await ear.heard(Message, 2)
    await ada.says(thread, "missed")
    thread.archived = True
    server.acts.leave_thread(lost, server.world.bot)
    for _ in range(2):
        async with listening(server, ear := restarted(ear), notes=notes):
            await ada.says(general, "tick")
            await ear.pulse.until(lambda: "tick" in ear.texts, "a tick")
        assert len([call for call in server.refused if str(lost.id) in call.path]) == 1
    assert ear.texts == ["tick"] and ear.kept[str(thread.id)] == str(max(thread.messages))


async def test_a_start_cut_off_between_two_channels_loses_nothing_of_either(
    server: DiscordServer, home: Guild, general: Channel
) -> None:
    ada, ear = server.person("ada"), Ear()
    garden, kitchen, _ = (server.world.channel(home, name) for name in ("garden", "kitchen", "attic"))
    async with listening(server, ear):
        await ada.says(general, "heard")
        await ear.heard(Message)
    for place, text in ((garden, "one"), (kitchen, "two"), (garden, "three"), (kitchen, "four")):
        await ada.says(place, text)
    held = Held(before=True)
    server.faults.script("list_messages", Then(lambda: None), held)
    async with listening(server, ear := restarted(ear)):
        await ear.heard(Message, 2)
        await held.reached.wait()
        first, ear = ear.texts, restarted(ear)  # As a kill leaves it.
    async with listening(server, ear):
        await ear.heard(Message, 2)
    assert sorted(first + ear.texts) == ["four", "one", "three", "two"]


async def out_of_order(server: DiscordServer, home: Guild, general: Channel, who: Person, ear: Ear) -> None:
    """Have something heard, then a server fail, and something said there meanwhile that no event tells of."""
    await who.says(general, "before")
    await ear.heard(Message)
    server.acts.guild_fails(home)
    session = server.gateway.live()[0]
    intents, session.intents = session.intents, type(session.intents).NONE
    await who.says(general, "unheard")
    session.intents = intents


async def test_a_server_that_comes_late_is_caught_up_with(server: DiscordServer, home: Guild, general: Channel) -> None:
    ada, ear = server.person("ada"), Ear()
    async with listening(server, ear):
        await out_of_order(server, home, general, ada, ear)
        server.gateway.tell("GUILD_CREATE", lambda _: wire.guild_created(server.world, home))
        await ada.says(general, "after")
        await ear.heard(Message, 3)
    assert ear.texts == ["before", "unheard", "after"]


async def test_a_server_that_comes_back_while_the_connection_is_lost_is_caught_up_with(
    server: DiscordServer, home: Guild, general: Channel
) -> None:
    ada, ear = server.person("ada"), Ear()
    async with listening(server, ear):
        await out_of_order(server, home, general, ada, ear)
        server.gateway.disconnect()
        server.gateway.tell("GUILD_CREATE", lambda _: wire.guild_created(server.world, home))
        await ada.says(general, "after")
        await ear.heard(Message, 3)
    assert ear.texts == ["before", "unheard", "after"]
    assert (str(home.id),) in ear.missing, "what was taken back there meanwhile would count as standing"


async def test_a_crash_between_pages_loses_and_repeats_nothing(server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    rows = [await ada.says(general, str(number)) for number in range(151)]
    ear = Ear(cursors={str(general.id): str(rows[0].id)})
    held = Held(before=True)
    server.faults.script("list_messages", Then(lambda: None), held)
    async with listening(server, ear):
        await held.reached.wait()
    assert ear.texts == [] or ear.texts == [str(number) for number in range(1, 101)]
    async with listening(server, rest := restarted(ear)):
        await rest.heard(Message, 150 - len(ear.texts))
    assert ear.texts + rest.texts == [str(number) for number in range(1, 151)]
