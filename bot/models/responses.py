"""Reads what an OpenAI-compatible endpoint sends back: bytes in, text out, nothing believed.

The openai library hands answers on without looking at their types, keeps a line of any length, and does not tell an answer
that ended from one that was cut. So the bytes are read here: an answer is complete once it said why it finished, or [DONE].
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

_AT_ONCE = 20
_SURROGATE_OR_NUL = re.compile("[\ud800-\udfff\0]")


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A part of an answer, with the reason why it finished here, if it did."""

    text: str
    finished: str | None = None


class Unusable(Exception):
    """What came is no answer; the text says why, as the rest of a sentence."""


class Truncated(Exception):
    """The answer ended before it was complete."""


class Trouble(Exception):
    """The endpoint answered 200 and sent an error object, kept in `body`."""

    def __init__(self, body: object) -> None:
        super().__init__("an error in place of an answer")
        self.body = body


async def whole(chunks: AsyncIterator[bytes], limit: int) -> object:
    """Return the JSON document that the chunks make up. Raises Unusable if it is none, or longer than `limit` bytes."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > limit:
            raise Unusable(f"it is longer than {limit} bytes")
    return _json(bytes(body))


async def pieces(chunks: AsyncIterator[bytes], limit: int) -> AsyncGenerator[str, None]:
    """Yield the texts of a stream of server-sent events; leading white space comes with the first visible text.

    Raises Unusable for what is no answer, for more than `limit` bytes and for no text; Cut; Trouble.
    """
    held, size, begun, shown, done = "", 0, False, False, False
    async for data in _events(chunks, limit):
        begun = True
        if data == b"[DONE]":
            done = True
            break
        piece = _piece(_json(data), "delta")
        done = done or piece.finished is not None
        held += piece.text
        size += len(piece.text.encode())
        if size > limit:
            raise Unusable(f"it is longer than {limit} bytes")
        if held and (shown or held.strip()):
            shown = True
            yield held
            held = ""
    if begun and not done:
        raise Truncated
    if not shown:
        raise Unusable("it holds no text")


def text_of(document: object) -> str:
    """Return the text of an answer that came in one piece. Raises Unusable, Trouble."""
    text = _piece(document, "message").text
    if not text.strip():
        raise Unusable("it holds no text")
    return text


async def _events(chunks: AsyncIterator[bytes], limit: int) -> AsyncGenerator[bytes, None]:
    """Yield the data of each event. Endpoints of this kind send one line of it an event."""
    rest = bytearray()
    async for chunk in chunks:
        rest += chunk
        *lines, last = rest.splitlines(keepends=True) or [bytearray()]
        rest = last
        if rest.endswith(b"\n"):
            lines.append(rest)
            rest = bytearray()
        if len(rest) > limit:
            raise Unusable(f"it has a line of more than {limit} bytes")
        for at, line in enumerate(lines, start=1):
            if line.startswith(b"data:"):
                yield bytes(line[5:].strip())
            if at % _AT_ONCE == 0:
                # Many events may have come in one chunk: others get their turn in between.
                await asyncio.sleep(0)
    if rest.startswith(b"data:"):
        yield bytes(rest[5:].strip())


def _json(data: bytes) -> object:
    try:
        document: object = json.loads(data)
    except (ValueError, RecursionError):
        raise Unusable("it is not JSON") from None
    return document


def _piece(document: object, part: str) -> AnswerPiece:
    """Read one chunk ("delta") or a whole answer ("message"). A chunk without choices carries usage or nothing."""
    if not isinstance(document, dict):
        raise Unusable("it is not an object")
    if document.get("error"):
        raise Trouble(document["error"])
    choices = document.get("choices")
    if not isinstance(choices, list):
        raise Unusable("it has no choices")
    if not choices:
        return AnswerPiece("")
    first = choices[0]
    message = first.get(part) or {} if isinstance(first, dict) else None
    content = message.get("content") if isinstance(message, dict) else 0
    finished = first.get("finish_reason") if isinstance(first, dict) else None
    if not isinstance(content, str | None) or not isinstance(finished, str | None):
        raise Unusable("it has parts of the wrong type")
    return AnswerPiece(_SURROGATE_OR_NUL.sub("\ufffd", content or ""), finished)
