"""Request checks before any page: peer address, host name, sign-in or token, and forged forms."""

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from adapters.errors import PlatformFailure
from bot.errors import BadInput, LyraError
from bot.web.host_names import HostNames
from bot.web.signins import SignedIn, SignIns
from bot.web.token_attempts import TokenAttempts
from localization.current_language import reading
from localization.sentences import Said, lazy, told
from memory.errors import AmbiguousId, MemoryFailure, NotFound

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
OPEN = frozenset({"/healthz", "/readyz", "/enter"})
SCRIPTS = ("/metrics", "/log", "/sessions/")
STATIC = "/static/"
VISITOR: web.RequestKey[SignedIn] = web.RequestKey("visitor", SignedIn)
WRONG_TOO_OFTEN = lazy("That was wrong too often. Try again in a minute.")
_MET = 429
UNREADABLE = (ValueError, LookupError, HttpProcessingError)
"""What parsing a form raises for undecodable bytes, an unknown character set, and malformed parts."""
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-store",
}
Refuse = Callable[[web.BaseRequest, int, Said], web.Response]
Language = Callable[[web.BaseRequest], str]


@dataclass(frozen=True, slots=True)
class Guard:
    """The middleware that every request passes. `refuse` renders a refusal; `language` gives its language."""

    reach: HostNames
    signins: SignIns
    attempts: TokenAttempts
    token: str
    cookie: str
    refuse: Refuse
    language: Language

    @web.middleware
    async def admit(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a request, or refuse it."""
        with reading(self.language(request)):
            response = await self._answer(request, handler)
        if not response.prepared:
            _protect(response)
        return response

    def unread(self, request: web.BaseRequest) -> web.Response:
        """Return the response to bytes that are not a valid HTTP request."""
        with reading(self.language(request)):
            response = self.refuse(request, 400, _REFUSED)
        _protect(response)
        return response

    async def _answer(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not self.reach.may_come(request.remote or "0.0.0.0"):
            return self.refuse(request, 403, lazy("Ask through the proxy that is named in [web]."))
        if not self.reach.knows(request.headers.get("Host", "")):
            return self.refuse(request, 403, lazy("Ask on this machine, at 127.0.0.1 or localhost."))
        if request.path not in OPEN and not request.path.startswith(STATIC):
            refused = await self._let_in(request)
            if refused is not None:
                return refused
        # The visitor is known by now, and may have chosen a language.
        with reading(self.language(request)):
            return await self._handled(request, handler)

    async def _let_in(self, request: web.Request) -> web.Response | None:
        """Return the refusal of a request, None to let it in."""
        caller, header = self.reach.caller(request), request.headers.get("Authorization", "")
        shown = request.cookies.get(self.cookie, "")
        if shown and not header and not request.path.startswith(SCRIPTS):
            visitor = await self.signins.who(shown)
            if visitor is not None:
                request[VISITOR] = visitor
                # A method or path without a handler gets its own error, and changes nothing.
                asks = request.method in ("GET", "HEAD") or request.match_info.http_exception is not None
                return None if asks else await self._forged(request, visitor)
        scheme, _, credentials = header.partition(" ")
        # Invalid UTF-8 arrives as surrogates, which no token contains.
        given = credentials.strip().encode("utf-8", "replace") if scheme.lower() == "bearer" else b""
        if hmac.compare_digest(given, self.token.encode()):
            return (
                None
                if request.path.startswith(SCRIPTS)
                else self.refuse(request, 404, lazy("There is nothing here for scripts."))
            )
        # Checked last: the right token is accepted however often others were wrong.
        if self.attempts.blocked(caller):
            return self.refuse(request, _MET, WRONG_TOO_OFTEN)
        if shown or header:
            self.attempts.wrong(caller)
        return self.refuse(request, 401, lazy("A bearer token is needed."))

    async def _forged(self, request: web.Request, visitor: SignedIn) -> web.Response | None:
        """Return the refusal of a cross-site form, None for one of our own."""
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
            return self.refuse(request, 403, _FOREIGN)
        origin = request.headers.get("Origin")
        if origin is not None and _host(origin) != request.host.lower():
            return self.refuse(request, 403, _FOREIGN)
        try:
            form = await request.post()
        except UNREADABLE:
            return self.refuse(request, 400, _UNREADABLE)
        except web.HTTPRequestEntityTooLarge as met:
            return self.refuse(request, met.status, _WORDS[met.status])
        if not visitor.wrote(str(form.get("form_token", ""))):
            return self.refuse(request, 403, lazy("That form is out of date. Open the page again and send it once more."))
        return None

    async def _handled(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except web.HTTPException as met:
            if met.status < 400:
                raise
            return self.refuse(request, met.status, _WORDS.get(met.status, _REFUSED))
        except NotFound as error:
            return self.refuse(request, 404, told(error))
        except (AmbiguousId, BadInput) as error:
            return self.refuse(request, 400, told(error))
        except (MemoryFailure, LyraError, PlatformFailure) as error:
            return self.refuse(request, 503, told(error))


_REFUSED = lazy("That cannot be done here.")
_UNREADABLE = lazy("That form cannot be read. Open the page again and send it once more.")
_FOREIGN = lazy("That form is not one of this page.")
_WORDS = {404: lazy("There is nothing here."), 405: _REFUSED, 413: lazy("That is too long; send it in pieces.")}


def _protect(response: web.StreamResponse) -> None:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)


def _host(origin: str) -> str:
    """Return the host of an Origin header, '' if it is invalid."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""
