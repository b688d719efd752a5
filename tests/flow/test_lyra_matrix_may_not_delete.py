"""Rooms on Matrix where she may write and neither delete nor react: she says so, and the room is not closed to her."""

import pytest

from adapters.matrix.outgoing.wire import Wire
from tests.fakes.matrix import Person
from tests.kits.awake import model_server
from tests.kits.matrix_home import Home, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

REFUSED = "I may not delete {} of mine; whoever may delete messages there can."


async def forgets(at_home: Home, who: Person, room: str) -> list[str]:
    """Tell two things, have both forgotten, and return the ids of her answers."""
    said, hers = [], []
    for text in ("the code is 4711", "the other one is 4712"):
        said.append(await who.says(room, text, mentions=[at_home.user]))
        hers.append((await at_home.answer(who, room, said[-1])).id)
    for one in said:
        await at_home.reads_aside(who, room, "!forget", reply_to=one)
    return hers


async def allow(who: Person, room: str, kind: str, level: int) -> None:
    """Have an event of a kind need a power level in a room."""
    levels = await who.state(room, "m.room.power_levels")
    await who.sets(room, "m.room.power_levels", levels | {"events": levels.get("events", {}) | {kind: level}})


async def posts(at_home: Home, who: Person, room: str) -> str:
    """Say !forget posts, and return what she says of it."""
    return (await at_home.reads_aside(who, room, "!forget posts")).body.partition("\n(This is about")[0]


async def test_where_she_may_not_delete_she_says_so_and_goes_on_answering(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model):
        room = await room_of(at_home, ada, bob, version="10")
        hers = await forgets(at_home, ada, room)
        await allow(ada, room, "m.room.redaction", 50)
        for _ in range(2):
            assert await posts(at_home, ada, room) == REFUSED.format("2 messages")
        assert all([(await ada.looks_at(room, one)).body for one in hers])
        assert (await at_home.asks(bob, room, "are you there?", mentions=[at_home.user])).body
        await ada.redacts(room, hers[0])
        await allow(ada, room, "m.room.redaction", 0)
        assert (await posts(at_home, ada, room)).startswith("Deleted: ")
        assert not any([(await ada.looks_at(room, one)).body for one in hers])
        assert await posts(at_home, ada, room) == "No message of mine is left that came of what is forgotten."


@pytest.mark.torture
async def test_taken_for_a_room_that_is_closed_to_her_a_refused_deletion_waits(
    at_home: Home, ada: Person, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: object) -> bool:
        return False

    monkeypatch.setattr(Wire, "_may_write", never)
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, bob, version="10")
        await forgets(at_home, ada, room)
        await allow(ada, room, "m.room.redaction", 50)
        told = "2 messages of mine could not be deleted yet, and are deleted as soon as that can be done."
        assert await posts(at_home, ada, room) == told
        await lyra.rests()
        assert await lyra.app.memory.journal.unsent() == 2
