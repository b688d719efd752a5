"""Which files of a message are read, and how their bytes are read: text as text, images as they are."""

import asyncio
import codecs
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import PurePath

from adapters.message_parts import Attachment, Contents

MOST_FILES = 4
"""How many texts, and how many images, are read per message."""
MOST_TEXT = 128 * 1024
MOST_IMAGE = 5 * 1024 * 1024

_IMAGES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_TEXTS = frozenset({"application/json", "application/xml", "application/x-yaml", "application/toml", "application/javascript"})
_TEXT_ENDINGS = frozenset(
    ".txt .md .rst .csv .tsv .json .jsonl .xml .yaml .yml .toml .ini .cfg .log .html .css .js .ts .tsx .jsx .py .rb .rs .go .c .h"
    " .cpp .hpp .cs .java .kt .swift .php .pl .lua .sh .sql .r .hs .ex .clj .scala .tex .srt .diff .patch".split()
)


def select_files(attachments: Sequence[Attachment]) -> list[int]:
    """Return the indexes of the files to read, going by their metadata."""
    texts = [index for index, one in enumerate(attachments) if _is_text(one) and one.size <= MOST_TEXT]
    images = [index for index, one in enumerate(attachments) if one.type in _IMAGES and one.size <= MOST_IMAGE]
    return sorted(texts[:MOST_FILES] + images[:MOST_FILES])


async def in_time(
    attachments: Sequence[Attachment], contents: Callable[[Attachment], Awaitable[Contents]], seconds: float
) -> list[Contents]:
    """Return the readable contents of a message's files within a time limit, one per file, in order."""
    found = [Contents(one) for one in attachments]
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for index in select_files(attachments):
                found[index] = await contents(attachments[index])
    return found


def most(attachment: Attachment) -> int:
    """Return how many bytes of a wanted file to read at most, whatever its stated size."""
    return MOST_TEXT if _is_text(attachment) else MOST_IMAGE


def extract(attachment: Attachment, data: bytes) -> Contents:
    """Return the contents of a wanted file, empty if it is too large after all."""
    if len(data) > most(attachment):
        return Contents(attachment)
    if _is_text(attachment):
        return Contents(attachment, text=_decoded(data))
    return Contents(attachment, image=data)


def _is_text(attachment: Attachment) -> bool:
    if attachment.type in _IMAGES:
        return False
    ending = PurePath(attachment.name).suffix.lower()
    return attachment.type.startswith("text/") or attachment.type in _TEXTS or ending in _TEXT_ENDINGS


def _decoded(data: bytes) -> str:
    """Decode UTF-8, or UTF-16 with a BOM; return '' for anything else."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text else text
