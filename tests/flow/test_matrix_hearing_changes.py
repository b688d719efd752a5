"""What people change and take back on Matrix."""

from pathlib import Path

import pytest

from adapters.events import Message, MessageEdited, MessagesDeleted
from adapters.matrix.adapter import Matrix
from adapters.matrix.incoming.event import RoomEvent
from adapters.matrix.incoming.hearing import Hearing
from tests.fakes.matrix import People, Proxy, contents
from tests.kits.matrix_kit import Ear, home, in_dm, in_room, listening, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
async def test_an_edit_is_no_new_message_but_the_new_words_of_the_old_one(
    people: People, proxy: Proxy, tmp_path: Path, encrypted: bool
) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=encrypted, encrypts=True) as (lyra, ada, ear, room):
        said = await ada.says(room, "Mog is 3.")
        message = await ear.heard(Message)
        await ada.edits(room, said, "Mog is 4.")
        revised = await ear.heard(MessageEdited)
    assert (revised.id, revised.text, revised.place.key) == (said, "Mog is 4.", message.place.key)
    assert revised.edited_at > message.said_at and ear.texts == ["Mog is 3."]


async def test_an_edit_of_something_said_before_a_restart_is_followed_into_its_thread(
    people: People, proxy: Proxy, tmp_path: Path
) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        said = await ada.says(room, "Monday", thread=await ada.says(room, "When?"))
        message = await ear.heard(Message, 2)
    async with listening(lyra, again := Ear(cursors=ear.kept)):
        await ada.edits(room, said, "Tuesday")
        revised = await again.heard(MessageEdited)
    assert (revised.id, revised.text, revised.place.key) == (said, "Tuesday", message.place.key)


async def test_nobody_changes_what_another_one_said(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_room(people, proxy, tmp_path, "eve") as (lyra, ada, eve, ear, room):
        said = await ada.says(room, "I like tea.")
        await eve.edits(room, said, "I like poison.")
        await ada.edits(room, said, "I like green tea.")
        revised = await ear.heard(MessageEdited)
    assert (revised.text, len(ear.of(MessageEdited)), ear.texts) == ("I like green tea.", 1, ["I like tea."])


async def test_an_edit_of_an_edit_is_no_other_message(people: People, proxy: Proxy, tmp_path: Path) -> None:
    """Apps pass over it; she would answer the question again, and keep its words under another id."""
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada"), Ear()
    async with listening(lyra, ear):
        room = await room_of(lyra, ada)
        said = await ada.says(room, "One", mentions=[lyra.user])
        edit = await ada.edits(room, said, "Two", mentions=[lyra.user])
        await ada.edits(room, edit, "Three", mentions=[lyra.user])
        await ada.edits(room, said, "Four", mentions=[lyra.user])
        await ear.heard(MessageEdited, 2)
    assert [(one.id, one.text) for one in ear.of(MessageEdited)] == [(said, "Two"), (said, "Four")]


async def test_what_was_encrypted_is_edited_by_nothing_that_is_not(people: People, proxy: Proxy, tmp_path: Path) -> None:
    """Whoever runs the homeserver could write it."""
    async with in_dm(people, proxy, tmp_path, encrypted=True) as (lyra, ada, ear, room):
        said = await ada.says(room, "I like tea.")
        await ada.sends(room, "m.room.message", contents.edit(said, contents.text("I like poison.")), plain=True)
        await ada.edits(room, said, "I like green tea.")
        assert (await ear.heard(MessageEdited)).text == "I like green tea."


class _Gullible(Hearing):
    """Takes every edit for its author's own."""

    def is_own(self, original: RoomEvent, edit: RoomEvent) -> bool:
        return True


class _Fooled(Matrix):
    hearing = _Gullible


@pytest.mark.torture
async def test_without_that_comparison_anybody_could(people: People, proxy: Proxy, tmp_path: Path) -> None:
    """The twin."""
    lyra, ada, eve = await home(people, proxy, tmp_path), await people.person("ada"), await people.person("eve")
    async with listening(lyra, ear := Ear(), kind=_Fooled):
        room = await room_of(lyra, ada, eve)
        await eve.edits(room, await ada.says(room, "I like tea."), "I like poison.")
        assert (await ear.heard(MessageEdited)).text == "I like poison."


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
async def test_what_is_taken_back_is_withdrawn(people: People, proxy: Proxy, tmp_path: Path, encrypted: bool) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=encrypted, encrypts=True) as (lyra, ada, ear, room):
        said = await ada.says(room, "I stole a bike.")
        await ada.edits(room, said, "I stole a red bike.")
        await ada.redacts(room, said)
        withdrawn = await ear.heard(MessagesDeleted)
    assert (withdrawn.ids, withdrawn.place) == ((said,), ear.of(Message)[0].place)


@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
@pytest.mark.parametrize("restarted", [False, True], ids=["at once", "after a restart"])
async def test_an_edit_that_is_taken_back_leaves_the_words_before_it(
    people: People, proxy: Proxy, tmp_path: Path, encrypted: bool, restarted: bool
) -> None:
    async with in_dm(people, proxy, tmp_path, encrypted=encrypted, encrypts=True) as (lyra, ada, ear, room):
        said = await ada.says(room, "One")
        edits = [await ada.edits(room, said, "Two"), await ada.edits(room, said, "Three")]
        await ear.heard(MessageEdited, 2)
        if not restarted:
            await ada.redacts(room, edits[1])
            assert (await ear.heard(MessageEdited, 3)).text == "Two"
            await ada.redacts(room, edits[0])
            assert (await ear.heard(MessageEdited, 4)).text == "One"
    if restarted:
        async with listening(lyra, again := Ear(cursors=ear.kept)):
            await ada.redacts(room, edits[1])
            revised = await again.heard(MessageEdited)
        assert (revised.id, revised.text) == (said, "Two")
    assert not ear.of(MessagesDeleted)


@pytest.mark.torture
async def test_an_edit_of_what_was_taken_back_is_not_followed(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        said = await ada.says(room, "One")
        await ada.redacts(room, said)
        await ada.edits(room, said, "Two")
        await ada.says(room, "Three")
        await ear.heard(Message, 2)
    assert not ear.of(MessageEdited)


@pytest.mark.torture
async def test_a_reaction_is_nothing_to_answer(people: People, proxy: Proxy, tmp_path: Path) -> None:
    async with in_dm(people, proxy, tmp_path) as (lyra, ada, ear, room):
        await ada.reacts(room, await ada.says(room, "One"), "👍")
        await ada.says(room, "Two")
        await ear.heard(Message, 2)
    assert ear.texts == ["One", "Two"] and len(ear.events) == 2
