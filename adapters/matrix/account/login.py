"""How a device logs in: by the account's password, a token, or somebody's consent on a page; and how it renews an expiring token."""

import secrets
import string
from dataclasses import dataclass, field, replace
from typing import Any, Self

from nio import AsyncClient

from adapters.errors import PlatformRefused
from adapters.listener import Notes
from adapters.matrix import homeserver
from adapters.matrix.account.authorization import AuthorizationServer, GrantedTokens, authorization_server, renewed, revoke
from adapters.matrix.account.grants import Grants
from adapters.matrix.account.keystore import KeyStores
from adapters.matrix.account.published_keys import published
from adapters.matrix.homeserver import Json, NotAHomeserver, RequestRefused, SignedOut, ask, word
from localization.sentences import _

_NEXT = "device.next"


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
    def from_note(cls, note: Any) -> Self | None:
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
    async with stores.briefly(access.homeserver, access.user_id, name) as client:
        try:
            answer = await ask(client, "POST", "login", body=asked)
            if "expires_in_ms" in answer:
                answer = await ask(client, "POST", "login", body=asked | {"refresh_token": True})
        except (RequestRefused, SignedOut) as refusal:
            if await authorization_server(client):
                raise PlatformRefused(
                    "The homeserver takes no password here: accounts sign in on a page of theirs. `{sign_in}` shows where; "
                    "then start her again.",
                    sign_in=homeserver.SIGN_IN,
                ) from None
            if isinstance(refusal, RequestRefused) and refusal.code == homeserver.UNRECOGNIZED:
                raise PlatformRefused(homeserver.no_homeserver(access.homeserver)) from None
            raise _not_let_in(refusal) from None
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


class LoginMethods:
    """The ways to log in to one account."""

    def __init__(self, access: Credentials, notes: Notes) -> None:
        self._access, self._notes = access, notes

    async def by_secret(self, stores: KeyStores, old: Device | None) -> Device:
        """Log in by password or token as a device other than `old`. Raises PlatformRefused, or like `ask`."""
        try:
            if self._access.password:
                return await by_password(stores, self._access, await self.next_name(old))
            return await self._by_token(stores)
        except NotAHomeserver:
            await self._require_homeserver(stores)
            raise

    async def by_page(self, client: AsyncClient, server: AuthorizationServer, grants: Grants, name: str) -> Device:
        """Return the device with this id, authorized by somebody on a page. Raises PlatformRefused, or like `ask`."""
        try:
            return await self._of(client, *await grants.granted(client, server, name), grants)
        except SignedOut:
            # The token left by an interrupted attempt was renewed since, and has expired.
            await grants.settle()
            return await self._of(client, *await grants.granted(client, server, name), grants)

    async def next_name(self, old: Device | None) -> str:
        """Return a new device's id, chosen here and stored first, so that a lost login answer leaves no stray device behind."""
        name = await self._notes.get(_NEXT)
        if name is None or (old and name == old.id):
            name = "".join(secrets.choice(string.ascii_uppercase) for _ in range(10))
            await self._notes.put(_NEXT, name)
        return str(name)

    async def _of(self, client: AsyncClient, client_id: str, tokens: GrantedTokens, grants: Grants) -> Device:
        try:
            device = await self._owned(client, tokens.access)
        except PlatformRefused:
            await grants.settle()
            await revoke(client, client_id, tokens.refresh)
            raise
        return replace(device, refresh=tokens.refresh, client=client_id)

    async def _by_token(self, stores: KeyStores) -> Device:
        if not self._access.token:
            raise PlatformRefused(
                "Lyra is not signed in to Matrix. `{sign_in}` signs her in; or {password}, and start her again.",
                sign_in=homeserver.SIGN_IN,
                password=homeserver.PASSWORD,
            )
        async with stores.briefly(self._access.homeserver, self._access.user_id, "") as client:
            try:
                device = await self._owned(client, self._access.token)
                is_her_own = device.id and not (await published(client)).device
            except SignedOut:
                raise homeserver.signed_out() from None
        if not is_her_own:
            raise PlatformRefused(
                "The token in [matrix] is not that of a device of Lyra's own: it has none, or one with keys that are not "
                "here; give her a new one, or {password}.",
                password=homeserver.PASSWORD,
            )
        return device

    async def _owned(self, client: AsyncClient, token: str) -> Device:
        """Return the device of a token. Raises PlatformRefused if it belongs to another account, or like `ask`."""
        client.access_token = token
        who = await ask(client, "GET", "account", "whoami")
        client.user_id, client.device_id = word(who, "user_id"), str(who.get("device_id") or "")
        if client.user_id != self._access.user_id:
            raise PlatformRefused(
                "That lets {user_id} in, and not {account}, who is in [matrix]; sign in as {account}, give her a token of "
                "hers, or correct user_id.",
                user_id=client.user_id,
                account=self._access.user_id,
            )
        return Device(client.user_id, client.device_id, token)

    async def _require_homeserver(self, stores: KeyStores) -> None:
        """Raise PlatformRefused if there is no homeserver, PlatformFailure if transient."""
        async with stores.briefly(self._access.homeserver, self._access.user_id, "") as client:
            if not await homeserver.speaks_matrix(client):
                raise PlatformRefused(homeserver.no_homeserver(self._access.homeserver))


def _not_let_in(refusal: RequestRefused | SignedOut) -> PlatformRefused:
    if isinstance(refusal, SignedOut) or refusal.code == "M_FORBIDDEN":
        return PlatformRefused(
            _(
                "The homeserver does not accept Lyra's user id and password; correct user_id or the password in [matrix], "
                "and start her again."
            )
        )
    return refusal.final(_("log in with a password"))
