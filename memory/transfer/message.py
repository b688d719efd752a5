"""What a file yields: messages and unusable lines. Text is cleaned here, at the border."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from localization.sentences import Explained, Said, lazy
from memory.errors import MemoryFailure
from memory.text.display_names import LYRA
from memory.text.time.times import END
from memory.types import SECOND, FormerIds

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
    names of the message. `timed` means that `created_at` is a moment, not a day or the time of another message.
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
        raise FileUnusable(lazy("the file is UTF-16; save it as UTF-8 and import it again"))
    return head.removeprefix(_MARK)
