"""A homeserver may say any time of what is said there, and any power of who says it: she hears it, and goes on."""

import time
from pathlib import Path

import pytest

from adapters.matrix.rooms.state import State
from tests.fakes.matrix import People, Synapse
from tests.kits.awake import model_server, prompt
from tests.kits.matrix_home import home, room_of
from tests.kits.matrix_knowing import Punctual

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

LAST_NUMBER = (1 << 53) - 1
"""The largest number that an event can hold."""


async def test_what_is_said_in_a_year_that_no_calendar_has_is_answered_and_disturbs_nobody(
    synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = {"our tent is green": LAST_NUMBER, "lyra: what do you know of our tent?": LAST_NUMBER, "nobody asked": -LAST_NUMBER}
    async with (
        People(synapse) as people,
        Punctual(synapse.url, time.time_ns() // 1_000_000, times) as proxy,
        model_server() as model,
    ):
        at_home = await home(people, proxy, tmp_path, monkeypatch)
        ada, bob = await people.person("ada", encrypts=True), await people.person("bob")
        async with at_home.lyra(model) as lyra:
            room = await room_of(at_home, ada, bob)
            await ada.says(room, "our tent is green")
            await bob.says(room, "nobody asked")
            asked = await at_home.asks(ada, room, "lyra: what do you know of our tent?", mentions=[at_home.user])
            assert "what do you know of our tent?" in asked.body
            again = await at_home.asks(bob, room, "lyra: and of the weather?", mentions=[at_home.user])
            assert "and of the weather?" in again.body
            assert "our tent is green" in prompt(lyra.chats[-1])
            found = await at_home.reads_aside(ada, room, "!recall tent")
            assert "what do you know of our tent?" in found.body


@pytest.mark.parametrize(("written", "rules"), [("50", True), (" 100 ", False), ("--5", True), ("9" * 5_000, True), ("٥", True)])
def test_a_power_that_is_no_number_is_the_usual_one(written: str, rules: bool) -> None:
    levels = {"state_default": written, "users": {"@ada:x": 50}}
    state = State([{"type": "m.room.power_levels", "state_key": "", "sender": "@ada:x", "content": levels}])
    assert state.rules("@ada:x") == rules
