"""Attachments as text: a file's words and an image's description, so that both are stored and can be recalled."""

import re
from collections.abc import Sequence

from adapters.display import is_visible
from adapters.events import Message
from adapters.message_parts import Contents
from bot.models.port import Image
from memory.text.sanitize import EMPTY, clean

MOST_CHARACTERS = 64_000
_KILO = 1024
# Here and not in `clean`, on which the ids of what was imported rest.
_TERMINAL_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\))")


def text_with_attachments(message: Message, contents: Sequence[Contents]) -> str:
    """Return a message's text together with its attachments', in a form every store can hold."""
    said = _clean(message.text).strip()
    pieces = [said if is_visible(said) else "", *(_clean(_one(one)) for one in contents)]
    return "\n".join(piece for piece in pieces if piece) or EMPTY


def _clean(text: str) -> str:
    """Return text without the codes by which programs colour what they write, and without control characters."""
    return clean(_TERMINAL_CODES.sub("", text) if "\x1b" in text else text)


def images(contents: Sequence[Contents]) -> list[Image]:
    """Return the images among a message's attachments."""
    return [Image(one.attachment.type, one.image) for one in contents if one.image]


def _one(contents: Contents) -> str:
    file = contents.attachment
    caption = f": {file.caption}" if file.caption else ""
    if contents.text:
        text = contents.text[:MOST_CHARACTERS]
        more = " […]" if len(contents.text) > MOST_CHARACTERS else ""
        return f"[file {file.name}{caption}]\n{text}{more}"
    kind = file.type.partition("/")[0] if file.type.startswith(("image/", "audio/", "video/")) else "file"
    unread = "" if contents.image else ", not read"
    return f"[{kind} {file.name}, {_size(file.size)}{unread}{caption}]"


def _size(n: int) -> str:
    for unit in ("bytes", "KB"):
        if n < _KILO:
            return f"{n} {unit}"
        n //= _KILO
    return f"{n} MB"
