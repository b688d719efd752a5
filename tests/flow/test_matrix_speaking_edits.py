"""Lyra changes and takes back what she said: previews become answers in one message, and nothing stays readable."""

from dataclasses import replace

import pytest

from adapters.matrix.outgoing.contents import AUTOMATED
from tests.fakes.matrix import Lost, Person
from tests.fakes.matrix.faults import REDACT, SEND
from tests.kits.matrix_speech import Desk, Town, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]


async def originals(it: Desk, ada: Person, room: str) -> list[str]:
    """Return the ids of Lyra's messages that are still there, without edits."""
    return [event.id for event in await ada.messages(room) if event.sender == it.user and not event.replaces]


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True])
async def test_a_preview_becomes_the_answer(town: Town, ada: Person, bob: Person, encrypted: bool) -> None:
    async with town.beside(ada, bob, encrypted=encrypted) as (it, room):
        root = await bob.says(room, "plans")
        question = await ada.says(room, "what now?", thread=root)
        preview = await it.sender.send(part(room, "Let", thread=root, answers=question, operation="preview"))
        await it.sender.send(replace(part(room, "Let me see", thread=root, operation="edit", target=preview), key=""))
        final = part(room, "Let me see: **tea**.", thread=root, answers=question, operation="edit", target=preview)
        assert await it.sender.send(final) == preview
        for person in (ada, bob):
            shown = await person.hears(room, lambda event: event.body == final.text)
            assert (shown.replaces, shown.html) == (preview, "Let me see: <strong>tea</strong>.")
            # The edit keeps whom the message is for, and notifies nobody a second time.
            assert shown.content["m.new_content"]["m.mentions"] == {"user_ids": [ada.user]} and shown.mentions == []
            assert shown.content["body"] == f"* {final.text}"
            assert shown.content[AUTOMATED] is shown.content["m.new_content"][AUTOMATED] is True, "other programs can tell"
        assert await originals(it, ada, room) == [preview]
        assert (await ada.looks_at(room, preview)).thread == root


@pytest.mark.torture
async def test_an_edit_of_an_unknown_preview_finds_it(town: Town, ada: Person) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        other = await ada.says(room, "something else")
        question = await ada.says(room, "what now?")
        preview = await it.sender.send(part(room, "Let", answers=question, operation="preview"))
        await it.sender.send(part(room, "To the other.", answers=other))
        final = part(room, "Tea.", answers=question, operation="edit", since=it.clock(), unsure=True)
        assert await it.sender.send(final) == preview
        assert (await ada.hears_text(room, "Tea.")).replaces == preview


@pytest.mark.torture
async def test_an_edit_of_what_was_never_said_is_said(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        question = await ada.says(room, "what now?")
        sent = await it.sender.send(part(room, "Tea.", answers=question, operation="edit", since=it.clock()))
        said = await ada.hears_text(room, "Tea.")
        assert (said.id, said.replaces, said.answers) == (sent, "", question)


@pytest.mark.parametrize("accepted", [False, True])
async def test_an_edit_of_what_is_gone_is_said_once(town: Town, ada: Person, accepted: bool) -> None:
    async with town.beside(ada) as (it, room):
        question = await ada.says(room, "what now?")
        preview = await it.sender.send(part(room, "Let", answers=question, operation="preview"))
        await ada.redacts(room, preview)
        it.proxy.faults.always(SEND, Lost(accepted))
        final = part(room, "Tea.", answers=question, operation="edit", target=preview, since=it.clock())
        await it.delayed(final)
        it.proxy.faults.lift()
        sent = await it.sender.send(replace(final, unsure=True))
        assert await originals(it, ada, room) == [sent] and sent != preview


@pytest.mark.torture
async def test_a_preview_that_was_taken_away_is_not_shown_again_piece_by_piece(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        preview = await it.sender.send(part(room, "Let", operation="preview"))
        await ada.redacts(room, preview)
        assert "gone" in await it.refused(replace(part(room, "Let me", operation="edit", target=preview), key=""))
        assert await originals(it, ada, room) == []


async def test_she_changes_nothing_that_others_said(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        mine = await ada.says(room, "mine")
        await it.sender.send(part(room, "hers", operation="edit", target=mine))
        assert (await ada.hears_text(room, "hers")).replaces == ""


@pytest.mark.parametrize("encrypted", [False, True])
async def test_taking_a_message_back_takes_back_its_edits(town: Town, ada: Person, encrypted: bool) -> None:
    async with town.beside(ada, encrypted=encrypted) as (it, room):
        said = await it.sender.send(part(room, "the code is 1"))
        await it.sender.send(part(room, "the code is 12", operation="edit", target=said))
        await it.sender.send(part(room, "the code is 123", operation="edit", target=said))
        kept = await it.sender.send(part(room, "this stays"))
        assert await it.sender.send(part(room, "", operation="delete", target=said)) == said
        await ada.hears(room, lambda event: event.type == "m.room.redaction" and event.content["redacts"] == said)
        assert [event.id for event in await ada.messages(room) if event.sender == it.user and event.body] == [kept]
        assert not [event for event in await ada.timeline(room) if "the code" in event.body]


async def test_a_removal_that_broke_off_is_finished(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        question = await ada.says(room, "what now?")
        said = await it.sender.send(part(room, "one", answers=question, operation="preview"))
        await it.sender.send(part(room, "two", operation="edit", target=said))
        it.proxy.faults.always(f"PUT /rooms/*/redact/{said}/*", Lost(accepted=False))
        removal = part(room, "", answers=question, operation="delete", since=it.clock())
        await it.delayed(removal)
        it.proxy.faults.lift()
        assert await it.sender.send(replace(removal, unsure=True)) == said
        assert [event.body for event in await ada.messages(room)] == ["what now?"]


@pytest.mark.torture
async def test_what_is_gone_already_is_removed_in_peace(town: Town, ada: Person) -> None:
    async with town.beside(ada) as (it, room):
        said = await it.sender.send(part(room, "one"))
        await ada.redacts(room, said)
        await it.sender.send(part(room, "", operation="delete", target=said))
        assert await it.sender.send(part(room, "", operation="delete")) == ""
        assert len(it.proxy.calls(REDACT)) == 1
