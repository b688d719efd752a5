"""The ways to log a device in: the account's password, a token, or somebody's consent on a page."""

import secrets
import string
from dataclasses import replace

from nio import AsyncClient

from adapters.errors import PlatformRefused
from adapters.listener import Notes
from adapters.matrix.account.authorization import AuthorizationServer, revoke
from adapters.matrix.account.grants import DeviceGrant, Grants
from adapters.matrix.account.keystore import KeyStores, close
from adapters.matrix.account.login import Credentials, Device, by_password
from adapters.matrix.account.published_keys import published
from adapters.matrix.homeserver import (
    PASSWORD,
    SIGN_IN,
    NotAHomeserver,
    SignedOut,
    ask,
    no_homeserver,
    signed_out,
    speaks_matrix,
    word,
)
from localization.sentences import lazy

_NEXT = "device.next"


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
        granted = await grants.granted(client, server, name)
        try:
            return await self._of(client, granted, grants)
        except SignedOut:
            # The token left by an interrupted attempt was renewed since, and has expired.
            await grants.settle()
            return await self._of(client, await grants.granted(client, server, name), grants)

    async def next_name(self, old: Device | None) -> str:
        """Return a new device's id, chosen here and stored first, so that a lost login answer leaves no stray device behind."""
        name = await self._notes.get(_NEXT)
        if name is None or (old and name == old.id):
            name = "".join(secrets.choice(string.ascii_uppercase) for _ in range(10))
            await self._notes.put(_NEXT, name)
        return str(name)

    async def _of(self, client: AsyncClient, granted: DeviceGrant, grants: Grants) -> Device:
        try:
            device = await self._owned(client, granted.tokens.access)
        except PlatformRefused:
            await grants.settle()
            await revoke(client, granted.client_id, granted.tokens.refresh)
            raise
        return replace(device, refresh=granted.tokens.refresh, client=granted.client_id)

    async def _by_token(self, stores: KeyStores) -> Device:
        if not self._access.token:
            raise PlatformRefused(
                lazy(
                    "Lyra is not signed in to Matrix. `{sign_in}` signs her in; or {password}, and start her again.",
                    sign_in=SIGN_IN,
                    password=PASSWORD,
                )
            )
        client = stores.client(self._access.homeserver, self._access.user_id, "")
        try:
            device = await self._owned(client, self._access.token)
            if not device.id or (await published(client)).device:
                raise PlatformRefused(
                    lazy(
                        "The token in [matrix] is not that of a device of Lyra's own: it has none, or one with keys that are not "
                        "here; give her a new one, or {password}.",
                        password=PASSWORD,
                    )
                )
        except SignedOut:
            raise signed_out() from None
        finally:
            await close(client)
        return device

    async def _owned(self, client: AsyncClient, token: str) -> Device:
        """Return the device of a token. Raises PlatformRefused if it belongs to another account, or like `ask`."""
        client.access_token = token
        who = await ask(client, "GET", "account", "whoami")
        client.user_id, client.device_id = word(who, "user_id"), str(who.get("device_id") or "")
        if client.user_id != self._access.user_id:
            raise PlatformRefused(
                lazy(
                    "That lets {user_id} in, and not {account}, who is in [matrix]; sign in as {account}, give her a token of "
                    "hers, or correct user_id.",
                    user_id=client.user_id,
                    account=self._access.user_id,
                )
            )
        return Device(client.user_id, client.device_id, token)

    async def _require_homeserver(self, stores: KeyStores) -> None:
        """Raise PlatformRefused if there is no homeserver, PlatformFailure if transient."""
        client = stores.client(self._access.homeserver, self._access.user_id, "")
        try:
            if not await speaks_matrix(client):
                raise PlatformRefused(no_homeserver(self._access.homeserver))
        finally:
            await close(client)
