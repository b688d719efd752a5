"""The names of a file's messages without ids, made from their content and what precedes them in their session.

The same message may be written in several forms: its time with or without a zone, its speaker named or implied, with trailing
blanks. Each form gives it another name, and it is recognized by all of them; its own name is that of the form in which speaker
and blanks do not matter.
"""

import json
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from hashlib import blake2b

from memory.text.sanitize import sanitized
from memory.text.time.times import instant
from memory.transfer.message import EPOCH, Role
from memory.types import DAY, FormerIds


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """The content of a line. `time` is the instant (microseconds), or the local time as written if it has no zone."""

    session: str | None
    role: Role
    speaker: str | None
    content: str
    time: int | str | None


class MessageNames:
    """The namer of a file's messages, one after another.

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
