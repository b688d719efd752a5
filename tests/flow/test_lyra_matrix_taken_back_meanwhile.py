"""A question that is taken back while its answer goes out: the answer is taken back as well, in whatever order she learns of both."""

import pytest

from bot.app import App
from bot.conversation.concurrent_changes import Overtaken
from memory.journal.journal import Journal, OutboxRow
from tests.fakes.matrix import Held, Lost, Person
from tests.fakes.matrix.faults import SEND, SYNC
from tests.kits.awake import question
from tests.kits.discord_knowing import Thoughtful
from tests.kits.matrix_changes import BLUE, SEALED, answers_to, asked, followed, pondered
from tests.kits.matrix_home import Home, dm

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_changes_fixtures"]


async def taken_back(ada: Person, room: str) -> None:
    """Wait until a post of hers is gone from a room."""
    await ada.hears(room, lambda event: event.type == "m.room.redaction" and event.sender != ada.user)


class _Unmindful(Journal):
    """Takes what went out for sent, though its words had to go meanwhile."""

    async def sent(self, row: int, remote_id: str = "", then: str = "", done: str = "send") -> list[OutboxRow]:
        return await super().sent(row, remote_id, then, "delete")


def _unmindful(app: App) -> App:
    app.memory.journal = _Unmindful(app.memory.db, app.base.clock)
    return app


@SEALED
@pytest.mark.parametrize("lost", [False, True], ids=["slow", "lost"])
async def test_the_homeserver_has_the_answer_and_she_does_not_know_it_yet(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool, lost: bool
) -> None:
    async with at_home.lyra(model):
        room = await dm(at_home, ada, encrypted=sealed)
        before = await asked(at_home, ada, room)
        said, slow = await pondered(at_home, model, ada, room), Held()
        at_home.proxy.faults.script(SEND, slow, *([Lost()] if lost else []))
        await _goes_out(at_home, ada, room, model, said, slow)
        await taken_back(ada, room)
        assert await answers_to(at_home, ada, room, said) == []
        assert len(await answers_to(at_home, ada, room, before)) == 1, "what answers another question stands"


@SEALED
async def test_a_question_that_is_edited_while_its_answer_goes_out_is_answered_as_it_is_then(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool
) -> None:
    async with at_home.lyra(model):
        room = await dm(at_home, ada, encrypted=sealed)
        said, slow = await pondered(at_home, model, ada, room), Held()
        at_home.proxy.faults.script(SEND, slow)
        model.go.set()
        await slow.reached.wait()
        await followed(at_home, ada, room, await ada.edits(room, said, BLUE))
        heard = len(model.requests)
        slow.go.set()
        await taken_back(ada, room)
        await model.heard(heard + 1)
        assert BLUE in question(model.requests[-1])
        await at_home.asks(ada, room, "are you there?")
        assert len(await answers_to(at_home, ada, room, said)) == 1


async def test_without_the_guard_it_would_stand(at_home: Home, ada: Person, model: Thoughtful) -> None:
    async with at_home.lyra(model, changed=_unmindful):
        room = await dm(at_home, ada)
        said, slow = await pondered(at_home, model, ada, room), Held()
        at_home.proxy.faults.script(SEND, slow)
        await _goes_out(at_home, ada, room, model, said, slow)
        await at_home.asks(ada, room, "are you there?")
        assert len(await answers_to(at_home, ada, room, said)) == 1


async def _goes_out(at_home: Home, ada: Person, room: str, model: Thoughtful, said: str, slow: Held) -> None:
    """Let a question be taken back once the homeserver has its answer, and then tell her that it has."""
    model.go.set()
    await slow.reached.wait()
    await followed(at_home, ada, room, await ada.redacts(room, said))
    slow.go.set()


async def _is_late(at_home: Home, ada: Person, room: str, model: Thoughtful, late: Held) -> str:
    """Let a question be taken back while she is told of nothing, and then answered; return it once she may be told."""
    before = await asked(at_home, ada, room)
    said = await pondered(at_home, model, ada, room)
    at_home.proxy.faults.script(SYNC, late)
    # The request that waits already would tell her.
    await ada.reacts(room, before, "nothing")
    await at_home.proxy.until(lambda: not at_home.proxy.faults.left(SYNC), "a request that is held")
    await ada.redacts(room, said)
    await late.reached.wait()
    model.go.set()
    await at_home.answer(ada, room, said)
    late.go.set()
    return said


@SEALED
@pytest.mark.parametrize("together", [False, True], ids=["one after the other", "together"])
async def test_she_hears_of_it_after_she_answered(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool, together: bool
) -> None:
    async with at_home.lyra(model):
        room = await dm(at_home, ada, encrypted=sealed)
        said = await _is_late(at_home, ada, room, model, Held(before=together))
        await taken_back(ada, room)
        assert await answers_to(at_home, ada, room, said) == []
        assert len(await at_home.said(ada, room)) > 1, "what answers another question stands"


async def test_without_the_guard_an_answer_that_she_is_told_of_later_would_stand(
    at_home: Home, ada: Person, model: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Overtaken, "note", lambda *_: None)
    async with at_home.lyra(model):
        room = await dm(at_home, ada)
        said = await _is_late(at_home, ada, room, model, Held())
        await at_home.asks(ada, room, "are you there?")
        assert len(await answers_to(at_home, ada, room, said)) == 1


async def test_an_answer_that_stood_before_its_question_was_taken_back_stays(
    at_home: Home, ada: Person, model: Thoughtful
) -> None:
    """It is hers to forget with a command, as before."""
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        said = await asked(at_home, ada, room)
        await lyra.rests()
        await followed(at_home, ada, room, await ada.redacts(room, said))
        await at_home.asks(ada, room, "are you there?")
        assert len(await answers_to(at_home, ada, room, said)) == 1
