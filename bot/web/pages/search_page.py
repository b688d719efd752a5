"""Search: what was said about something, by whom, when, and in which conversation; and a message in its context."""

from datetime import date, datetime, timedelta

from aiohttp import web

from bot.web.page_context import visiting
from localization.sentences import _
from memory.errors import NotFound
from memory.index.hits import Hit
from memory.index.when.days import EARLIEST, LATEST
from memory.index.when.values import Window
from memory.text.sanitize import clean
from memory.text.time.times import instant
from memory.text.time.zones import zone
from memory.types import Session
from memory.view.view import View

routes = web.RouteTableDef()
_SHOWN = 20
_LOOKED_THROUGH = 200
_AROUND = 8
_CHOICES = 100
"""How many conversations can be chosen from, the newest ones; any other is searched from its own page."""


@routes.get("/search")
async def _search(request: web.Request) -> web.Response:
    visit = await visiting(request)
    filters = {name: clean(request.query.get(name, "")).strip()[:500] for name in ("q", "who", "where", "since", "until")}
    hits, problem = None, ""
    if any(filters.values()):
        await visit.app.maintenance.open_to(visit.view.home, filters["q"])
        try:
            hits = await _hits_for(visit.view, filters)
        except (ValueError, OverflowError):
            problem = _("Write a day like 2026-03-03.")
    return await visit.page(
        "search.html", asked=filters, hits=hits, problem=problem, speakers=await visit.view.calendar.speakers(),
        conversations=await _choices(visit.view, filters["where"]), filtered=any(filters[name] for name in ("who", "where", "since", "until")),
    )  # fmt: skip


async def _choices(view: View, chosen: str) -> list[Session]:
    every = await view.sessions.all()
    return every[:_CHOICES] + [one for one in every[_CHOICES:] if one.id == chosen]


async def _hits_for(view: View, asked: dict[str, str]) -> list[Hit]:
    only = await view.sessions.find(asked["where"]) if asked["where"] else None
    within = _window(asked["since"], asked["until"], view.home.time_zone)
    if asked["q"] and not (within or asked["who"]):
        return await view.recall.messages(asked["q"], _SHOWN, session=only)
    if not (within or asked["who"]):
        within = Window(EARLIEST, LATEST)
    hits = await view.recall.lookup(asked["q"], _LOOKED_THROUGH if only else _SHOWN, within, asked["who"], "")
    return [hit for hit in hits if only is None or hit.exchange.session == only.key][:_SHOWN]


@routes.get("/messages/{id}")
async def _message(request: web.Request) -> web.Response:
    visit, id_ = await visiting(request), request.match_info["id"]
    around = await visit.view.calendar.around(id_, _AROUND)
    if not around:
        raise NotFound("There is no message with that id here.")
    return await visit.page("message.html", around=around, meant=id_.strip().lower())


def _window(since: str, until: str, time_zone: str) -> Window | None:
    """Return the window from the start of one day to the end of another, None if neither is given. Raises ValueError."""
    if not since and not until:
        return None
    start = _midnight(date.fromisoformat(since), time_zone) if since else EARLIEST
    end = _midnight(date.fromisoformat(until) + timedelta(days=1), time_zone) if until else LATEST
    if start >= end:
        raise ValueError
    return Window(start, end)


def _midnight(day: date, time_zone: str) -> int:
    return instant(datetime(day.year, day.month, day.day, tzinfo=zone(time_zone)))
