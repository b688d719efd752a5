"""Status pages: charts of messages and calls, the live log of what she does, in numbers and without anybody's words; and, for the system user,
what `lyra doctor` finds, and emoji to be compared."""

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from aiohttp import web

from adapters.matrix.verification.records import Records, VerificationRecord
from adapters.matrix.verification.sas import EMOJI
from bot.cli.checkups.doctor import examine
from bot.service import costs
from bot.service.platforms import KeptNotes
from bot.service.refused_accounts import refused_platforms
from bot.web.charts import Bar, bars
from bot.web.page_context import Visit, notice, redirect, visiting
from bot.web.server_sent_events import StreamEvent, follow, last_seen
from localization.formatting import month, short_day, short_month
from localization.sentences import Sentence, _, lazy, lazy_plural
from memory.journal.ledger import Activity
from memory.text.time.times import local
from memory.types import DAY

routes = web.RouteTableDef()
_DAYS = 60
_SHOWN = 100


@routes.get("/numbers")
async def _numbers(request: web.Request) -> web.Response:
    visit = await visiting(request)
    view, now = visit.view, visit.times.now
    since, last = now - _DAYS * DAY, local(now, view.home.time_zone).date()
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
    if records is None:
        return []
    return [one for one in await records.under_way() if one.emoji and await records.answer(one) is None]


def _records(visit: Visit) -> Records | None:
    account = visit.app.base.settings.matrix
    return Records(KeptNotes(visit.app.memory.settings, "matrix"), account.user_id) if account else None


def numbers(one: VerificationRecord) -> str:
    """Return the emoji numbers of a verification, as the form sends them."""
    return " ".join(map(str, one.emoji))


@routes.get("/activity")
async def _activity(request: web.Request) -> web.Response:
    visit = await visiting(request)
    happened = await visit.view.activity(0, _SHOWN)
    seen = happened[-1].seq if happened else 0
    return await visit.page("activity.html", happened=[_described(one) for one in reversed(happened)], seen=seen)


@routes.get("/activity/stream", allow_head=False)
async def _stream(request: web.Request) -> web.StreamResponse:
    """Stream log entries from a sequence number on, until the tab is closed or Lyra stops."""
    visit, given = await visiting(request), request.headers.get("Last-Event-ID") or request.query.get("after", "0")
    times = visit.times

    async def news(seen: int) -> list[StreamEvent]:
        happened = [(one.seq, *_described(one)) for one in await visit.view.activity(seen, _SHOWN)]
        return [
            StreamEvent("done", {"at": times.moment(at), "what": what, "counts": counts}, seq)
            for seq, at, what, counts in happened
        ]

    return await follow(request, last_seen(given) or 0, news)


def _described(one: Activity) -> tuple[int, str, str]:
    """Return when something was done, what, and its numbers, as people write them."""
    what = str(_WORDS.get(one.kind, one.kind.capitalize()))
    numbers = [
        str(_COUNTED[name](value)) for name, value in one.detail.items()
        if name in _COUNTED and isinstance(value, int) and value
    ]  # fmt: skip
    period = str(one.detail.get("period", ""))
    if one.kind == "era" and _MONTH.fullmatch(period):
        numbers.insert(0, month(date.fromisoformat(f"{period}-01")))
    return one.at, what, ", ".join(numbers)


_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_WORDS = {
    "gist": lazy("Summarized part of a conversation"), "merge": lazy("Merged gists"), "summary": lazy("Summarized a conversation"),
    "profile": lazy("Updated facts"), "era": lazy("Wrote about a month"), "narrative": lazy("Said what is going on"),
    "self": lazy("Said how I am"), "reflection": lazy("Had a thought"), "dream": lazy("Dreamt"),
    "import": lazy("Imported messages"), "bank": lazy("Took notes of a shared place"),
}  # fmt: skip
_COUNTED: Mapping[str, Callable[[int], Sentence]] = {
    "sessions": lambda n: lazy_plural("{n} conversation", "{n} conversations", n),
    "stored": lambda n: lazy_plural("{n} message", "{n} messages", n),
    "known": lambda n: lazy_plural("{n} was here already", "{n} were here already", n),
    "forgotten": lambda n: lazy_plural("{n} had been forgotten and stays so", "{n} had been forgotten and stay so", n),
    "bad": lambda n: lazy_plural("{n} could not be used in full", "{n} could not be used in full", n),
    "calls": lambda n: lazy_plural("{n} call", "{n} calls", n),
    "tokens": lambda n: lazy_plural("{n} token", "{n} tokens", n),
}
"""The counts that are shown, with their wording; the others are for programs that read the log."""
