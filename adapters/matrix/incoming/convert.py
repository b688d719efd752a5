"""What was said on Matrix, as Lyra reads it. Ids are opaque; names and texts are what people typed; nothing is trusted."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

from nio import AsyncClient
from nio.crypto.attachments import decrypt_attachment
from nio.exceptions import EncryptionError

from adapters import file_contents
from adapters.display import clean, line
from adapters.events import Message
from adapters.matrix.failures import TROUBLE
from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import POLL, STICKER, part, word
from adapters.matrix.incoming.scrollback import fetch_event
from adapters.message_parts import Attachment, Contents

PLATFORM = "matrix"

_FILES = frozenset({"m.image", "m.file", "m.audio", "m.video"})
_UNSAID = frozenset({"m.notice", "m.server_notice", "m.key.verification.request"})
"""What nobody says: a notice must not be answered."""
_LONGEST_FILE_NAME = 200
_MOST_OFFERED = 20
# The fallback that clients put before a reply for clients without replies: who is answered, and what they said.
_FALLBACK = re.compile(r"\A> (?:\* ?)?<@[^\n]*(?:\n>[^\n]*)*\n+")
_DOWNLOAD = "/_matrix/client/v1/media/download"
_ADDRESS = re.compile(r"mxc://(?P<server>[A-Za-z0-9.:\[\]-]{1,255})/(?P<id>[A-Za-z0-9_=-]{1,255})")
_BEGINS = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/webp": (b"RIFF",),
}


def is_heard(content: Json) -> bool:
    """Return whether this is something a person says; of a type that is not known here, as clients show it: if it has words."""
    kind = word(content, "msgtype")
    known = kind in ("m.text", "m.emote", "m.location", STICKER, POLL, *_FILES)
    return known or (kind not in ("", *_UNSAID) and bool(word(content, "body")))


def text(content: Json, speaker: str) -> str:
    """Return what was said, as people read it; '' for a file without a caption."""
    kind = word(content, "msgtype")
    body = clean(word(content, "body"))
    if part(part(content, "m.relates_to"), "m.in_reply_to"):
        body = _FALLBACK.sub("", body)
    if kind in _FILES:
        return _caption(content)
    if kind == "m.emote":
        return f"* {speaker} {body}"
    if kind == "m.location":
        return f"[location: {', '.join(one for one in (line(body, 300), line(word(content, 'geo_uri'), 300)) if one)}]"
    if kind == STICKER:
        return f"[sticker: {line(body)}]"
    if kind == POLL:
        poll = part(content, "m.poll")
        answers = poll.get("answers")
        words = [line(_words(one)) for one in answers[:_MOST_OFFERED]] if isinstance(answers, list) else []
        offered = " / ".join(filter(None, words))
        return f"[poll: {line(_words(poll.get('question')), 300)}: {offered}]"
    return body.strip()


def _words(found: Any) -> str:
    """Return the words of a poll's question or answer, in whichever of the specification's forms."""
    versions = found.get("m.text") if isinstance(found, dict) else None
    first = versions[0] if isinstance(versions, list) and versions else None
    return word(found, "org.matrix.msc1767.text") or word(first, "body") or word(found, "m.text") or word(found, "body")


def attachments(event: str, content: Json) -> tuple[Attachment, ...]:
    """Return a message's attachments; the id of each is its event's."""
    if word(content, "msgtype") not in _FILES:
        return ()
    info = part(content, "info")
    kind = word(info, "mimetype").partition(";")[0].strip().lower()
    size = info.get("size")
    return (Attachment(event, _file_name(content), kind, size if isinstance(size, int) and size > 0 else 0),)


def _file_name(content: Json) -> str:
    named = word(content, "filename") or word(content, "body")
    return line(named, _LONGEST_FILE_NAME) or word(content, "msgtype").removeprefix("m.")


def _caption(content: Json) -> str:
    named, body = word(content, "filename"), clean(word(content, "body"))
    return body.strip() if named and body != named else ""


async def read_files(client: AsyncClient, message: Message, seconds: float) -> Sequence[Contents]:
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
