"""Forgetting: what would go with a message or a conversation, and then, where somebody says so, that it goes."""

import asyncio
from collections.abc import Sequence

from aiohttp import web

from bot.commands.texts import receipts
from bot.web.desk import Desk

_PATIENCE_SECONDS = 5.0


class ForgetPage:
    """/messages/ID/forget and /conversations/ID/forget."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> Sequence[web.RouteDef]:
        """Return what is answered here."""
        return (
            web.get("/messages/{id}/forget", self._ask),
            web.post("/messages/{id}/forget", self._forget),
            web.get("/conversations/{id}/forget", self._ask_whole),
            web.post("/conversations/{id}/forget", self._forget_whole),
        )

    async def _ask(self, request: web.Request) -> web.Response:
        view, id_ = await self._desk.view(request), request.match_info["id"]
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                extent = await view.extent(id_)
        except TimeoutError:
            # Of replies from before views were recorded, each one that is newer has to be read.
            (alone,) = await view.calendar.around(id_, 0)
            return self._desk.page(request, "forget.html", view, message=alone.exchange, extent=None)
        return self._desk.page(request, "forget.html", view, message=extent.message, extent=extent)

    async def _forget(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        receipt = await view.forget_message(request.match_info["id"])
        return self._desk.page(request, "done.html", view, words=receipts.forgotten(receipt), back="/talk")

    async def _ask_whole(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        session = await view.sessions.named(request.match_info["id"])
        digests = [digest for one, digest in await view.digests.all() if one.key == session.key]
        return self._desk.page(request, "forget_conversation.html", view, session=session, digests=digests)

    async def _forget_whole(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        receipt = await view.forget_session(await view.sessions.named(request.match_info["id"]))
        return self._desk.page(request, "done.html", view, words=receipts.forgotten(receipt), back="/timeline")
