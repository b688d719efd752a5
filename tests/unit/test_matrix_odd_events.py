"""What a sender can put into an event that no homeserver has checked."""

import time
from typing import Any

import pytest
from nio import UnknownEvent

from adapters.matrix.incoming.event import RoomEvent


def heard(content: dict[str, Any], at: int = 1_700_000_000_000) -> RoomEvent:
    """Return an event as it is heard."""
    raw = {"event_id": "$1", "sender": "@a:x", "type": "m.room.message", "origin_server_ts": at, "content": content}
    event = RoomEvent.of(UnknownEvent(raw, "m.room.message"))
    assert event is not None
    return event


@pytest.mark.parametrize("at", [2**53 - 1, 2**200, -(2**53), 4_102_444_800_000], ids=str)
def test_nothing_is_said_long_after_it_was_heard_or_before_there_were_clocks(at: int) -> None:
    before = time.time_ns() // 1_000_000
    assert before <= heard({}, at).at // 1000 <= time.time_ns() // 1_000_000


def test_what_could_be_true_of_the_time_is_believed() -> None:
    soon = time.time_ns() // 1_000_000 + 60_000
    assert [heard({}, at).at for at in (0, 1_700_000_000_000, soon)] == [0, 1_700_000_000_000_000, soon * 1000]


@pytest.mark.parametrize("id", ["", "x", "..", "$\ud800", "$\0", "$" + "x" * 300, 5, None], ids=repr)
def test_what_is_no_id_refers_to_nothing(id: Any) -> None:
    relation = {"rel_type": "m.thread", "event_id": id, "m.in_reply_to": {"event_id": id}}
    event = heard({"m.relates_to": relation, "redacts": id})
    assert (event.thread, event.answers, event.replaces) == ("", "", "")
    assert heard({"m.relates_to": relation | {"event_id": "$root"}}).thread == "$root"
