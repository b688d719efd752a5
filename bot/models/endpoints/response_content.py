"""Reading a response: its visible text, and its tool calls."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress
from typing import Any

from openai import AsyncAPIResponse

from bot.models.endpoints.endpoint import FAULTS
from bot.models.endpoints.responses import WebPage, pieces, pieces_of, whole
from bot.models.endpoints.written_calls import WithoutCalls
from bot.models.port import CutShort, Restart, Tool, ToolCall
from memory.text.thinking import WithoutThinking

_END_SECONDS = 0.05
"""How long to wait for the end of a response whose answer is complete."""
Response = AsyncAPIResponse[Any]


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
    kind = response.headers.get("content-type", "")
    if "html" in kind:
        raise WebPage
    if "json" in kind:
        document = await whole(response.iter_bytes(), limit)
        for piece in pieces_of(document, thoughts, calls=calls):
            yield piece
        return
    chunks = response.iter_bytes()
    async with aclosing(pieces(chunks, limit, thoughts, calls=calls)) as found:
        async for piece in found:
            yield piece
    await _finish(chunks)


async def _finish(chunks: AsyncIterator[bytes]) -> None:
    """Drain a response: otherwise its connection is closed, and the next request opens another."""
    with suppress(TimeoutError, *FAULTS):
        async with asyncio.timeout(_END_SECONDS):
            async for _ in chunks:
                pass
