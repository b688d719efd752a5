"""Profile and narrative with their sources, corrected and dropped in place; pages of people, pets, places and projects; and what is noted
in shared places.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from bot.commands.texts import kinds, page_text
from bot.errors import BadInput
from bot.rights.correction import put_right
from bot.web.page_context import PagePart, go
from localization.sentences import lazy
from memory.bank.block import BankEntry, entries
from memory.errors import NotFound
from memory.text.storable import clean
from memory.types import Statement
from memory.view.view import View

_NAMES = 200
_RANKS = {"profile": 0, "narrative": 1, "era": 2}


class PeoplePage(PagePart):
    """/people and /people/NAME."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return web.get("/people", self._show), web.get("/people/{name}", self._about)

    async def _show(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        return await self._context.page(request, "people.html", view, names=await view.pages.names(_NAMES))

    async def _about(self, request: web.Request) -> web.Response:
        view, name = await self._context.view(request), clean(request.match_info["name"])
        pages = await view.pages.about(name)
        if not name.strip():
            raise web.HTTPNotFound
        if not pages:
            raise NotFound(page_text.nothing(name))
        said = await view.digests.receipts([fact for page in pages for fact in page.facts])
        facts = {page.name: _each_once(page.facts) for page in pages}
        return await self._context.page(request, "person.html", view, name=name, pages=pages, said=said, facts=facts)


def _each_once(facts: Sequence[Statement]) -> list[Statement]:
    """Return statements without duplicates; a fact takes precedence over eras and narrative."""
    ranked = sorted(facts, key=lambda one: (_RANKS.get(one.tier, len(_RANKS)), one.key))
    return list({one.text: one for one in reversed(ranked)}.values())[::-1]


class FactsPage(PagePart):
    """/facts."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (
            web.get("/facts", self._show),
            web.get("/facts/{id}/correct", self._ask),
            web.post("/facts/{id}/correct", self._correct),
            web.get("/facts/{id}/forget", self._ask_to_forget),
            web.post("/facts/{id}/forget", self._forget),
        )

    async def _show(self, request: web.Request) -> web.Response:
        view, past = await self._context.view(request), "past" in request.query
        facts = await view.digests.statements("profile", past=past)
        goes_on: list[Statement] = await view.digests.statements("narrative", past=past)
        said = await view.digests.receipts([*facts, *goes_on])
        return await self._context.page(
            request, "facts.html", view, facts=facts, goes_on=goes_on, said=said, past=past,
            model=not self._context.app.models.writer.extractive,
        )  # fmt: skip

    async def _ask(self, request: web.Request) -> web.Response:
        return await self._form(request, "correct.html")

    async def _ask_to_forget(self, request: web.Request) -> web.Response:
        return await self._form(request, "forget_fact.html")

    async def _form(self, request: web.Request, template: str) -> web.Response:
        view = await self._context.view(request)
        fact = await view.facts.find(request.match_info["id"])
        return await self._context.page(request, template, view, fact=fact, said=(await view.digests.receipts([fact]))[fact.key])

    async def _correct(self, request: web.Request) -> web.Response:
        view, text = await self._context.view(request), clean(str((await request.post()).get("text", "")))
        if view.home.ref.platform != self._context.browser.platform:
            raise BadInput(
                lazy(
                    "Say that on {platform}, where it was told: /memory correct, or in your own words.",
                    platform=kinds.platform(view.home.ref.platform),
                )
            )
        await put_right(self._context.app, view, self._context.person(request).id, request.match_info["id"], text)
        self._context.app.maintenance.poke(view.home)
        return go("/facts")

    async def _forget(self, request: web.Request) -> web.Response:
        view = await self._context.view(request)
        rested = await view.facts.forget(request.match_info["id"])
        return await self._context.page(request, "fact_forgotten.html", view, rested=rested)


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """A shared place: its name, its kind, since when its bank is on (None: off), and the notes."""

    name: str
    kind: str
    since: int | None
    noted: Sequence[BankEntry]


class PlacesPage(PagePart):
    """/places."""

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
