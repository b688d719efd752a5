"""A gateway session goes on over a restart: nothing is identified anew, and what happened meanwhile is heard once, in its order."""

from collections.abc import Awaitable, Callable

import discord
import pytest

from adapters.discord.session_client import SessionClient
from adapters.events import Message, MessageEdited, MessagesDeleted, ServerJoined
from tests.fakes.discord import USUAL, Channel, DiscordServer, Guild, Right, wire
from tests.kits import discord_resuming
from tests.kits.discord_kit import Ear, listening
from tests.kits.discord_resuming import Hurried, Restarted

process = discord_resuming.process


async def test_what_happened_meanwhile_is_heard_once_and_no_session_is_begun(
    process: Restarted, server: DiscordServer, general: Channel
) -> None:
    ada = server.person("ada")
    async with process.awake() as ear:
        first, second = [await ada.says(general, text) for text in ("one", "two")]
        await ear.heard(Message, 2)
    assert [file.name for file in process.folder.iterdir()] == ["discord-0-of-1"]
    dm = await ada.opens_dm()
    await ada.says(general, "three")
    await ada.says(dm, "alone")
    await ada.edits(second, "zwei")
    await ada.deletes(first)
    pages = len(server.calls("list_messages"))
    async with process.awake() as ear:
        assert list(process.folder.iterdir()) == [], "it is read once"
        await ada.says(general, "four")
        await ear.heard(Message, 3)
    assert process.counts(1, 1)
    assert ear.texts == ["three", "alone", "four"]
    assert {one.ids for one in ear.of(MessagesDeleted)} == {(str(first.id),)}
    assert {one.text for one in ear.of(MessageEdited)} == {"zwei"}
    assert ear.missing == [] and ear.times_ready == 1, "nothing is in doubt"
    histories = [one.path for one in server.calls("list_messages")[pages:]]
    assert all(str(dm.id) in path for path in histories), "of a DM that nobody knew, what was said before may be missing"


@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "the twin"])
async def test_what_was_taken_back_is_told_before_anything_is_answered(
    process: Restarted, server: DiscordServer, general: Channel, guarded: bool
) -> None:
    ada = server.person("ada")
    async with process.awake() as ear:
        said = await ada.says(general, "one")
        await ear.heard(Message)
    await ada.deletes(said)
    told: list[int] = []
    ready = Ear.ready

    async def noting(self: Ear) -> None:
        told.append(len(self.of(MessagesDeleted)))
        await ready(self)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Ear, "ready", noting)
        if not guarded:
            patched.setattr("adapters.discord.incoming.hearing._retraction", lambda _: None)
        async with process.awake():
            pass
    assert told == [int(guarded)]


async def test_it_goes_on_over_many_restarts(process: Restarted, server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    heard: list[str] = []
    for number in range(4):
        await ada.says(general, f"before {number}")
        async with process.awake() as ear:
            await ada.says(general, f"during {number}")
            await ear.heard(Message, 2 if number else 1)
            heard += ear.texts
    assert heard == ["during 0", *[f"{when} {number}" for number in range(1, 4) for when in ("before", "during")]]
    assert process.counts(1, 3)


async def test_a_session_that_discord_does_not_take_just_now_is_resumed_a_moment_later(
    process: Restarted, server: DiscordServer, general: Channel
) -> None:
    async with process.awake():
        pass
    await server.person("ada").says(general, "meanwhile")
    server.gateway.invalid_next.append(True)
    async with process.awake() as ear:
        await ear.heard(Message)
    assert ear.texts == ["meanwhile"] and ear.missing == [] and process.counts(1, 2)


async def test_where_discord_is_away_at_first_the_session_waits(
    process: Restarted, server: DiscordServer, general: Channel
) -> None:
    async with process.awake():
        pass
    await server.person("ada").says(general, "meanwhile")
    server.gateway.refuse = 2
    async with process.awake() as ear:
        await ear.heard(Message)
    assert ear.texts == ["meanwhile"] and process.counts(1, 1)


async def hidden_for_a_while(server: DiscordServer, home: Guild, general: Channel) -> None:
    server.acts.overwrite(general, server.world.bot, deny=Right.VIEW_CHANNEL)
    await server.person("ada").says(general, "unheard")
    server.acts.overwrite(general, server.world.bot, allow=Right.VIEW_CHANNEL)


async def out_of_order_for_a_while(server: DiscordServer, home: Guild, general: Channel) -> None:
    server.acts.guild_fails(home)
    for session in server.gateway.sessions.values():
        intents, session.intents = session.intents, type(session.intents).NONE
        await server.person("ada").says(general, "unheard")
        session.intents = intents
    back = wire.guild_created(server.world, home)
    server.gateway.tell("GUILD_CREATE", lambda _: back)


async def let_in_elsewhere(server: DiscordServer, home: Guild, general: Channel) -> None:
    there = server.world.guild("There", with_bot=False)
    server.world.channel(there, "welcome")
    server.acts.add_bot(there)
    await server.person("ada").says(general, "unheard")


MEANWHILE = (hidden_for_a_while, out_of_order_for_a_while, let_in_elsewhere)


@pytest.mark.parametrize("how", MEANWHILE, ids=[how.__name__ for how in MEANWHILE])
async def test_what_the_replay_does_not_tell_is_read_in_histories(
    process: Restarted, server: DiscordServer, home: Guild, general: Channel, how: Callable[..., Awaitable[None]]
) -> None:
    ada = server.person("ada")
    async with process.awake() as ear:
        await ada.says(general, "before")
        await ear.heard(Message)
    await how(server, home, general)
    async with process.awake() as ear:
        await ada.says(general, "after")
        await ear.heard(Message, 2)
    hidden = (str(home.id), str(general.id))
    assert ear.texts == ["unheard", "after"]
    assert ear.missing == ([hidden, hidden] if how is hidden_for_a_while else [()])
    assert len(ear.of(ServerJoined)) == int(how is let_in_elsewhere) and process.counts(1, 1)


@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "the twin"])
async def test_what_was_said_while_hidden_between_two_connections_is_read(
    server: DiscordServer, home: Guild, general: Channel, guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not guarded:
        # Each would do: handlers that run at once, and their turn before the next frame.
        monkeypatch.setattr("adapters.discord.resuming.resumption.Socket", Hurried)
        monkeypatch.setattr(SessionClient, "_schedule_event", discord.Client._schedule_event)
    ada, ear = server.person("ada"), Ear()
    async with listening(server, ear):
        await ada.says(general, "before")
        await ear.heard(Message)
        server.gateway.disconnect()
        await hidden_for_a_while(server, home, general)
        last = await ada.says(general, "after")
        await ear.moved(str(general.id), last.id)
    assert ear.texts == (["before", "unheard", "after"] if guarded else ["before", "after"])


async def test_what_was_left_to_be_read_is_read_after_a_session_was_resumed(
    process: Restarted, server: DiscordServer, home: Guild, general: Channel
) -> None:
    ada = server.person("ada")
    async with process.awake() as ear:
        await ada.says(general, "before")
        await ear.heard(Message)
    await ada.says(general, "unheard")
    server.gateway.forget()
    server.acts.change_role(home, home.roles[home.id], USUAL & ~Right.READ_MESSAGE_HISTORY)
    async with process.awake() as ear:
        assert ear.texts == []
    server.acts.change_role(home, home.roles[home.id], USUAL)
    async with process.awake() as ear:
        await ada.says(general, "after")
        await ear.heard(Message, 2)
    assert ear.texts == ["unheard", "after"] and ear.missing == [()] and process.counts(2, 2)
