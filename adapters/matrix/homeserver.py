"""Requests to the homeserver that nio does not support, how patiently it is asked, and what its refusals mean. Foreign errors stop here."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import quote, urlencode

import aiohttp
from nio import AsyncClient, ErrorResponse

from adapters.errors import PlatformFailure, PlatformRefused
from adapters.pace import Patience
from localization.sentences import Said, Sentence, _, lazy, told

Json = dict[str, Any]

SIGN_IN = "lyra matrix login"
"""The command that signs her in with the help of the account's owner."""
PASSWORD = lazy("give her the password of her account once (password_env or password_file in [matrix])")
UNRECOGNIZED = "M_UNRECOGNIZED"
"""Matrix's error code for unknown endpoints, also below a wrong base address."""
TROUBLE = (aiohttp.ClientError, OSError)
"""What a request can raise while the network or the homeserver is away."""

_API = "/_matrix/client/v3/"
_VERSIONS = "/_matrix/client/versions"
_OVER = frozenset({"M_UNKNOWN_TOKEN", "M_MISSING_TOKEN"})
_LIFTED = frozenset({"M_USER_LOCKED", "M_USER_SUSPENDED", "M_CONSENT_NOT_GIVEN", "ORG_MATRIX_EXPIRED_ACCOUNT"})
_FORBIDDEN = "M_FORBIDDEN"
_PASSES = frozenset({"M_LIMIT_EXCEEDED", "M_RESOURCE_LIMIT_EXCEEDED", "M_USER_LIMIT_EXCEEDED"})


@dataclass(frozen=True, slots=True)
class Pace(Patience):
    """Waits, in seconds.

    `poll` is the long-poll timeout of a sync, `stale` how long after the last answer places count as unknown, `keys` how
    long to wait for the key to a message.
    """

    poll: float = 30.0
    stale: float = 90.0
    keys: float = 20.0


class SignedOut(PlatformFailure):
    """The homeserver does not, or no longer, know the token. After a `soft` logout the device can log in again under its id."""

    def __init__(self, *, soft: bool = False) -> None:
        super().__init__(lazy("The homeserver does not know Lyra's token any more; she signs in again, if she can."))
        self.soft = soft


def signed_out() -> PlatformRefused:
    """Return the error for a lost token without any other way to log in."""
    return PlatformRefused(
        "The homeserver does not know Lyra's token any more, because her device was signed out; {password}, and "
        "start her again as a new device.",
        password=PASSWORD,
    )


class NotAHomeserver(PlatformFailure):
    """The server that answers is no homeserver, or something else is temporarily in front of it."""


class RequestRefused(Exception):
    """The homeserver refused a request.

    `code` is Matrix's error code, '' if it asks for authentication, or if it is not the homeserver that answered.
    """

    def __init__(self, status: int, body: Json) -> None:
        self.status, self.body = status, body
        self.code = str(body.get("errcode", ""))
        super().__init__(self.code or str(status))

    @property
    def is_lifted_later(self) -> bool:
        """Whether her account is shut off until whoever runs the homeserver, or her, changes that."""
        return self.code in _LIFTED

    @property
    def too_large(self) -> bool:
        """Whether a smaller one would be accepted."""
        return self.code == "M_TOO_LARGE" or self.status == 413

    @property
    def forbidden(self) -> bool:
        """Whether Lyra lacks the permission."""
        return self.code == _FORBIDDEN

    @property
    def hidden(self) -> bool:
        """Whether what was requested does not exist, or not for Lyra."""
        return self.code in (_FORBIDDEN, "M_NOT_FOUND")

    @property
    def unreadable(self) -> bool:
        """Whether an answer arrived that nio could not parse, as with an event from before 1970."""
        return not self.code and self.status == 200

    @property
    def is_final(self) -> bool:
        """Whether retrying cannot help."""
        passes = not self.code or self.code in _PASSES or self.status in (401, 429) or self.status >= 500
        return not passes or self.too_large

    def final(self, what: Said) -> PlatformRefused:
        """Return the final error; `what` says what Lyra could not do."""
        return PlatformRefused("The homeserver does not let Lyra {what} ({code}); ask whoever runs it.", what=what, code=self)


async def ask(
    client: AsyncClient, method: str, *path: str, body: Json | None = None, query: Mapping[str, str | Sequence[str]] | None = None
) -> Json:
    """Make a request and return the answer; path parts are quoted here.

    Raises RequestRefused, SignedOut, NotAHomeserver, or PlatformFailure if transient.
    """
    headers = {"Authorization": f"Bearer {client.access_token}"} if client.access_token else {}
    data = None if body is None else json.dumps(body)
    where = _API + "/".join(quote(part, safe="") for part in path) + (f"?{urlencode(query, doseq=True)}" if query else "")
    status, found = await request_json(client, method, where, data, headers | {"Content-Type": "application/json"})
    # A homeserver answers with a Matrix error code for anything it does not have.
    if found is None or (status == 404 and "errcode" not in found):
        raise NotAHomeserver(_away(str(status)))
    if found.get("errcode") in _OVER:
        raise SignedOut(soft=bool(found.get("soft_logout")))
    if found.get("errcode") in _LIFTED:
        raise PlatformFailure(shut_off(found["errcode"]))
    if status >= 400:
        raise RequestRefused(status, found)
    return found


async def account_data(client: AsyncClient, kind: str) -> Json:
    """Return the account's data of a kind, {} if there is none. Raises like `ask`."""
    try:
        return await ask(client, "GET", "user", client.user_id, "account_data", kind)
    except RequestRefused as denied:
        if denied.status == 404:
            return {}
        raise


async def put_account_data(client: AsyncClient, kind: str, content: Json) -> None:
    """Replace the account's data of a kind. Raises like `ask`."""
    await ask(client, "PUT", "user", client.user_id, "account_data", kind, body=content)


def word(answer: Json, name: str) -> str:
    """Return a string that an answer must contain. Raises PlatformFailure."""
    found = answer.get(name)
    if not isinstance(found, str):
        raise unreachable(lazy("an answer without {name}", name=name))
    return found


def failure(response: ErrorResponse) -> PlatformFailure:
    """Return what one of nio's error responses means for the whole connection."""
    if response.status_code in _OVER:
        return SignedOut(soft=response.soft_logout)
    if response.status_code in _LIFTED:
        return PlatformFailure(shut_off(response.status_code))
    status = getattr(response.transport_response, "status", 0)
    return unreachable(str(response.status_code or status))


async def speaks_matrix(client: AsyncClient) -> bool:
    """Return whether the server that answers is a homeserver at all. Raises PlatformFailure if transient."""
    _status, found = await request_json(client, "GET", _VERSIONS)
    return found is not None and "versions" in found


async def request_json(
    client: AsyncClient, method: str, where: str, data: str | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, Json | None]:
    """Make a request; return the status and the JSON answer, None if it is no JSON. Raises PlatformFailure if transient."""
    try:
        answer = await client.send(method, where, data, headers)
        found = _parsed(await answer.read())
    except TROUBLE as error:
        raise unreachable(type(error).__name__) from None
    if answer.status == 429 or answer.status >= 500:
        raise unreachable(str(answer.status))
    return answer.status, found


def no_homeserver(address: str) -> Sentence:
    """Return what to say about an address where something other than a homeserver answers."""
    return lazy("What answers at {address} is not a Matrix homeserver; correct homeserver in [matrix].", address=address)


def said_once(failure: PlatformFailure, homeserver: str) -> str:
    """Return what to tell somebody at the terminal about a failure of a request that is not tried again."""
    if isinstance(failure, PlatformRefused):
        return told(failure)
    if isinstance(failure, NotAHomeserver):
        return str(no_homeserver(homeserver))
    return _(
        "{homeserver} is out of reach, or busy or broken just now. Try again later, or correct homeserver in [matrix].",
        homeserver=homeserver,
    )


def shut_off(code: Said) -> Sentence:
    """Return what to say about an account that is locked or suspended, has expired, or has not accepted the homeserver's terms."""
    return lazy(
        "The Matrix homeserver shuts Lyra's account off just now ({code}): ask whoever runs it, or accept its terms in an app "
        "that is signed in to her account. She goes on by herself then.",
        code=code,
    )


def unreachable(how: Said) -> PlatformFailure:
    """Return the error for a homeserver that does not answer properly; `how` says what it did instead."""
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
