"""Lyra's device: how she gets one, by a password once or by a token, and afterwards from her notes.

A device and its key store belong together. If the store was lost, or is another device's, everyone who knew the old keys
would refuse the device for good: it is signed out, and Lyra becomes a new one.
"""

import secrets
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from nio import AsyncClient

from adapters.errors import PlatformRefused
from adapters.listener import Notes
from adapters.matrix.account.authorization import GrantEnded, authorization_server, revoke
from adapters.matrix.account.grants import Grants
from adapters.matrix.account.keystore import KeyStores, KeysUnreadable, close
from adapters.matrix.account.login import Credentials, Device, LoginMethods, by_password, refreshed
from adapters.matrix.account.published_keys import PublishedKeys, bare, described, publish, published, refill
from adapters.matrix.homeserver import PASSWORD, SIGN_IN, RequestRefused, SignedOut, ask, unreachable
from localization.sentences import _, lazy

DEVICE = "device"
"""The name of the note that holds the device."""
_LEFT, _SPENT, _PICKLE = "device.left", "device.spent", "pickle_key"


class _Lost(Exception):
    """A device cannot be resumed; the text says why."""


class _KeysLost(_Lost):
    """A device cannot be resumed, whatever the login: the keys that others know are not here."""


class _Ended(Exception):
    """A device's session ended, but the device still exists."""


class Devices:
    """The devices of one account on this machine; one is current. `said` collects what the operator should know."""

    def __init__(self, access: Credentials, folder: Path, notes: Notes, said: list[str]) -> None:
        self._access = access
        self._folder = folder
        self._notes = notes
        self._said = said
        self._login_methods = LoginMethods(access, notes)

    async def open(self) -> AsyncClient:
        """Return a logged-in client whose keys are here and on the homeserver. Raises PlatformRefused, or like `ask`."""
        stores = KeyStores(self._folder, await self._pickle_key())
        stores.prepare()
        await self._sign_out_previous(stores)
        device = Device.from_note(await self._notes.get(DEVICE))
        if device is None:
            return await self._opened_new(stores, await self._signed_in_new(stores))
        try:
            return await self._resumed(stores, device)
        except _Lost as lost:
            return await self._replaced(stores, device, lost)

    async def sign_in(self, grants: Grants) -> None:
        """Have the device authorized on a page, keeping its id if its keys are here.

        Does nothing if the homeserver has no such page. Raises PlatformRefused, or like `ask`.
        """
        stores = KeyStores(self._folder, await self._pickle_key())
        stores.prepare()
        async with stores.briefly(self._access.homeserver, self._access.user_id, "") as client:
            server = await authorization_server(client)
            if server is None:
                return
            old = Device.from_note(await self._notes.get(DEVICE))
            again = old is not None and await self._has_keys(stores, old)
            name = old.id if old and again else await self._login_methods.next_name(old)
            device = await self._login_methods.by_page(client, server, grants, name)
        if old and again:
            await self._notes.put(DEVICE, asdict(replace(device, key=old.key)))
        else:
            await self._noted_new(stores, device, old)
        await grants.settle()

    async def _has_keys(self, stores: KeyStores, device: Device) -> bool:
        """Return whether a device's keys are here, and are those that others know."""
        if await self._notes.get(_SPENT) == device.id:
            return False
        async with stores.briefly(self._access.homeserver, device.user, device.id) as client:
            try:
                return stores.unlock(client, device.user, device.token) == device.key
            except KeysUnreadable:
                return False

    async def renew(self, client: AsyncClient) -> float | None:
        """Renew a client's token before it expires; return the new lifetime in seconds, None if unlimited.

        Raises SignedOut if the old token expired before, GrantEnded, or like `ask`.
        """
        device = Device.from_note(await self._notes.get(DEVICE))
        if device is None or not device.refresh:
            return None
        device, seconds = await self._refreshed(client, device)
        client.access_token = device.token
        return seconds

    async def _refreshed(self, client: AsyncClient, device: Device) -> tuple[Device, float | None]:
        """Renew a device's token, and store it before its first use, which ends the old one. Raises like `renew`."""
        new, seconds = await refreshed(client, device)
        await self._notes.put(DEVICE, asdict(new))
        return new, seconds

    async def _resumed(self, stores: KeyStores, device: Device) -> AsyncClient:
        """Return a device's client, signed in again if its session ended. Raises _Lost, PlatformRefused, or like `ask`."""
        try:
            return await self._opened(stores, device)
        except _Ended:
            return await self._opened_new(stores, await self._signed_in_again(stores, device))

    async def _signed_in_again(self, stores: KeyStores, device: Device) -> Device:
        """Sign a device in again under its id: its keys, and what is encrypted to it, stay valid.

        Raises _Lost, PlatformRefused, or like `ask`.
        """
        if device.refresh:
            async with stores.briefly(self._access.homeserver, device.user, device.id) as client:
                with suppress(SignedOut, RequestRefused, GrantEnded):
                    return (await self._refreshed(client, device))[0]
        if not self._access.password:
            raise _Lost(lazy("The homeserver ended Lyra's session."))
        found = replace(await by_password(stores, self._access, device.id), key=device.key)
        await self._notes.put(DEVICE, asdict(found))
        return found

    async def _replaced(self, stores: KeyStores, old: Device, lost: _Lost) -> AsyncClient:
        if isinstance(lost, _KeysLost):
            await self._notes.put(_SPENT, old.id)
        if not self._access.password and self._access.token in ("", old.token):
            raise _refusal(lost, old) from None
        new = await self._signed_in_new(stores, old)
        stores.remove(old.id)
        self._said.append(
            _(
                "{lost} Lyra is a new device now, {id}; what was said to her in encrypted rooms meanwhile she may not be "
                "able to read.",
                lost=lost,
                id=new.id,
            )
        )
        await self._sign_out_previous(stores)
        return await self._opened_new(stores, new)

    async def _sign_out_previous(self, stores: KeyStores) -> None:
        """Sign out Lyra's previous device, if there is one still signed in. Raises like `ask`."""
        left = Device.from_note(await self._notes.get(_LEFT))
        if left is None:
            return
        async with stores.briefly(self._access.homeserver, left.user, left.id) as client:
            client.access_token = left.token
            # It is signed out already.
            with suppress(SignedOut, RequestRefused):
                await (revoke(client, left.client, left.refresh) if left.client else ask(client, "POST", "logout", body={}))
        await self._notes.put(_LEFT, None)

    async def _opened_new(self, stores: KeyStores, device: Device) -> AsyncClient:
        try:
            return await self._opened(stores, device)
        except _Lost as lost:
            raise _refusal(lost, device) from None
        except _Ended:
            raise unreachable(lazy("a session that ended as it began")) from None

    async def _opened(self, stores: KeyStores, device: Device) -> AsyncClient:
        """Return the client of a device whose key store, note and homeserver agree. Raises _Lost, _Ended, or like `ask`."""
        client = stores.client(self._access.homeserver, device.user, device.id)
        try:
            key = stores.unlock(client, device.user, device.token)
            if key != device.key:
                raise _KeysLost(lazy("The keys of Lyra's device are not in their folder any more, or are another device's."))
            await _publish_missing_keys(client, await published(client))
        except KeysUnreadable:
            await close(client)
            raise _KeysLost(
                lazy("The keys of Lyra's device cannot be read: the file is damaged, or was not written with her key.")
            ) from None
        except SignedOut as over:
            await close(client)
            # An authorization server shows at the token renewal whether the session is over; the homeserver does not.
            if over.soft or device.client:
                raise _Ended from None
            raise _Lost(lazy("Lyra's device was signed out of Matrix.")) from None
        except BaseException:
            await close(client)
            raise
        return client

    async def _signed_in_new(self, stores: KeyStores, old: Device | None = None) -> Device:
        """Log in as a new device, and note it. Raises PlatformRefused, or like `ask`."""
        return await self._noted_new(stores, await self._login_methods.by_secret(stores, old), old)

    async def _noted_new(self, stores: KeyStores, device: Device, old: Device | None) -> Device:
        """Create a newly authorized device's keys, and note it in place of the old one. Raises PlatformRefused, or like `ask`."""
        # Leftovers of an earlier attempt were never published.
        stores.remove(device.id)
        async with stores.briefly(self._access.homeserver, device.user, device.id) as client:
            device = replace(device, key=stores.unlock(client, device.user, device.token))
        if old:
            await self._notes.put(_LEFT, asdict(old))
        await self._notes.put(DEVICE, asdict(device))
        return device

    async def _pickle_key(self) -> str:
        key = await self._notes.get(_PICKLE)
        if key is None:
            key = secrets.token_hex(32)
            await self._notes.put(_PICKLE, key)
        return str(key)


async def _publish_missing_keys(client: AsyncClient, shown: PublishedKeys) -> None:
    """Publish what the homeserver lacks of this device's keys. Raises _Lost if it has others, or like `ask`."""
    own = described(client.olm)
    if shown.device_key not in ("", client.olm.account.identity_keys["ed25519"]):
        raise _KeysLost(lazy("The homeserver has other keys for Lyra's device than she has."))
    try:
        if bare(shown.device) != own:
            await publish(client)
        else:
            await refill(client, None)
    except RequestRefused as denied:
        if denied.status != 400:
            raise
        raise _KeysLost(
            lazy("The homeserver does not take new keys of Lyra's device, because she has older ones than it has.")
        ) from None


def _refusal(lost: _Lost, device: Device) -> PlatformRefused:
    if device.client:
        return PlatformRefused(_("{lost} `{sign_in}` lets her in again; then start her.", lost=lost, sign_in=SIGN_IN))
    return PlatformRefused(
        _("{lost} To let Lyra in as a new device, {password}, and start her again.", lost=lost, password=PASSWORD)
    )
