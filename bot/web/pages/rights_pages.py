"""A person's rights: to export what is stored, to forget it after a preview, and to read the privacy policy."""

import asyncio
from collections.abc import Sequence

from aiohttp import web

from bot.commands.texts import receipts
from bot.rights.exporting import all_of, own_of
from bot.rights.policy import policy
from bot.web.page_context import PagePart


class PolicyPage(PagePart):
    """/policy."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (web.get("/policy", self._show),)

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        app = self._context.app
        text = policy(app.base.settings, app.models.answering, app.models.writing, app.memory.address)
        return await self._context.page(request, "policy.html", view, text=text)


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
        return await self._context.page(request, "forget.html", view, message=extent.message, extent=extent)

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
        return web.get("/export", self._show), web.get("/export/{whose:lyra|own}.{form:jsonl|txt}", self._send)

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        return await self._context.page(
            request, "export.html", view, messages=sum(one.messages for one in await view.calendar.months())
        )

    async def _send(self, request: web.Request) -> web.StreamResponse:
        """Send the messages of the memory that is read, or all that is the visitor's own, as JSON Lines or as text."""
        whose, as_text = request.match_info["whose"], request.match_info["form"] == "txt"
        app = self._context.app
        messages = (
            own_of(self._context.person(request), app.memory, app.domains)
            if whose == "own"
            else all_of(await self._context.view(request))
        )
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
