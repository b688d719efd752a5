"""Status pages: charts of messages and model calls; for the system user, what `lyra doctor` finds, and emoji verification: what an app must
show, and the verdict of the person who compared it.
"""

from collections.abc import Sequence
from datetime import date, timedelta

from aiohttp import web

from adapters.matrix.verification.records import Records, VerificationRecord
from adapters.matrix.verification.sas_emoji import EMOJI
from bot.cli.checkups.doctor import examined
from bot.service import costs
from bot.service.adapter_notes import KeptNotes
from bot.service.refused_accounts import lost
from bot.web.charts import bars
from bot.web.page_context import PagePart, go, notice
from localization.formatting import short_day, short_month
from localization.sentences import _, lazy
from memory.text.time.times import local
from memory.types import MINUTE

_DAYS = 60
_DAY = 24 * 60 * MINUTE


class NumbersPage(PagePart):
    """/numbers."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (web.get("/numbers", self._show),)

    async def _show(self, request: web.Request) -> web.Response:
        view, now = await self._context.view(request), self._context.app.base.clock.now()
        since = now - _DAYS * _DAY
        days = _days(local(now, view.home.time_zone).date())
        said, months = await view.calendar.days(since), (await view.calendar.months())[::-1]
        spent = {
            f"{local(at, 'UTC'):%Y-%m-%d}": one for at, one in await self._context.app.memory.spending.days(view.home, since)
        }
        calls = [(_short(day), float(spent[day].calls) if day in spent else 0.0, "") for day in days]
        tokens = [(_short(day), float(spent[day].tokens) if day in spent else 0.0, "") for day in days]
        return await self._context.page(
            request, "numbers.html", view,
            by_month=bars([(_month(one.period), float(one.messages), f"/timeline/{one.period}") for one in months], _("Messages per month")),
            by_day=bars([(_short(day), float(said.get(day, 0)), "") for day in days], _("Messages per day")),
            calls=bars(calls, _("Calls per day")), tokens=bars(tokens, _("Tokens per day")),
            total=sum(one.messages for one in months), gists=sum(one.gists for one in months),
            conversations=len(await view.sessions.all()),
        )  # fmt: skip


def _days(last: date) -> list[str]:
    return [(last - timedelta(days=back)).isoformat() for back in range(_DAYS - 1, -1, -1)]


def _short(day: str) -> str:
    return short_day(date.fromisoformat(day))


def _month(period: str) -> str:
    return short_month(date.fromisoformat(f"{period}-01"))


_TIMES = ((lazy("Models, today"), 1), (lazy("Models, the last 30 days"), costs.MONTH))


class HealthPage(PagePart):
    """/health."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (web.get("/health", self._show),)

    async def _show(self, request: web.Request) -> web.Response:
        view, owner = await self._context.view(request), self._context.is_owner(request)
        # A check asks every model and platform, and takes as long as they do.
        looked = owner and "look" in request.query
        app = self._context.app
        findings = [one async for one in examined(app.base.environment, app.reloading.settings, app)] if looked else []
        backlog = await self._context.app.memory.backlog() if owner else None
        models = self._context.app.models.backends
        spent = [(label, await costs.costs(self._context.app.memory, models, days)) for label, days in _TIMES] if owner else []
        gone = await lost(self._context.app.memory.settings, self._context.app.base.settings) if owner else {}
        return await self._context.page(
            request, "health.html", view, owner=owner, looked=looked, findings=findings, backlog=backlog, spent=spent, lost=gone,
            matrix=self._context.app.base.settings.matrix is not None,
        )  # fmt: skip


_VERDICTS = {"yes": True, "no": False}
_DONE = {
    "over": lazy("Those emoji do not wait to be compared any more; nothing was decided."),
    "same": lazy("I finish it now, if I am awake."),
    "not_same": lazy("I end it now, if I am awake; nothing is verified."),
}
"""Notices after the form."""


class VerificationPage(PagePart):
    """/verify."""

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return web.get("/verify", self._show), web.post("/verify", self._decide)

    async def _show(self, request: web.Request) -> web.Response:
        view, owner = await self._context.view(request), self._context.is_owner(request)
        return await self._context.page(
            request, "verify.html", view, owner=owner, told=notice(request, _DONE), emoji=EMOJI,
            waiting=await self._waiting() if owner else [],
        )  # fmt: skip

    async def _decide(self, request: web.Request) -> web.Response:
        """Store the verdict on exactly the emoji that the form showed, not on any that replaced them."""
        if not self._context.is_owner(request):
            raise web.HTTPForbidden
        form = await request.post()
        same = _VERDICTS.get(str(form.get("same", "")))
        shown = str(form.get("id", "")), str(form.get("emoji", ""))
        records = self._records()
        meant = [one for one in await self._waiting() if shown == (one.id, numbers(one))]
        if same is None or records is None or not meant:
            return go("/verify", told="over")
        await records.say(meant[0], same=same)
        return go("/verify", told="same" if same else "not_same")

    async def _waiting(self) -> list[VerificationRecord]:
        """Return the verifications that show emoji and await a verdict."""
        records = self._records()
        if records is None:
            return []
        return [one for one in await records.under_way() if one.emoji and await records.answer(one) is None]

    def _records(self) -> Records | None:
        account = self._context.app.base.settings.matrix
        return Records(KeptNotes(self._context.app.memory.settings, "matrix"), account.user_id) if account else None


def numbers(one: VerificationRecord) -> str:
    """Return the emoji numbers of a verification, as the form sends them."""
    return " ".join(map(str, one.emoji))
