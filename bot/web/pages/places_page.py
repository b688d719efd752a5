"""The shared places of a person, and each place's bank: the notes that everybody there may read."""

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from bot.commands.texts import kinds
from bot.web.desk import Desk
from memory.bank.block import Noted, entries
from memory.view.view import View


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """A shared place: its name, its kind, since when its bank is on (None: off), and the notes."""

    name: str
    kind: str
    since: int | None
    noted: Sequence[Noted]


class PlacesPage:
    """/places."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (web.get("/places", self._show),)

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        shared = await self._desk.app.domains.shared_with(self._desk.person(request), self._desk.platforms)
        places = [await self._place(one) for one in shared]
        return await self._desk.page(request, "places.html", view, places=places, connected=bool(self._desk.platforms))

    async def _place(self, view: View) -> SharedPlace:
        ref, since = view.home.ref, (await view.bank.state()).since
        adapter = self._desk.platforms[ref.platform]
        sessions = await view.sessions.all()
        name = adapter.server_name(ref.native_id) or (sessions[0].name if sessions else kinds.place(ref))
        noted = entries(await view.digests.statements("bank")) if since is not None else []
        return SharedPlace(name, kinds.place(ref), since, noted)
