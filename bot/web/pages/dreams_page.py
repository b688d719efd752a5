"""Dreams with their reports, and the thoughts that were said: why, fewer of them, and taken back."""

from collections.abc import Sequence

from aiohttp import web

from bot.commands.thoughts import fewer
from bot.web.desk import Desk, go
from localization.sentences import _

_DREAMS, _THOUGHTS = 30, 20


class DreamsPage:
    """/dreams and /thoughts."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> Sequence[web.RouteDef]:
        """Return what is answered here."""
        return (
            web.get("/dreams", self._show),
            web.post("/dreams/now", self._now),
            web.post("/thoughts/{id}/less", self._less),
            web.get("/thoughts/{id}/delete", self._ask),
            web.post("/thoughts/{id}/delete", self._delete),
        )

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        return self._desk.page(
            request, "dreams.html", view, thoughts=await view.thoughts.said(_THOUGHTS), told=request.query.get("told", "")[:200], owner=self._desk.owns(request),
            dreams=await self._desk.app.memory.dreams.past(view.home, _DREAMS),
        )  # fmt: skip

    async def _now(self, request: web.Request) -> web.Response:
        """Dream at this home now, whatever is due."""
        if not self._desk.owns(request):
            raise web.HTTPForbidden
        view = await self._desk.view(request)
        dreamt = await self._desk.app.dreams.dream(view.home, forced=True)
        return go("/dreams", told="" if dreamt.report else _("Another process dreams this just now."))

    async def _less(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        thought = await view.thoughts.find(request.match_info["id"])
        await fewer(view, thought, self._desk.app.base.settings.dream.curiosity)
        return go("/dreams")

    async def _ask(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        return self._desk.page(request, "forget_thought.html", view, thought=await view.thoughts.find(request.match_info["id"]))

    async def _delete(self, request: web.Request) -> web.Response:
        view, outgoing = await self._desk.view(request), self._desk.talk.outgoing
        thought = await view.thoughts.find(request.match_info["id"])
        platform, place, parts = await view.thoughts.take_back(thought, outgoing.keys())
        if parts:
            await outgoing.flush(platform, place, parts)
        return go("/dreams")
