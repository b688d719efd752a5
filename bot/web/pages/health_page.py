"""How things are: what `lyra doctor` finds, for who runs this machine."""

from collections.abc import Sequence

from aiohttp import web

from bot.cli.checkups.doctor import examine
from bot.service import costs
from bot.service.lost import lost
from bot.web.desk import Desk
from localization.sentences import lazy

_TIMES = ((lazy("Models, today"), 1), (lazy("Models, the last 30 days"), costs.MONTH))


class HealthPage:
    """/health."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> Sequence[web.RouteDef]:
        """Return what is answered here."""
        return (web.get("/health", self._show),)

    async def _show(self, request: web.Request) -> web.Response:
        view, owner = await self._desk.view(request), self._desk.owns(request)
        # A look asks every model and platform, which takes as long as they do.
        looked = owner and "look" in request.query
        findings = [finding async for finding in examine(self._desk.app)] if looked else []
        backlog = await self._desk.app.memory.backlog() if owner else None
        models = self._desk.app.base.settings.models
        spent = [(label, await costs.costs(self._desk.app.memory, models, days)) for label, days in _TIMES] if owner else []
        gone = await lost(self._desk.app.memory.settings, self._desk.app.base.settings) if owner else {}
        return self._desk.page(
            request, "health.html", view, owner=owner, looked=looked, findings=findings, backlog=backlog, spent=spent, lost=gone
        )
