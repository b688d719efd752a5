"""Verified keys, kept across restarts, and signed if the operator compared them."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from nio import AsyncClient

from adapters.errors import PlatformFailure
from adapters.listener import Notes
from adapters.matrix.account.published_keys import PublishedKeys, bare, published_of
from adapters.matrix.account.signing import SELF, USER, CrossSigningIdentity
from adapters.matrix.homeserver import Json, RequestRefused, SignedOut, ask
from adapters.matrix.verification.sas import DeviceParty

OPERATOR, CHAT = "operator", "chat"
"""Who confirmed the emoji: the operator at the terminal, or the person in their conversation with her."""


@dataclass(frozen=True, slots=True)
class Attestation:
    """Somebody's verified keys: a device's, and the master key of their identity, '' for none.

    `by` says who compared, `at` when, in microseconds UTC; `signed` that her own identity's signature tells her other
    clients.
    """

    user: str
    device: str
    key: str
    master: str
    by: str
    at: int
    signed: bool = False

    @property
    def keys(self) -> tuple[str, str, str]:
        """The keys that identify it."""
        return self.device, self.key, self.master


class VerifiedKeys:
    """The attestations of one account."""

    def __init__(self, client: AsyncClient, notes: Notes, identity: CrossSigningIdentity | None) -> None:
        self._client, self._notes, self._identity = client, notes, identity

    async def add(self, shown: PublishedKeys, other: DeviceParty, *, master: bool, by: str, at: int) -> Attestation:
        """Record the keys shown of somebody as verified, with or without the `master` key.

        Raises like `ask`, without RequestRefused.
        """
        attestation = Attestation(other.user, other.device, shown.device_key, shown.master_key if master else "", by, at)
        before = (await attestations(self._notes, self._client.user_id)).get(other.user)
        if before and before.by == OPERATOR and before.keys == attestation.keys:
            # A verdict in a chat does not weaken what was compared at the terminal.
            attestation = replace(attestation, by=OPERATOR, signed=before.signed)
        self._trust(attestation)
        if attestation.by == OPERATOR and not attestation.signed:
            attestation = await self._signed(attestation, shown)
        if other.user != self._client.user_id:
            await self._put(await attestations(self._notes, self._client.user_id) | {other.user: attestation})
        return attestation

    async def changed(self, users: Collection[str] | None = None) -> list[Attestation]:
        """Check again the keys that the homeserver shows of these users, or of all; return attestations voided by changed keys.

        Raises like `ask`.
        """
        before, lost = await attestations(self._notes, self._client.user_id), list[Attestation]()
        kept = dict(before)
        for user, one in before.items():
            if users is not None and user not in users:
                continue
            shown = await published_of(self._client, user, one.device)
            if one.master != shown.master_key if one.master else one.key != shown.device_key:
                lost.append(kept.pop(user))
            elif one.by == OPERATOR and not one.signed:
                kept[user] = await self._signed(one, shown)
        if kept != before:
            await self._put(kept)
        return lost

    def _trust(self, attestation: Attestation) -> None:
        with suppress(KeyError):
            device = self._client.device_store[attestation.user][attestation.device]
            if device.ed25519 == attestation.key:
                self._client.verify_device(device)

    async def _signed(self, attestation: Attestation, shown: PublishedKeys) -> Attestation:
        """Sign with her identity, if its keys are here and may sign; otherwise it is retried at the next check."""
        document = self._signature(attestation, shown)
        if document is None:
            return attestation
        try:
            answer = await ask(self._client, "POST", "keys", "signatures", "upload", body={attestation.user: document})
        except SignedOut:
            raise
        except (RequestRefused, PlatformFailure):
            return attestation
        return attestation if answer.get("failures") else replace(attestation, signed=True)

    def _signature(self, attestation: Attestation, shown: PublishedKeys) -> Json | None:
        if self._identity is None or not attestation.master:
            return None
        # Without others' signatures, which are theirs to upload.
        if attestation.user == self._identity.user:
            return {attestation.device: self._identity.signed(bare(shown.device), SELF)}
        return {attestation.master: self._identity.signed(bare(shown.master), USER)}

    async def _put(self, kept: dict[str, Attestation]) -> None:
        await self._notes.put(_note(self._client.user_id), {user: asdict(one) for user, one in kept.items()})


async def attestations(notes: Notes, account: str) -> dict[str, Attestation]:
    """Return the attestations of an account, by user."""
    return {user: Attestation(**one) for user, one in (await notes.get(_note(account)) or {}).items()}


def _note(account: str) -> str:
    return f"verified {account}"
