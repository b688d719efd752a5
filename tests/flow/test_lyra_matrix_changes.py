"""What people change on Matrix: Lyra answers what stands, and keeps nothing else."""

import pytest

from adapters.matrix.adapter import Matrix
from adapters.matrix.incoming.event import RoomEvent
from adapters.matrix.incoming.hearing import Hearing
from bot.service.log import FILE
from memory.types import DomainKind
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import People, Person, Status
from tests.fakes.matrix.faults import SEND
from tests.kits.awake import prompt, question
from tests.kits.discord_knowing import Thoughtful
from tests.kits.matrix_changes import BLUE, DOWN, GREEN, SEALED, Narrow, answers_to, asked, followed, kept, pondered, settled
from tests.kits.matrix_home import Home, dm, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_changes_fixtures"]


# Edits


@pytest.mark.torture
async def test_a_question_that_waits_is_answered_as_it_stands(at_home: Home, ada: Person, model: Thoughtful) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        model.thinks = True
        await ada.says(room, "tell me about doors")
        await model.heard(1)
        waiting = await ada.says(room, GREEN)
        await followed(at_home, ada, room, await ada.edits(room, waiting, BLUE))
        model.go.set()
        assert (await at_home.answer(ada, room, waiting)).body == f"You said: {BLUE}"
        assert not any("green" in prompt(chat) for chat in lyra.chats)
        assert "green" not in "\n".join(await kept(lyra, ada, room))


@pytest.mark.parametrize("waiting", [False, True], ids=["answered", "waiting"])
async def test_a_message_that_is_emptied_is_forgotten_and_what_an_edit_says_in_it_later_is_heard(
    at_home: Home, ada: Person, model: Thoughtful, waiting: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        said = await (pondered(at_home, model, ada, room) if waiting else asked(at_home, ada, room))
        await followed(at_home, ada, room, await ada.edits(room, said, ""))
        model.go.set()
        await settled(lyra)
        assert "green" not in "\n".join(await kept(lyra, ada, room))
        assert not waiting or await answers_to(at_home, ada, room, said) == []
        await followed(at_home, ada, room, await ada.edits(room, said, BLUE))
        await settled(lyra)
        assert BLUE in await kept(lyra, ada, room)


@SEALED
async def test_a_question_that_changes_while_the_model_thinks_is_asked_again_and_its_newest_words_are_answered(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada, encrypted=sealed)
        said = await pondered(at_home, model, ada, room)
        # About the words in between as well: an answer to those would be one, too.
        model.thinks = True
        await ada.edits(room, said, "is the door red?")
        await followed(at_home, ada, room, await ada.edits(room, said, BLUE))
        model.go.set()
        assert (await at_home.answer(ada, room, said)).body == f"You said: {BLUE}"
        await settled(lyra)
        questions = [question(chat) for chat in lyra.chats]
        assert (questions[0], questions[-1]) == (GREEN, BLUE)
        assert await kept(lyra, ada, room, sealed) == [BLUE, f"You said: {BLUE}"]
        assert await answers_to(at_home, ada, room, said) == [f"You said: {BLUE}"]


@pytest.mark.torture
@DOWN
@SEALED
async def test_an_answered_question_is_found_by_the_words_it_has_now_and_not_answered_again(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool, down: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada, encrypted=sealed)
        said = await asked(at_home, ada, room)
        await settled(lyra)
        if not down:
            await ada.edits(room, said, "is the door red?")
            await followed(at_home, ada, room, await ada.edits(room, said, BLUE))
            assert await kept(lyra, ada, room, sealed) == [BLUE], "the answer that repeats the old words is gone with them"
    if down:
        for words in ("is the door red?", "is the door brown?", "is the door black?", "is it red?", BLUE):
            last = await ada.edits(room, said, words)
    async with at_home.lyra(model, kind=Narrow) as lyra:
        if down:
            await followed(at_home, ada, room, last)
            assert await kept(lyra, ada, room, sealed) == [BLUE]
        assert BLUE in (await at_home.asks(ada, room, "!recall blue")).body
        assert "nothing" in (await at_home.asks(ada, room, "!recall green")).body
        assert len(lyra.chats) == 1
        assert await answers_to(at_home, ada, room, said) == [f"You said: {GREEN}"]


class _Gullible(Hearing):
    """Takes every edit for its author's own."""

    def is_own(self, original: RoomEvent, edit: RoomEvent) -> bool:
        return True


class _Fooled(Matrix):
    hearing = _Gullible


@pytest.mark.torture
@pytest.mark.parametrize("guarded", [True, False])
async def test_nobody_changes_what_another_one_said(
    at_home: Home, people: People, ada: Person, model: Thoughtful, guarded: bool
) -> None:
    """Without the guard anybody does."""
    eve = await people.person("eve")
    async with at_home.lyra(model, kind=Matrix if guarded else _Fooled) as lyra:
        room = await room_of(at_home, ada, eve)
        said = await ada.says(room, "I like tea.", mentions=[at_home.user])
        await at_home.answer(ada, room, said)
        await followed(at_home, eve, room, await eve.edits(room, said, "I like poison."))
        words = await lyra.kept(DomainKind.ROOM, room)
        assert words[0] == ("I like tea." if guarded else "I like poison.")
        assert len(lyra.chats) == 1


@pytest.mark.torture
async def test_a_mention_that_an_edit_adds_is_answered_once(
    at_home: Home, people: People, ada: Person, model: Thoughtful
) -> None:
    eve = await people.person("eve")
    async with at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, eve)
        said = await ada.says(room, "is it late?")
        await followed(at_home, ada, room, await ada.edits(room, said, "is it very late?"))
        for words in ("how late is it?", "how late is it now?"):
            last = await ada.edits(room, said, words, mentions=[at_home.user])
            await at_home.answer(ada, room, said)
        await followed(at_home, ada, room, last)
        await settled(lyra)
        assert len(lyra.chats) == 1 and question(lyra.chats[0]).endswith("how late is it?")


@pytest.mark.torture
async def test_a_reaction_changes_nothing_and_is_not_answered(at_home: Home, ada: Person, model: Thoughtful) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        said = await asked(at_home, ada, room)
        reply = await at_home.answer(ada, room, said)
        await ada.reacts(room, said, "👍")
        reaction = await ada.reacts(room, reply.id, "👎")
        await followed(at_home, ada, room, await ada.redacts(room, reaction))
        await settled(lyra)
        assert await kept(lyra, ada, room) == [GREEN, f"You said: {GREEN}"]
        assert len(lyra.chats) == 1
        assert len(await at_home.said(ada, room)) == 2, "the introduction and the answer"


# First words, devices, and the log


@pytest.mark.torture
@SEALED
async def test_what_is_said_in_a_dm_before_she_came_is_answered(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await ada.opens_dm(at_home.user, encrypted=sealed)
        said = await ada.says(room, GREEN)
        assert (await at_home.answer(ada, room, said)).body == f"You said: {GREEN}"
        assert await kept(lyra, ada, room, sealed) == [GREEN, f"You said: {GREEN}"]


@pytest.mark.torture
@SEALED
async def test_another_device_of_hers_reads_the_answer_and_goes_on(
    at_home: Home, people: People, ada: Person, model: Thoughtful, sealed: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada, encrypted=sealed)
        await asked(at_home, ada, room)
        phone = await people.second_device(ada)
        await at_home.asks(phone, room, "and the window?")
        again = await at_home.asks(ada, room, "and the roof?")
        assert (await phone.hears(room, lambda one: one.id == again.id)).body == "You said: and the roof?"
        assert GREEN in prompt(lyra.chats[-1])
        assert "and the window?" in prompt(lyra.chats[-1])
        assert len(await at_home.said(ada, room)) == 4, "one introduction, and an answer to each question"


@pytest.mark.torture
async def test_nobodys_words_are_in_the_log(
    at_home: Home, ada: Person, model: Thoughtful, capsys: pytest.CaptureFixture[str]
) -> None:
    async with at_home.lyra(model, 'log_level = "debug"') as lyra:
        for sealed in (False, True):
            room = await dm(at_home, ada, encrypted=sealed)
            said = await ada.says(room, "my password is swordfish")
            await at_home.answer(ada, room, said)
            await ada.edits(room, said, "my password is flounder")
            await at_home.asks(ada, room, "!recall flounder")
            await ada.redacts(room, said)
            at_home.proxy.faults.script(SEND, Status(403, text="flounder"))
            model.script(b.DENIED)
            again = await ada.says(room, "is it a flounder or a swordfish?")
            await at_home.proxy.until(lambda: any(call.status == 403 for call in at_home.proxy.calls(SEND)), "a refusal")
            await settled(lyra)
            await at_home.answer(ada, room, again)
            at_home.proxy.requests.clear()
    shown, logged = capsys.readouterr(), (at_home.path / FILE).read_text()
    assert "platform.connected" in logged
    assert "model.denied" in logged
    words = ("swordfish", "flounder", at_home.owner.password, "syt_")
    assert not [word for word in words if word in shown.out + shown.err + logged]


# Answered again


@pytest.mark.torture
@SEALED
async def test_a_question_that_is_changed_after_its_answer_is_answered_again_at_a_sign_of_its_author(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada, encrypted=sealed)
        said = await asked(at_home, ada, room)
        answer = await at_home.answer(ada, room, said)
        await followed(at_home, ada, room, await ada.edits(room, said, BLUE))
        await settled(lyra)
        assert len(lyra.chats) == 1, "it is never answered again unasked"
        await ada.hears(room, lambda one: one.sender == at_home.user and one.reaction == (answer.id, "🔁"))
        await ada.reacts(room, answer.id, "🔁")
        await model.heard(2)
        await settled(lyra)
        assert question(lyra.chats[-1]) == BLUE
        await ada.hears(room, lambda one: one.sender == at_home.user and one.body == f"You said: {BLUE}")
        assert await answers_to(at_home, ada, room, said) == [f"You said: {GREEN}", f"You said: {BLUE}"]
