"""Whose keys were compared and found right, kept over restarts, and signed where whoever runs Lyra compared them."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

from nio import AsyncClient

from adapters.base import Notes
from adapters.errors import PlatformFailure
from adapters.matrix.account.identity import SELF, USER, CrossSigningIdentity
from adapters.matrix.account.published import Published, bare, published_of
from adapters.matrix.homeserver import Denied, Json, SignedOut, ask
from adapters.matrix.verification.sas import Party

OPERATOR, CHAT = "operator", "chat"
"""Who found the emoji to be the same: whoever runs her, at the terminal; or the person, where they talk with her."""


@dataclass(frozen=True, slots=True)
class Attestation:
    """The keys of somebody that were right: a device's, and the master key of their identity, '' for none.

    `by` says who compared, `at` when, in microseconds UTC; `signed` that her own identity says so to her other clients.
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
        """Which keys they are."""
        return self.device, self.key, self.master


class Attested:
    """The attestations of one account."""

    def __init__(self, client: AsyncClient, notes: Notes, identity: CrossSigningIdentity | None) -> None:
        self._client, self._notes, self._identity = client, notes, identity

    async def all(self) -> dict[str, Attestation]:
        """Return them, by user."""
        return await attestations(self._notes, self._client.user_id)

    async def add(self, shown: Published, other: Party, *, master: bool, by: str, at: int) -> Attestation:
        """Keep that what the homeserver shows of somebody is right, the `master` key included or not. Raises as `ask`, without Denied."""
        attestation = Attestation(other.user, other.device, shown.device_key, shown.master_key if master else "", by, at)
        before = (await self.all()).get(other.user)
        if before and before.by == OPERATOR and before.keys == attestation.keys:
            # What somebody says in a chat takes nothing from what was compared at the terminal.
            attestation = replace(attestation, by=OPERATOR, signed=before.signed)
        self._trust(attestation)
        if attestation.by == OPERATOR and not attestation.signed:
            attestation = await self._signed(attestation, shown)
        if other.user != self._client.user_id:
            await self._put(await self.all() | {other.user: attestation})
        return attestation

    async def changed(self, users: Collection[str] | None = None) -> list[Attestation]:
        """Look again at what the homeserver shows of these users, or of all; return what counts no more, as keys are others now.

        Raises as `ask`.
        """
        before, lost = await self.all(), list[Attestation]()
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
        """Have the key store know a device as verified."""
        with suppress(KeyError):
            device = self._client.device_store[attestation.user][attestation.device]
            if device.ed25519 == attestation.key:
                self._client.verify_device(device)

    async def _signed(self, attestation: Attestation, shown: Published) -> Attestation:
        """Have her identity say so, where it is there and may; else that is tried again when she looks next."""
        document = self._signature(attestation, shown)
        if document is None:
            return attestation
        try:
            answer = await ask(self._client, "POST", "keys", "signatures", "upload", body={attestation.user: document})
        except SignedOut:
            raise
        except (Denied, PlatformFailure):
            return attestation
        return attestation if answer.get("failures") else replace(attestation, signed=True)

    def _signature(self, attestation: Attestation, shown: Published) -> Json | None:
        if self._identity is None or not attestation.master:
            return None
        # Without what others signed, which is theirs to upload.
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
