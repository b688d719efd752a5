"""The privacy policy, as the configuration amounts to it."""

from collections.abc import Sequence

from aiohttp import web

from bot.rights.policy import policy
from bot.web.desk import Desk


class PolicyPage:
    """/policy."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> Sequence[web.RouteDef]:
        """Return what is answered here."""
        return (web.get("/policy", self._show),)

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        return self._desk.page(
            request, "policy.html", view, text=policy(self._desk.app.base.settings, self._desk.app.models.goes_to)
        )
