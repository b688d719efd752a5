"""HTTP for scripts: health, metrics, the log of what is done, and a summary on demand. No response contains a message."""

from collections.abc import Sequence

from aiohttp import web

from bot.web.metrics import exposed
from bot.web.page_context import PagePart
from bot.web.server_sent_events import StreamEvent, follow, last_seen
from localization.sentences import _
from memory.journal import ledger


class HttpApi(PagePart):
    """The paths that require the bearer token, and the two that do not."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes for scripts."""
        return (
            web.get("/healthz", self._health),
            web.get("/readyz", self._ready),
            web.get("/metrics", self._measure),
            web.post("/sessions/{id}/summarize", self._summarize),
            web.get("/log", self._log, allow_head=False),
        )

    async def _health(self, _request: web.Request) -> web.Response:
        return web.json_response({"alive": True})

    async def _ready(self, _request: web.Request) -> web.Response:
        # Any read shows that the database answers; this one is asked often, so it goes through nothing but what waits.
        await self._context.app.memory.journal.open_counts()
        return web.json_response({"ready": True})

    async def _measure(self, _request: web.Request) -> web.Response:
        return web.Response(body=await exposed(self._context.app.memory, self._context.talk.mailboxes), content_type="text/plain")

    async def _summarize(self, request: web.Request) -> web.Response:
        digests = await self._context.app.maintenance.summarize_by_id(request.match_info["id"])
        return web.json_response({"session": request.match_info["id"], "digests": [digest.id for digest in digests]})

    async def _log(self, request: web.Request) -> web.StreamResponse:
        """Stream what any process does from now on as server-sent events, until the caller or Lyra goes."""
        given, db = request.headers.get("Last-Event-ID", ""), self._context.app.memory.db
        seen = last_seen(given) if given else await ledger.last_happening(db)
        if seen is None:
            return web.json_response({"error": _("Last-Event-ID is a number that an event had.")}, status=400)

        async def news(seen: int) -> list[StreamEvent]:
            happened = await ledger.happenings(db, seen)
            return [StreamEvent(one.kind, {"at": one.at, **one.detail}, one.seq) for one in happened]

        return await follow(request, seen, news)
