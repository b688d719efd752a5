"""What a message holds besides its words: files, forwarded messages, and quotes of others."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file sent with a message: its media type ('' if unknown), its size in bytes, and its sender's description."""

    id: str
    name: str
    type: str
    size: int
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Forward:
    """A forwarded copy of another message: where and when that was said, and which of the copying message's `text` is its."""

    id: str
    server: str
    channel: str
    text: str
    attachments: tuple[str, ...] = ()
    said_at: int = 0


@dataclass(frozen=True, slots=True)
class Quote:
    """Something said at a place that is shown as context and not kept. `own` means Lyra said it; otherwise `person` did.

    `edited_at` is when it got these words, in microseconds UTC, 0 if they are the original ones. `hidden` means somebody
    who reads the place may not read it, or that this is uncertain: then nothing of it is here except its id.
    """

    id: str
    speaker: str
    text: str
    said_at: int
    own: bool = False
    person: str = ""
    attachments: tuple[Attachment, ...] = ()
    forwards: tuple[Forward, ...] = ()
    edited_at: int = 0
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Contents:
    """What was read of an attachment: its text, or an image's bytes; neither if it is of another kind or unavailable."""

    attachment: Attachment
    text: str = ""
    image: bytes = b""
