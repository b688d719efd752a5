"""How she is here: mood, energy and drives, now and over time, and what she says of herself."""

from collections.abc import Sequence

from aiohttp import web

from bot.commands.texts.ladder_text import drive_name
from bot.web.charts import Line, lines
from bot.web.desk import Desk, go
from localization.sentences import _
from memory.tiers.drives import NAMES
from memory.tiers.selfstate import Moment


class SelfPage:
    """/self."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> Sequence[web.RouteDef]:
        """Return what is answered here."""
        return web.get("/self", self._show), web.post("/self/reset", self._reset)

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        now, history = await view.self_state.now(), (await view.self_state.history())[::-1]
        times = self._desk.times(view)
        ends = (times.day(history[0].at), times.day(history[-1].at)) if history else ("", "")
        said = await view.digests.receipts([*now.narrative, *now.reflections])
        return self._desk.page(
            request, "self.html", view, now=now, said=said, drives=NAMES,
            moods=lines(_moods(history), -1, 1, ends, _("Mood and energy over time")),
            driven=lines(_drives(history), 0, 1, ends, _("What drives me over time")),
        )  # fmt: skip

    async def _reset(self, request: web.Request) -> web.Response:
        await (await self._desk.view(request)).self_state.reset()
        return go("/self")


def _moods(history: Sequence[Moment]) -> Sequence[Line]:
    return (
        Line(drive_name("mood"), [(one.at, one.mind.mood) for one in history]),
        Line(drive_name("energy"), [(one.at, one.mind.energy) for one in history]),
    )


def _drives(history: Sequence[Moment]) -> Sequence[Line]:
    return [Line(drive_name(name), [(one.at, one.mind.drives[name]) for one in history]) for name in NAMES]
