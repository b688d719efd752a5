"""The authorization server of a homeserver that delegates login to OAuth 2.0 (Matrix 1.15, MSC3861), and requests to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Self
from urllib.parse import urlsplit

import aiohttp
from nio import AsyncClient

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.matrix.homeserver import TROUBLE, Json, RequestRefused, request_json, word
from localization.sentences import Said, lazy

AUTHORIZATION_CODE, REFRESH_TOKEN = "authorization_code", "refresh_token"
DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
REDIRECT = "http://127.0.0.1/"
"""The redirect address; a loopback address is registered without its port."""

_METADATA = ("/_matrix/client/v1/auth_metadata", "/_matrix/client/unstable/org.matrix.msc2965/auth_metadata")
_ISSUER = "/_matrix/client/unstable/org.matrix.msc2965/auth_issuer"
_WELL_KNOWN = "/.well-known/openid-configuration"
_ENDED = frozenset({"invalid_grant", "invalid_client", "unauthorized_client"})
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """The server's endpoints, '' for missing ones, and its grant types."""

    issuer: str
    token: str
    registration: str = ""
    authorization: str = ""
    device: str = ""
    revocation: str = ""
    grants: frozenset[str] = frozenset()

    @classmethod
    def described(cls, found: Json, *, encrypted: bool) -> Self:
        """Parse its metadata. Raises PlatformFailure, and PlatformRefused if a secret would be sent unencrypted."""
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
                    "The homeserver names {address} to sign in at, which is not encrypted; ask whoever runs it.", address=address
                )
        return cls(word(found, "issuer"), grants=frozenset(found.get("grant_types_supported") or ()), **given)

    @property
    def grants_devices(self) -> bool:
        """Whether somebody can authorize a device on a page opened anywhere."""
        return bool(self.device) and (not self.grants or DEVICE_CODE in self.grants)


@dataclass(frozen=True, slots=True)
class GrantedTokens:
    """Granted tokens; `seconds` is their lifetime, None if unlimited."""

    access: str = field(repr=False)
    refresh: str = field(default="", repr=False)
    seconds: float | None = None

    @classmethod
    def granted(cls, answer: Json) -> Self:
        """Parse the answer of a token endpoint. Raises PlatformFailure."""
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
    """The authorization server ended a session; nothing renews it."""


async def authorization_server(client: AsyncClient) -> AuthorizationServer | None:
    """Return a homeserver's authorization server, None if it handles login itself. Raises PlatformFailure if transient."""
    encrypted = urlsplit(client.homeserver).scheme == "https"
    for path in _METADATA:
        status, found = await request_json(client, "GET", path)
        if status == 200 and found:
            return AuthorizationServer.described(found, encrypted=encrypted)
    status, found = await request_json(client, "GET", _ISSUER)
    if status != 200 or not found:
        return None
    told = await _request(client, "GET", word(found, "issuer").rstrip("/") + _WELL_KNOWN)
    return AuthorizationServer.described(told, encrypted=encrypted)


async def registered(client: AsyncClient, server: AuthorizationServer, name: str) -> str:
    """Register a client under a name, and return its client id. Raises PlatformRefused, or like `grant`."""
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
    except RequestRefused as denied:
        raise by_hand(str(denied)) from None


async def grant(client: AsyncClient, address: str, form: Mapping[str, str]) -> Json:
    """Post a form to an endpoint and return the answer. Raises RequestRefused with an OAuth code, or PlatformFailure if transient."""
    return await _request(client, "POST", address, data=dict(form))


async def renewed(client: AsyncClient, client_id: str, refresh: str) -> GrantedTokens:
    """Exchange a refresh token for new tokens. Raises GrantEnded, or PlatformFailure if transient.

    A server may accept the same refresh token again until its replacement is used, because an answer can be lost.
    """
    server = await authorization_server(client)
    if server is None:
        raise GrantEnded
    try:
        answer = await grant(
            client, server.token, {"grant_type": REFRESH_TOKEN, "refresh_token": refresh, "client_id": client_id}
        )
    except RequestRefused as denied:
        if denied.code in _ENDED:
            raise GrantEnded from None
        raise _away(denied.code or str(denied.status)) from None
    return GrantedTokens.granted(answer)


async def revoke(client: AsyncClient, client_id: str, refresh: str) -> None:
    """End a session, if the server supports that. Raises PlatformFailure if transient."""
    server = await authorization_server(client)
    if server is None or not server.revocation:
        return
    try:
        await grant(client, server.revocation, {"token": refresh, "token_type_hint": "refresh_token", "client_id": client_id})
    except RequestRefused:
        # It is signed out already.
        return


def by_hand(why: Said) -> PlatformRefused:
    """Return the error for a server where no program can sign in by itself."""
    return PlatformRefused(
        "The homeserver lets no program sign in by itself ({why}); ask whoever runs it for a compatibility token "
        "(`mas-cli manage issue-compatibility-token`), and name it with token_env in [matrix].",
        why=why,
    )


async def _request(client: AsyncClient, method: str, address: str, **body: Any) -> Json:
    # The homeserver was already asked for this address, so a session exists.
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
        raise RequestRefused(status, {"errcode": found.get("error", "")})
    return found


def _away(how: Said) -> PlatformFailure:
    return PlatformFailure(
        "The server where Lyra signs in to Matrix cannot be reached, or is busy just now ({how}); she tries again.", how=how
    )
