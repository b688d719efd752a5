"""The timeline: months, opening to eras and gists, and from there to the messages."""

import re
from datetime import date

from aiohttp import web

from bot.web.charts import bars
from bot.web.page_context import visiting
from localization.formatting import month, short_month
from localization.sentences import _
from memory.text.time.times import END, month_start
from memory.types import Session

routes = web.RouteTableDef()
_SHOWN = 60


@routes.get("/timeline")
async def _timeline(request: web.Request) -> web.Response:
    visit = await visiting(request)
    months = await visit.view.calendar.months()
    eras = {one.period: one for one in reversed(await visit.view.digests.statements("era"))}
    said = [(short_month(_date(one.period)), one.messages, f"/timeline/{one.period}") for one in reversed(months)]
    chart = bars(said, _("Messages per month"))
    return await visit.page("timeline.html", months=months, told=eras, chart=chart, name=month_name)


@routes.get("/timeline/{month}")
async def _month(request: web.Request) -> web.Response:
    visit, period = await visiting(request), request.match_info["month"]
    if not _is_month(period):
        raise web.HTTPNotFound
    view = visit.view
    begin, end = _bounds(period, view.home.time_zone)
    eras = [one for one in await view.digests.statements("era") if one.period == period]
    return await visit.page(
        "month.html", period=period, title=month_name(period), eras=eras, said=await view.digests.receipts(eras),
        gists=await view.calendar.gists(period), conversations=await view.calendar.spoken_in(begin, end),
        before=_beside(period, -1), after=_beside(period, 1),
    )  # fmt: skip


@routes.get("/gists/{id}")
async def _gist(request: web.Request) -> web.Response:
    visit = await visiting(request)
    session, gist, messages = await visit.view.calendar.gist(request.match_info["id"])
    return await visit.page("gist.html", session=session, gist=gist, messages=messages)


@routes.get("/conversations/{id}")
async def _conversation(request: web.Request) -> web.Response:
    visit = await visiting(request)
    session: Session = await visit.view.sessions.find(request.match_info["id"])
    before = request.query.get("before", "")
    period = request.query.get("month", "")
    until = int(before) if before.isascii() and before.isdecimal() and len(before) < 18 else None
    since = 0
    if _is_month(period):
        since, end = _bounds(period, visit.view.home.time_zone)
        until = min(until, end) if until else end
    page = await visit.view.calendar.messages(session, _SHOWN, since=since, before=until)
    return await visit.page(
        "conversation.html", session=session, page=page, period=period, title=month_name(period) if since else "",
        platform=visit.context.browsing.browser.platform,
    )  # fmt: skip


def month_name(period: str) -> str:
    """Return the display name of a month like 2026-11."""
    return month(_date(period))


def _is_month(period: str) -> bool:
    return re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", period) is not None and period > "1900"


def _date(period: str) -> date:
    return date.fromisoformat(f"{period}-01")


def _beside(period: str, by: int) -> str:
    """Return the month that lies `by` months after another, "" beyond the first and the last that are shown."""
    number = int(period[:4]) * 12 + int(period[5:]) - 1 + by
    beside = f"{number // 12:04}-{number % 12 + 1:02}"
    return beside if _is_month(beside) else ""


def _bounds(period: str, time_zone: str) -> tuple[int, int]:
    after = _beside(period, 1)
    return month_start(period, time_zone), month_start(after, time_zone) if after else END
