"""How a device signs in: by a password, and by what renews a token that ends."""

from dataclasses import dataclass, field, replace
from typing import Any, Self

from nio import AsyncClient

from adapters.errors import PlatformRefused
from adapters.matrix.account.keystore import KeyStores, close
from adapters.matrix.homeserver import Denied, Json, SignedOut, ask, word
from localization.sentences import _


@dataclass(frozen=True, slots=True)
class Access:
    """How to reach an account: its password, needed once, or a token of a device that no other client uses."""

    homeserver: str
    user_id: str
    password: str = field(default="", repr=False)
    token: str = field(default="", repr=False)
    device_name: str = "Lyra"


@dataclass(frozen=True, slots=True)
class Device:
    """A device of the account: its id, its token, the public key that names it, and what a token that ends is renewed with."""

    user: str
    id: str
    token: str = field(repr=False)
    key: str = ""
    refresh: str = field(default="", repr=False)

    @classmethod
    def noted(cls, note: Any) -> Self | None:
        """Return the device of a note, None without one."""
        return cls(**note) if note else None


async def by_password(stores: KeyStores, access: Access, name: str) -> Device:
    """Log in as the device of this id, new or as it was. Raises PlatformRefused, or as `ask`.

    Where tokens end, one comes that can be renewed without the password.
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
    except (Denied, SignedOut) as refusal:
        raise _not_let_in(refusal) from None
    finally:
        await close(client)
    user, device, token = (word(answer, one) for one in ("user_id", "device_id", "access_token"))
    return Device(user, device, token, refresh=str(answer.get("refresh_token") or ""))


async def refreshed(client: AsyncClient, device: Device) -> tuple[Device, float | None]:
    """Return a device with a new token, and for how many seconds that holds, None for good. Raises as `ask`."""
    before, client.access_token = client.access_token, ""
    try:
        answer = await ask(client, "POST", "refresh", body={"refresh_token": device.refresh})
    finally:
        client.access_token = before
    new = replace(device, token=word(answer, "access_token"), refresh=str(answer.get("refresh_token") or device.refresh))
    lifetime = answer.get("expires_in_ms")
    return new, lifetime / 1000 if isinstance(lifetime, int | float) else None


def _not_let_in(refusal: Denied | SignedOut) -> PlatformRefused:
    if isinstance(refusal, SignedOut) or refusal.code == "M_FORBIDDEN":
        return PlatformRefused(
            _(
                "The homeserver does not accept Lyra's user id and password; correct user_id or the password in [matrix], "
                "and start her again."
            )
        )
    return refusal.final(_("log in with a password"))
