"""What a sender can put into an event that no homeserver has checked."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from nio import UnknownEvent

from adapters.matrix.incoming import convert
from adapters.matrix.incoming.event import RoomEvent


def heard(content: dict[str, Any], at: int = 1_700_000_000_000) -> RoomEvent:
    """Return an event as it is heard."""
    raw = {"event_id": "$1", "sender": "@a:x", "type": "m.room.message", "origin_server_ts": at, "content": content}
    event = RoomEvent.of(UnknownEvent(raw, "m.room.message"))
    assert event is not None
    return event


@pytest.mark.parametrize("at", [2**53 - 1, 2**200, -(2**53)], ids=str)
def test_a_time_that_cannot_be_is_the_nearest_that_can(at: int) -> None:
    assert 1970 <= (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=heard({}, at).at)).year <= 9998


@pytest.mark.parametrize("id", ["", "x", "..", "$\ud800", "$\0", "$" + "x" * 300, 5, None], ids=repr)
def test_what_is_no_id_refers_to_nothing(id: Any) -> None:
    relation = {"rel_type": "m.thread", "event_id": id, "m.in_reply_to": {"event_id": id}}
    event = heard({"m.relates_to": relation, "redacts": id})
    assert (event.thread, event.answers, event.replaces) == ("", "", "")
    assert heard({"m.relates_to": relation | {"event_id": "$root"}}).thread == "$root"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"msgtype": "nic.custom.confetti", "body": " Happy birthday! "}, "Happy birthday!"),
        ({"msgtype": "org.example.effect", "body": 5}, None),
        ({"msgtype": "org.example.effect"}, None),
        ({"body": "no message"}, None),
        ({"msgtype": "m.notice", "body": "a bot's"}, None),
        ({"msgtype": "m.server_notice", "body": "the homeserver's"}, None),
        ({"msgtype": "m.key.verification.request", "body": "asks an app"}, None),
    ],
    ids=repr,
)
def test_a_message_of_an_unknown_type_is_heard_by_its_words(content: dict[str, Any], said: str | None) -> None:
    event = heard(content)
    assert (convert.text(event.content, "Ada") if convert.is_heard(event.content) else None) == said
