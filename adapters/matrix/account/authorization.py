"""The authorization server of a homeserver that lets accounts in by OAuth 2.0 (Matrix 1.15, MSC3861), and what it is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Self
from urllib.parse import urlsplit

import aiohttp
from nio import AsyncClient

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.matrix.homeserver import TROUBLE, Denied, Json, answered, word
from localization.sentences import Said, lazy

AUTHORIZATION_CODE, REFRESH_TOKEN = "authorization_code", "refresh_token"
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
REDIRECT = "http://127.0.0.1/"
"""Where a browser comes back to; a loopback address is registered without its port."""

_METADATA = (
    "/_matrix/client/v1/auth_metadata",
    "/_matrix/client/unstable/org.matrix.msc2965/auth_metadata",
)
_ISSUER = "/_matrix/client/unstable/org.matrix.msc2965/auth_issuer"
_WELL_KNOWN = "/.well-known/openid-configuration"
_ENDED = frozenset({"invalid_grant", "invalid_client", "unauthorized_client"})
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """Its endpoints, '' for what it does not have, and the kinds of grants that it knows."""

    issuer: str
    token: str
    registration: str = ""
    authorization: str = ""
    device: str = ""
    revocation: str = ""
    grants: frozenset[str] = frozenset()

    @classmethod
    def described(cls, found: Json, *, encrypted: bool) -> Self:
        """Read its metadata. Raises PlatformFailure, and PlatformRefused where a secret would go unencrypted."""
        names = {
            "registration": "registration_endpoint",
            "authorization": "authorization_endpoint",
            "device": "device_authorization_endpoint",
            "revocation": "revocation_endpoint",
        }
        given = {name: str(found.get(key) or "") for name, key in names.items()} | {"token": word(found, "token_endpoint")}
        for address in filter(None, given.values()):
            if encrypted and urlsplit(address).scheme != "https":
                raise PlatformRefused(
                    lazy(
                        "The homeserver names {address} to sign in at, which is not encrypted; ask whoever runs it.",
                        address=address,
                    )
                )
        return cls(word(found, "issuer"), grants=frozenset(found.get("grant_types_supported") or ()), **given)

    @property
    def grants_devices(self) -> bool:
        """Whether somebody can let a device in on a page of theirs, wherever that is open."""
        return bool(self.device) and (not self.grants or DEVICE_CODE in self.grants)


@dataclass(frozen=True, slots=True)
class Tokens:
    """What was granted; `seconds` is for how long, None for good."""

    access: str = field(repr=False)
    refresh: str = field(default="", repr=False)
    seconds: float | None = None

    @classmethod
    def granted(cls, answer: Json) -> Self:
        """Read the answer of a token endpoint. Raises PlatformFailure."""
        return cls(word(answer, "access_token"), str(answer.get("refresh_token") or ""), seconds(answer, "expires_in"))


def seconds(answer: Json, name: str) -> float | None:
    """Return a span that an answer may name, None where it names none that can be read. Some servers write numbers as text."""
    found = answer.get(name)
    if isinstance(found, bool) or not isinstance(found, int | float | str):
        return None
    try:
        span = float(found)
    except (ValueError, OverflowError):
        return None
    return span if isfinite(span) else None


class GrantEnded(Exception):
    """A session is over at the authorization server: nothing renews it."""


async def authorization_server(client: AsyncClient) -> AuthorizationServer | None:
    """Ask a homeserver who lets accounts in, None where it does that by itself. Raises PlatformFailure for what passes."""
    encrypted = urlsplit(client.homeserver).scheme == "https"
    for path in _METADATA:
        status, found = await answered(client, "GET", path)
        if status == 200 and found:
            return AuthorizationServer.described(found, encrypted=encrypted)
    status, found = await answered(client, "GET", _ISSUER)
    if status != 200 or not found:
        return None
    told = await _request(client, "GET", word(found, "issuer").rstrip("/") + _WELL_KNOWN)
    return AuthorizationServer.described(told, encrypted=encrypted)


async def registered(client: AsyncClient, server: AuthorizationServer, name: str) -> str:
    """Make a program known under a name, and return the id that it is given. Raises PlatformRefused, or as `grant`."""
    if not server.registration:
        raise by_hand(lazy("no registration"))
    host = urlsplit(client.homeserver).hostname or ""
    about: Json = {
        "client_name": name,
        "client_uri": f"https://{host}/",
        "application_type": "native",
        "token_endpoint_auth_method": "none",
        "grant_types": [AUTHORIZATION_CODE, REFRESH_TOKEN, DEVICE_CODE],
        "response_types": ["code"],
        "redirect_uris": [REDIRECT],
    }
    try:
        return word(await _request(client, "POST", server.registration, json=about), "client_id")
    except Denied as denied:
        raise by_hand(str(denied)) from None


async def grant(client: AsyncClient, address: str, form: Mapping[str, str]) -> Json:
    """Ask an endpoint for something, and return its answer. Raises Denied, whose code is OAuth's, or PlatformFailure for what passes."""
    return await _request(client, "POST", address, data=dict(form))


async def renewed(client: AsyncClient, client_id: str, refresh: str) -> Tokens:
    """Exchange what renews a session for new tokens. Raises GrantEnded, or PlatformFailure for what passes.

    A server may let the same one be used again until what it gave for it is used: an answer can be lost.
    """
    server = await authorization_server(client)
    if server is None:
        raise GrantEnded
    try:
        answer = await grant(
            client, server.token, {"grant_type": REFRESH_TOKEN, "refresh_token": refresh, "client_id": client_id}
        )
    except Denied as denied:
        if denied.code in _ENDED:
            raise GrantEnded from None
        raise _away(denied.code or str(denied.status)) from None
    return Tokens.granted(answer)


async def revoke(client: AsyncClient, client_id: str, refresh: str) -> None:
    """End a session, where the server knows how. Raises PlatformFailure for what passes."""
    server = await authorization_server(client)
    if server is None or not server.revocation:
        return
    try:
        await grant(client, server.revocation, {"token": refresh, "token_type_hint": "refresh_token", "client_id": client_id})
    except Denied:
        # Whoever is signed out already need not be.
        return


def by_hand(why: Said) -> PlatformRefused:
    """Return what to tell where no program can sign in by itself."""
    return PlatformRefused(
        lazy(
            "The homeserver lets no program sign in by itself ({why}); ask whoever runs it for a compatibility token "
            "(`mas-cli manage issue-compatibility-token`), and name it with token_env in [matrix].",
            why=why,
        )
    )


async def _request(client: AsyncClient, method: str, address: str, **body: Any) -> Json:
    # The homeserver was asked where this is, so there is a session.
    session: aiohttp.ClientSession | None = client.client_session
    assert session is not None
    try:
        limit = aiohttp.ClientTimeout(total=_SECONDS)
        async with session.request(method, address, ssl=client.ssl, timeout=limit, **body) as answer:
            status = answer.status
            found = await answer.json(content_type=None) if await answer.read() else {}
    except (*TROUBLE, ValueError) as error:
        raise _away(type(error).__name__) from None
    if status == 429 or status >= 500 or not isinstance(found, dict):
        raise _away(str(status))
    if status >= 400:
        raise Denied(status, {"errcode": found.get("error", "")})
    return found


def _away(how: Said) -> PlatformFailure:
    return PlatformFailure(
        lazy("The server where Lyra signs in to Matrix cannot be reached, or is busy just now ({how}); she tries again.", how=how)
    )
