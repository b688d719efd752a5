"""Lyra's account: logged in once, one device with its keys, cross-signed by herself, recoverable by her owner."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from nio import AsyncClient, ErrorResponse, SyncResponse

from adapters.errors import PlatformFailure
from adapters.listener import Notes
from adapters.matrix.account.authorization import GrantEnded
from adapters.matrix.account.device import DEVICE, Devices
from adapters.matrix.account.grants import AuthorizingPerson, Grants
from adapters.matrix.account.keystore import close
from adapters.matrix.account.login import Credentials, Device
from adapters.matrix.account.published_keys import names, published, refill
from adapters.matrix.account.recovery import ForeignStorage, Recovery
from adapters.matrix.account.signing import MASTER, REPLACE, CrossSigningIdentity, Signing, Unsigned
from adapters.matrix.homeserver import TROUBLE, RequestRefused, SignedOut, failure, unreachable
from adapters.platform_clock import PlatformClock
from localization.sentences import Said, lazy

__all__ = ["Credentials", "Account", "AuthorizingPerson"]

log = logging.getLogger(__name__)

_SOON = 5.0
_RENEWED_AFTER, _SHORTEST = 0.7, 1.0
"""The fraction of a token's lifetime after which it is renewed."""


class IdentityReplaced(PlatformFailure):
    """The account has another cross-signing identity than it had: opening it again says what that means."""

    def __init__(self) -> None:
        super().__init__(lazy("The cross-signing identity of Lyra's account was replaced; she connects anew."))


class _Own:
    """The notes of one account, kept apart from those of another."""

    def __init__(self, notes: Notes, user: str) -> None:
        self._notes, self._user = notes, user

    async def get(self, name: str) -> Any:
        return await self._notes.get(f"{name} {self._user}")

    async def put(self, name: str, value: Any) -> None:
        await self._notes.put(f"{name} {self._user}", value)


async def noted_device(notes: Notes, user: str) -> Device | None:
    """Return the device an account has here, or None if it never logged in."""
    return Device.from_note(await _Own(notes, user).get(DEVICE))


class Account:
    """One account. `said` collects what the operator should know, each sentence once. Reads and sends no messages."""

    def __init__(self, access: Credentials, folder: Path, notes: Notes) -> None:
        own = _Own(notes, access.user_id)
        self.said: list[str] = []
        self.identity: CrossSigningIdentity | None = None
        """The cross-signing identity as of the last opening, if its keys are here."""
        self._access = access
        self._notes = own
        self._devices = Devices(access, folder, own, self.said)
        self._signing = Signing(own)
        self._recovery = Recovery(own)
        self._client: AsyncClient | None = None
        self.platform_clock = PlatformClock()
        """The homeserver's clock, by its answers to syncs."""

    @property
    def client(self) -> AsyncClient:
        """The client, while the account is open."""
        assert self._client is not None
        return self._client

    async def open(self) -> AsyncClient:
        """Log in or resume, with keys published and the device signed; return the client, not yet synced.

        Raises PlatformRefused if only the operator can help, PlatformFailure if retrying can.
        """
        await self.close()
        try:
            with _required(lazy("use her account")):
                self._client = await self._devices.open()
                await self._vouch(self._client)
        except BaseException:
            await self.close()
            raise
        return self.client

    async def sign_in(self, person: AuthorizingPerson, pause: Callable[[float], Awaitable[None]] = asyncio.sleep) -> None:
        """Have somebody authorize her device on a page, if the homeserver has one; `open` resumes with it. Raises like `open`."""
        with _required(lazy("sign in")):
            await self._devices.sign_in(Grants(self._notes, person, self._access.device_name, pause))

    async def close(self) -> None:
        """Close the connection and the key store."""
        client, self._client = self._client, None
        if client is not None:
            await close(client)

    async def keep_signed_in(self, pause: Callable[[float], Awaitable[None]]) -> None:
        """Renew an expiring token in good time, until cancelled. Raises PlatformFailure if a new connection may help."""
        while True:
            try:
                seconds = await self._devices.renew(self.client)
            except (RequestRefused, GrantEnded) as refusal:
                why = str(refusal) or lazy("the session is over")
                raise PlatformFailure(
                    "The homeserver does not renew Lyra's session ({denied}); she signs in anew.", denied=why
                ) from None
            except SignedOut:
                raise
            except PlatformFailure as failed:
                # The old one may hold for a while; if it does not, the next sync shows that.
                log.warning("%s", failed)
                seconds = _SOON
            await (pause(max(seconds * _RENEWED_AFTER, _SHORTEST)) if seconds is not None else asyncio.Event().wait())

    async def keep_keys(self, response: SyncResponse) -> None:
        """Do the key maintenance that a sync calls for.

        Refill one-time keys, query devices, open Olm sessions, and send queued to-device messages. Call it after every
        sync, before the next. Raises like `open`, and IdentityReplaced.
        """
        client = self.client
        try:
            await refill(client, response.device_key_count.signed_curve25519)
            answers = await client.send_to_device_messages()
            if client.should_query_keys:
                answers.append(await client.keys_query())
            if client.should_claim_keys:
                answers.append(await client.keys_claim(client.get_users_for_key_claiming()))
        except RequestRefused as denied:
            raise PlatformFailure(
                "The homeserver does not take Lyra's one-time keys ({denied}); she connects anew.", denied=denied
            ) from None
        except TROUBLE as error:
            raise unreachable(type(error).__name__) from None
        for answer in answers:
            if isinstance(answer, ErrorResponse):
                raise failure(answer)
        if client.user_id in response.device_list.changed:
            await self._require_identity(client)

    async def _require_identity(self, client: AsyncClient) -> None:
        """Raise IdentityReplaced if the account had her identity and has another one now, or what is transient."""
        if self.identity is None:
            return
        with suppress(RequestRefused):
            if not names((await published(client)).master, self.identity.public(MASTER)):
                raise IdentityReplaced

    async def replace_identity(self, password: str) -> None:
        """Replace the cross-signing identity, and the secret storage with it.

        People who verified her are warned by their client. Raises PlatformRefused if it is refused, PlatformFailure if
        transient.
        """
        identity = await self._signing.replace(self.client, password)
        with _required(lazy("keep her recovery key")):
            await self._recovery.ensure(self.client, identity, take_over=True)
        self._say(lazy("Lyra's cross-signing identity was replaced; whoever verified her before has to verify her again."))

    async def recovery_key(self) -> str:
        """Return the recovery key, a secret by which the owner's other clients verify Lyra. Raises like `replace_identity`."""
        with _required(lazy("read her secret storage")):
            return await self._recovery.formatted_key(self.client)

    async def _vouch(self, client: AsyncClient) -> None:
        self.identity = None
        try:
            self.identity = await self._signing.ensure(client, self._access.password)
            await self._recovery.ensure(client, self.identity)
        except Unsigned as unsigned:
            self._say(unsigned.sentence)
        except ForeignStorage:
            self._say(
                lazy(
                    "The account has a secret storage that another client made, so Lyra's own recovery key is not in it; "
                    "{replace} makes it hers.",
                    replace=REPLACE,
                )
            )
        except RequestRefused as denied:
            self._say(
                lazy("The homeserver does not let Lyra keep her recovery key ({denied}); ask whoever runs it.", denied=denied)
            )

    def _say(self, sentence: Said) -> None:
        if str(sentence) not in self.said:
            self.said.append(str(sentence))


@contextmanager
def _required(what: Said) -> Iterator[None]:
    """Turn a refusal of what she cannot do without into the final error."""
    try:
        yield
    except RequestRefused as denied:
        raise denied.final(what) from None
