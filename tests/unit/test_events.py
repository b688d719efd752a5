"""What was heard is read again as it was written, by the version that wrote it or by an older one."""

import json
from dataclasses import replace
from typing import Any

import pytest

from adapters.events import Circle, Message, Person, Place, Reach
from bot.conversation.inbox_events import payload, read_payload

ADA = Person("matrix", "@ada:lyra.test", "Ada")
SERVER, CHANNEL = Circle(Reach.PUBLIC, "90"), Circle(Reach.RESTRICTED, "90")
DM = Place("discord", "10", "DM", Reach.DIRECT)
STAFF = Place("discord", "90", "#staff", Reach.RESTRICTED, server="90", circle=CHANNEL, wider=SERVER)
GARDEN = Place(
    *("matrix", "!new", "Garden", Reach.ROOM),
    circle=Circle(Reach.ROOM, "!new", 2),
    earlier=(Circle(Reach.ROOM, "!old", 1),),
    encrypted=True,
)
BEFORE: list[tuple[Place, dict[str, Any]]] = [
    (DM, {"circle": "", "wider": "", "epoch": 0}),
    (STAFF, {"circle": "90", "wider": "90", "epoch": 0}),
    (Place("matrix", "!r", "Garden", Reach.ROOM, circle=Circle(Reach.ROOM, "!r", 3)), {"circle": "!r", "wider": "", "epoch": 3}),
]


def said_at(place: Place) -> Message:
    return Message("1", place, ADA, "hello", 7)


@pytest.mark.parametrize("place", [DM, STAFF, GARDEN], ids=["a DM", "a channel", "a room"])
def test_a_place_is_read_as_it_was_written_but_for_its_name(place: Place) -> None:
    assert read_payload(payload(said_at(place))) == said_at(replace(place, name=""))


@pytest.mark.parametrize(("place", "then"), BEFORE, ids=["a DM", "a channel", "a room"])
def test_a_place_that_was_kept_before_ids_had_kinds_is_the_same_place(place: Place, then: dict[str, Any]) -> None:
    kept = json.loads(payload(said_at(place)))
    del kept["place"]["earlier"]
    kept["place"] |= then
    assert read_payload(json.dumps(kept)) == said_at(replace(place, name=""))
