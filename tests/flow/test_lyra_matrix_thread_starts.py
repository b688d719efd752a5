"""Threads on Matrix: the message that one is on is shown with what is asked there first, and what is taken back in an old one is found."""

import pytest

from adapters.matrix.incoming.timeline_state import Threads
from memory.types import DomainKind
from tests.fakes.matrix import Person
from tests.kits.awake import model_server, prompt
from tests.kits.matrix_home import Home, dm, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

KEY = "the key is under the mat"


@pytest.mark.parametrize("direct", [True, False], ids=["in a DM", "in a room"])
async def test_what_a_thread_begins_with_is_shown_whoever_said_it(at_home: Home, ada: Person, bob: Person, direct: bool) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada) if direct else await room_of(at_home, ada, bob)
        said = await ada.says(room, KEY, mentions=[at_home.user])
        answer = await at_home.answer(ada, room, said)
        for root, words in ((said, f"> Ada: {KEY}"), (answer.id, f"> Lyra: {answer.body}")):
            await at_home.asks(ada, room, "what do you think of that?", thread=root, mentions=[at_home.user])
            assert f"The message answers this:\n{words}" in prompt(lyra.chats[-1])


async def test_it_is_not_shown_once_it_is_forgotten(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        said = await ada.says(room, KEY)
        await at_home.answer(ada, room, said)
        await at_home.asks(ada, room, f"!forget https://matrix.to/#/{room}/{said}")
        await at_home.asks(ada, room, "what do you think of that?", thread=said)
        assert KEY not in prompt(lyra.chats[-1])


@pytest.mark.parametrize(
    ("what", "direct"), [("question", True), ("answer", False)], ids=["a question in a DM", "an answer in a room"]
)
async def test_what_is_taken_back_in_an_old_thread_is_forgotten(
    at_home: Home, ada: Person, bob: Person, monkeypatch: pytest.MonkeyPatch, what: str, direct: bool
) -> None:
    monkeypatch.setattr(Threads, "most", 1)
    async with model_server() as model:
        async with at_home.lyra(model):
            room = await dm(at_home, ada) if direct else await room_of(at_home, ada, bob)
            old, new = [await ada.says(room, text) for text in ("about the house", "about boats")]
            said = await ada.says(room, KEY, thread=old, mentions=[at_home.user])
            told = await at_home.answer(ada, room, said)
            await at_home.asks(ada, room, "hello", thread=new, mentions=[at_home.user])
        async with at_home.lyra(model) as lyra:
            await ada.redacts(room, told.id if what == "answer" else said)
            await at_home.asks(ada, room, "and now?", thread=new, mentions=[at_home.user])
            kept = await lyra.kept(*((DomainKind.DM, ada.user) if direct else (DomainKind.ROOM, room)))
    assert (KEY in kept, f"You said: {KEY}" in kept, "hello" in kept) == (what == "answer", False, True)
