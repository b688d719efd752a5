"""Other programs on Matrix: they can tell that she is one, and none of them is answered for ever."""

import pytest

from adapters.matrix.outgoing.contents import AUTOMATED
from bot.admission import allowance
from memory.types import MINUTE
from tests.fakes.matrix import Event, People, Person
from tests.kits.awake import model_server, question
from tests.kits.matrix_home import Home, dm, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

DEFAULTS = "[limits]\n"
"""As she is without a word of a configuration on limits."""


async def test_whatever_she_says_tells_other_programs_that_a_program_said_it(at_home: Home, ada: Person, bob: Person) -> None:
    async with model_server() as model, at_home.lyra(model):
        there, room = await dm(at_home, ada), await room_of(at_home, ada, bob)
        await at_home.asks(bob, room, "hello", mentions=[at_home.user])
        await at_home.asks(ada, there, "My sister lives in Graz.")
        await at_home.asks(ada, there, "!export")
        await ada.hears(there, lambda one: one.sender == at_home.user and one.kind == "m.file")
        said: list[Event] = [*await at_home.said(bob, room), *await at_home.said(ada, there)]
    assert {one.kind for one in said} == {"m.notice", "m.text", "m.file"} and len(said) > 4
    assert [one.body for one in said if one.content.get(AUTOMATED) is not True] == []


@pytest.mark.parametrize("marked", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["marked", "the twin"])
async def test_an_account_that_marks_what_it_says_is_a_machine_though_nobody_listed_it(
    at_home: Home, people: People, ada: Person, marked: bool
) -> None:
    robot = await people.person("robot", listens=False)
    mark = {AUTOMATED: True} if marked else {}
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada, robot)
        for number in range(6):
            beep = {"msgtype": "m.text", "body": f"beep {number}", "m.mentions": {"user_ids": [at_home.user]}}
            await robot.sends(room, "m.room.message", beep | mark)
            if number < 5:
                await ada.hears_text(room, f"You said: Robot: beep {number}")
        await at_home.asks(ada, room, "what are you two doing?", mentions=[at_home.user])
        asked = [question(one) for one in lyra.chats]
    assert ("Robot: beep 5" in asked) is not marked


@pytest.mark.torture
@pytest.mark.parametrize("threads", ["off", "on"])
async def test_an_account_that_answers_at_once_is_answered_five_times_in_a_row_wherever_she_answers(
    at_home: Home, people: People, ada: Person, threads: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither listed nor marked, and without a notion of threads, as many a bridge: it says everything in the timeline."""
    # However busy this machine is, it is fast enough.
    monkeypatch.setattr(allowance, "_QUICK_REPLY", MINUTE)
    robot = await people.person("robot")
    async with model_server() as model, at_home.lyra(model, DEFAULTS) as lyra:
        room = await room_of(at_home, ada, robot)
        await at_home.reads_aside(ada, room, f"!settings threads {threads}")
        for number in range(8):
            await robot.says(room, f"beep {number}", mentions=[at_home.user])
            if number < 5:
                await robot.hears_text(room, f"You said: Robot: beep {number}")
        await ada.says(room, "what are you two doing?", mentions=[at_home.user])
        await ada.hears_text(room, "You said: Ada: what are you two doing?")
        await lyra.heard()
        asked = [question(one) for one in lyra.chats]
    assert asked == [*(f"Robot: beep {number}" for number in range(5)), "Ada: what are you two doing?"]
