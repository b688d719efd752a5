"""Verifications under way, as they are kept: so that a restart can end them in words, and whoever runs Lyra sees them beside her."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from adapters.base import Notes

_MOST_OVER = 100


@dataclass(frozen=True, slots=True)
class Record:
    """One under way: whose, from which device, where; `emoji` are the numbers that it shows, none before."""

    id: str
    user: str
    device: str
    room: str = ""
    emoji: tuple[int, ...] = ()


class Records:
    """The verifications of one account under way, and the ids of those that are over."""

    def __init__(self, notes: Notes, account: str) -> None:
        self._notes, self._name = notes, f"verification {account}"

    async def under_way(self) -> list[Record]:
        """Return those under way."""
        return [Record(**{**one, "emoji": tuple(one["emoji"])}) for one in (await self._all())["open"]]

    async def over(self) -> set[str]:
        """Return the ids of those that were over last."""
        return set((await self._all())["over"])

    async def keep(self, one: Record) -> None:
        """Keep one as it is now."""
        kept = await self._all()
        await self._put(kept, [*_without(kept, one.id), asdict(one)])

    async def end(self, id: str) -> None:
        """Have one be over."""
        kept = await self._all()
        await self._put({**kept, "over": [*kept["over"], id][-_MOST_OVER:]}, _without(kept, id))
        await self._notes.put(self._answer(id), None)

    async def answer(self, one: Record) -> bool | None:
        """Return whether whoever runs her found the emoji of one to be the same, None where they did not say that of these."""
        found = await self._notes.get(self._answer(one.id))
        return bool(found["same"]) if isinstance(found, dict) and found["shown"] == shown_of(one) else None

    async def say(self, one: Record, *, same: bool) -> None:
        """Say, as who runs her, whether the emoji of one, as it was shown, are the same."""
        await self._notes.put(self._answer(one.id), {"same": same, "shown": shown_of(one)})

    def _answer(self, id: str) -> str:
        return f"{self._name} {id}"

    async def _all(self) -> dict[str, Any]:
        return await self._notes.get(self._name) or {"open": [], "over": []}

    async def _put(self, kept: dict[str, Any], under_way: Sequence[Any]) -> None:
        await self._notes.put(self._name, {**kept, "open": list(under_way)})


def shown_of(one: Record) -> dict[str, Any]:
    """Return what a verdict on one rests on: its other side names the id, and may do so twice."""
    return {**asdict(one), "emoji": list(one.emoji)}


def _without(kept: dict[str, Any], id: str) -> list[Any]:
    return [one for one in kept["open"] if one["id"] != id]
