"""Lyra speaks on Matrix: once, in the right place, to the one who asked, and pinging nobody else."""

import pytest

from adapters.matrix.outgoing.contents import AUTOMATED
from tests.fakes.matrix import Person
from tests.fakes.matrix.faults import SEND
from tests.kits.matrix_speech import Town, beside, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]


@pytest.mark.parametrize("encrypted", [False, True])
async def test_an_answer_refers_to_the_question_and_mentions_who_asked(
    town: Town, ada: Person, bob: Person, encrypted: bool
) -> None:
    async with town.desk() as it:
        room = await beside(it, ada, bob, encrypted=encrypted)
        question = await ada.says(room, "when is the party?")
        sent = await it.sender.send(part(room, "On **Friday**.", answers=question))
        for person in (ada, bob):
            said = await person.hears(room, lambda event: event.sender == it.user and event.kind == "m.text")
            assert (said.id, said.body, said.html) == (sent, "On **Friday**.", "On <strong>Friday</strong>.")
            assert (said.answers, said.mentions, said.encrypted, said.thread) == (question, [ada.user], encrypted, "")
            assert said.content[AUTOMATED] is True, "other programs can tell"


@pytest.mark.torture
@pytest.mark.parametrize("encrypted", [False, True])
async def test_a_thread_is_answered_in_the_thread(town: Town, ada: Person, bob: Person, encrypted: bool) -> None:
    async with town.desk() as it:
        room = await beside(it, ada, bob, encrypted=encrypted)
        root = await bob.says(room, "plans")
        question = await ada.says(room, "what now?", thread=root)
        parts = [part(room, text, thread=root, answers=question, first=not at) for at, text in enumerate(["Tea.", "And cake."])]
        first, second = [await it.sender.send(one) for one in parts]
        for person in (ada, bob):
            said = await person.hears_text(room, "Tea.")
            more = await person.hears_text(room, "And cake.")
            assert (said.id, said.thread, said.mentions) == (first, root, [ada.user])
            assert (more.id, more.thread, more.mentions) == (second, root, [])
            relation = said.raw["content"]["m.relates_to"]
            assert relation["is_falling_back"] and relation["m.in_reply_to"] == {"event_id": question}


@pytest.mark.torture
async def test_the_parts_of_an_answer_stand_in_order_and_only_the_first_refers(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        room = await beside(it, ada, encrypted=True)
        question = await ada.says(room, "tell me all")
        for at, text in enumerate(["one", "two", "three"]):
            await it.sender.send(part(room, text, answers=question, first=not at))
        await ada.hears_text(room, "three")
        said = [event for event in await ada.messages(room) if event.sender == it.user]
        assert [one.body for one in said] == ["one", "two", "three"]
        assert [one.answers for one in said] == [question, "", ""]


@pytest.mark.torture
async def test_notices_are_notices(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        room = await beside(it, ada)
        await it.sender.send(part(room, "Nothing is kept.", notice=True))
        assert (await ada.hears_text(room, "Nothing is kept.")).kind == "m.notice"


@pytest.mark.torture
async def test_a_question_from_another_room_is_answered_without_a_reference(town: Town, ada: Person, bob: Person) -> None:
    async with town.desk() as it:
        room, aside = await beside(it, ada, bob), await beside(it, ada, direct=True)
        question = await ada.says(room, "!memory")
        await it.sender.send(part(aside, "Here, for you alone.", answers=question))
        said = await ada.hears_text(aside, "Here, for you alone.")
        assert said.answers == "" and said.mentions == []


@pytest.mark.torture
async def test_a_question_that_was_taken_back_is_answered_all_the_same(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        room = await beside(it, ada)
        question = await ada.says(room, "never mind")
        await ada.redacts(room, question)
        await it.sender.send(part(room, "Too late.", answers=question))
        assert (await ada.hears_text(room, "Too late.")).mentions == [ada.user]


async def test_the_transaction_is_named_by_the_key(town: Town, ada: Person) -> None:
    async with town.desk() as it:
        room = await beside(it, ada)
        sending = part(room, "hello")
        first, second = await it.sender.send(sending), await it.sender.send(sending)
        assert first == second and len(await ada.messages(room)) == 1
        assert {call.path.rpartition("/")[2] for call in it.proxy.calls(SEND)} == {sending.key}
