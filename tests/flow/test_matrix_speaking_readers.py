"""What was to be said to those in a room waits if others can read it by the time that everything for it was looked up."""

import asyncio

import pytest

from adapters.errors import SendFailed
from adapters.events import Place
from adapters.matrix.outgoing.wire import Wire
from tests.fakes.matrix import Person
from tests.fakes.matrix.faults import TO_DEVICE, Held
from tests.fakes.pulse import PATIENCE
from tests.kits.matrix_speech import Town, beside, part

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_speech_fixtures"]

SECRET = "the code is 1234"
QUESTION = "GET /rooms/*/event/*"


class Heedless(Wire):
    """Looks at who reads a room no second time."""

    def require_readers(self, room: str, before: Place | None) -> None:
        pass


@pytest.mark.parametrize("wire", [Wire, Heedless])
@pytest.mark.parametrize(("encrypted", "looked_up"), [(False, QUESTION), (True, TO_DEVICE)])
async def test_what_is_for_one_does_not_reach_a_third_who_is_invited_while_it_is_looked_up(
    town: Town, ada: Person, bob: Person, wire: type[Wire], encrypted: bool, looked_up: str
) -> None:
    async with town.desk(wire=wire) as it:
        room = await beside(it, ada, direct=True, encrypted=encrypted)
        question = await ada.says(room, "the code?")
        it.proxy.faults.script(looked_up, held := Held())
        sending = asyncio.create_task(it.sender.send(part(room, SECRET, answers=question)))
        await asyncio.wait_for(held.reached.wait(), PATIENCE)
        before = it.rooms.place(room)
        await ada.invites(room, bob.user)
        await it.knows(room, lambda: it.rooms.place(room) != before)
        held.go.set()
        if wire is Wire:
            with pytest.raises(SendFailed) as failed:
                await sending
            assert not failed.value.final, "whether it may be said is asked anew"
        else:
            sent = await sending
            assert (await ada.hears(room, lambda event: event.id == sent)).body == SECRET
