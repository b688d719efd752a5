"""What a file yields: messages with their names, and unusable lines. Text is cleaned here, at the border."""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, tzinfo
from hashlib import blake2b
from typing import Literal

from localization.sentences import Explained, Said
from memory.errors import MemoryFailure
from memory.text.display_names import LYRA
from memory.text.sanitize import sanitized
from memory.text.time.times import END, instant
from memory.transfer.seen_record import SeenRecord
from memory.types import DAY, SECOND, FormerIds

MAX_LINE = 1 << 20
"""The maximum length of a line or message in bytes."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

Role = Literal["user", "assistant", "system"]


class FileUnusable(MemoryFailure):
    """A file that cannot be opened or read, or that contains no messages in a known format."""


class UnreadableMessage(Explained):
    """A line or message that cannot be read; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """One message of a file.

    `line` is the line number in a JSONL file, the number of the conversation in an export. Without a `session` the message
    belongs to the default session; `place` is the stable key of its conversation, or None if the session's name is the key.
    `created_at` is in microseconds UTC. `source_id` is unique within its session and the same whenever the same file is read
    again. `origin`, for messages of the default session, is the same whatever that session is called. `former` lists other
    names of the message. `timed` means that `created_at` is a moment, not a day or the time of another message. `seen` is what an
    answer of Lyra's had in view, None if the file does not tell.
    """

    line: int
    session: str | None
    place: str | None
    role: Role
    speaker: str | None
    content: str
    created_at: int | None
    source_id: str
    echo: bool = False
    origin: str = ""
    former: tuple[FormerIds, ...] = field(default=(), compare=False)
    timed: bool = field(default=False, compare=False)
    seen: SeenRecord | None = None


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that was left out, and why; the reason never contains message text."""

    line: int
    reason: Said


@dataclass(frozen=True, slots=True)
class BadConversation(BadLine):
    """A conversation, by its number in the file, that was not read in full; the reason names it, and all that is wrong with it."""


def speakers(person: str) -> Mapping[Role, str]:
    """Return the speaker of each role for lines that name none, in an import by this person."""
    return {"user": person, "assistant": LYRA, "system": "system"}


def from_seconds(seconds: float) -> int | None:
    """Return seconds since 1970 as microseconds; None outside the years 1970 to 9999, and for NaN."""
    if not 0 <= seconds < END // SECOND:
        return None
    return within(round(seconds * SECOND))


def within(instant: int) -> int | None:
    """Return the instant (microseconds) if it lies in the years 1970 to 9999 UTC, else None."""
    return instant if 0 <= instant < END else None


def without_mark(head: bytes) -> bytes:
    """Return a file's first bytes without a UTF-8 byte order mark. Raises FileUnusable for UTF-16 and UTF-32."""
    if head.startswith(_UTF16):
        raise FileUnusable("the file is UTF-16; save it as UTF-8 and import it again")
    return head.removeprefix(_MARK)


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """The content of a line. `time` is the instant (microseconds), or the local time as written if it has no zone."""

    session: str | None
    role: Role
    speaker: str | None
    content: str
    time: int | str | None


class MessageNames:
    """The namer of a file's messages without ids, one after another, by their content and what precedes them in their session.

    The same message may be written in several forms: its time with or without a zone, its speaker named or implied, with
    trailing blanks. Each form gives it another name, and it is recognized by all of them; its own name is that of the form in
    which speaker and blanks do not matter.

    `time_zone` applies to times without a zone, `meant` are the speakers of lines that name none.
    """

    def __init__(self, time_zone: tzinfo, meant: Mapping[Role, str]) -> None:
        self._zone = time_zone
        self._meant = meant
        self._chains: dict[int, _Chain] = {}

    def names(self, id_: str | None, line: ImportedLine) -> tuple[FormerIds, ...]:
        """Return the names of a line, its own first; a line with an id has names only if it has no session."""
        names = (
            self._chains.setdefault(form, _Chain()).name(id_, written) for form, written in enumerate(self._forms(line))
        )  # fmt: skip
        return tuple(dict.fromkeys(names))

    def _forms(self, line: ImportedLine) -> Iterator[ImportedLine]:
        plain = replace(line, content=_plain(line.content))
        unnamed = replace(plain, speaker=None if line.speaker == self._meant[line.role] else line.speaker)
        named = replace(plain, speaker=line.speaker or self._meant[line.role])
        yield unnamed
        # The form used by earlier versions.
        yield line
        for time in (self._instant(line.time), self._local(line.time)):
            yield replace(unnamed, time=time)
            yield replace(named, time=time)

    def _instant(self, time: int | str | None) -> int | str | None:
        return instant(datetime.fromisoformat(time).replace(tzinfo=self._zone)) if isinstance(time, str) else time

    def _local(self, time: int | str | None) -> int | str | None:
        """Return an instant as a time without a zone, if that is unambiguous."""
        if not isinstance(time, int):
            return time
        try:
            local = (EPOCH + timedelta(microseconds=time)).astimezone(self._zone).replace(tzinfo=None, fold=0)
        except OverflowError:
            return time
        return local.isoformat() if instant(local.replace(tzinfo=self._zone)) == time else time


class _Chain:
    """The namer of a file's messages in one form.

    The name of a message without a time depends on all before it, up to the last one with a time: "ok, thanks" occurs in many
    chats. A message with a time stands for itself, so that correcting a line later does not rename everything after it.
    """

    def __init__(self) -> None:
        self._alike: Counter[bytes] = Counter()
        self._first: Counter[bytes] = Counter()
        self._last: dict[str | None, tuple[bytes, str]] = {}

    def name(self, id_: str | None, line: ImportedLine) -> FormerIds:
        fields = (line.session, line.role, line.speaker, line.content, line.time)
        link, before = self._last.get(line.session, (b"", ""))
        name = _digest(link.hex(), id_, *fields)
        first = id_ or f"h:{_numbered(_digest(*fields), self._first)}"
        self._last[line.session] = _digest(id_, *fields) if names_an_hour(line.time) else name, first
        named = _numbered(name, self._alike)
        origin = "" if line.session else named
        return FormerIds("", origin) if id_ else FormerIds(f"h:2:{named}", origin, (first, before))


def _plain(content: str) -> str:
    """Return a text without invisible differences: Unicode composition, trailing blanks."""
    lines = sanitized(unicodedata.normalize("NFC", content)).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def names_an_hour(time: int | str | None) -> bool:
    """Return whether a time as written is more precise than a day."""
    return bool(time % DAY) if isinstance(time, int) else time is not None and not time.endswith("T00:00:00")


def _digest(*fields: object) -> bytes:
    # A JSON list keeps the fields apart, so that no two different messages have the same encoding.
    return blake2b(json.dumps(fields).encode(), digest_size=16).digest()


def _numbered(digest: bytes, alike: Counter[bytes]) -> str:
    alike[digest] += 1
    return f"{digest.hex()}:{alike[digest]}"
