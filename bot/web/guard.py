"""Request checks before any page: peer address, host name, sign-in or token, and forged forms."""

import hmac
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from adapters.errors import PlatformFailure
from bot.errors import BadInput, LyraError
from bot.web.connections import note_visitor
from bot.web.host_names import HostNames, host_of
from bot.web.signins import SignedIn, SignIns
from localization.current_language import reading
from localization.sentences import Said, lazy, told
from memory.errors import AmbiguousId, MemoryFailure, NotFound

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
OPEN_PATHS = frozenset({"/healthz", "/readyz", "/enter"})
SCRIPT_PATHS = ("/metrics", "/log", "/sessions/")
STATIC = "/static/"
ENTERED = "/entered"
"""Where a browser goes once its link was redeemed: it is not let in there if it keeps no cookie."""
_SCRIPT = "script"
VISITOR = web.RequestKey("visitor", SignedIn)
WRONG_TOO_OFTEN = lazy("That was wrong too often. Try again in a minute.")
_TOO_MANY_REQUESTS = 429
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


_MOST_WRONG, _WRONG_SECONDS = 10, 60.0
_MOST_CALLERS = 10_000


class TokenAttempts:
    """Counts wrong tokens by caller address: too many of them block a caller for a while, unless the right one is shown."""

    def __init__(self) -> None:
        self._wrong: dict[str, list[float]] = {}

    def blocked(self, caller: str) -> bool:
        """Return whether a caller sent too many wrong tokens lately."""
        return len(self._recent(caller)) >= _MOST_WRONG

    def count_wrong(self, caller: str) -> None:
        """Count a wrong token of a caller."""
        recent = [*self._recent(caller), time.monotonic()]
        self._wrong.pop(caller, None)
        self._wrong[caller] = recent[-_MOST_WRONG:]
        while len(self._wrong) > _MOST_CALLERS:
            del self._wrong[next(iter(self._wrong))]

    def _recent(self, caller: str) -> list[float]:
        since = time.monotonic() - _WRONG_SECONDS
        return [at for at in self._wrong.get(caller, ()) if at > since]


@dataclass(frozen=True, slots=True)
class Guard:
    """The middleware that every request passes. `refuse` renders a refusal; `language` gives its language."""

    host_names: HostNames
    signins: SignIns
    token: str
    cookie: str
    refuse: Refuse
    language: Language
    attempts: TokenAttempts = field(default_factory=TokenAttempts)

    @web.middleware
    async def admit(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer a request, or refuse it."""
        with reading(self.language(request)):
            return await self._checked_response(request, handler)

    def malformed(self, request: web.BaseRequest) -> web.Response:
        """Return the response to bytes that are not a valid HTTP request."""
        with reading(self.language(request)):
            response = self.refuse(request, 400, _REFUSED)
        response.headers.update(_HEADERS)
        return response

    async def _checked_response(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not self.host_names.accepts_peer(request.remote or "0.0.0.0"):
            return self.refuse(request, 403, lazy("Ask through the proxy that is named in [web]."))
        if not self.host_names.accepts_host(request.headers.get("Host", "")):
            return self.refuse(request, 403, lazy("Ask on this machine, at 127.0.0.1 or localhost."))
        if request.path not in OPEN_PATHS and not request.path.startswith(STATIC):
            try:
                refused = await self._check_caller(request)
            except MemoryFailure as error:
                return self.refuse(request, 503, told(error))
            if refused is not None:
                return refused
        # The visitor is known by now, and may have chosen a language.
        with reading(self.language(request)):
            return await self._run_handler(request, handler)

    async def _check_caller(self, request: web.Request) -> web.Response | None:
        """Return the refusal of a request, None to let it in."""
        caller, header = self.host_names.client_address(request), request.headers.get("Authorization", "")
        cookie = request.cookies.get(self.cookie, "")
        if cookie and not header and not request.path.startswith(SCRIPT_PATHS):
            visitor = await self.signins.signed_in(cookie)
            if visitor is not None:
                request[VISITOR] = visitor
                note_visitor(request, visitor.form_token)
                # A method or path without a handler gets its own error, and changes nothing.
                changes_nothing = request.method in ("GET", "HEAD") or request.match_info.http_exception is not None
                return None if changes_nothing else await self._check_form(request, visitor)
        scheme, _, credentials = header.partition(" ")
        # Invalid UTF-8 arrives as surrogates, which no token contains.
        token = credentials.strip().encode("utf-8", "replace") if scheme.lower() == "bearer" else b""
        if hmac.compare_digest(token, self.token.encode()):
            if request.path.startswith(SCRIPT_PATHS):
                note_visitor(request, _SCRIPT)
                return None
            return self.refuse(request, 404, lazy("There is nothing here for scripts."))
        # Checked last: the right token is accepted however often others were wrong.
        if self.attempts.blocked(caller):
            return self.refuse(request, _TOO_MANY_REQUESTS, WRONG_TOO_OFTEN)
        if cookie or header:
            self.attempts.count_wrong(caller)
        return self.refuse(request, 401, lazy("A bearer token is needed."))

    async def _check_form(self, request: web.Request, visitor: SignedIn) -> web.Response | None:
        """Return the refusal of a cross-site form, None for one of our own."""
        if is_foreign(request):
            return self.refuse(request, 403, FOREIGN)
        try:
            form = await request.post()
        except UNREADABLE:
            return self.refuse(request, 400, _UNREADABLE)
        except web.HTTPRequestEntityTooLarge as error:
            return self.refuse(request, error.status, _STATUS_TEXTS[error.status])
        if not visitor.wrote_form(str(form.get("form_token", ""))):
            return self.refuse(request, 403, lazy("That form is out of date. Open the page again and send it once more."))
        return None

    async def _run_handler(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            return await handler(request)
        except web.HTTPException as error:
            if error.status < 400:
                raise
            return self.refuse(request, error.status, _STATUS_TEXTS.get(error.status, _REFUSED))
        except NotFound as error:
            return self.refuse(request, 404, told(error))
        except (AmbiguousId, BadInput) as error:
            return self.refuse(request, 400, told(error))
        except (MemoryFailure, LyraError, PlatformFailure) as error:
            return self.refuse(request, 503, told(error))


GUARD = web.AppKey("guard", Guard)
_REFUSED = lazy("That cannot be done here.")
_UNREADABLE = lazy("That form cannot be read. Open the page again and send it once more.")
FOREIGN = lazy("That form is not one of this page.")
_STATUS_TEXTS = {404: lazy("There is nothing here."), 405: _REFUSED, 413: lazy("That is too long; send it in pieces.")}


async def protect(_request: web.BaseRequest, response: web.StreamResponse) -> None:
    """Say in the headers of a response what a browser may do with it."""
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)


def is_foreign(request: web.Request) -> bool:
    """Return whether a browser says that another page caused a request."""
    origin = request.headers.get("Origin")
    elsewhere = request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none")
    return elsewhere or (origin is not None and host_of(origin) != request.host.lower())
