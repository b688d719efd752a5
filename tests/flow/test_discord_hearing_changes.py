"""What happens on Discord to what was said: edits, removals, renames, and servers that let Lyra in."""

from datetime import timedelta

from adapters.base import Sending
from adapters.events import Message, MessageEdited, MessagesDeleted, Renamed, ServerJoined
from tests.fakes.discord import Channel, DiscordServer, Right
from tests.kits.discord_kit import Ear, listening


async def test_an_edit_says_the_new_words(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        ada = server.person("ada")
        said = await ada.says(general, f"{server.mention} the door is green")
        await ada.edits(said, f"{server.mention} the door is blue")
        revised = await ear.heard(MessageEdited)
        heard = await ear.heard(Message)
    assert (revised.id, revised.text, revised.place) == (str(said.id), "the door is blue", heard.place)
    assert said.edited is not None and revised.edited_at == round(said.edited.timestamp() * 1_000_000)


async def test_a_link_that_unfolds_is_no_edit(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        ada = server.person("ada")
        said = await ada.says(general, "look at this")
        server.acts.edit(said, embeds=[])
        said.edited = None
        server.acts._tell_message("MESSAGE_UPDATE", said)
        await ada.edits(said, "look at that")
        server.acts._tell_message("MESSAGE_UPDATE", said)
        await ada.says(general, "well?")
        await ear.heard(Message, 2)
    assert [one.text for one in ear.of(MessageEdited)] == ["look at this", "look at that"]


async def test_an_edit_that_cannot_be_read_says_so() -> None:
    async with DiscordServer(content_intent=False) as server:
        general = server.world.channel(server.world.guild("Home"), "general")
        async with listening(server, ear := Ear(), message_content=False):
            ada = server.person("ada")
            said = await ada.says(general, f"{server.mention} the door is green")
            await ada.edits(said, "the door is blue")
            hidden = await ear.heard(MessageEdited)
            await ada.edits(said, f"{server.mention} the door is red")
            named = await ear.heard(MessageEdited, 2)
            private = await ada.says(await ada.opens_dm(), "and the window is white")
            await ada.edits(private, "and the window is black")
            direct = await ear.heard(MessageEdited, 3)
        assert (hidden.text, named.text, direct.text) == (None, "the door is red", "and the window is black")
        assert server.own_faults == [] and server.violations == []


async def test_removed_messages_are_withdrawn_one_or_many(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        ada = server.person("ada")
        rows = [await ada.says(general, text) for text in ("one", "two", "three")]
        await ada.deletes(rows[0])
        await ada.deletes(*rows[1:])
        dm = await ada.opens_dm()
        await ada.deletes(await ada.says(dm, "four"))
        await ear.heard(MessagesDeleted, 3)
        heard = ear.of(Message)
    assert [one.ids for one in ear.of(MessagesDeleted)][:2] == [(str(rows[0].id),), (str(rows[1].id), str(rows[2].id))]
    assert [one.place for one in ear.of(MessagesDeleted)] == [heard[0].place, heard[0].place, heard[3].place]


async def test_her_own_messages_are_withdrawn_too(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()) as adapter:
        await server.person("ada").says(general, f"{server.mention} hello")
        place = (await ear.heard(Message)).place
        own = await adapter.send(Sending("k", place.key, "hello", "send", "", unsure=False))
        await server.person("ada").deletes(general.messages[int(own)])
        assert (await ear.heard(MessagesDeleted)).ids == (own,)
    assert ear.texts == ["hello"]


async def test_what_happens_to_other_machines_words_is_nothing(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        robot = server.person("robot", bot=True)
        await robot.edits(await robot.says(general, "beep"), "boop")
        await server.person("ada").says(general, "quiet here")
        await ear.heard(Message)
    assert ear.of(MessageEdited) == [] and ear.texts == ["quiet here"]


async def test_events_keep_their_order(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        ada = server.person("ada")
        ear.go.clear()
        first = await ada.says(general, "one")
        await ada.edits(first, "ONE")
        second = await ada.says(general, "two")
        await ada.deletes(first)
        await ada.edits(second, "TWO")
        ear.go.set()
        await ear.heard(MessageEdited, 2)
    kinds = [type(one).__name__ for one in ear.events]
    assert kinds == ["Message", "MessageEdited", "Message", "MessagesDeleted", "MessageEdited"]


async def test_a_renamed_thread_has_both_its_names(server: DiscordServer, general: Channel) -> None:
    async with listening(server, ear := Ear()):
        thread = await server.person("ada").starts_thread(general, "holiday", text="where to?")
        await ear.heard(Message)
        server.acts.change_thread(thread, locked=True)
        server.acts.change_thread(thread, name="Lisbon")
        renamed = await ear.heard(Renamed)
    assert (renamed.before, renamed.place.name, renamed.place.thread) == ("holiday", "Lisbon", str(thread.id))
    assert set(ear.of(Renamed)) == {renamed}


async def test_a_server_that_lets_her_in_names_a_place_to_speak(server: DiscordServer) -> None:
    async with listening(server, ear := Ear()):
        away = server.world.guild("Away", with_bot=False)
        rules = server.world.channel(away, "rules")
        lobby = server.world.channel(away, "lobby")
        server.acts.overwrite(rules, away.roles[away.id], deny=Right.SEND_MESSAGES)
        server.acts.add_bot(away)
        joined = await ear.heard(ServerJoined)
    assert (joined.place.server, joined.place.channel) == (str(away.id), str(lobby.id))


async def test_a_server_that_let_her_in_while_she_was_away_is_told(server: DiscordServer, general: Channel) -> None:
    assert general.guild is not None
    general.guild.members[server.world.bot.id].joined -= timedelta(days=1)
    said = await server.person("ada").says(general, "before")
    ear = Ear(cursors={str(general.id): str(said.id)})
    away = server.world.guild("Away", with_bot=False)
    server.world.channel(away, "lobby")
    server.world.join(away, server.world.bot)
    async with listening(server, ear):
        assert (await ear.heard(ServerJoined)).place.server == str(away.id)
    assert len(ear.of(ServerJoined)) == 1


async def test_an_event_that_cannot_be_handled_does_not_deafen_her(server: DiscordServer, general: Channel) -> None:
    """A server whose gate cannot be asked, not even a second time: its message is lost, the next one is heard."""
    broken = ["no settings", "none yet"]

    def gate(_: str) -> str:
        if broken:
            raise LookupError(broken.pop())
        return ""

    async with listening(server, ear := Ear(), gate=gate):
        await server.person("ada").says(general, "lost")
        await server.person("ada").says(general, "heard")
        assert (await ear.heard(Message)).text == "heard" and not broken
