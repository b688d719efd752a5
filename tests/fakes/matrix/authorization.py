"""An authorization server on loopback, as MAS is one for a real Synapse that leaves its accounts to it (MSC3861).

It is strict: a refresh token works once (`grace`: again until what it gave for it is used, as MAS has it), every token ends
after `seconds`, PKCE and redirects are compared, scopes other than those in `scopes` are refused.

    async with Authorization(port) as server, Synapse(**server.delegated()): ...
"""

import asyncio
import base64
import hashlib
import itertools
import json
import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

import aiohttp
from aiohttp import web

from tests.fakes.loopback import Loopback
from tests.fakes.pulse import Pulse

SECRET = "between-the-two-servers"
STABLE, UNSTABLE = "urn:matrix:client:", "urn:matrix:org.matrix.msc2967.client:"
_DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
_PATHS = {
    "token_endpoint": "/oauth2/token",
    "registration_endpoint": "/oauth2/registration",
    "device_authorization_endpoint": "/oauth2/device",
    "authorization_endpoint": "/authorize",
    "revocation_endpoint": "/oauth2/revoke",
    "account_management_uri": "/account",
}


@dataclass(eq=False)
class Session:
    """What somebody agreed to: whose device it is, and its tokens, the last of them first in use."""

    user: str
    device: str
    scope: str
    client_id: str
    access: dict[str, float] = field(default_factory=dict)
    refresh: str = ""
    before: str = ""
    over: bool = False


@dataclass(eq=False)
class Asked:
    """A device or a browser that waits for somebody."""

    client_id: str
    scope: str
    session: Session | None = None
    declined: bool = False
    challenge: str = ""
    redirect: str = ""


class Refusal(Exception):
    """An error by OAuth's name."""


class Authorization:
    """The server at a port, for the block. `homeserver` is where it tells of devices; set it once that runs."""

    def __init__(self, port: int = 0) -> None:
        self.port = port
        self.homeserver = ""
        self.seconds: float = 300
        self.grace = True
        self.scopes = STABLE
        self.requests: list[tuple[str, dict[str, str]]] = []
        self.odd: dict[str, object] = {}
        """What its answers to devices say in place of what is true, as `interval` and `expires_in`."""
        self.broken = 0
        """How many of the next renewals are done, and not answered."""
        self.held: asyncio.Event | None = None
        """Where it is set, what is renewed is answered when this is set."""
        self.sessions: list[Session] = []
        self._clients: dict[str, dict[str, Any]] = {}
        self._devices: dict[str, Asked] = {}
        self._codes: dict[str, Asked] = {}
        self._spoken: dict[str, str] = {}
        self._numbers = itertools.count(1)
        self._pulse = Pulse()
        self._served: Loopback | None = None

    @property
    def issuer(self) -> str:
        """Its name, which is its address."""
        return f"http://127.0.0.1:{self.port}/"

    def delegated(self) -> dict[str, object]:
        """Return what a homeserver is to be told, so that it leaves accounts to this one."""
        return {
            "matrix_authentication_service": {"enabled": True, "endpoint": self.issuer, "secret": SECRET},
            "enable_registration": False,
            "enable_registration_without_verification": False,
            "password_config": {"enabled": False},
        }

    # What people and their administrators do

    async def provide(self, localpart: str) -> None:
        """Make an account."""
        await self._tell("provision_user", {"localpart": localpart})

    async def allow_reset(self, localpart: str) -> None:
        """Let an account replace its cross-signing identity, as its owner does on a page."""
        await self._tell("allow_cross_signing_reset", {"localpart": localpart})

    async def compatible(self, localpart: str, device: str) -> str:
        """Give out a token that never ends, as `mas-cli manage issue-compatibility-token` does."""
        session = await self._begun(localpart, f"{STABLE}api:* {STABLE}device:{device}", "")
        token = f"mct_{secrets.token_hex(8)}"
        session.access = {token: float("inf")}
        return token

    async def agree(self, localpart: str, shown: str = "") -> None:
        """Let the device in that shows this code, the next that asks by default."""
        asked = await self.asks(shown)
        asked.session = await self._begun(localpart, asked.scope, asked.client_id)

    async def decline(self) -> None:
        """Let nobody in."""
        (await self.asks()).declined = True

    async def asks(self, shown: str = "") -> Asked:
        """Wait until a device asks, that which shows a code where one is given."""
        asked = await self._pulse.until(lambda: self._waits(shown), "a device that asks")
        assert asked
        return asked

    async def browse(self, address: str, localpart: str) -> str:
        """Agree in a browser that was sent to this address, and return the page on which it ends."""
        async with aiohttp.ClientSession() as line, line.get(address, headers={"X-Person": localpart}) as answer:
            return await answer.text()

    async def ends_at(self, address: str, localpart: str) -> str:
        """Agree in a browser on another machine, and return the address on which it ends, where nobody is."""
        person = {"X-Person": localpart}
        async with aiohttp.ClientSession() as line, line.get(address, headers=person, allow_redirects=False) as answer:
            return answer.headers["Location"]

    async def sign_out(self, session: Session) -> None:
        """End a session, and remove its device, as somebody does on the page of their account."""
        session.over = True
        await self._tell("delete_device", {"localpart": session.user, "device_id": session.device})

    def calls(self, kind: str) -> list[dict[str, str]]:
        """Return what was asked of the token endpoint by one kind of grant."""
        return [form for path, form in self.requests if path == "/oauth2/token" and form.get("grant_type") == kind]

    async def until_asked(self, kind: str, times: int) -> None:
        """Wait until that many grants of a kind were asked for."""
        await self._pulse.until(lambda: len(self.calls(kind)) >= times, f"{times} of {kind}")

    # The server

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/.well-known/openid-configuration", self._metadata)
        app.router.add_get("/authorize", self._authorize)
        for path, answer in {
            "/oauth2/registration": self._register,
            "/oauth2/introspect": self._introspect,
            "/oauth2/device": self._device,
            "/oauth2/token": self._token,
            "/oauth2/revoke": self._revoke,
        }.items():
            app.router.add_post(path, self._safely(answer))
        self._served = Loopback(app)
        self.port = await self._served.begin(self.port)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._served is not None
        await self._served.end()

    def _safely(self, answer: Any) -> Any:
        async def answered(request: web.Request) -> web.StreamResponse:
            form = {} if request.content_type == "application/json" else {k: str(v) for k, v in (await request.post()).items()}
            self.requests.append((request.path, form))
            self._pulse.beat()
            try:
                found: web.StreamResponse = await answer(request, form)
            except Refusal as refusal:
                found = web.json_response({"error": str(refusal)}, status=400)
            self._pulse.beat()
            # The homeserver would ask the server of the next test through a connection to this one.
            found.force_close()
            return found

        return answered

    async def _metadata(self, _: web.Request) -> web.Response:
        return web.json_response(self.described())

    def described(self, *missing: str) -> dict[str, Any]:
        """Return its metadata, without some endpoints. A homeserver asks once and tells the same for good."""
        told = {name: self.issuer.rstrip("/") + path for name, path in _PATHS.items() if name not in missing}
        grants = ["authorization_code", "refresh_token"]
        if "device_authorization_endpoint" in told:
            grants.append(_DEVICE_CODE)
        return {"issuer": self.issuer, "grant_types_supported": grants, **told}

    async def _register(self, request: web.Request, _: dict[str, str]) -> web.Response:
        about = json.loads(await request.read())
        if not str(about.get("client_uri", "")).startswith("https://") or about.get("token_endpoint_auth_method") != "none":
            raise Refusal("invalid_client_metadata")
        if any(urlsplit(one).port for one in about["redirect_uris"]) or about.get("application_type") != "native":
            raise Refusal("invalid_redirect_uri")
        name = f"client{next(self._numbers)}"
        self._clients[name] = about
        return web.json_response({"client_id": name}, status=201)

    async def _device(self, _: web.Request, form: dict[str, str]) -> web.Response:
        asked = self._asked(form)
        code, shown = secrets.token_hex(8), secrets.token_hex(3).upper()
        self._devices[code], self._spoken[shown] = asked, code
        address = f"{self.issuer}link"
        return web.json_response(
            {
                "device_code": code, "user_code": shown, "verification_uri": address, "interval": 1, "expires_in": 1200,
                "verification_uri_complete": f"{address}?code={shown}",
            }
            | self.odd
        )  # fmt: skip

    def _asked(self, form: dict[str, str]) -> Asked:
        if form.get("client_id") not in self._clients:
            raise Refusal("invalid_client")
        words = form["scope"].split()
        if len(words) != 2 or not all(one.startswith(self.scopes) for one in words):
            raise Refusal("invalid_scope")
        return Asked(form["client_id"], form["scope"])

    async def _authorize(self, request: web.Request) -> web.Response:
        query = dict(request.query)
        self.requests.append(("/authorize", query))
        try:
            asked = self._asked(query)
        except Refusal as refusal:
            raise web.HTTPFound(
                f"{query['redirect_uri']}?{urlencode({'error': str(refusal), 'state': query['state']})}"
            ) from None
        known = self._clients[asked.client_id]["redirect_uris"]
        there = urlsplit(query["redirect_uri"])
        if query["code_challenge_method"] != "S256" or f"http://{there.hostname}{there.path}" not in known:
            raise web.HTTPBadRequest
        code = secrets.token_hex(8)
        asked.challenge, asked.redirect = query["code_challenge"], query["redirect_uri"]
        asked.session = await self._begun(request.headers["X-Person"], asked.scope, asked.client_id)
        self._codes[code] = asked
        raise web.HTTPFound(f"{asked.redirect}?{urlencode({'code': code, 'state': query['state']})}")

    async def _token(self, _: web.Request, form: dict[str, str]) -> web.Response:
        match form["grant_type"]:
            case "refresh_token":
                given = self._given(self._renewed(form))
                if self.held:
                    await self.held.wait()
                if self.broken:
                    self.broken -= 1
                    return web.Response(status=502, text="Bad Gateway")
                return web.json_response(given)
            case "authorization_code":
                session = self._exchanged(form)
            case _:
                session = self._polled(form)
        return web.json_response(self._given(session))

    def _polled(self, form: dict[str, str]) -> Session:
        asked = self._devices.get(form["device_code"])
        if asked is None:
            raise Refusal("invalid_grant")
        if asked.declined:
            raise Refusal("access_denied")
        if asked.session is None:
            raise Refusal("authorization_pending")
        del self._devices[form["device_code"]]
        return asked.session

    def _exchanged(self, form: dict[str, str]) -> Session:
        asked = self._codes.pop(form["code"], None)
        proof = base64.urlsafe_b64encode(hashlib.sha256(form["code_verifier"].encode()).digest()).decode().rstrip("=")
        if asked is None or asked.session is None or (proof, form["redirect_uri"]) != (asked.challenge, asked.redirect):
            raise Refusal("invalid_grant")
        return asked.session

    def _renewed(self, form: dict[str, str]) -> Session:
        token = form["refresh_token"]
        for session in self.sessions:
            if session.over or form["client_id"] != session.client_id:
                continue
            if token == session.refresh:
                session.before = token
                return session
            if token == session.before and self.grace:
                return session
            if token == session.before:
                session.over = True
        raise Refusal("invalid_grant")

    def _given(self, session: Session) -> dict[str, Any]:
        """Make new tokens; those before end."""
        access, session.refresh = f"mat_{secrets.token_hex(8)}", f"mar_{secrets.token_hex(8)}"
        session.access = {access: time.time() + self.seconds}
        return {
            "access_token": access, "token_type": "Bearer", "expires_in": int(self.seconds), "refresh_token": session.refresh,
            "scope": session.scope, **self.odd,
        }  # fmt: skip

    async def _introspect(self, request: web.Request, form: dict[str, str]) -> web.Response:
        if request.headers.get("Authorization") != f"Bearer {SECRET}":
            return web.Response(status=401)
        for session in self.sessions:
            ends = session.access.get(form["token"], 0.0)
            if not session.over and ends > time.time():
                # What was given for it is in use from here on.
                session.before = ""
                told: dict[str, Any] = {"active": True, "scope": session.scope, "username": session.user, "sub": session.user}
                if ends != float("inf"):
                    told["expires_in"] = max(1, int(ends - time.time()))
                return web.json_response(told)
        return web.json_response({"active": False})

    async def _revoke(self, _: web.Request, form: dict[str, str]) -> web.Response:
        for session in self.sessions:
            if form["token"] in (session.refresh, *session.access):
                await self.sign_out(session)
        return web.json_response({})

    def _waits(self, shown: str) -> Asked | None:
        waiting = [one for code, one in self._devices.items() if not shown or self._spoken.get(shown) == code]
        return next((one for one in waiting if one.session is None and not one.declined), None)

    async def _begun(self, localpart: str, scope: str, client_id: str) -> Session:
        device = scope.split("device:")[1]
        await self._tell("upsert_device", {"localpart": localpart, "device_id": device})
        for old in self.sessions:
            old.over = old.over or (old.user, old.device) == (localpart, device)
        session = Session(localpart, device, scope, client_id)
        self.sessions.append(session)
        return session

    async def _tell(self, what: str, body: dict[str, str]) -> None:
        headers = {"Authorization": f"Bearer {SECRET}"}
        async with (
            aiohttp.ClientSession() as line,
            line.post(f"{self.homeserver}/_synapse/mas/{what}", json=body, headers=headers) as answer,
        ):
            answer.raise_for_status()
