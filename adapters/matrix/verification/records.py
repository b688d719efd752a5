"""What is kept of verifications: those in progress, so that a restart can end them with a notice and the operator sees them too, and
verified keys, signed if the operator compared them.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from nio import AsyncClient

from adapters.errors import PlatformFailure
from adapters.listener import Notes
from adapters.matrix.account.published_keys import PublishedKeys, bare, published_of
from adapters.matrix.account.signing import SELF, USER, CrossSigningIdentity
from adapters.matrix.homeserver import Json, RequestRefused, SignedOut, ask
from adapters.matrix.verification.sas import DeviceParty
from adapters.matrix.verification.steps import Verification

OPERATOR, CHAT = "operator", "chat"
"""Who confirmed the emoji: the operator at the terminal, or the person in their conversation with her."""
_MOST_OVER = 100


@dataclass(frozen=True, slots=True)
class VerificationRecord:
    """What is kept of one: whose, from which device, where; `emoji` are the numbers it shows, empty before that."""

    id: str
    user: str
    device: str
    room: str = ""
    emoji: tuple[int, ...] = ()

    @classmethod
    def of(cls, one: Verification) -> Self:
        """Return the record of a verification that shows its emoji."""
        return cls(one.id, one.other.user, one.other.device, one.room, one.emoji)


@dataclass(slots=True)
class VerificationInProgress:
    """A verification in progress, its deadline (on the clock of the pace), who confirmed the emoji on her side, '' for nobody yet, and
    whether they were shown.
    """

    verification: Verification
    until: float
    by: str = ""
    shown: bool = False


class Records:
    """One account's verifications in progress, and the ids of those that ended."""

    def __init__(self, notes: Notes, account: str) -> None:
        self._notes, self._name = notes, f"verification {account}"

    async def under_way(self) -> list[VerificationRecord]:
        """Return those in progress."""
        return [VerificationRecord(**{**one, "emoji": tuple(one["emoji"])}) for one in (await self._all())["open"]]

    async def over(self) -> set[str]:
        """Return the ids of the last ones that ended."""
        return set((await self._all())["over"])

    async def keep(self, one: VerificationRecord) -> None:
        """Save a record in its current state."""
        kept = await self._all()
        await self._put(kept, [*_without(kept, one.id), asdict(one)])

    async def end(self, id: str) -> None:
        """Record that a verification ended."""
        kept = await self._all()
        await self._put({**kept, "over": [*kept["over"], id][-_MOST_OVER:]}, _without(kept, id))
        await self._notes.put(self._answer(id), None)

    async def answer(self, one: VerificationRecord) -> bool | None:
        """Return the operator's verdict on a verification's emoji, None if there is none on exactly these."""
        found = await self._notes.get(self._answer(one.id))
        return bool(found["same"]) if isinstance(found, dict) and found["shown"] == shown_of(one) else None

    async def say(self, one: VerificationRecord, *, same: bool) -> None:
        """Record the operator's verdict on the emoji of a verification, as shown."""
        await self._notes.put(self._answer(one.id), {"same": same, "shown": shown_of(one)})

    def _answer(self, id: str) -> str:
        return f"{self._name} {id}"

    async def _all(self) -> dict[str, Any]:
        return await self._notes.get(self._name) or {"open": [], "over": []}

    async def _put(self, kept: dict[str, Any], under_way: Sequence[Any]) -> None:
        await self._notes.put(self._name, {**kept, "open": list(under_way)})


def shown_of(one: VerificationRecord) -> dict[str, Any]:
    """Return what a verdict rests on: the other side chooses the id, and may reuse it."""
    return {**asdict(one), "emoji": list(one.emoji)}


def _without(kept: dict[str, Any], id: str) -> list[Any]:
    return [one for one in kept["open"] if one["id"] != id]


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
