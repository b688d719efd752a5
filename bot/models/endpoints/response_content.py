"""Reading a response: its visible text, and its tool calls.

Calls that a model writes as text are held back: its server does not parse them, and people must not see them.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress

import httpx2

from bot.models.endpoints.endpoint import FAULTS
from bot.models.endpoints.responses import DONE, WebPage, events, pieces, read_json
from bot.models.endpoints.written_calls import WithoutCalls
from bot.models.port import CutShort, Restart, Tool, ToolCall
from memory.text.thinking import WithoutThinking

_END_SECONDS = 0.05
"""How long to wait for the end of a response whose answer is complete."""


async def read(
    response: httpx2.Response, limit: int, thoughts: WithoutThinking, tools: Sequence[Tool]
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
                if rest := lines.flush():
                    yield rest
                yield piece
            elif isinstance(piece, Restart):
                lines = WithoutCalls(names)
                yield piece
            elif new := lines.feed(piece):
                yield new
    if rest := lines.flush():
        yield rest


async def _sent(
    response: httpx2.Response, limit: int, thoughts: WithoutThinking, *, calls: bool
) -> AsyncGenerator[str | ToolCall, None]:
    """Yield the parts of a response, whose beginning tells what it is: endpoints and proxies declare the same bytes differently."""
    async with aclosing(response.aiter_bytes()) as chunks:
        first = await _first_visible(chunks)
        if first.startswith(b"<") or "html" in response.headers.get("content-type", ""):
            raise WebPage
        everything = _prepended(first, chunks)
        is_one_document = first.startswith((b"{", b"["))
        documents = _alone(await read_json(everything, limit)) if is_one_document else events(everything, limit)
        async with aclosing(pieces(documents, "message" if is_one_document else "delta", limit, thoughts, calls=calls)) as found:
            async for piece in found:
                yield piece
        await _finish(chunks)


async def _first_visible(chunks: AsyncIterator[bytes]) -> bytes:
    """Return the first chunk that is not blank, from its first visible byte on: blank lines keep a connection open until then."""
    async for chunk in chunks:
        if shown := chunk.lstrip(b"\xef\xbb\xbf \t\r\n"):
            return shown
    return b""


async def _prepended(first: bytes, chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    yield first
    async for chunk in chunks:
        yield chunk


async def _alone(document: object) -> AsyncGenerator[object, None]:
    yield document
    yield DONE


async def _finish(chunks: AsyncIterator[bytes]) -> None:
    """Drain a response: otherwise its connection is closed, and the next request opens another."""
    with suppress(TimeoutError, *FAULTS):
        async with asyncio.timeout(_END_SECONDS):
            async for _ in chunks:
                pass
