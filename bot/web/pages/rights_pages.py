"""A person's rights: to export what is stored, to forget it after a preview, and to read the privacy policy."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from aiohttp import web

from bot.commands.texts import receipts
from bot.rights.exporting import Exporting, exported
from bot.rights.policy import policy
from bot.web.page_context import PagePart


class PolicyPage(PagePart):
    """/policy."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (web.get("/policy", self._show),)

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        return await self._context.page(
            request,
            "policy.html",
            view,
            text=policy(self._context.app.base.settings, self._context.app.models, self._context.app.memory.address),
        )


_PATIENCE_SECONDS = 5.0


class ForgetPage(PagePart):
    """/messages/ID/forget and /conversations/ID/forget."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (
            web.get("/messages/{id}/forget", self._ask),
            web.post("/messages/{id}/forget", self._forget),
            web.get("/conversations/{id}/forget", self._ask_whole),
            web.post("/conversations/{id}/forget", self._forget_whole),
        )

    async def _ask(self, request: web.Request) -> web.Response:
        view, id_ = await self._context.view(request), request.match_info["id"]
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                extent = await view.extent(id_)
        except TimeoutError:
            # Replies from before views were recorded count as having seen everything earlier, so every newer one must be read.
            (alone,) = await view.calendar.around(id_, 0)
            return await self._context.page(request, "forget.html", view, message=alone.exchange, extent=None)
        return await self._context.page(request, "forget.html", view, message=extent.messages[0], extent=extent)

    async def _forget(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        receipt = await view.forget_message(request.match_info["id"])
        return await self._context.page(request, "done.html", view, words=receipts.forgotten(receipt), back="/talk")

    async def _ask_whole(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        session = await view.sessions.named(request.match_info["id"])
        digests = [digest for one, digest in await view.digests.all() if one.key == session.key]
        return await self._context.page(request, "forget_conversation.html", view, session=session, digests=digests)

    async def _forget_whole(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        receipt = await view.forget_session(await view.sessions.named(request.match_info["id"]))
        return await self._context.page(request, "done.html", view, words=receipts.forgotten(receipt), back="/timeline")


_AT_ONCE = 64 * 1024


class ExportPage(PagePart):
    """/export."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (
            web.get("/export", self._show),
            web.get("/export/lyra.jsonl", self._as_jsonl),
            web.get("/export/lyra.txt", self._as_text),
            web.get("/export/own.jsonl", self._own_as_jsonl),
            web.get("/export/own.txt", self._own_as_text),
        )

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        return await self._context.page(
            request, "export.html", view, messages=sum(one.messages for one in await view.calendar.months())
        )

    async def _as_jsonl(self, request: web.Request) -> web.StreamResponse:
        return await self._here(request, "lyra.jsonl", as_text=False)

    async def _as_text(self, request: web.Request) -> web.StreamResponse:
        return await self._here(request, "lyra.txt", as_text=True)

    async def _own_as_jsonl(self, request: web.Request) -> web.StreamResponse:
        return await self._own(request, "own.jsonl", as_text=False)

    async def _own_as_text(self, request: web.Request) -> web.StreamResponse:
        return await self._own(request, "own.txt", as_text=True)

    async def _here(self, request: web.Request, name: str, *, as_text: bool) -> web.StreamResponse:
        return await _sent(request, name, exported(await self._context.view(request), as_text=as_text))

    async def _own(self, request: web.Request, name: str, *, as_text: bool) -> web.StreamResponse:
        exporting = Exporting(self._context.app.memory, self._context.app.domains)
        return await _sent(request, name, exporting.lines(self._context.person(request), as_text=as_text))


async def _sent(request: web.Request, name: str, lines: AsyncIterator[str]) -> web.StreamResponse:
    kind = "application/jsonl" if name.endswith(".jsonl") else "text/plain"
    response = web.StreamResponse(
        headers={
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        }
    )
    await response.prepare(request)
    waiting = bytearray()
    async for line in lines:
        waiting += line.encode("utf-8", "replace") + b"\n"
        if len(waiting) >= _AT_ONCE:
            await response.write(bytes(waiting))
            waiting.clear()
    await response.write(bytes(waiting))
    await response.write_eof()
    return response
