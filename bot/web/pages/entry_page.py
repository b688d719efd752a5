"""Signing in by a link, signing out, and choosing whose memory is read."""

from datetime import timedelta

from aiohttp import web

from bot.web.connections import CONNECTIONS
from bot.web.guard import ENTERED, FOREIGN, GUARD, UNREADABLE, VISITOR, WRONG_TOO_OFTEN, is_foreign
from bot.web.page_context import CONTEXT, redirect, visiting
from bot.web.signins import COOKIE_DAYS
from localization.sentences import Sentence, _, lazy
from memory.errors import NotFound
from memory.text.sanitize import clean
from memory.types import Identity

routes = web.RouteTableDef()
_STALE = lazy("That link was used already, or is older than ten minutes. On her machine, lyra web makes a new one.")


@routes.get("/")
@routes.get(ENTERED)
async def _home(_request: web.Request) -> web.Response:
    return redirect("/talk")


@routes.get("/enter")
async def _ask(request: web.Request) -> web.Response:
    """Show a form that submits the link's token, so that opening the link, as previews do, does not use it up.

    A person presses its button if another page led here: it could sign this browser in as somebody else unnoticed.
    """
    word, asks = clean(request.query.get("key", "")), is_foreign(request)
    return request.app[CONTEXT].page("enter.html", word=word, asks=asks)


@routes.post("/enter")
async def _enter(request: web.Request) -> web.Response:
    guard = request.app[GUARD]
    if is_foreign(request):
        return _problem(request, 403, FOREIGN)
    caller = guard.host_names.client_address(request)
    cookie = await guard.signins.redeem_link(await _word(request))
    if cookie is None:
        if guard.attempts.blocked(caller):
            return _problem(request, 429, WRONG_TOO_OFTEN)
        guard.attempts.count_wrong(caller)
        return _problem(request, 403, _STALE)
    response = redirect(ENTERED)
    response.set_cookie(
        guard.cookie,
        cookie,
        max_age=int(timedelta(days=COOKIE_DAYS).total_seconds()),
        httponly=True,
        samesite="Strict",
        path="/",
        secure=guard.host_names.is_encrypted(request),
    )
    return response


@routes.post("/read")
async def _read(request: web.Request) -> web.Response:
    guard, visit = request.app[GUARD], await visiting(request)
    platform, _, account = str((await request.post()).get("account", "")).partition(":")
    chosen = Identity(platform, account)
    if chosen not in visit.accounts:
        raise NotFound("That is no account of yours.")
    await guard.signins.choose_account(request.cookies.get(guard.cookie, ""), chosen)
    return redirect("/timeline")


@routes.post("/leave")
async def _leave(request: web.Request) -> web.Response:
    guard = request.app[GUARD]
    await guard.signins.sign_out(request.cookies.get(guard.cookie, ""))
    request.app[CONNECTIONS].close_of(request[VISITOR].form_token, request)
    response = _problem(request, 200, _("You are signed out. On her machine, lyra web lets you in again."))
    response.del_cookie(guard.cookie, path="/")
    return response


def _problem(request: web.Request, status: int, words: Sentence | str) -> web.Response:
    return request.app[CONTEXT].page("problem.html", status, status=status, words=words)


async def _word(request: web.Request) -> str:
    """Return the token of a link, '' if the form cannot be read."""
    try:
        return str((await request.post()).get("key", ""))
    except UNREADABLE:
        return ""
