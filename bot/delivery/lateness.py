"""Places with undelivered parts, and when to retry."""

import asyncio
from dataclasses import dataclass

_FIRST, _LONGEST = 5.0, 60.0
Place = tuple[str, str]
"""A platform, and the key of a place there."""


@dataclass(slots=True)
class _Late:
    failures: int
    due: float | None


class Lateness:
    """Places to retry: when the platform says; else after 5 s, doubling with each further failure up to 60 s."""

    def __init__(self) -> None:
        self._late: dict[Place, _Late] = {}
        self._changed = asyncio.Event()

    def __contains__(self, place: Place) -> bool:
        return place in self._late

    def failed(self, place: Place, retry_after: float | None) -> None:
        """Record a failed delivery; `retry_after` is in seconds, None if the platform did not say."""
        failures = self._late[place].failures + 1 if place in self._late else 1
        usual = min(_LONGEST, _FIRST * 2.0 ** min(failures - 1, 10))
        self._late[place] = _Late(failures, asyncio.get_running_loop().time() + (usual if retry_after is None else retry_after))
        self._changed.set()

    def arrived(self, place: Place) -> None:
        """Record that nothing waits at a place any more."""
        self._late.pop(place, None)

    async def due(self) -> list[Place]:
        """Wait until a retry is due, and return the places. Each is due again only if it fails again."""
        now = asyncio.get_running_loop().time
        while not (due := [place for place, one in self._late.items() if one.due is not None and one.due <= now()]):
            self._changed.clear()
            instants = [one.due for one in self._late.values() if one.due is not None]
            try:
                async with asyncio.timeout_at(min(instants, default=None)):
                    await self._changed.wait()
            except TimeoutError:
                continue
        for place in due:
            self._late[place].due = None
        return due
