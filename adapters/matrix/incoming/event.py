"""A room's events as read here: decrypted if possible, and never trusted to be well-formed."""

import re
from dataclasses import dataclass, field, replace
from typing import Any, Self

from nio import Event, MegolmEvent

from adapters.matrix.homeserver import Json

MESSAGE = "m.room.message"
STICKER = "m.sticker"
POLL = "m.poll.start"
_UNSTABLE_POLL = "org.matrix.msc3381.poll.start"
SPOKEN = (MESSAGE, STICKER, POLL, _UNSTABLE_POLL)
"""The types of events that people say something with."""

_LATEST = 253_370_764_799_999
"""The last millisecond of the year 9998: of a later instant no calendar has the day, in every time zone."""
_ID = re.compile(r"\$[^\0\ud800-\udfff]{1,254}")


@dataclass(frozen=True, slots=True)
class RoomEvent:
    """One event. `kind` and `content` are the decrypted ones; `undecrypted` is what could not be decrypted.

    A sticker and a poll are messages here, with their own type as `msgtype`.

    `raw` is the outer event, which alone shows what is state and what was redacted. `edited_at` is when an edit gave it
    this content, in microseconds UTC, 0 if it is the original. An `encrypted` one came as ciphertext.
    """

    raw: Json = field(repr=False)
    kind: str
    content: Json = field(repr=False)
    undecrypted: MegolmEvent | None = None
    edited_at: int = 0
    encrypted: bool = False

    @classmethod
    def of(cls, event: Event) -> Self | None:
        """Convert an event parsed by nio; None if it is not even an event."""
        raw = event.source
        if not _is_event(raw):
            return None
        if isinstance(event, MegolmEvent):
            return cls(raw, raw["type"], {}, event, encrypted=True)
        # A state event cannot be encrypted, whatever the ciphertext contains.
        outside = {name: value for name, value in raw.items() if name != "state_key"} if event.decrypted else raw
        kind, content = raw["type"], raw["content"]
        if kind in SPOKEN:
            kind, content = MESSAGE, _as_message(kind, content)
        return cls(outside, kind, content, encrypted=event.decrypted)

    @property
    def id(self) -> str:
        """The event's id."""
        return str(self.raw["event_id"])

    @property
    def sender(self) -> str:
        """Who sent it."""
        return str(self.raw["sender"])

    @property
    def at(self) -> int:
        """When its sender's homeserver says that it received it, in microseconds UTC: from 1970 to the end of 9998."""
        return min(max(int(self.raw["origin_server_ts"]), 0), _LATEST) * 1000

    @property
    def is_state(self) -> bool:
        """Whether it is a state event."""
        return isinstance(self.raw.get("state_key"), str)

    @property
    def is_redacted(self) -> bool:
        """Whether it was redacted."""
        return "redacted_because" in part(self.raw, "unsigned")

    @property
    def thread(self) -> str:
        """The root of its thread, '' outside threads."""
        return self._related("m.thread")

    @property
    def replaces(self) -> str:
        """The event that it edits, '' for none."""
        return self._related("m.replace")

    @property
    def reacts(self) -> tuple[str, str]:
        """The event that it reacts to, and the reaction; ('', '') for none."""
        relation = part(self.content, "m.relates_to")
        if self.kind != "m.reaction" or relation.get("rel_type") != "m.annotation":
            return "", ""
        return event_id(relation, "event_id"), word(relation, "key")

    @property
    def relation(self) -> Json:
        """How it relates to another event, which is outside the ciphertext, too; {} if it does not."""
        return part(self.content or part(self.raw, "content"), "m.relates_to")

    @property
    def answers(self) -> str:
        """The event that it replies to, '' for none; a thread's fallback for old clients does not count."""
        if self.relation.get("rel_type") == "m.thread" and self.relation.get("is_falling_back") is True:
            return ""
        return event_id(part(self.relation, "m.in_reply_to"), "event_id")

    @property
    def redacts(self) -> str:
        """The event that it redacts, '' for none."""
        return event_id(self.content, "redacts") or event_id(self.raw, "redacts") if self.kind == "m.room.redaction" else ""

    def _related(self, how: str) -> str:
        return event_id(self.relation, "event_id") if self.relation.get("rel_type") == how else ""

    def is_edited_by(self, edit: Self) -> bool:
        """Return whether an edit of it counts. The homeserver accepts other people's, edits of edits, and unencrypted ones, too."""
        return self.sender == edit.sender and not self.replaces and (edit.encrypted or not self.encrypted)

    def revised(self, new: Json, at: int) -> Self:
        """Return the event with new content in its old place, as of an instant in microseconds UTC."""
        place = {name: value for name, value in self.content.items() if name == "m.relates_to"}
        return replace(self, content={name: new[name] for name in new if name != "m.relates_to"} | place, edited_at=at)


def part(found: Any, name: str) -> Json:
    """Return an object within an object, {} if there is none."""
    value = found.get(name) if isinstance(found, dict) else None
    return value if isinstance(value, dict) else {}


def objects(found: Any) -> list[Json]:
    """Return the objects in a list, [] if it is none."""
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def word(found: Any, name: str) -> str:
    """Return a string within an object, '' if there is none."""
    value = found.get(name) if isinstance(found, dict) else None
    return value if isinstance(value, str) else ""


def event_id(found: Any, name: str) -> str:
    """Return the id of an event within an object, '' for none: what is encrypted, no homeserver has checked."""
    id = word(found, name)
    return id if _ID.fullmatch(id) else ""


def _as_message(kind: str, content: Json) -> Json:
    if kind == MESSAGE or not content:
        return content
    if kind == STICKER:
        # A sticker's description names nobody.
        return {"m.mentions": {}, **content, "msgtype": STICKER}
    new, poll = part(content, "m.new_content"), part(content, _UNSTABLE_POLL) or part(content, "m.poll")
    said = {**content, "m.new_content": _as_message(kind, new)} if new else content
    return {**said, "msgtype": POLL, "m.poll": poll} if poll or new else {}


def _is_event(raw: Any) -> bool:
    return (
        isinstance(raw, dict)
        and all(isinstance(raw.get(name), str) for name in ("event_id", "sender", "type"))
        and isinstance(raw.get("origin_server_ts"), int)
        and isinstance(raw.get("content"), dict)
    )
