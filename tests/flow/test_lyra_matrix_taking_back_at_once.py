"""What is taken back by a command or in words while she answers from it: that waits for no answer, and another one is made."""

import pytest

from memory.types import DomainKind
from tests.fakes import openai_behaviours as b
from tests.fakes.matrix import Person
from tests.kits.awake import Awake, prompt
from tests.kits.discord_knowing import Thoughtful
from tests.kits.entered import entered_in_loop
from tests.kits.matrix_home import Home, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

TOLD, CODE, ASKED, ANEW = "My locker code is 4711.", "4711", "what is the locker code?", "I do not know."
LATER = "My other code is 5813."

model = entered_in_loop(lambda: Thoughtful(lambda request: CODE if CODE in prompt(request) else ANEW))


async def pondered(at_home: Home, model: Thoughtful, lyra: Awake, who: Person, room: str) -> str:
    """Ask for the code, wait until the model thinks about it, and return the question."""
    model.thinks = True
    asked = await who.says(room, ASKED, mentions=[at_home.user])
    await model.heard(len(lyra.chats) + 1)
    assert CODE in prompt(lyra.chats[-1])
    return asked


async def told(at_home: Home, model: Thoughtful, lyra: Awake, ada: Person, bob: Person) -> tuple[str, str]:
    """Let Ada tell her code in a room that Bob rules, and return the room and the message."""
    room = await room_of(at_home, bob, ada, name="Garden")
    model.script(b.Say("Good morning."), b.Say("Kept."))
    await at_home.asks(bob, room, "good morning", mentions=[at_home.user])
    said = await ada.says(room, TOLD, mentions=[at_home.user])
    await at_home.answer(ada, room, said)
    return room, said


@pytest.mark.parametrize("how", ["!forget this", "!forget session yes", "!confide"])
async def test_a_command_that_takes_something_back_waits_for_no_answer(
    at_home: Home, ada: Person, bob: Person, model: Thoughtful, how: str
) -> None:
    async with at_home.lyra(model) as lyra:
        room, said = await told(at_home, model, lyra, ada, bob)
        view = await lyra.view(DomainKind.ROOM, room)
        (id,) = [message.id async for _, message in view.messages.all() if message.text == TOLD]
        asked = await pondered(at_home, model, lyra, bob, room)
        command = f"!confide {id} bob" if how == "!confide" else how
        await at_home.reads_aside(ada, room, command, reply_to=said if how == "!forget this" else "")
        model.go.set()
        assert (await at_home.answer(bob, room, asked)).body == ANEW


@pytest.mark.torture
async def test_a_wish_for_discretion_waits_for_no_answer(at_home: Home, ada: Person, bob: Person, model: Thoughtful) -> None:
    async with at_home.lyra(model) as lyra:
        room, _ = await told(at_home, model, lyra, ada, bob)
        asked = await pondered(at_home, model, lyra, bob, room)
        await ada.says(room, "keep that between us", mentions=[at_home.user])
        await ada.hears(room, lambda event: event.body.startswith("Understood: this stays between the two of us, with 1 earlier"))
        model.go.set()
        assert (await at_home.answer(bob, room, asked)).body == ANEW


@pytest.mark.torture
async def test_what_was_said_before_the_command_is_forgotten_by_it_though_it_still_waited(
    at_home: Home, ada: Person, bob: Person, model: Thoughtful
) -> None:
    async with at_home.lyra(model) as lyra:
        room, _ = await told(at_home, model, lyra, ada, bob)
        asked = await pondered(at_home, model, lyra, bob, room)
        await ada.says(room, LATER, mentions=[at_home.user])
        await at_home.reads_aside(ada, room, "!forget session yes")
        model.go.set()
        assert (await at_home.answer(bob, room, asked)).body == ANEW
        after = await bob.says(room, "good night", mentions=[at_home.user])
        await at_home.answer(bob, room, after)
        kept = await lyra.kept(DomainKind.ROOM, room)
        assert ASKED in kept and LATER not in kept and TOLD not in kept
