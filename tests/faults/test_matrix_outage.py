"""The homeserver goes down and comes back: what was said meanwhile is said afterwards, once. It is one of this module's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.events import Message
from tests.fakes.matrix import People, Person, Proxy, Synapse
from tests.kits.discord_knowing import Thoughtful
from tests.kits.matrix_changes import GREEN, SEALED, answers_to, kept, pondered, settled
from tests.kits.matrix_home import Home
from tests.kits.matrix_home import dm as dm_at_home
from tests.kits.matrix_kit import Ear, dm, home, listening
from tests.kits.matrix_speech import Town, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_changes_fixtures", "tests.kits.matrix_speech_fixtures"]


SECRET = "secret words"


@pytest.fixture(scope="module")
def synapse() -> Iterator[Synapse]:
    """A homeserver that nobody else is at."""
    with Synapse() as synapse:
        yield synapse


@pytest.fixture
async def ada(people: People) -> Person:
    """Somebody whose client encrypts."""
    return await people.person("ada", encrypts=True)


@pytest.mark.torture
@SEALED
async def test_a_homeserver_that_restarts_while_she_thinks_gets_her_answer_afterwards(
    at_home: Home, ada: Person, model: Thoughtful, synapse: Synapse, sealed: bool
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm_at_home(at_home, ada, encrypted=sealed)
        await at_home.asks(ada, room, "hello")
        said = await pondered(at_home, model, ada, room)
        async with synapse.outage():
            model.go.set()
            await at_home.proxy.until(lambda: at_home.clock.waits, "a wait for the homeserver")
        later = await ada.says(room, "still there?")
        assert (await at_home.answer(ada, room, later)).body == "You said: still there?"
        await settled(lyra)
        assert await answers_to(at_home, ada, room, said) == [f"You said: {GREEN}"]
        assert (await kept(lyra, ada, room, sealed))[2:] == [
            GREEN,
            f"You said: {GREEN}",
            "still there?",
            "You said: still there?",
        ]


@pytest.mark.torture
async def test_a_restart_of_the_homeserver_is_outlived(people: People, proxy: Proxy, synapse: Synapse, tmp_path: Path) -> None:
    lyra, ada, ear = await home(people, proxy, tmp_path), await people.person("ada", encrypts=True), Ear()
    async with listening(lyra, ear):
        room = await dm(lyra, ada, encrypted=True)
        await ada.says(room, "Before")
        await ear.heard(Message)
        await synapse.restart()
        await ada.says(room, "After")
        await ear.heard(Message, 2)
    assert ear.texts == ["Before", "After"] and ear.times_ready == 1


@pytest.mark.torture
async def test_a_homeserver_that_is_down(town: Town, ada: Person, synapse: Synapse) -> None:
    async with town.beside(ada, encrypted=True) as (it, room):
        async with synapse.outage():
            assert "cannot be reached" in await it.delayed(part(room, SECRET))
        await it.sender.send(part(room, SECRET))
        await ada.hears_text(room, SECRET)
