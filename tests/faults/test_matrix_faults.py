"""The homeserver fails while Lyra speaks: every answer is read once, and she asks in no hurry."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from adapters.base import Sending
from adapters.matrix.adapter import Matrix
from tests.fakes.matrix import Lost, People, Person, RateLimit, Refuse, Status
from tests.fakes.matrix.faults import KEYS, SEND, SYNC, TO_DEVICE, Fault
from tests.kits.awake import prompt, question
from tests.kits.discord_knowing import Thoughtful
from tests.kits.matrix_changes import GREEN, SEALED, answers_to, asked, settled
from tests.kits.matrix_home import Home, dm
from tests.kits.size import few

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_changes_fixtures"]

TRIES = 6
"""How often a connection that breaks is tried again below Lyra."""

FAULTS: dict[str, list[Fault]] = {
    "taken, but the answer is lost": [Lost()],
    "taken, and every answer is lost": [Lost()] * TRIES,
    "lost before it is taken": [Lost(accepted=False)],
    "lost again and again": [Lost(accepted=False)] * TRIES,
    "too many": [RateLimit(0.05), RateLimit(0.05)],
    "a broken front": [Status(502)] * 2,
    "a broken front, but taken": [Status(502, accepted=True)],
    "too late, but taken": [Status(504, accepted=True)],
    "refused for now": [Refuse(500, "M_UNKNOWN")],
}


async def struck(at_home: Home, operation: str = SEND) -> None:
    """Wait until a request met a fault."""
    await at_home.proxy.until(lambda: [call for call in at_home.proxy.calls(operation) if call.fault], "a fault")


@SEALED
@pytest.mark.parametrize("faults", few(FAULTS.values(), 4), ids=few(FAULTS.keys(), 4))
async def test_an_answer_is_read_once(at_home: Home, ada: Person, model: Thoughtful, faults: list[Fault], sealed: bool) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada, encrypted=sealed)
        await at_home.asks(ada, room, "hello")
        at_home.proxy.faults.script(SEND, *faults)
        said = await ada.says(room, GREEN)
        await struck(at_home)
        await settled(lyra)
        assert await answers_to(at_home, ada, room, said) == [f"You said: {GREEN}"]
        assert [question(chat) for chat in lyra.chats] == ["hello", GREEN]
    assert [call.fault for call in at_home.proxy.calls(SEND) if call.fault] == faults


class _Rash(Matrix):
    """Sends every time as if it were the first."""

    async def send(self, sending: Sending) -> str:
        return await super().send(replace(sending, key=uuid4().hex, unsure=False))


@pytest.mark.torture
async def test_without_the_parts_key_it_would_stand_there_twice(at_home: Home, ada: Person, model: Thoughtful) -> None:
    async with at_home.lyra(model, kind=_Rash) as lyra:
        room = await dm(at_home, ada)
        await at_home.asks(ada, room, "hello")
        at_home.proxy.faults.script(SEND, Status(502, accepted=True))
        said = await ada.says(room, GREEN)
        await struck(at_home)
        await settled(lyra)
        assert await answers_to(at_home, ada, room, said) == [f"You said: {GREEN}"] * 2


@pytest.mark.parametrize("operation", [KEYS, TO_DEVICE])
async def test_a_key_that_does_not_arrive_holds_the_answer_back(
    at_home: Home, ada: Person, model: Thoughtful, operation: str
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada, encrypted=True)
        at_home.proxy.faults.always(operation, Status(502))
        said = await ada.says(room, GREEN)
        await struck(at_home, operation)
        at_home.proxy.faults.lift()
        await settled(lyra)
        assert (await at_home.answer(ada, room, said)).body == f"You said: {GREEN}"
        assert await answers_to(at_home, ada, room, said) == [f"You said: {GREEN}"]


async def test_what_is_asked_while_everything_fails_for_a_while_is_answered_afterwards(
    at_home: Home, ada: Person, model: Thoughtful
) -> None:
    async with at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        await asked(at_home, ada, room)
        at_home.proxy.faults.always("*", Status(502))
        at_home.proxy.cut(SYNC)
        said = await ada.says(room, "are you there?")
        await at_home.clock.pulse.until(lambda: len(at_home.clock.waits) >= 5, "five waits")
        assert at_home.clock.waits[:5] == [1, 2, 4, 8, 16]
        at_home.proxy.faults.lift()
        assert (await at_home.answer(ada, room, said)).body == "You said: are you there?"
        await settled(lyra)
        assert len(await answers_to(at_home, ada, room, said)) == 1


LOSSES = {"removed": lambda file: file.unlink(), "damaged": lambda file: file.write_bytes(b"no database" * 1000)}


@pytest.mark.torture
@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES.keys())
async def test_a_lost_key_store_makes_her_a_new_device_and_the_conversation_goes_on(
    at_home: Home, people: People, ada: Person, model: Thoughtful, lose: Callable[[Path], object]
) -> None:
    async with at_home.lyra(model):
        room = await dm(at_home, ada, encrypted=True)
        await asked(at_home, ada, room)
    [old] = (at_home.path / "matrix").glob("*.db")
    lose(old)
    async with at_home.lyra(model) as lyra:
        assert "Lyra is a new device now" in lyra.adapter.describe()
        answer = await at_home.asks(ada, room, "still there?")
        assert (answer.body, answer.encrypted) == ("You said: still there?", True)
        assert GREEN in prompt(lyra.chats[-1])
        [new] = (at_home.path / "matrix").glob("*.db")
        assert new.name != old.name
        shown = await ada.keys_of(at_home.user)
        assert shown.signed(new.stem)
        assert old.stem not in shown.devices
    async with at_home.lyra(model) as lyra:
        assert "new device" not in lyra.adapter.describe()
        await at_home.asks(ada, room, "and now?")
