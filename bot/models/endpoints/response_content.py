"""Reading a response: its visible text, and its tool calls.

Calls that a model writes as text are held back: its server does not parse them, and people must not see them.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Sequence
from contextlib import aclosing, suppress
from typing import Any

from openai import AsyncAPIResponse

from bot.models.endpoints.endpoint import FAULTS
from bot.models.endpoints.responses import WebPage, pieces, pieces_of, whole
from bot.models.port import CutShort, Restart, Tool, ToolCall
from memory.text.thinking import WithoutThinking

_END_SECONDS = 0.05
"""How long to wait for the end of a response whose answer is complete."""
Response = AsyncAPIResponse[Any]


_TAGS = ("<tool_call>", "[tool_calls]", "<function=", "<|python_tag|>", "<|tool_call|>")
_TAG = re.compile(rf"^[ \t]*(?:{'|'.join(re.escape(tag) for tag in _TAGS)})", re.IGNORECASE | re.MULTILINE)
_OBJECT = re.compile(r"\s*(?:```(?:json)?\s*)?\[?\s*\{")
_ANY_CALL = re.compile(
    rf'{_OBJECT.pattern}\s*"(?:name|function|tool|tool_name)"\s*:\s*"[\w.:-]+"\s*,\s*"(?:arguments|parameters|args)"\s*:\s*\{{'
)
"""An answer that begins like the call of any tool, also of one that was never offered; asked without tools, it may be meant."""
_MOST = 600
"""A call names its tool within this many characters."""


class WrittenCall(Exception):
    """A model wrote a tool call as text."""


class WithoutCalls:
    """Filters a streamed answer, holding back what may be a call of one of these tools."""

    def __init__(self, names: Collection[str]) -> None:
        several = "|".join(re.escape(name) for name in names)
        self._call = re.compile(rf'"(?:name|function|tool|tool_name)"\s*:\s*"(?:{several})"|<function=(?:{several})\b')
        self._plain = re.compile(rf"\s*(?:{several})\(\s*(?:\w+\s*=|\{{|\"|\))")
        self._starts = tuple(f"{name}(" for name in names)
        self._held = ""
        self._begun = False
        self._at_line = True

    def feed(self, piece: str) -> str:
        """Add a piece, and return the text that is surely no call. Raises WrittenCall."""
        self._held += piece
        at = self._suspected()
        if at is None:
            return self._give(len(self._held))
        if self._call.search(self._held, at):
            raise WrittenCall
        if not self._begun and (self._plain.match(self._held) or _ANY_CALL.match(self._held)):
            raise WrittenCall
        return self._give(len(self._held) if len(self._held) - at > _MOST else at)

    def rest(self) -> str:
        """Return the text held back at the end."""
        return self._give(len(self._held))

    def _suspected(self) -> int | None:
        """Return the position in the held text at which a call may begin, or None."""
        text = self._held
        if not self._begun and (_OBJECT.match(text) or _starts(text, (*self._starts, "```json", "[{"))):
            return 0
        first = 0 if self._at_line else text.find("\n") + 1 or len(text)
        if tag := _TAG.search(text, first):
            return tag.start()
        line = max(first, text.rfind("\n") + 1)
        return line if _starts(text[line:], _TAGS) else None

    def _give(self, end: int) -> str:
        given, self._held = self._held[:end], self._held[end:]
        if given:
            self._begun = self._begun or bool(given.strip())
            line = given.rpartition("\n")
            self._at_line = not line[2].strip() and (self._at_line or bool(line[1]))
        return given


def _starts(text: str, wholes: Collection[str]) -> bool:
    """Return whether a non-empty text is one of these, or the beginning of one."""
    bare = text.lstrip(" \t\n").lower()
    return bool(bare) and any(one.startswith(bare) or bare.startswith(one) for one in wholes)


async def read(
    response: Response, limit: int, thoughts: WithoutThinking, tools: Sequence[Tool]
) -> AsyncGenerator[str | ToolCall, None]:
    """Yield an answer of at most `limit` bytes in pieces; from an endpoint without streaming, as a whole.

    Raises WrittenCall if the text contains a call of one of the offered `tools`, and whatever `pieces` raises.
    """
    names = [tool.name for tool in tools]
    lines = WithoutCalls(names)
    async with aclosing(_sent(response, limit, thoughts, calls=bool(tools))) as found:
        async for piece in found:
            if isinstance(piece, CutShort) or not tools:
                yield piece
            elif isinstance(piece, ToolCall):
                if rest := lines.rest():
                    yield rest
                yield piece
            elif isinstance(piece, Restart):
                lines = WithoutCalls(names)
                yield piece
            elif new := lines.feed(piece):
                yield new
    if rest := lines.rest():
        yield rest


async def _sent(
    response: Response, limit: int, thoughts: WithoutThinking, *, calls: bool
) -> AsyncGenerator[str | ToolCall, None]:
    """Yield the parts of a response, whose beginning tells what it is: endpoints and proxies declare the same bytes differently."""
    chunks = _from_first_byte(response.iter_bytes())
    first = await anext(chunks, b"")
    if first.startswith(b"<") or "html" in response.headers.get("content-type", ""):
        raise WebPage
    rest = _prepended(first, chunks)
    if first.startswith((b"{", b"[")):
        document = await whole(rest, limit)
        for piece in pieces_of(document, thoughts, calls=calls):
            yield piece
        return
    async with aclosing(pieces(rest, limit, thoughts, calls=calls)) as found:
        async for piece in found:
            yield piece
    await _finish(chunks)


async def _from_first_byte(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Yield the chunks from the first visible byte on: blank lines keep a connection open until then."""
    begun = False
    async for chunk in chunks:
        if shown := chunk if begun else chunk.lstrip(b"\xef\xbb\xbf \t\r\n"):
            begun = True
            yield shown


async def _prepended(first: bytes, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    yield first
    async for chunk in chunks:
        yield chunk


async def _finish(chunks: AsyncIterator[bytes]) -> None:
    """Drain a response: otherwise its connection is closed, and the next request opens another."""
    with suppress(TimeoutError, *FAULTS):
        async with asyncio.timeout(_END_SECONDS):
            async for _ in chunks:
                pass
