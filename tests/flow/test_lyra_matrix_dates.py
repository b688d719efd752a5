"""A homeserver says of a message that it was written in a year that no calendar has: it is a message like any other."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.types import MINUTE
from tests.fakes.matrix import People
from tests.fakes.matrix.proxy import Call
from tests.fakes.matrix.synapse import Synapse
from tests.kits.awake import model_server
from tests.kits.given_time import pass_there
from tests.kits.matrix_home import home, room_of
from tests.kits.matrix_knowing import Ahead, Rewriting

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]

ANSWERED, LATE = "You said: Bob: from far away", "You asked me something while I was not there."


class Astray(Rewriting):
    """The way to a homeserver that misdates what is said "from far away", in milliseconds."""

    dated = 0

    def rewritten(self, call: Call, status: int, answer: Any) -> tuple[int, Any]:
        """Misdate it, wherever it is told of."""
        return status, self._misdated(answer)

    def _misdated(self, found: Any) -> Any:
        if isinstance(found, list):
            return [self._misdated(one) for one in found]
        if not isinstance(found, dict):
            return found
        told = {name: self._misdated(value) for name, value in found.items()}
        if "origin_server_ts" in told and told.get("content", {}).get("body") == "from far away":
            told["origin_server_ts"] = self.dated
        return told


@pytest.mark.parametrize(
    ("dated", "told"),
    [
        pytest.param(2**53 - 1, ANSWERED, id="in 287396"),
        pytest.param(-1, LATE, id="before 1970"),
        pytest.param(9_300_000_000_000, ANSWERED, id="in 2264", marks=pytest.mark.torture),
    ],
)
async def test_it_keeps_nobody_from_an_answer(
    people: People, synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dated: int, told: str
) -> None:
    async with Astray(synapse.url) as proxy, model_server() as model:
        proxy.dated = dated
        at_home = await home(people, proxy, tmp_path, monkeypatch)
        ada, bob = await people.person("ada"), await people.person("bob")
        async with at_home.lyra(model) as lyra:
            room = await room_of(at_home, ada, bob)
            await at_home.asks(ada, room, "hello", mentions=[at_home.user])
            await bob.says(room, "from far away", mentions=[at_home.user])
            near = await at_home.asks(ada, room, "are you there?", mentions=[at_home.user])
            await lyra.dreams()
            said = [one.body for one in await at_home.said(ada, room)][-2]
            kept = [row["text"] for row in await lyra.app.memory.db.all("SELECT text FROM exchanges WHERE kind = 'said'")]
    assert near.body == "You said: Ada: are you there?"
    assert (said.startswith(told), "from far away" in kept) == (True, True)


@pytest.mark.torture
@pytest.mark.parametrize("told", [True, False], ids=["", "nothing told of the homeserver's clock"])
async def test_a_question_is_answered_where_the_machines_clock_is_two_hours_ahead(
    people: People, synapse: Synapse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: bool
) -> None:
    clock = Ahead()
    clock.microseconds = 120 * MINUTE
    if not told:
        pass_there(monkeypatch)
    async with Astray(synapse.url) as proxy, model_server() as model:
        at_home = await home(people, proxy, tmp_path, monkeypatch)
        ada = await people.person("ada")
        async with at_home.lyra(model, changed=lambda app: replace(app, base=replace(app.base, clock=clock))):
            answer = await at_home.asks(ada, await room_of(at_home, ada), "hello", mentions=[at_home.user])
    assert answer.body.startswith(LATE) is not told
