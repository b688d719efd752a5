"""A person's rights: to export what is stored, to forget it after a preview, and to read the privacy policy."""

import asyncio

from aiohttp import web

from bot.commands.texts import receipts
from bot.rights.exporting import all_of, own_of
from bot.rights.policy import policy
from bot.web.page_context import visiting

routes = web.RouteTableDef()
_PATIENCE_SECONDS = 5.0
_AT_ONCE = 64 * 1024


@routes.get("/policy")
async def _policy(request: web.Request) -> web.Response:
    visit = await visiting(request)
    app = visit.app
    text = policy(app.base.settings, app.models.answering, app.models.writing, app.memory.address)
    return await visit.page("policy.html", text=text)


@routes.get("/messages/{id}/forget")
async def _ask_to_forget(request: web.Request) -> web.Response:
    visit, id_ = await visiting(request), request.match_info["id"]
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            extent = await visit.view.extent(id_)
    except TimeoutError:
        # Replies from before views were recorded count as having seen everything earlier, so every newer one must be read.
        (alone,) = await visit.view.calendar.around(id_, 0)
        return await visit.page("forget.html", message=alone.exchange, extent=None)
    return await visit.page("forget.html", message=extent.messages[0], extent=extent)


@routes.post("/messages/{id}/forget")
async def _forget(request: web.Request) -> web.Response:
    visit = await visiting(request)
    receipt = await visit.view.forget_message(request.match_info["id"])
    return await visit.page("done.html", words=receipts.forgotten_counts(receipt), back="/talk")


@routes.get("/conversations/{id}/forget")
async def _ask_to_forget_whole(request: web.Request) -> web.Response:
    visit = await visiting(request)
    session = await visit.view.sessions.find(request.match_info["id"])
    digests = [digest for one, digest in await visit.view.digests.all() if one.key == session.key]
    return await visit.page("forget_conversation.html", session=session, digests=digests)


@routes.post("/conversations/{id}/forget")
async def _forget_whole(request: web.Request) -> web.Response:
    visit = await visiting(request)
    receipt = await visit.view.forget_session(await visit.view.sessions.find(request.match_info["id"]))
    return await visit.page("done.html", words=receipts.forgotten_counts(receipt), back="/timeline")


@routes.get("/export")
async def _export(request: web.Request) -> web.Response:
    visit = await visiting(request)
    return await visit.page("export.html", messages=sum(one.messages for one in await visit.view.calendar.months()))


@routes.get("/export/{whose:lyra|own}.{form:jsonl|txt}")
async def _send(request: web.Request) -> web.StreamResponse:
    """Send the messages of the memory that is read, or all that is the visitor's own, as JSON Lines or as text."""
    whose, as_text = request.match_info["whose"], request.match_info["form"] == "txt"
    visit = await visiting(request)
    messages = own_of(visit.person, visit.app.memory, visit.app.domains) if whose == "own" else all_of(visit.view)
    kind = "text/plain" if as_text else "application/jsonl"
    response = web.StreamResponse(
        headers={
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Disposition": f'attachment; filename="{whose}.{request.match_info["form"]}"',
        }
    )
    await response.prepare(request)
    waiting = bytearray()
    async for one in messages:
        waiting += one.line(as_text=as_text).encode("utf-8", "replace") + b"\n"
        if len(waiting) >= _AT_ONCE:
            await response.write(bytes(waiting))
            waiting.clear()
    await response.write(bytes(waiting))
    await response.write_eof()
    return response
