"""Status pages: charts of messages and calls and, for the system user, what `lyra doctor` finds, and emoji to be compared."""

from collections.abc import Mapping
from datetime import date, timedelta

from aiohttp import web

from adapters.matrix.verification.records import Records, VerificationRecord
from adapters.matrix.verification.sas_emoji import EMOJI
from bot.cli.checkups.doctor import examine
from bot.service import costs
from bot.service.platforms import KeptNotes
from bot.service.refused_accounts import refused_platforms
from bot.web.charts import Bar, bars
from bot.web.page_context import Visit, notice, redirect, visiting
from localization.formatting import short_day, short_month
from localization.sentences import _, lazy
from memory.text.time.times import local
from memory.types import MINUTE

routes = web.RouteTableDef()
_DAYS = 60
_DAY = 24 * 60 * MINUTE


@routes.get("/numbers")
async def _numbers(request: web.Request) -> web.Response:
    visit = await visiting(request)
    view, now = visit.view, visit.times.now
    since, last = now - _DAYS * _DAY, local(now, view.home.time_zone).date()
    days = [last - timedelta(days=back) for back in range(_DAYS - 1, -1, -1)]
    said, months = await view.calendar.days(since), (await view.calendar.months())[::-1]
    spent = {f"{local(at, 'UTC'):%Y-%m-%d}": one for at, one in await visit.app.memory.spending.days(view.home, since)}
    calls = {day: float(one.calls) for day, one in spent.items()}
    tokens = {day: float(one.tokens) for day, one in spent.items()}
    by_month = [
        (short_month(date.fromisoformat(f"{one.period}-01")), float(one.messages), f"/timeline/{one.period}") for one in months
    ]

    def by_day(counted: Mapping[str, float]) -> list[Bar]:
        return [(short_day(day), float(counted.get(day.isoformat(), 0)), "") for day in days]

    return await visit.page(
        "numbers.html", by_month=bars(by_month, _("Messages per month")), by_day=bars(by_day(said), _("Messages per day")),
        calls=bars(by_day(calls), _("Calls per day")), tokens=bars(by_day(tokens), _("Tokens per day")),
        total=sum(one.messages for one in months), gists=sum(one.gists for one in months),
        conversations=len(await view.sessions.all()),
    )  # fmt: skip


@routes.get("/health")
async def _health(request: web.Request) -> web.Response:
    visit = await visiting(request)
    app, owner = visit.app, visit.is_owner
    # A check asks every model and platform, and takes as long as they do.
    looked = owner and "look" in request.query
    findings = [one async for one in examine(app.base.environment, app.reloading.settings, app)] if looked else []
    backlog = await app.memory.backlog() if owner else None
    spent = await costs.usage_report(app.memory, app.models.backends) if owner else []
    refused = await refused_platforms(app.memory.settings, app.base.settings) if owner else {}
    return await visit.page(
        "health.html", owner=owner, looked=looked, findings=findings, backlog=backlog, spent=spent, lost=refused,
        matrix=app.base.settings.matrix is not None,
    )  # fmt: skip


_VERDICTS = {"yes": True, "no": False}
_DONE = {
    "over": lazy("Those emoji do not wait to be compared any more; nothing was decided."),
    "same": lazy("I finish it now, if I am awake."),
    "not_same": lazy("I end it now, if I am awake; nothing is verified."),
}
"""Notices after the form."""


@routes.get("/verify")
async def _verify(request: web.Request) -> web.Response:
    visit = await visiting(request)
    waiting = await _waiting(_records(visit)) if visit.is_owner else []
    return await visit.page("verify.html", owner=visit.is_owner, told=notice(request, _DONE), emoji=EMOJI, waiting=waiting)


@routes.post("/verify")
async def _decide(request: web.Request) -> web.Response:
    """Store the verdict on exactly the emoji that the form showed, not on any that replaced them."""
    visit = await visiting(request)
    visit.require_owner()
    form = await request.post()
    same = _VERDICTS.get(str(form.get("same", "")))
    shown = str(form.get("id", "")), str(form.get("emoji", ""))
    records = _records(visit)
    meant = [one for one in await _waiting(records) if shown == (one.id, numbers(one))]
    if same is None or records is None or not meant:
        return redirect("/verify", told="over")
    await records.say(meant[0], same=same)
    return redirect("/verify", told="same" if same else "not_same")


async def _waiting(records: Records | None) -> list[VerificationRecord]:
    """Return the verifications that show emoji and await a verdict."""
    if records is None:
        return []
    return [one for one in await records.under_way() if one.emoji and await records.answer(one) is None]


def _records(visit: Visit) -> Records | None:
    account = visit.app.base.settings.matrix
    return Records(KeptNotes(visit.app.memory.settings, "matrix"), account.user_id) if account else None


def numbers(one: VerificationRecord) -> str:
    """Return the emoji numbers of a verification, as the form sends them."""
    return " ".join(map(str, one.emoji))
