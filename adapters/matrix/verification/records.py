"""Verifications in progress, and their records, so that a restart can end them with a notice, and the operator sees them too."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from adapters.listener import Notes
from adapters.matrix.verification.steps import Verification

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
