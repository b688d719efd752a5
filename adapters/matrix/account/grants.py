"""Authorizing Lyra's device by OAuth 2.0: by a code entered on a page (RFC 8628), or by a browser redirected to this machine.

The device id is chosen and requested up front, so that the device and its keys outlast every session. Requests and grants
are stored at once: a process that is killed resumes where it was.
"""

import asyncio
import secrets
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict
from hashlib import sha256
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlencode

from aiohttp import web
from nio import AsyncClient

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.listener import Notes
from adapters.matrix.account.authorization import (
    AUTHORIZATION_CODE,
    DEVICE_CODE,
    AuthorizationServer,
    GrantedTokens,
    by_hand,
    grant,
    registered,
    seconds,
)
from adapters.matrix.homeserver import Json, RequestRefused, word
from localization.sentences import _, lazy

_PENDING = "login.pending"
_SCOPES = ("urn:matrix:client:", "urn:matrix:org.matrix.msc2967.client:")
"""The prefixes of scope names: since Matrix 1.15, and before."""
_INTERVAL, _SLOWER, _SHORTEST, _LONGEST = 5.0, 5.0, 1.0, 1800.0


class AuthorizingPerson(Protocol):
    """The person who authorizes her."""

    def show_address(self, address: str, code: str = "") -> None:
        """Show the address to open, and the code to compare or type there, '' for none."""

    async def typed(self) -> str:
        """Return a line that they type; wait forever if nobody types."""


class Grants:
    """The grants of one account. `pause` waits between two polls."""

    def __init__(self, notes: Notes, person: AuthorizingPerson, name: str, pause: Callable[[float], Awaitable[None]]) -> None:
        self._notes, self._person, self._name, self._pause = notes, person, name, pause

    async def granted(self, client: AsyncClient, server: AuthorizationServer, device: str) -> tuple[str, GrantedTokens]:
        """Have a device authorized; return the client id at the server, and the tokens.

        Raises PlatformRefused, or PlatformFailure if transient.
        """
        pending = await self._notes.get(_PENDING) or {}
        if (pending.get("issuer"), pending.get("device")) != (server.issuer, device):
            pending = {"issuer": server.issuer, "device": device, "client_id": await registered(client, server, self._name)}
            await self._notes.put(_PENDING, pending)
        if "tokens" not in pending:
            try:
                tokens = await self._tokens(client, server, pending)
            except PlatformRefused:
                await self.settle()
                raise
            pending |= {"tokens": asdict(tokens)}
            await self._notes.put(_PENDING, pending)
        return pending["client_id"], GrantedTokens(**pending["tokens"])

    async def settle(self) -> None:
        """Drop the pending grant: it is stored elsewhere by now, or useless."""
        await self._notes.put(_PENDING, None)

    async def _tokens(self, client: AsyncClient, server: AuthorizationServer, pending: Json) -> GrantedTokens:
        if server.grants_devices:
            return await self._by_device_code(client, server, pending)
        if server.authorization:
            codes = (self._code(client, server, pending["client_id"], scope) for scope in _scopes(pending["device"]))
            return GrantedTokens.granted(await _first(codes))
        raise by_hand(lazy("no grant that Lyra knows"))

    async def _by_device_code(self, client: AsyncClient, server: AuthorizationServer, pending: Json) -> GrantedTokens:
        asked = pending.get("asked")
        if not asked or asked["until"] < time.time():
            forms = ({"client_id": pending["client_id"], "scope": scope} for scope in _scopes(pending["device"]))
            answer = await _first(grant(client, server.device, form) for form in forms)
            asked = {
                "code": word(answer, "device_code"),
                "shown": word(answer, "user_code"),
                "address": str(answer.get("verification_uri_complete") or word(answer, "verification_uri")),
                "interval": max(seconds(answer, "interval") or _INTERVAL, _SHORTEST),
                "until": time.time() + (seconds(answer, "expires_in") or _LONGEST),
            }
            pending |= {"asked": asked}
            await self._notes.put(_PENDING, pending)
        self._person.show_address(asked["address"], asked["shown"])
        return await self._agreed(client, server, pending["client_id"], asked)

    async def _agreed(self, client: AsyncClient, server: AuthorizationServer, client_id: str, asked: Json) -> GrantedTokens:
        """Poll until somebody consents. Raises PlatformRefused if they do not."""
        form = {"grant_type": DEVICE_CODE, "device_code": asked["code"], "client_id": client_id}
        interval = asked["interval"]
        while time.time() < asked["until"]:
            await self._pause(interval)
            try:
                return GrantedTokens.granted(await grant(client, server.token, form))
            except RequestRefused as denied:
                if denied.code not in ("authorization_pending", "slow_down"):
                    raise _refused(denied) from None
                interval += _SLOWER if denied.code == "slow_down" else 0
            except PlatformFailure:
                interval += _SLOWER
        raise _refused(RequestRefused(400, {"errcode": "expired_token"}))

    async def _code(self, client: AsyncClient, server: AuthorizationServer, client_id: str, scope: str) -> Json:
        """Have a browser bring a code, and exchange it. Raises RequestRefused, PlatformRefused, or PlatformFailure if transient."""
        verifier, state = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        async with _returning(state) as (redirect, back):
            asked = {
                "response_type": "code",
                "response_mode": "query",
                "client_id": client_id,
                "redirect_uri": redirect,
                "scope": scope,
                "state": state,
                "code_challenge_method": "S256",
                "code_challenge": urlsafe_b64encode(sha256(verifier.encode()).digest()).decode().rstrip("="),
            }
            came = await self._brought(
                back, state, f"{server.authorization}{'&' if '?' in server.authorization else '?'}{urlencode(asked)}"
            )
        if "code" not in came:
            raise RequestRefused(400, {"errcode": came.get("error", "")})
        form = {"grant_type": AUTHORIZATION_CODE, "code": came["code"], "redirect_uri": redirect, "client_id": client_id}
        try:
            return await grant(client, server.token, form | {"code_verifier": verifier})
        except RequestRefused as denied:
            raise _refused(denied) from None

    async def _brought(self, back: asyncio.Future[Mapping[str, str]], state: str, address: str) -> Mapping[str, str]:
        """Show where to go, and wait for the browser, or for somebody to type where it ended on another machine.

        Who types anything else is shown again where to go.
        """
        self._person.show_address(address)
        while True:
            typing: asyncio.Future[Any] = asyncio.ensure_future(self._person.typed())
            either: set[asyncio.Future[Any]] = {back, typing}
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if back.done():
                typing.cancel()
                return back.result()
            line = typing.result().strip()
            # Split by hand: urlsplit refuses some of what people paste.
            came = dict(parse_qsl(line.partition("?")[2].partition("#")[0]))
            if came.get("state") == state:
                return came
            if line:
                self._person.show_address(address)


def _scopes(device: str) -> Iterator[str]:
    for prefix in _SCOPES:
        yield " ".join((f"{prefix}api:*", f"{prefix}device:{device}"))


async def _first(tries: Iterator[Awaitable[Json]]) -> Json:
    """Return the first answer to a scope name that the server knows. Raises PlatformRefused."""
    last = RequestRefused(400, {"errcode": "invalid_scope"})
    for one in tries:
        try:
            return await one
        except RequestRefused as denied:
            last = denied
            if denied.code != "invalid_scope":
                break
    raise _refused(last)


def _refused(denied: RequestRefused) -> PlatformRefused:
    if denied.code == "access_denied":
        return PlatformRefused("It was declined on the page, so Lyra is not signed in. `lyra matrix login` asks again.")
    if denied.code in ("expired_token", "invalid_grant"):
        return PlatformRefused("The code ended before anybody agreed. `lyra matrix login` asks again.")
    return by_hand(str(denied))


@asynccontextmanager
async def _returning(state: str) -> AsyncIterator[tuple[str, "asyncio.Future[Mapping[str, str]]"]]:
    """Listen on loopback for the redirect; yield the redirect address and a future of its parameters."""
    back: asyncio.Future[Mapping[str, str]] = asyncio.get_running_loop().create_future()

    async def come(request: web.Request) -> web.Response:
        if request.query.get("state") != state:
            return web.Response(status=400, text=_("This page belongs to another try to sign in."))
        if not back.done():
            back.set_result(dict(request.query))
        return web.Response(text=_("Lyra has heard it. You can close this page."))

    app = web.Application()
    app.router.add_get("/", come)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server: Any = site._server
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", back
    finally:
        await runner.cleanup()
