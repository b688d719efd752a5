"""Profile and narrative, corrected and dropped in place; pages of people, pets, places and projects; notes of shared places."""

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from bot.commands.texts import kinds, page_text
from bot.errors import BadInput
from bot.rights.correction import correct_fact
from bot.web.page_context import PageContext, redirect, visiting
from memory.bank.block import BankEntry, entries
from memory.errors import NotFound
from memory.text.sanitize import clean
from memory.types import Statement
from memory.view.view import View

routes = web.RouteTableDef()
_NAMES = 200
_RANKS = {"profile": 0, "narrative": 1, "era": 2}


@routes.get("/people")
async def _people(request: web.Request) -> web.Response:
    visit = await visiting(request)
    return await visit.page("people.html", names=await visit.view.pages.names(_NAMES))


@routes.get("/people/{name}")
async def _person(request: web.Request) -> web.Response:
    visit, name = await visiting(request), clean(request.match_info["name"])
    pages = await visit.view.pages.about(name)
    if not name.strip():
        raise web.HTTPNotFound
    if not pages:
        raise NotFound(page_text.unknown_name_notice(name))
    receipts = await visit.view.digests.receipts([fact for page in pages for fact in page.facts])
    facts = {page.name: _each_once(page.facts) for page in pages}
    return await visit.page("person.html", name=name, pages=pages, said=receipts, facts=facts)


def _each_once(facts: Sequence[Statement]) -> list[Statement]:
    """Return statements without duplicates; a fact takes precedence over eras and narrative."""
    ranked = sorted(facts, key=lambda one: (_RANKS.get(one.tier, len(_RANKS)), one.key))
    return list({one.text: one for one in reversed(ranked)}.values())[::-1]


@routes.get("/facts")
async def _facts(request: web.Request) -> web.Response:
    visit, past = await visiting(request), "past" in request.query
    facts = await visit.view.digests.statements("profile", past=past)
    goes_on: list[Statement] = await visit.view.digests.statements("narrative", past=past)
    receipts = await visit.view.digests.receipts([*facts, *goes_on])
    model = not visit.app.models.writer.extractive
    return await visit.page("facts.html", facts=facts, goes_on=goes_on, said=receipts, past=past, model=model)


@routes.get("/facts/{id}/{act:correct|forget}")
async def _ask(request: web.Request) -> web.Response:
    visit, act = await visiting(request), request.match_info["act"]
    fact = await visit.view.facts.find(request.match_info["id"])
    receipts = (await visit.view.digests.receipts([fact]))[fact.key]
    return await visit.page("correct.html" if act == "correct" else "forget_fact.html", fact=fact, said=receipts)


@routes.post("/facts/{id}/correct")
async def _correct(request: web.Request) -> web.Response:
    visit, text = await visiting(request), clean(str((await request.post()).get("text", "")))
    home = visit.view.home
    if home.ref.platform != visit.context.browsing.browser.platform:
        raise BadInput(
            "Say that on {platform}, where it was told: /memory correct, or in your own words.",
            platform=kinds.platform(home.ref.platform),
        )
    await correct_fact(visit.app, visit.view, visit.person.id, request.match_info["id"], text)
    visit.app.maintenance.poke(home)
    return redirect("/facts")


@routes.post("/facts/{id}/forget")
async def _forget(request: web.Request) -> web.Response:
    visit = await visiting(request)
    return await visit.page("fact_forgotten.html", rested=await visit.view.facts.forget(request.match_info["id"]))


@dataclass(frozen=True, slots=True)
class SharedPlace:
    """A shared place: its name, its kind, since when its bank is on (None: off), and the notes."""

    name: str
    kind: str
    since: int | None
    noted: Sequence[BankEntry]


@routes.get("/places")
async def _places(request: web.Request) -> web.Response:
    visit = await visiting(request)
    shared = await visit.app.domains.shared_with(visit.person, visit.context.platforms)
    places = [await _place(visit.context, one) for one in shared]
    return await visit.page("places.html", places=places, connected=bool(visit.context.platforms))


async def _place(context: PageContext, view: View) -> SharedPlace:
    ref, since = view.home.ref, (await view.bank.state()).since
    sessions = await view.sessions.all()
    name = context.platforms[ref.platform].server_name(ref.native_id) or (sessions[0].name if sessions else kinds.place(ref))
    noted = entries(await view.digests.statements("bank")) if since is not None else []
    return SharedPlace(name, kinds.place(ref), since, noted)
