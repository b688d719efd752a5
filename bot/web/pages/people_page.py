"""People, pets, places and projects: the names that come up, and what is known under each."""

from collections.abc import Sequence

from aiohttp import web

from bot.commands.texts import page_text
from bot.web.desk import Desk
from memory.errors import NotFound
from memory.text.storable import clean
from memory.types import Statement

_NAMES = 200
_RANKS = {"profile": 0, "narrative": 1, "era": 2}


class PeoplePage:
    """/people and /people/NAME."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def routes(self) -> Sequence[web.RouteDef]:
        """Return what is answered here."""
        return web.get("/people", self._show), web.get("/people/{name}", self._about)

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._desk.view(request)
        return self._desk.page(request, "people.html", view, names=await view.pages.names(_NAMES))

    async def _about(self, request: web.Request) -> web.Response:
        view, name = await self._desk.view(request), clean(request.match_info["name"])
        pages = await view.pages.about(name)
        if not name.strip():
            raise web.HTTPNotFound
        if not pages:
            raise NotFound(page_text.nothing(name))
        said = await view.digests.receipts([fact for page in pages for fact in page.facts])
        facts = {page.name: _each_once(page.facts) for page in pages}
        return self._desk.page(request, "person.html", view, name=name, pages=pages, said=said, facts=facts)


def _each_once(facts: Sequence[Statement]) -> list[Statement]:
    """Return statements that say the same once: the fact, before what a month or the narrative tells of it."""
    ranked = sorted(facts, key=lambda one: (_RANKS.get(one.tier, len(_RANKS)), one.key))
    return list({one.text: one for one in reversed(ranked)}.values())[::-1]
