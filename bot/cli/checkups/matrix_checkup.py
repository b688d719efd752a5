"""The Matrix check of `lyra doctor`: whether the homeserver answers, accepts her login, and lists her device as verified.

A running Lyra's device is left untouched. If she has never logged in, her password is tried, and the device that this creates
is logged out at once.
"""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from nio import AsyncClient

from adapters.errors import PlatformFailure
from adapters.listener import Notes
from adapters.matrix.account.account import Credentials, noted_device
from adapters.matrix.account.authorization import authorization_server
from adapters.matrix.account.keystore import close
from adapters.matrix.account.published_keys import is_vouched_for, published
from adapters.matrix.account.signing import REPLACE
from adapters.matrix.homeserver import (
    PASSWORD,
    SIGN_IN,
    UNRECOGNIZED,
    RequestRefused,
    SignedOut,
    ask,
    no_homeserver,
    said_once,
    signed_out,
    word,
)
from bot.cli.checkups import Finding
from bot.config.environment import Environment
from bot.config.sections import MatrixSection
from bot.errors import BadSecret
from bot.service.platforms import access_to_matrix
from localization.sentences import _

_LONGEST = 10.0
"""The timeout for a homeserver's answers, in seconds."""
_BY_PASSWORD = "m.login.password"


async def configured(section: MatrixSection, environment: Environment, notes: Notes) -> list[Finding]:
    """Return findings about the configured account."""
    try:
        return await checkup(access_to_matrix(section, environment), notes)
    except BadSecret as error:
        return [Finding(False, _("Matrix: {error}", error=error))]


async def checkup(access: Credentials, notes: Notes) -> list[Finding]:
    """Return findings about the account. No sentence contains a secret."""
    try:
        async with _asking(access.homeserver, access.user_id) as client:
            return [await _examined(client, access, notes)]
    except TimeoutError:
        return [Finding(False, _("Matrix: {error}", error=no_response(access.homeserver)))]
    except SignedOut as ended:
        again = _("the homeserver ended her session, and her device is still there; `lyra run` signs her in again.")
        return [Finding(ended.soft, f"Matrix: {again if ended.soft else signed_out()}")]
    except RequestRefused as denied:
        return [Finding(False, _("Matrix: {error}", error=denied.final("look at her account")))]
    except PlatformFailure as failure:
        return [Finding(False, _("Matrix: {error}", error=said_once(failure, access.homeserver)))]


async def by_page(homeserver: str) -> bool:
    """Return whether a reachable homeserver supports sign-in on a web page only, not by password."""
    try:
        async with _asking(homeserver) as client:
            return _BY_PASSWORD not in await _flows(client) and await authorization_server(client) is not None
    except (TimeoutError, ValueError, RequestRefused, PlatformFailure):
        return False


async def out_of_reach(homeserver: str) -> str:
    """Return what is wrong with a homeserver's URL, '' if a homeserver answers there."""
    try:
        async with _asking(homeserver) as client:
            offered = await _flows(client) or await authorization_server(client)
            return "" if offered else str(no_homeserver(homeserver))
    except TimeoutError:
        return no_response(homeserver)
    except RequestRefused:
        return ""  # It is a homeserver; the account's own check reports what it denies.
    except PlatformFailure as failure:
        return said_once(failure, homeserver)


def no_response(address: str) -> str:
    """Return the message about a homeserver that does not respond."""
    return _("{address} does not answer within 10 seconds. Try again later, or correct homeserver in [matrix].", address=address)


@asynccontextmanager
async def _asking(homeserver: str, user_id: str = "") -> AsyncIterator[AsyncClient]:
    """Yield a client for a homeserver, within the timeout for its answers. Raises TimeoutError."""
    client = AsyncClient(homeserver.rstrip("/"), user_id)
    try:
        async with asyncio.timeout(_LONGEST):
            yield client
    finally:
        await close(client)


async def _examined(client: AsyncClient, access: Credentials, notes: Notes) -> Finding:
    device = await noted_device(notes, access.user_id)
    if device is None:
        flows = await _flows(client)
        wrong = await _kept_out(client, access, flows)
        welcome = _(
            "{homeserver} answers; she logs in as {user_id} at the next `lyra run`.",
            homeserver=access.homeserver,
            user_id=access.user_id,
        )
        return Finding(not wrong, _("Matrix: {error}", error=wrong or welcome))
    client.access_token, client.user_id, client.device_id = device.token, device.user, device.id
    try:
        shown = await published(client)
    except SignedOut as ended:
        # Its refresh token works only once, and a running Lyra may need it.
        raise SignedOut(soft=ended.soft or bool(device.client)) from None
    if not is_vouched_for(shown):
        return Finding(
            False,
            _(
                "Matrix: she is {user}, but her device is not signed; `lyra run` says why, {replace} may help.",
                user=device.user,
                replace=REPLACE,
            ),
        )
    return Finding(
        True,
        _(
            "Matrix: she is {user} at {homeserver}, device {id}, signed by herself.",
            user=device.user,
            homeserver=access.homeserver,
            id=device.id,
        ),
    )


async def _flows(client: AsyncClient) -> list[str]:
    try:
        return [str(flow.get("type")) for flow in (await ask(client, "GET", "login")).get("flows", [])]
    except RequestRefused as denied:
        if denied.code != UNRECOGNIZED:
            raise
        return []


async def _kept_out(client: AsyncClient, access: Credentials, flows: Collection[str]) -> str:
    """Return what prevents her first login, '' if nothing does."""
    if not flows and not access.token:
        if await authorization_server(client) is None:
            return str(no_homeserver(access.homeserver))
        return _(
            "{homeserver} answers; accounts sign in there on a page: `{sign_in}` shows where.",
            homeserver=access.homeserver,
            sign_in=SIGN_IN,
        )
    if access.password:
        if _BY_PASSWORD not in flows:
            return _("{homeserver} takes no passwords; give her a token (token_env in [matrix]).", homeserver=access.homeserver)
        return await _sign_in_trouble(client, access)
    if not access.token:
        return _(
            "she has never logged in to {homeserver}; `{sign_in}` signs her in, or {password}.",
            homeserver=access.homeserver,
            sign_in=SIGN_IN,
            password=PASSWORD,
        )
    client.access_token = access.token
    user = word(await ask(client, "GET", "account", "whoami"), "user_id")
    return (
        ""
        if user == access.user_id
        else _("the token in [matrix] is that of {user}; correct user_id, or give her one of hers.", user=user)
    )


async def _sign_in_trouble(client: AsyncClient, access: Credentials) -> str:
    asked = {
        "type": _BY_PASSWORD,
        "identifier": {"type": "m.id.user", "user": access.user_id},
        "password": access.password,
        "initial_device_display_name": f"{access.device_name}: lyra doctor",
    }
    try:
        client.access_token = word(await ask(client, "POST", "login", body=asked), "access_token")
    except RequestRefused as denied:
        if denied.code != "M_FORBIDDEN":
            raise
        return _(
            "{homeserver} does not accept {user_id} with this password; correct user_id or the password in [matrix].",
            homeserver=access.homeserver,
            user_id=access.user_id,
        )
    await ask(client, "POST", "logout", body={})
    return ""
