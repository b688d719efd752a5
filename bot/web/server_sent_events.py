"""Server-sent events, for as long as a tab is open."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple

from aiohttp import web

STOPPING = web.AppKey("stopping", asyncio.Event)
"""Set once the server ends all streams."""
_LOOK_SECONDS = 0.5
_PULSE = 30
"""So many looks without a heartbeat."""


class StreamEvent(NamedTuple):
    """An event; `seq` is where a tab resumes that lost its connection."""

    kind: str
    facts: object
    seq: int


@dataclass(frozen=True, slots=True)
class Stream:
    """A streamed response."""

    response: web.StreamResponse

    async def send(self, kind: str, facts: object, seq: int | None = None) -> None:
        """Send an event, with its sequence number if it has one."""
        number = f"id: {seq}\n" if seq is not None else ""
        data = json.dumps(facts, ensure_ascii=False)
        await self.response.write(f"{number}event: {kind}\ndata: {data}\n\n".encode("utf-8", "replace"))

    async def heartbeat(self) -> None:
        """Send a heartbeat."""
        await self.response.write(b": here\n\n")


@asynccontextmanager
async def streaming(request: web.Request) -> AsyncIterator[Stream]:
    """Stream events until the block ends or the tab is closed."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    await response.prepare(request)
    # A tab closes without notice.
    with suppress(ConnectionResetError):
        await response.write(b": listening\n\n")
        yield Stream(response)


async def follow(request: web.Request, seen: int, news: Callable[[int], Awaitable[Sequence[StreamEvent]]]) -> web.StreamResponse:
    """Stream what `news` returns behind a sequence number, from `seen` on, until the reader or the server goes."""
    stopping, looks = request.app[STOPPING], 0
    async with streaming(request) as stream:
        while not stopping.is_set():
            for event in await news(seen):
                await stream.send(*event)
                seen = event.seq
            looks += 1
            if looks % _PULSE == 0:
                await stream.heartbeat()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_SECONDS):
                    await stopping.wait()
    return stream.response


def last_seen(given: str) -> int | None:
    """Return a sequence number as a request states it, None if it is none."""
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 19 else None
