"""Her self-state, now and over time; her dreams with their reports, and posted thoughts; and her persona."""

from collections.abc import Sequence

from aiohttp import web

from bot.commands.dream_commands import fewer
from bot.commands.texts.ladder_text import drive_name
from bot.errors import BadInput
from bot.web.charts import ChartSeries, lines
from bot.web.page_context import PagePart, go, notice
from localization.sentences import _, lazy, told
from memory.tiers.drives import NAMES
from memory.tiers.selfstate import DatedState

_DONE = {
    "changed": lazy("That is who I am from my next answer on."),
    "reset": lazy("I am again who I was at first."),
    "busy": lazy("Another process dreams this just now."),
}
"""Notices after a form."""


class PersonaPage(PagePart):
    """/persona."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return web.get("/persona", self._show), web.post("/persona", self._change), web.post("/persona/reset", self._reset)

    async def _show(self, request: web.Request, text: str = "", problem: str = "") -> web.Response:
        view, persona = await self._context.view(request), self._context.app.persona
        return await self._context.page(
            request, "persona.html", view, text=text or persona.current(), owner=self._context.is_owner(request), problem=problem,
            is_own=persona.is_own and not persona.named, told=notice(request, _DONE),
        )  # fmt: skip

    async def _change(self, request: web.Request) -> web.Response:
        text = str((await self._owned(request)).get("text", "")).replace("\r\n", "\n")
        try:
            self._context.app.persona.write(text)
        except BadInput as error:
            return await self._show(request, text, told(error))
        return go("/persona", told="changed")

    async def _reset(self, request: web.Request) -> web.Response:
        await self._owned(request)
        try:
            self._context.app.persona.reset()
        except BadInput as error:
            return await self._show(request, "", told(error))
        return go("/persona", told="reset")

    async def _owned(self, request: web.Request) -> "dict[str, object]":
        if not self._context.is_owner(request):
            raise web.HTTPForbidden
        return dict(await request.post())


_DREAMS, _THOUGHTS = 30, 20


class DreamsPage(PagePart):
    """/dreams and /thoughts."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (
            web.get("/dreams", self._show),
            web.post("/dreams/now", self._now),
            web.post("/thoughts/{id}/less", self._less),
            web.get("/thoughts/{id}/delete", self._ask),
            web.post("/thoughts/{id}/delete", self._delete),
        )

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        return await self._context.page(
            request, "dreams.html", view, thoughts=await view.thoughts.said(_THOUGHTS), told=notice(request, _DONE), owner=self._context.is_owner(request),
            dreams=await self._context.app.memory.dreams.past(view.home, _DREAMS),
        )  # fmt: skip

    async def _now(self, request: web.Request) -> web.Response:
        """Dream this home now, due or not."""
        if not self._context.is_owner(request):
            raise web.HTTPForbidden
        view = await self._context.view(request)
        dreamt = await self._context.app.dreams.dream(view.home, forced=True)
        return go("/dreams", told="" if dreamt.report else "busy")

    async def _less(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        thought = await view.thoughts.find(request.match_info["id"])
        await fewer(view, thought, self._context.app.base.settings.dream.curiosity)
        return go("/dreams")

    async def _ask(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        return await self._context.page(
            request, "forget_thought.html", view, thought=await view.thoughts.find(request.match_info["id"])
        )

    async def _delete(self, request: web.Request) -> web.Response:
        view, outgoing = await self._context.view(request), self._context.talk.outgoing
        thought = await view.thoughts.find(request.match_info["id"])
        platform, place, parts = await view.thoughts.take_back(thought, outgoing.composer.keys())
        if parts:
            await outgoing.flush(platform, place, parts)
        return go("/dreams")


class SelfPage(PagePart):
    """/self."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return web.get("/self", self._show), web.post("/self/reset", self._reset)

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        now, history = await view.self_state.now(), (await view.self_state.history())[::-1]
        times = self._context.times(view)
        ends = (times.day(history[0].at), times.day(history[-1].at)) if history else ("", "")
        said = await view.digests.receipts([*now.narrative, *now.reflections])
        return await self._context.page(
            request, "self.html", view, now=now, said=said, drives=NAMES,
            moods=lines(_moods(history), -1, 1, ends, _("Mood and energy over time")),
            driven=lines(_drives(history), 0, 1, ends, _("What drives me over time")),
        )  # fmt: skip

    async def _reset(self, request: web.Request) -> web.Response:
        await (await self._context.view(request)).self_state.reset()
        return go("/self")


def _moods(history: Sequence[DatedState]) -> Sequence[ChartSeries]:
    return (
        ChartSeries(drive_name("mood"), [(one.at, one.mind.mood) for one in history]),
        ChartSeries(drive_name("energy"), [(one.at, one.mind.energy) for one in history]),
    )


def _drives(history: Sequence[DatedState]) -> Sequence[ChartSeries]:
    return [ChartSeries(drive_name(name), [(one.at, one.mind.drives[name]) for one in history]) for name in NAMES]
