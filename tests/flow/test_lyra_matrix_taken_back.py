"""What people take back on Matrix: it is gone from what Lyra keeps, with all that repeats it."""

import pytest

from adapters.matrix.incoming.event import RoomEvent
from adapters.matrix.incoming.hearing import Hearing
from adapters.matrix.incoming.timeline_state import Edits
from bot.app import App
from memory.journal.journal import Journal
from memory.types import DomainKind
from memory.view.shown_messages import ShownMessages
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import People, Person
from tests.kits.awake import prompt
from tests.kits.discord_knowing import Thoughtful
from tests.kits.matrix_changes import BLUE, DOWN, GREEN, SEALED, Narrow, answers_to, asked, followed, kept, pondered, settled
from tests.kits.matrix_home import Home, dm, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_changes_fixtures"]


@pytest.mark.torture
@SEALED
async def test_what_is_taken_back_is_gone_from_recall_and_summary_with_its_answer(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool
) -> None:
    model.default = b.sensible
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada, encrypted=sealed)
        said = await asked(at_home, ada, room)
        assert "green" in (await at_home.asks(ada, room, "!summarize")).body
        await followed(at_home, ada, room, await ada.redacts(room, said))
        assert "nothing" in (await at_home.asks(ada, room, "!recall green")).body
        assert "nothing to summarize" in (await at_home.asks(ada, room, "!summarize")).body
        assert await kept(lyra, ada, room, sealed) == []


@pytest.mark.torture
@SEALED
async def test_an_edit_that_is_taken_back_leaves_the_words_before_it(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada, encrypted=sealed)
        said = await asked(at_home, ada, room)
        edit = await ada.edits(room, said, BLUE)
        await followed(at_home, ada, room, edit)
        assert await kept(lyra, ada, room, sealed) == [BLUE]
        await followed(at_home, ada, room, await ada.redacts(room, edit))
        assert await kept(lyra, ada, room, sealed) == [GREEN]
        assert len(lyra.chats) == 1


async def test_an_edit_can_be_taken_back_however_much_was_edited_elsewhere(
    at_home: Home, people: People, ada: Person, model: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Edits, "most", 1)
    eve = await people.person("eve")
    async with at_home.lyra(model):
        room, elsewhere = await dm(at_home, ada), await dm(at_home, eve)
        edit = await ada.edits(room, await asked(at_home, ada, room), BLUE)
        await eve.edits(elsewhere, await asked(at_home, eve, elsewhere), BLUE)
        await at_home.asks(eve, elsewhere, "and now?")
    async with at_home.lyra(model) as lyra:
        await followed(at_home, ada, room, await ada.redacts(room, edit))
        assert await kept(lyra, ada, room) == [GREEN]


@pytest.mark.torture
@pytest.mark.parametrize("fails", [False, True])
async def test_a_question_that_is_taken_back_while_the_model_thinks_gets_no_answer_and_no_promise(
    at_home: Home, ada: Person, model: Thoughtful, fails: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        await at_home.asks(ada, room, "hello")
        said = await pondered(at_home, model, ada, room)
        await followed(at_home, ada, room, await ada.redacts(room, said))
        if fails:
            model.script(b.DENIED)
        model.go.set()
        await at_home.asks(ada, room, "are you there?")
        bodies = [one.body for one in await at_home.said(ada, room)]
        assert bodies[1:] == ["You said: hello", "You said: are you there?"]
        assert "green" not in "\n".join(await kept(lyra, ada, room))


class _Credulous(Hearing):
    """Takes what an edit says for said, though the message that it changes was taken back."""

    def stands(self, original: RoomEvent) -> bool:
        return True


class _Naive(Narrow):
    hearing = _Credulous


@pytest.mark.torture
@DOWN
@SEALED
async def test_what_was_taken_back_is_nowhere_though_its_edits_stay_readable(
    at_home: Home, people: People, ada: Person, model: Thoughtful, sealed: bool, down: bool
) -> None:
    """Not even where somebody answers it."""
    eve = await people.person("eve", encrypts=True)
    async with at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, eve, encrypted=sealed)
        await at_home.asks(eve, room, "hello", mentions=[at_home.user])
        if not down:
            said, last = await _spoken_too_soon(at_home, ada, eve, room)
            await followed(at_home, ada, room, last)
    if down:
        said, last = await _spoken_too_soon(at_home, ada, eve, room)
        assert "riddle" in "\n".join(one.body for one in await ada.messages(room)), "the homeserver still tells"
    async with at_home.lyra(model, kind=Narrow) as lyra:
        await at_home.asks(eve, room, "and now?", reply_to=said, mentions=[at_home.user])
        left = "\n".join(await lyra.kept(DomainKind.ROOM, room))
        assert "really?" in left
        assert "riddle" not in left
        assert "riddle" not in prompt(lyra.chats[-1])
        if down:
            assert "riddle" not in "".join(map(prompt, lyra.chats))
            assert await answers_to(at_home, ada, room, said) == []


async def _spoken_too_soon(at_home: Home, ada: Person, eve: Person, room: str) -> tuple[str, str]:
    """Let a message be said to Lyra, changed, answered and taken back; return it, and what was done last."""
    said = await ada.says(room, "a riddle: Mog is ill", mentions=[at_home.user])
    for words in ("a riddle: Mog is well", "a riddle: Mog is old"):
        await ada.edits(room, said, words, mentions=[at_home.user])
    await eve.says(room, "really?", reply_to=said, mentions=[at_home.user])
    for number in range(6):
        await eve.says(room, f"Mog {number}")
    await ada.redacts(room, said)
    return said, await ada.edits(room, said, "a riddle: Mog is young", mentions=[at_home.user])


class _Stubborn(Journal):
    """Leaves what waits as it was heard."""

    async def replace(self, platform: str, event_id: str, payload: str) -> bool:
        return False


async def _nothing(shown_messages: ShownMessages, platform: str, shown: object) -> set[str]:
    return set()


def _stubborn(app: App) -> App:
    app.memory.journal = _Stubborn(app.memory.db, app.base.clock)
    return app


@pytest.mark.torture
async def test_without_a_look_at_the_message_its_edits_would_be_told(
    at_home: Home, people: People, ada: Person, model: Thoughtful, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To whoever answered it, were what waits not told of changes either, and no quote asked against what is forgotten."""
    monkeypatch.setattr(ShownMessages, "withheld", _nothing)
    eve = await people.person("eve")
    async with at_home.lyra(model):
        room = await room_of(at_home, ada, eve)
        await at_home.asks(eve, room, "hello", mentions=[at_home.user])
    await _spoken_too_soon(at_home, ada, eve, room)
    async with at_home.lyra(model, kind=_Naive, changed=_stubborn) as lyra:
        await at_home.asks(eve, room, "and now?", mentions=[at_home.user])
        assert "riddle" in "".join(map(prompt, lyra.chats))


@SEALED
async def test_what_happened_while_she_was_down_is_followed_at_the_next_start(
    at_home: Home, ada: Person, model: Thoughtful, sealed: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada, encrypted=sealed)
        said = []
        for name in ("Ann", "Ben", "Cid"):
            said.append(await ada.says(room, f"{name} is here"))
            await at_home.answer(ada, room, said[-1])
    await ada.edits(room, said[0], "Anna is here")
    edit = await ada.edits(room, said[2], "Sid is here")
    await ada.redacts(room, said[1])
    await ada.redacts(room, edit)
    never = await ada.says(room, "Dan is here")
    last = await ada.redacts(room, never)
    async with at_home.lyra(model, kind=Narrow) as lyra:
        await followed(at_home, ada, room, last)
        await settled(lyra)
        left = [text for text in await kept(lyra, ada, room, sealed) if not text.startswith("You said")]
        assert left == ["Anna is here", "Cid is here"]
        assert len(lyra.chats) == 3, "nothing was asked a second time"
