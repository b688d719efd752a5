"""A thread on a message: what it begins with is shown to Lyra with what is asked there first, in a DM, too."""

import pytest

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
