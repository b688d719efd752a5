"""Requests to the homeserver for what nio does not know, and what its refusals mean. Foreign errors stop here."""

import json
from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote, urlencode

import aiohttp
from nio import AsyncClient, ErrorResponse

from adapters.errors import PlatformFailure, PlatformRefused
from localization.sentences import Said, Sentence, lazy

Json = dict[str, Any]

SIGN_IN = "lyra matrix login"
"""The command that signs her in, with whoever owns the account at hand."""
PASSWORD = lazy("give her the password of her account once (password_env or password_file in [matrix])")
UNRECOGNIZED = "M_UNRECOGNIZED"
"""Matrix's code for what a server does not know, and for what stands below a wrong address."""
TROUBLE = (aiohttp.ClientError, OSError)
"""What a request can raise while the network or the homeserver is away."""

_API = "/_matrix/client/v3/"
_VERSIONS = "/_matrix/client/versions"
_OVER = frozenset({"M_UNKNOWN_TOKEN", "M_MISSING_TOKEN"})


class SignedOut(PlatformFailure):
    """The homeserver does not know the token, or not any more. A `soft` end leaves the device: it may log in again as itself."""

    def __init__(self, *, soft: bool = False) -> None:
        super().__init__(lazy("The homeserver does not know Lyra's token any more; she signs in again, if she can."))
        self.soft = soft


def signed_out() -> PlatformRefused:
    """Return what to tell where a token is no more, and nothing else lets her in."""
    return PlatformRefused(
        lazy(
            "The homeserver does not know Lyra's token any more, because her device was signed out; {password}, and "
            "start her again as a new device.",
            password=PASSWORD,
        )
    )


class Stranger(PlatformFailure):
    """What answers is no homeserver: it never was one, or something else stands before it for a while."""


class Denied(Exception):
    """The homeserver said no to a request; `code` is Matrix's name for why, '' where it asks who is there."""

    def __init__(self, status: int, body: Json) -> None:
        self.status, self.body = status, body
        self.code = str(body.get("errcode", ""))
        super().__init__(self.code or str(status))

    def final(self, what: Said) -> PlatformRefused:
        """Return what to tell of it: `what` says what Lyra could not do."""
        return PlatformRefused(
            lazy("The homeserver does not let Lyra {what} ({code}); ask whoever runs it.", what=what, code=self)
        )


async def ask(
    client: AsyncClient, method: str, *path: str, body: Json | None = None, query: Mapping[str, str] | None = None
) -> Json:
    """Make a request and return the answer; the parts of the path are quoted here.

    Raises Denied, SignedOut, Stranger, or PlatformFailure for what passes.
    """
    headers = {"Authorization": f"Bearer {client.access_token}"} if client.access_token else {}
    data = None if body is None else json.dumps(body)
    where = _API + "/".join(quote(part, safe="") for part in path) + (f"?{urlencode(query)}" if query else "")
    status, found = await answered(client, method, where, data, headers | {"Content-Type": "application/json"})
    # A homeserver says by a code of Matrix's what it does not have.
    if found is None or (status == 404 and "errcode" not in found):
        raise Stranger(_away(str(status)))
    if found.get("errcode") in _OVER:
        raise SignedOut(soft=bool(found.get("soft_logout")))
    if status >= 400:
        raise Denied(status, found)
    return found


def word(answer: Json, name: str) -> str:
    """Return a text that an answer has to hold. Raises PlatformFailure."""
    found = answer.get(name)
    if not isinstance(found, str):
        raise unreachable(lazy("an answer without {name}", name=name))
    return found


def failure(response: ErrorResponse) -> PlatformFailure:
    """Return what an error that nio hands back means for the whole connection."""
    if response.status_code in _OVER:
        return SignedOut(soft=response.soft_logout)
    status = getattr(response.transport_response, "status", 0)
    return unreachable(str(response.status_code or status))


async def speaks_matrix(client: AsyncClient) -> bool:
    """Return whether what answers is a homeserver at all. Raises PlatformFailure for what passes."""
    _, found = await answered(client, "GET", _VERSIONS)
    return found is not None and "versions" in found


async def answered(
    client: AsyncClient, method: str, where: str, data: str | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, Json | None]:
    """Make a request, and return its answer's status and what it says, None where that is no JSON. Raises PlatformFailure for what passes."""
    try:
        answer = await client.send(method, where, data, headers)
        found = _parsed(await answer.read())
    except TROUBLE as error:
        raise unreachable(type(error).__name__) from None
    if answer.status == 429 or answer.status >= 500:
        raise unreachable(str(answer.status))
    return answer.status, found


def no_homeserver(address: str) -> Sentence:
    """Return what to tell of an address where something else answers."""
    return lazy("What answers at {address} is not a Matrix homeserver; correct homeserver in [matrix].", address=address)


def unreachable(how: Said) -> PlatformFailure:
    """Return what to tell of a homeserver that does not answer as one; `how` says what it did instead."""
    return PlatformFailure(_away(how))


def _away(how: Said) -> Sentence:
    return lazy(
        "The Matrix homeserver cannot be reached, or is busy or broken just now ({how}); Lyra tries again. If "
        "that lasts, check homeserver in [matrix].",
        how=how,
    )


def _parsed(body: bytes) -> Json | None:
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return cast(Json, found) if isinstance(found, dict) else None
