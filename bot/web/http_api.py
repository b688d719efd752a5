"""HTTP for scripts: health, metrics, the log of what is done, and a summary on demand. No response contains a message."""

import asyncio
from collections.abc import Sequence

from aiohttp import web

from bot.service.maintenance import Maintenance
from bot.web.metrics import Metrics
from bot.web.server_sent_events import pause, streaming
from localization.sentences import _
from memory.core import Memory
from memory.journal import ledger


class HttpApi:
    """The paths that require the bearer token, and the two that do not."""

    def __init__(self, memory: Memory, maintenance: Maintenance, metrics: Metrics) -> None:
        self._memory = memory
        self._maintenance = maintenance
        self._metrics = metrics
        self._stopping = asyncio.Event()

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes for scripts."""
        return (
            web.get("/healthz", self._health),
            web.get("/readyz", self._ready),
            web.get("/metrics", self._measure),
            web.post("/sessions/{id}/summarize", self._summarize),
            web.get("/log", self._log, allow_head=False),
        )

    def stop(self) -> None:
        """End all streams."""
        self._stopping.set()

    async def _health(self, _request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def _ready(self, _request: web.Request) -> web.Response:
        # Any read shows that the database answers; this one is asked often, so it goes through nothing but what waits.
        await self._memory.journal.open_counts()
        return web.json_response({"ready": True})

    async def _measure(self, _request: web.Request) -> web.Response:
        return web.Response(body=await self._metrics.exposed(), content_type="text/plain")

    async def _summarize(self, request: web.Request) -> web.Response:
        digests = await self._maintenance.summarize_by_id(request.match_info["id"])
        return web.json_response({"session": request.match_info["id"], "digests": [digest.id for digest in digests]})

    async def _log(self, request: web.Request) -> web.StreamResponse:
        """Stream what any process does from now on as server-sent events, until the caller or Lyra goes."""
        given = request.headers.get("Last-Event-ID", "")
        if given and not (given.isascii() and given.isdecimal() and len(given) < 19):
            return web.json_response({"error": _("Last-Event-ID is a number that an event had.")}, status=400)
        seen = int(given or -1)
        if seen < 0:
            seen = await ledger.last_happening(self._memory.db)
        async with streaming(request) as (stream, response):
            while not self._stopping.is_set():
                for event in await ledger.happenings(self._memory.db, seen):
                    await stream.send(event.kind, {"at": event.at, **event.detail}, event.seq)
                    seen = event.seq
                await pause(self._stopping)
        return response
