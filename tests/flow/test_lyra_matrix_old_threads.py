"""What is taken back in a thread of long ago is found there, however many threads came after it."""

import pytest

from adapters.matrix.incoming.timeline_state import Threads
from memory.types import DomainKind
from tests.fakes.matrix import Person
from tests.kits.awake import model_server
from tests.kits.matrix_home import Home, dm, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

KEY = "the key is under the mat"


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
