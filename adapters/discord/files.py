"""The files of messages, read within bounds: text as text, images as they are."""

import asyncio
import codecs
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import PurePath

import discord

from adapters.discord import convert
from adapters.discord.failures import TROUBLE
from adapters.discord.whole import whole
from adapters.events import Attachment, Contents, Message

MOST_FILES = 4
"""How many texts, and how many images, of one message are read."""
MOST_TEXT = 128 * 1024
MOST_IMAGE = 5 * 1024 * 1024

_MOST_MESSAGES = 256
_IMAGES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_TEXTS = frozenset({"application/json", "application/xml", "application/x-yaml", "application/toml", "application/javascript"})
_TEXT_ENDINGS = frozenset(
    ".txt .md .rst .csv .tsv .json .jsonl .xml .yaml .yml .toml .ini .cfg .log .html .css .js .ts .tsx .jsx .py .rb .rs .go .c .h"
    " .cpp .hpp .cs .java .kt .swift .php .pl .lua .sh .sql .r .hs .ex .clj .scala .tex .srt .diff .patch".split()
)


class Files:
    """What is attached to messages; `seconds` is how long reading those of one message may take.

    Addresses expire: where the one at hand does not work, the message is asked for again.
    """

    def __init__(self, seconds: float = 10.0) -> None:
        self._seconds = seconds
        self._at_hand: OrderedDict[str, dict[str, discord.Attachment]] = OrderedDict()

    def remember(self, message: discord.Message) -> None:
        """Keep the files' addresses at hand for a while."""
        found = {str(one.id): one for one in convert.files(message)}
        if found:
            self._at_hand[str(message.id)] = found
            self._at_hand.move_to_end(str(message.id))
        if len(self._at_hand) > _MOST_MESSAGES:
            self._at_hand.popitem(last=False)

    async def read(self, client: discord.Client, message: Message) -> Sequence[Contents]:
        """Return what can be read of a message's files in time, one for each, in order."""
        contents = [Contents(one) for one in message.attachments]
        try:
            async with asyncio.timeout(self._seconds):
                for index in _wanted(message.attachments):
                    data = await self._bytes(client, message, message.attachments[index])
                    contents[index] = _contents(message.attachments[index], data)
        except TimeoutError:
            pass
        return contents

    async def _bytes(self, client: discord.Client, message: Message, attachment: Attachment) -> bytes:
        if found := self._at_hand.get(message.id, {}).get(attachment.id):
            try:
                return await found.read()
            except TROUBLE:
                self._at_hand.pop(message.id, None)
        channel = client.get_partial_messageable(int(message.place.thread or message.place.channel))
        try:
            self.remember(await whole(channel.fetch_message(int(message.id))))
            again = self._at_hand.get(message.id, {}).get(attachment.id)
            return await again.read() if again else b""
        except TROUBLE:
            return b""


def _wanted(attachments: Sequence[Attachment]) -> list[int]:
    texts = [index for index, one in enumerate(attachments) if _is_text(one) and one.size <= MOST_TEXT]
    images = [index for index, one in enumerate(attachments) if one.type in _IMAGES and one.size <= MOST_IMAGE]
    return sorted(texts[:MOST_FILES] + images[:MOST_FILES])


def _is_text(attachment: Attachment) -> bool:
    if attachment.type in _IMAGES:
        return False
    ending = PurePath(attachment.name).suffix.lower()
    return attachment.type.startswith("text/") or attachment.type in _TEXTS or ending in _TEXT_ENDINGS


def _contents(attachment: Attachment, data: bytes) -> Contents:
    if _is_text(attachment):
        return Contents(attachment, text=_decoded(data) if len(data) <= MOST_TEXT else "")
    return Contents(attachment, image=data if len(data) <= MOST_IMAGE else b"")


def _decoded(data: bytes) -> str:
    """Return text that is UTF-8, or UTF-16 that says so; '' for anything else."""
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        return ""
    return "" if "\0" in text else text
