"""The shared places of a person, and each place's bank: the notes that everybody there may read."""

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from bot.commands.texts import kinds
from bot.web.page_context import PageContext
from memory.bank.block import BankEntry, entries
from memory.view.view import View


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """A shared place: its name, its kind, since when its bank is on (None: off), and the notes."""

    name: str
    kind: str
    since: int | None
    noted: Sequence[BankEntry]


class PlacesPage:
    """/places."""

    def __init__(self, context: PageContext) -> None:
        self._context = context

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (web.get("/places", self._show),)

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        shared = await self._context.app.domains.shared_with(self._context.person(request), self._context.platforms)
        places = [await self._place(one) for one in shared]
        return await self._context.page(request, "places.html", view, places=places, connected=bool(self._context.platforms))

    async def _place(self, view: View) -> SharedPlace:
        ref, since = view.home.ref, (await view.bank.state()).since
        adapter = self._context.platforms[ref.platform]
        sessions = await view.sessions.all()
        name = adapter.server_name(ref.native_id) or (sessions[0].name if sessions else kinds.place(ref))
        noted = entries(await view.digests.statements("bank")) if since is not None else []
        return SharedPlace(name, kinds.place(ref), since, noted)
