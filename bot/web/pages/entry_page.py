"""Signing in by a link, and signing out."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from aiohttp import web

from bot.web.connections import OpenConnections
from bot.web.guard import FOREIGN, UNREADABLE, VISITOR, WRONG_TOO_OFTEN, is_foreign
from bot.web.host_names import HostNames
from bot.web.page_context import PagePart, go
from bot.web.signins import COOKIE_DAYS, SignIns
from bot.web.token_attempts import TokenAttempts
from localization.sentences import _, lazy
from memory.errors import NotFound
from memory.text.storable import clean
from memory.types import Identity

_STALE = lazy("That link was used already, or is older than ten minutes. On her machine, lyra web makes a new one.")


@dataclass(frozen=True, slots=True)
class EntryPage(PagePart):
    """/enter, /leave and /."""

    _signins: SignIns
    _attempts: TokenAttempts
    _reach: HostNames
    _cookie: str
    _connections: OpenConnections

    def routes(self) -> Sequence[web.RouteDef]:
        """Return the routes of this page."""
        return (
            web.get("/", self._home),
            web.get("/enter", self._ask),
            web.post("/enter", self._enter),
            web.post("/leave", self._leave),
            web.post("/read", self._read),
        )

    async def _home(self, _request: web.Request) -> web.Response:
        return go("/talk")

    async def _ask(self, request: web.Request) -> web.Response:
        """Show a form that submits the link's token, so that opening the link, as previews do, does not use it up.

        A person presses its button if another page led here: it could sign this browser in as somebody else unnoticed.
        """
        return self._context.plain("enter.html", word=clean(request.query.get("key", "")), asks=is_foreign(request))

    async def _enter(self, request: web.Request) -> web.Response:
        if is_foreign(request):
            return self._context.plain("problem.html", 403, status=403, words=FOREIGN)
        caller = self._reach.client_address(request)
        cookie = await self._signins.redeem_link(await _word(request))
        if cookie is None:
            if self._attempts.blocked(caller):
                return self._context.plain("problem.html", 429, status=429, words=WRONG_TOO_OFTEN)
            self._attempts.wrong(caller)
            return self._context.plain("problem.html", 403, status=403, words=_STALE)
        response = go("/talk")
        lasts = int(timedelta(days=COOKIE_DAYS).total_seconds())
        response.set_cookie(
            self._cookie,
            cookie,
            max_age=lasts,
            httponly=True,
            samesite="Strict",
            path="/",
            secure=self._reach.is_encrypted(request),
        )
        return response

    async def _read(self, request: web.Request) -> web.Response:
        platform, _, account = str((await request.post()).get("account", "")).partition(":")
        chosen = Identity(platform, account)
        if chosen not in await self._context.accounts(request):
            raise NotFound(lazy("That is no account of yours."))
        await self._signins.choose_account(request.cookies.get(self._cookie, ""), chosen)
        return go("/timeline")

    async def _leave(self, request: web.Request) -> web.Response:
        await self._signins.sign_out(request.cookies.get(self._cookie, ""))
        self._connections.close_of(request[VISITOR].form_token, request)
        response = self._context.plain(
            "problem.html", status=200, words=_("You are signed out. On her machine, lyra web lets you in again.")
        )
        response.del_cookie(self._cookie, path="/")
        return response


async def _word(request: web.Request) -> str:
    """Return the token of a link, '' if the form cannot be read."""
    try:
        return str((await request.post()).get("key", ""))
    except UNREADABLE:
        return ""
