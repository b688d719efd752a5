"""How a device logs in by password, and renews an expiring token."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

from nio import AsyncClient

from adapters.errors import PlatformRefused
from adapters.matrix.account.authorization import authorization_server, renewed
from adapters.matrix.account.keystore import KeyStores, close
from adapters.matrix.homeserver import SIGN_IN, UNRECOGNIZED, Json, RequestRefused, SignedOut, ask, no_homeserver, word
from localization.sentences import _


@dataclass(frozen=True, slots=True)
class Credentials:
    """Access to an account: its password, needed once, or the token of a device that no other client uses."""

    homeserver: str
    user_id: str
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    device_name: str = "Lyra"


@dataclass(frozen=True, slots=True)
class Device:
    """A device of the account: its id, its token, the public key that identifies it, and its refresh token.

    `client` is the client id at the authorization server, '' if the homeserver handles login itself.
    """

    user: str
    id: str
    token: str = field(repr=False)
    key: str = ""
    refresh: str = field(default="", repr=False)
    client: str = ""

    @classmethod
    def noted(cls, note: Any) -> Self | None:
        """Deserialize a device from a note, None without one."""
        return cls(**note) if note else None


async def by_password(stores: KeyStores, access: Credentials, name: str) -> Device:
    """Log in as the device with this id, new or existing. Raises PlatformRefused, or like `ask`.

    If tokens expire, a refresh token is requested, so that they can be renewed without the password.
    """
    asked: Json = {
        "type": "m.login.password",
        "identifier": {"type": "m.id.user", "user": access.user_id},
        "password": access.password,
        "device_id": name,
        "initial_device_display_name": access.device_name,
    }
    client = stores.client(access.homeserver, access.user_id, name)
    try:
        answer = await ask(client, "POST", "login", body=asked)
        if "expires_in_ms" in answer:
            answer = await ask(client, "POST", "login", body=asked | {"refresh_token": True})
    except (RequestRefused, SignedOut) as refusal:
        if await authorization_server(client):
            raise _by_page() from None
        if isinstance(refusal, RequestRefused) and refusal.code == UNRECOGNIZED:
            raise PlatformRefused(no_homeserver(access.homeserver)) from None
        raise _not_let_in(refusal) from None
    finally:
        await close(client)
    user, device, token = (word(answer, one) for one in ("user_id", "device_id", "access_token"))
    return Device(user, device, token, refresh=str(answer.get("refresh_token") or ""))


async def refreshed(client: AsyncClient, device: Device) -> tuple[Device, float | None]:
    """Return a device with a new token, and its lifetime in seconds, None if unlimited. Raises GrantEnded, or like `ask`."""
    if device.client:
        granted = await renewed(client, device.client, device.refresh)
        return replace(device, token=granted.access, refresh=granted.refresh or device.refresh), granted.seconds
    before, client.access_token = client.access_token, ""
    try:
        answer = await ask(client, "POST", "refresh", body={"refresh_token": device.refresh})
    finally:
        client.access_token = before
    new = replace(device, token=word(answer, "access_token"), refresh=str(answer.get("refresh_token") or device.refresh))
    lifetime = answer.get("expires_in_ms")
    return new, lifetime / 1000 if isinstance(lifetime, int | float) else None


def _by_page() -> PlatformRefused:
    return PlatformRefused(
        _(
            "The homeserver takes no password here: accounts sign in on a page of theirs. `{sign_in}` shows where; then start her "
            "again.",
            sign_in=SIGN_IN,
        )
    )


def _not_let_in(refusal: RequestRefused | SignedOut) -> PlatformRefused:
    if isinstance(refusal, SignedOut) or refusal.code == "M_FORBIDDEN":
        return PlatformRefused(
            _(
                "The homeserver does not accept Lyra's user id and password; correct user_id or the password in [matrix], "
                "and start her again."
            )
        )
    return refusal.final(_("log in with a password"))
