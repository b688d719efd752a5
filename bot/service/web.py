"""HTTP for scripts on this machine: loopback only, a bearer token for everything but health. No answer holds a message."""

import asyncio
import hmac
import json
import re
from collections.abc import Awaitable, Callable

from aiohttp import web
from prometheus_client import CollectorRegistry, Gauge, generate_latest

from bot.errors import LyraError
from bot.service.maintenance import Maintenance
from memory.core import Memory
from memory.errors import MemoryFailure, NotFound
from memory.journal import ledger
from memory.ports import Ids

_LOOK_SECONDS = 0.5
_OPEN = ("/healthz", "/readyz")
_LOOPBACK = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Web:
    """The HTTP side of `lyra run`."""

    def __init__(self, memory: Memory, maintenance: Maintenance, token: str, ids: Ids) -> None:
        self._memory = memory
        self._maintenance = maintenance
        self._token = token
        self._ids = ids
        self._stopping = asyncio.Event()
        app = web.Application(middlewares=[self._guard])
        app.add_routes(
            [
                web.get("/healthz", self._health),
                web.get("/readyz", self._ready),
                web.get("/metrics", self._metrics),
                web.post("/sessions/{id}/summarize", self._summarize),
                web.get("/log", self._log),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=2.0)

    async def start(self, port: int) -> int:
        """Listen on 127.0.0.1; port 0 takes a free one. Return the port. Raises LyraError where it is taken."""
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            raise LyraError(f"Port {port} is taken. Name another in the configuration: [web] port = …") from error
        return int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """End every answer and stop listening."""
        self._stopping.set()
        await self._runner.cleanup()

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        # A page in a browser on this machine reaches loopback by a name of its own, but not under the name of loopback.
        if not _LOOPBACK.fullmatch(request.headers.get("Host", "")):
            return _problem(403, "Ask on this machine, at 127.0.0.1 or localhost.")
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        # Bytes that are no UTF-8 come as surrogates; they are part of no token.
        if request.path not in _OPEN and not hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode()):
            return _problem(401, "A bearer token is needed.")
        try:
            return await handler(request)
        except NotFound as error:
            return _problem(404, str(error))
        except (MemoryFailure, LyraError) as error:
            return _problem(503, str(error))

    async def _health(self, _: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def _ready(self, _: web.Request) -> web.Response:
        await self._memory.backlog()
        return web.json_response({"ready": True})

    async def _metrics(self, _: web.Request) -> web.Response:
        backlog, spending = await self._memory.backlog(), self._memory.spending
        registry = CollectorRegistry()
        for name, help_, value in (
            ("lyra_sessions", "Conversations kept", backlog.sessions),
            ("lyra_sessions_dirty", "Conversations with a message in no gist", backlog.dirty),
            ("lyra_sessions_ripe", "Conversations due for a gist", backlog.ripe),
            ("lyra_exchanges_unsummarized", "Messages in no gist", backlog.unsummarized_total),
            ("lyra_inbox_parked", "Messages given up after three tries", await self._memory.journal.parked()),
            ("lyra_dreams_parked", "Places given up after three dreams that broke", len(await self._memory.dreams.parked())),
            ("lyra_store_reads", "Statements read since the start", self._memory.db.reads),
            ("lyra_store_transactions", "Transactions begun since the start", self._memory.db.transactions),
            ("lyra_unasked_calls_today", "Calls of a model today that nobody asked for", (await spending.today()).calls),
        ):
            Gauge(name, help_, registry=registry).set(value)
        return web.Response(body=generate_latest(registry), content_type="text/plain")

    async def _summarize(self, request: web.Request) -> web.Response:
        digests = await self._maintenance.summarize_by_id(request.match_info["id"])
        return web.json_response({"session": request.match_info["id"], "digests": [digest.id for digest in digests]})

    async def _log(self, request: web.Request) -> web.StreamResponse:
        """Send what is done from now on, by any process, as server-sent events, until the caller or Lyra goes."""
        given = request.headers.get("Last-Event-ID", "")
        if given and not (given.isascii() and given.isdecimal() and len(given) < 19):
            return _problem(400, "Last-Event-ID is a number that an event had.")
        seen = int(given or -1)
        if seen < 0:
            seen = await ledger.last_happening(self._memory.db)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
        await response.prepare(request)
        await response.write(b": listening\n\n")
        while not self._stopping.is_set():
            for event in await ledger.happenings(self._memory.db, seen):
                data = json.dumps({"at": event.at, **event.detail})
                await response.write(f"id: {event.seq}\nevent: {event.kind}\ndata: {data}\n\n".encode())
                seen = event.seq
            await self._pause()
        return response

    async def _pause(self) -> None:
        try:
            await asyncio.wait_for(self._stopping.wait(), _LOOK_SECONDS)
        except TimeoutError:
            return


def _problem(status: int, sentence: str) -> web.Response:
    return web.json_response({"error": sentence}, status=status)
