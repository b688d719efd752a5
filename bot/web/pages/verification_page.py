"""Emoji verification, for the system user: what an app must show, and the verdict of the person who compared it."""

from collections.abc import Sequence

from aiohttp import web

from adapters.matrix.verification.records import Records, VerificationRecord
from adapters.matrix.verification.sas_emoji import EMOJI
from bot.service.adapter_notes import KeptNotes
from bot.web.page_context import PageContext, go
from localization.sentences import lazy

_VERDICTS = {"yes": True, "no": False}
_DONE = {
    "over": lazy("Those emoji do not wait to be compared any more; nothing was decided."),
    "same": lazy("I finish it now, if I am awake."),
    "not_same": lazy("I end it now, if I am awake; nothing is verified."),
}
"""Notices after the form, by the key in the URL: anybody can craft a link, so none of its words are shown."""


class VerificationPage:
    """/verify."""

    def __init__(self, context: PageContext) -> None:
        self._context = context

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return web.get("/verify", self._show), web.post("/verify", self._decide)

    async def _show(self, request: web.Request) -> web.Response:
        view, owner = await self._context.view(request), self._context.is_owner(request)
        return await self._context.page(
            request, "verify.html", view, owner=owner, told=_told(request), emoji=EMOJI,
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


def _told(request: web.Request) -> str:
    return str(_DONE.get(request.query.get("told", ""), ""))
