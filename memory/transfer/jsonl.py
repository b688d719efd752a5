"""JSONL: one message per line. An unusable line is reported and skipped; it never costs the lines around it.

`line` writes messages in the form that `read_jsonl` reads back unchanged.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta, tzinfo
from functools import partial
from hashlib import blake2b
from typing import BinaryIO

from localization.sentences import lazy
from memory.text.display_names import LYRA
from memory.text.sanitize import EMPTY, clean
from memory.text.time.times import END, instant
from memory.text.time.zones import zone as zone_of
from memory.transfer.message import (
    EPOCH,
    MAX_LINE,
    BadLine,
    ImportedLine,
    Incoming,
    MessageNames,
    Role,
    UnreadableMessage,
    from_seconds,
    names_an_hour,
    speakers,
    within,
    without_mark,
)
from memory.transfer.pieces import DamagedFile, conversations
from memory.transfer.seen_record import SeenRecord, read_seen
from memory.types import MOST_NAME, SECOND


def line(
    session: str, role: str, speaker: str, content: str, created_at: int, source_id: str, time_zone: str, *,
    echo: bool = False, seen: SeenRecord | None = None,
) -> str:  # fmt: skip
    """Return one message as a line of JSON, without the newline.

    `created_at` is in microseconds UTC and is written as ISO 8601 with the offset of `time_zone` (an IANA name). `echo` marks a
    reply that merely repeats memory, `seen` tells what an answer had in view; these fields are written only if set.
    """
    fields: dict[str, object] = {
        "session": clean(session),
        "role": role,
        "speaker": clean(speaker),
        # Earlier versions kept messages that are empty once cleaned.
        "content": clean(content) or EMPTY,
        "created_at": _local(created_at, zone_of(time_zone)).isoformat(),
        "id": clean(source_id),
    }
    if echo:
        fields["echo"] = True
    if seen and (told := seen.fields()):
        fields["seen"] = told
    return json.dumps(fields, ensure_ascii=False)


def _local(at: int, zone: tzinfo) -> datetime:
    moment = EPOCH + timedelta(microseconds=at)
    try:
        return moment.astimezone(zone)
    except OverflowError:  # the last hours of 9999 have no local time east of Greenwich
        return moment


_COUNTED = re.compile(r"[0-9]{9,18}")
_SKIP_BYTES = 1 << 16
_SHOWN_CHARS = 40
_OF_A_NUMBER = 10
"""How much longer than a name what earlier versions exported may be: they put the number of one of many behind a whole name."""
_ROLES: Mapping[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "tool": "system"}


def read_jsonl(stream: BinaryIO, time_zone: str, person: str = "") -> Iterator[Incoming | BadLine]:
    """Read messages line by line, skipping blank lines and holding at most 1 MiB of the file at a time.

    `time_zone` (an IANA name) applies if `created_at` has no zone, `person` if a user has no name. A message without an `id`
    gets a hash of its fields and of what precedes it in its session, so that reading a file twice gives the same ids. Raises
    FileUnusable for UTF-16.
    """
    reader = _Reader(zone_of(time_zone), person)
    for number, raw in _lines(stream):
        if raw is None:
            yield BadLine(number, lazy("longer than 1 MiB"))
        elif raw.strip():
            yield reader.read(number, partial(_fields, raw))


def read_array(stream: BinaryIO, time_zone: str, person: str = "") -> Iterator[Incoming | BadLine]:
    """Read messages that stand in one JSON array, as `read_jsonl` reads those of lines; they are counted as these are."""
    reader, number = _Reader(zone_of(time_zone), person), 0
    try:
        for number, value in enumerate(conversations(stream), 1):
            yield reader.read(number, partial(_object, value))
    except DamagedFile:
        yield BadLine(number + 1, lazy("not JSON"))


class _Reader:
    """Reads the messages of one file."""

    def __init__(self, zone: tzinfo, person: str) -> None:
        self._zone = zone
        self._names = MessageNames(zone, speakers(person))
        # Which words each id stands for: two messages under one id are told rather than taken for one.
        self._words: dict[int, int] = {}

    def read(self, number: int, fields: Callable[[], Mapping[str, object]]) -> Incoming | BadLine:
        """Return the message that these fields are of."""
        try:
            line = _message(number, fields(), self._zone, self._names)
        except UnreadableMessage as refused:
            return BadLine(number, refused.sentence)
        words = _hashed(line.role, " ".join(line.content.split()))
        is_taken = self._words.setdefault(_hashed(line.session, line.source_id), words) != words
        return BadLine(number, lazy("its id is that of an earlier line with other words")) if is_taken else line


def _hashed(*fields: str | None) -> int:
    return int.from_bytes(blake2b(json.dumps(fields).encode(), digest_size=8).digest(), "big")


def _lines(stream: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Yield numbered lines; one that is too long is None and is never held in memory as a whole."""
    number = 0
    while raw := stream.readline(MAX_LINE + 1):
        number += 1
        if len(raw) > MAX_LINE and not raw.endswith(b"\n"):
            if number == 1:
                without_mark(raw)
            _skip_line(stream)
            yield number, None
        else:
            yield number, without_mark(raw) if number == 1 else raw


def _skip_line(stream: BinaryIO) -> None:
    while (rest := stream.readline(_SKIP_BYTES)) and not rest.endswith(b"\n"):
        pass


def _fields(raw: bytes) -> dict[str, object]:
    half = raw.lstrip().startswith(b"{") and not raw.endswith(b"\n")
    try:
        # Not strict: a raw tab or NUL inside a string is no reason to lose the message.
        fields = json.loads(raw.decode(), strict=False)
    except UnicodeDecodeError as error:
        raise UnreadableMessage("not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableMessage(
            lazy("not JSON: the file ends in the middle of this line") if half else lazy("not JSON")
        ) from error
    return _object(fields)


def _object(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise UnreadableMessage("not a JSON object")
    return value


def _message(number: int, fields: Mapping[str, object], zone: tzinfo, names: MessageNames) -> Incoming:
    content = _content(fields)
    role = _role(fields)
    session, speaker = _text(fields, "session"), _text(fields, "speaker")
    if session and len(session) > MOST_NAME + _OF_A_NUMBER:
        raise UnreadableMessage("session is longer than {most} characters", most=MOST_NAME)
    created_at, written = _created_at(fields.get("created_at"), zone)
    id_ = _id(fields)
    own, *former = names.names(id_, ImportedLine(session, role, speaker, content, written))
    echo = fields.get("echo") is True
    return Incoming(
        number, session, None, role, speaker, content, created_at, id_ or own.id, echo, own.origin, (own, *former),
        names_an_hour(written), read_seen(fields.get("seen")) if role == "assistant" and speaker == LYRA else None,
    )  # fmt: skip


def _content(fields: Mapping[str, object]) -> str:
    content = fields.get("content")
    if content is not None and not isinstance(content, str):
        raise UnreadableMessage("content is not text")
    content = clean(content or "")
    if not content:
        raise UnreadableMessage("no content")
    return content


def _role(fields: Mapping[str, object]) -> Role:
    role = fields.get("role")
    if role is None:
        return "user"
    known = _ROLES.get(role.lower()) if isinstance(role, str) else None
    if known is None:
        raise UnreadableMessage("role is none of user, assistant, system, tool")
    return known


def _text(fields: Mapping[str, object], name: str) -> str | None:
    value = fields.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UnreadableMessage("{name} is not text", name=name)
    return clean(str(value)) or None


def _id(fields: Mapping[str, object]) -> str | None:
    value = fields.get("id")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise UnreadableMessage("id is neither text nor a whole number")
    return clean(str(value)) or None


def _created_at(value: object, zone: tzinfo) -> tuple[int | None, int | str | None]:
    """Return the instant, and the time as it was written.

    A time without a zone is hashed as written, so that importing a file again under another time zone adds nothing.
    """
    if value is None:
        return None, None
    if isinstance(value, str) and _COUNTED.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        # What is no second before the year 10000 counts milliseconds, as JavaScript does, or microseconds.
        unit = next((one for one in (1, 1_000, 1_000_000) if value * SECOND < END * one), 0)
        known = _require_instant(from_seconds(value / unit) if unit else None)
        return known, known
    if not isinstance(value, str):
        raise UnreadableMessage("created_at is neither text nor a number")
    moment = _moment(value)
    if moment.tzinfo is None:
        return _instant(moment.replace(tzinfo=zone)), moment.isoformat()
    return _instant(moment), _instant(moment)


def _moment(value: str) -> datetime:
    value = clean(value).strip()
    try:
        return datetime.fromisoformat(value)
    except ValueError as error:
        # Quoted only if it looks like a time: the field might contain a message by mistake.
        shown = len(value) <= _SHOWN_CHARS and any(character.isdigit() for character in value)
        raise UnreadableMessage(
            lazy("created_at is not ISO 8601: {value}", value=value) if shown else lazy("created_at is not ISO 8601")
        ) from error


def _instant(moment: datetime) -> int:
    return _require_instant(within(instant(moment)))


def _require_instant(at: int | None) -> int:
    if at is None:
        raise UnreadableMessage("created_at is outside the years 1970 to 9999")
    return at
