"""Events in the inbox that are not done yet. They are serialized to JSON and back here alone."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from adapters.events import Circle, MenuCall, Message, Person, Place, Reach
from adapters.message_parts import Attachment, Forward, Quote
from bot.models.outage import PROMISED
from memory.journal.journal import Event, InboxEvent, Journal

_QUOTING = ('"quoted": {', '"forwards": [{')
_MESSAGE, _CALL = "Message", "Asked"
"""The kinds of events, as inboxes hold them."""
Row = tuple[InboxEvent, Message | MenuCall]
"""An inbox row and its event."""


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """A message and its inbox row."""

    row: InboxEvent
    message: Message

    @property
    def key(self) -> int:
        """The key of the row."""
        return self.row.key

    @property
    def promised(self) -> bool:
        """Whether it was said that this is answered once a model answers again, however long that takes."""
        return self.row.why in PROMISED

    def with_words(self, payload: str) -> "HeardMessage":
        """Return the message as the inbox holds it now."""
        # Parsed again only if it changed meanwhile.
        return self if payload == self.row.event.payload else only_messages([(self.row, read_payload(payload))])[0]


async def accept(journal: Journal, platform: str, events: Sequence[Message | MenuCall], cursors: Mapping[str, str]) -> list[Row]:
    """T1: commit events of one platform together with its cursors; return those not heard before.

    Text said off the record never reaches the journal: a kill loses it.
    """
    by_id = {_event_id(event): event for event in events}
    said = {id: event.wordless if event.off_record else event for id, event in by_id.items()}
    heard = [Event(id, event.place.key, payload(event)) for id, event in said.items()]
    rows = await journal.accept(platform, heard, cursors)
    return [(row, by_id[row.event.event_id]) for row in rows]


async def quoting(journal: Journal, platform: str) -> list[Message]:
    """Return the unanswered messages that quote or forward something."""
    waiting = [one for one in await journal.unfinished(platform) if any(mark in one.event.payload for mark in _QUOTING)]
    return [one for one in (read_payload(row.event.payload) for row in waiting) if isinstance(one, Message)]


async def unfinished(journal: Journal, platform: str, place: str | None = None) -> list[Row]:
    """Return the unanswered events, oldest first."""
    return [(row, read_payload(row.event.payload)) for row in await journal.unfinished(platform, place)]


async def untried(journal: Journal, platform: str, place: str) -> list[Message]:
    """Return the messages of a place's channel and its threads that were not attempted yet, oldest first."""
    rows = await journal.unfinished_around(platform, place)
    return [one.message for one in only_messages((row, read_payload(row.event.payload)) for row in rows if not row.tries)]


def only_messages(rows: Iterable[Row]) -> list[HeardMessage]:
    """Return the messages among them."""
    return [HeardMessage(row, event) for row, event in rows if isinstance(event, Message)]


def _event_id(event: Message | MenuCall) -> str:
    # The call was heard under its own id.
    return f"again:{event.anew}" if isinstance(event, Message) and event.anew else event.id


async def reword(journal: Journal, message: Message) -> None:
    """Update the text of an unanswered message."""
    await journal.replace(message.place.platform, _event_id(message), payload(message))


def asked_at(message: Message) -> int:
    """Return when a message was addressed to her (microseconds UTC): when it was said, or when an edit addressed it."""
    return message.became_hers_at or message.said_at


def payload(event: Message | MenuCall) -> str:
    """Serialize an event to JSON, without what people call its place."""
    kind, unnamed = (_MESSAGE, {}) if isinstance(event, Message) else (_CALL, {"target": event.target and _unnamed(event.target)})
    return json.dumps({"kind": kind, **_unnamed(event), **unnamed}, ensure_ascii=False, default=_fields)


def _unnamed(event: Message | MenuCall) -> dict[str, Any]:
    return {**_fields(event), "place": {**_fields(event.place), "name": ""}}


def _fields(value: Any) -> dict[str, Any]:
    # Not `asdict`, which copies each value.
    return {one.name: getattr(value, one.name) for one in fields(value)}


def read_payload(text: str) -> Message | MenuCall:
    """Deserialize an event written by `payload`."""
    raw = json.loads(text)
    return _call(raw) if raw.pop("kind", _MESSAGE) == _CALL else _message(raw)


def _message(raw: dict[str, Any]) -> Message:
    quoted = Quote(**{**raw["quoted"], **_attached(raw["quoted"])}) if raw.get("quoted") else None
    return Message(**{**raw, **_where(raw), **_attached(raw), "quoted": quoted})


def _attached(raw: dict[str, Any]) -> dict[str, Any]:
    forwards = (Forward(**{**one, "attachments": tuple(one["attachments"])}) for one in raw.get("forwards", ()))
    return {"attachments": tuple(Attachment(**one) for one in raw.get("attachments", ())), "forwards": tuple(forwards)}


def _call(raw: dict[str, Any]) -> MenuCall:
    return MenuCall(**{**raw, **_where(raw), "target": _message(raw["target"]) if raw["target"] else None})


def _where(raw: dict[str, Any]) -> dict[str, Any]:
    return {"place": _place(raw["place"]), "person": Person(**raw["person"])}


def _place(raw: dict[str, Any]) -> Place:
    reach = Reach(raw["reach"])
    # Before circles had kinds, a place held bare ids and the epoch.
    told = {name: value for name, value in raw.items() if name != "epoch"}
    circle = _circle(raw["circle"], reach, raw.get("epoch", 0))
    wider = _circle(raw["wider"], Reach.PUBLIC)
    before = {name: _circles(raw.get(name, ())) for name in ("earlier", "unheard")}
    return Place(**{**told, "reach": reach, "circle": circle, "wider": wider, **before})


def _circles(raw: Sequence[dict[str, Any]]) -> tuple[Circle, ...]:
    return tuple(Circle(**{**one, "reach": Reach(one["reach"])}) for one in raw)


def _circle(raw: dict[str, Any] | str | None, reach: Reach, epoch: int = 0) -> Circle | None:
    if isinstance(raw, str):
        return Circle(reach, raw, epoch) if raw else None
    return Circle(**{**raw, "reach": Reach(raw["reach"])}) if raw else None
