"""HTTP for scripts: health, metrics, the log of what is done, and a summary on demand. No response contains a message."""

from aiohttp import web

from bot.web.metrics import exposition
from bot.web.page_context import CONTEXT
from bot.web.server_sent_events import StreamEvent, follow, last_seen
from localization.sentences import _
from memory.journal import ledger

routes = web.RouteTableDef()


@routes.get("/healthz")
async def _health(_request: web.Request) -> web.Response:
    return web.json_response({"alive": True})


@routes.get("/readyz")
async def _ready(request: web.Request) -> web.Response:
    # Any read shows that the database answers; this one is asked often, so it goes through nothing but what waits.
    await request.app[CONTEXT].app.memory.journal.open_counts()
    return web.json_response({"ready": True})


@routes.get("/metrics")
async def _measure(request: web.Request) -> web.Response:
    context = request.app[CONTEXT]
    return web.Response(body=await exposition(context.app.memory, context.talk.mailboxes), content_type="text/plain")


@routes.post("/sessions/{id}/summarize")
async def _summarize(request: web.Request) -> web.Response:
    digests = await request.app[CONTEXT].app.maintenance.summarize_by_id(request.match_info["id"])
    return web.json_response({"session": request.match_info["id"], "digests": [digest.id for digest in digests]})


@routes.get("/log", allow_head=False)
async def _log(request: web.Request) -> web.StreamResponse:
    """Stream what any process does from now on as server-sent events, until the caller or Lyra goes."""
    given, db = request.headers.get("Last-Event-ID", ""), request.app[CONTEXT].app.memory.db
    seen = last_seen(given) if given else await ledger.last_happening(db)
    if seen is None:
        return web.json_response({"error": _("Last-Event-ID is a number that an event had.")}, status=400)

    async def news(seen: int) -> list[StreamEvent]:
        happened = await ledger.happenings(db, seen)
        return [StreamEvent(one.kind, {"at": one.at, **one.detail}, one.seq) for one in happened]

    return await follow(request, seen, news)
