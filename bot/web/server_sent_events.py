"""Server-sent events, for as long as a tab is open."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from aiohttp import web

_LOOK_SECONDS = 0.5


class Stream:
    """A streamed response."""

    def __init__(self, response: web.StreamResponse) -> None:
        self._response = response

    async def send(self, kind: str, facts: object, seq: int | None = None) -> None:
        """Send an event; `seq` is where a tab resumes that lost its connection."""
        number = f"id: {seq}\n" if seq is not None else ""
        data = json.dumps(facts, ensure_ascii=False)
        await self._response.write(f"{number}event: {kind}\ndata: {data}\n\n".encode("utf-8", "replace"))

    async def pulse(self) -> None:
        """Send a heartbeat."""
        await self._response.write(b": here\n\n")


@asynccontextmanager
async def streaming(request: web.Request) -> AsyncIterator[tuple[Stream, web.StreamResponse]]:
    """Stream events until the block ends or the tab is closed."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    await response.prepare(request)
    # A tab closes without notice.
    with suppress(ConnectionResetError):
        await response.write(b": listening\n\n")
        yield Stream(response), response


async def pause(stopping: asyncio.Event) -> None:
    """Wait until the next poll is due, or all streams are to stop."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_LOOK_SECONDS):
            await stopping.wait()
