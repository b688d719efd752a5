"""The files of messages, read within limits, and decrypted if encrypted."""

import re
from collections.abc import Sequence
from functools import partial

from nio import AsyncClient
from nio.crypto.attachments import decrypt_attachment
from nio.exceptions import EncryptionError

from adapters import file_contents
from adapters.events import Message
from adapters.matrix.failures import TROUBLE
from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import part, word
from adapters.matrix.incoming.scrollback import fetch_event
from adapters.message_parts import Attachment, Contents

_DOWNLOAD = "/_matrix/client/v1/media/download"
_ADDRESS = re.compile(r"mxc://(?P<server>[A-Za-z0-9.:\[\]-]{1,255})/(?P<id>[A-Za-z0-9_=-]{1,255})")
_BEGINS = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}


async def read(client: AsyncClient, message: Message, seconds: float) -> Sequence[Contents]:
    """Return the readable contents of a message's files within a time limit, one per file, in order.

    A file's location and decryption keys are read from its event again.
    """
    return await file_contents.in_time(message.attachments, partial(_contents, client, message.place.channel), seconds)


async def _contents(client: AsyncClient, room: str, attachment: Attachment) -> Contents:
    try:
        event = await fetch_event(client, room, attachment.id)
        data = await _bytes(client, event.content, file_contents.most(attachment)) if event else None
    except TROUBLE:
        data = None
    # The sender states a file's type, and need not be right.
    if data is None or not data.startswith(_BEGINS.get(attachment.type, (b"",))):
        return Contents(attachment)
    return file_contents.extract(attachment, data)


async def _bytes(client: AsyncClient, content: Json, most: int) -> bytes | None:
    """Return a file's decrypted bytes; None if it is too large, missing, or not what was sent. Raises what requests raise."""
    file = part(content, "file")
    data = await _downloaded(client, word(file or content, "url"), most)
    return _decrypted(data, file) if file and data is not None else data


async def _downloaded(client: AsyncClient, address: str, most: int) -> bytes | None:
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return None
    path = f"{_DOWNLOAD}/{found['server']}/{found['id']}"
    answer = await client.send("GET", path, headers={"Authorization": f"Bearer {client.access_token}"})
    try:
        if answer.status != 200:
            return None
        data = bytearray()
        async for piece in answer.content.iter_any():
            data += piece
            if len(data) > most:
                return None
        return bytes(data)
    finally:
        # The rest of an unread body is not waited for.
        answer.close()


def _decrypted(data: bytes, file: Json) -> bytes | None:
    try:
        return bytes(
            decrypt_attachment(data, word(part(file, "key"), "k"), word(part(file, "hashes"), "sha256"), word(file, "iv"))
        )
    except (EncryptionError, ValueError, OverflowError):
        return None
