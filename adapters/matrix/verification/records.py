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

    async def answer(self, id: str) -> bool | None:
        """Return whether whoever runs her found the emoji of one to be the same, None where they did not say yet."""
        found = await self._notes.get(self._answer(id))
        return found if isinstance(found, bool) else None

    async def say(self, id: str, *, same: bool) -> None:
        """Say, as who runs her, whether the emoji of one are the same."""
        await self._notes.put(self._answer(id), same)

    def _answer(self, id: str) -> str:
        return f"{self._name} {id}"

    async def _all(self) -> dict[str, Any]:
        return await self._notes.get(self._name) or {"open": [], "over": []}

    async def _put(self, kept: dict[str, Any], under_way: Sequence[Any]) -> None:
        await self._notes.put(self._name, {**kept, "open": list(under_way)})


def _without(kept: dict[str, Any], id: str) -> list[Any]:
    return [one for one in kept["open"] if one["id"] != id]
