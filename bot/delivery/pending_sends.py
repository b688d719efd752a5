"""What waits to be sent: text that is not in the outbox, held in memory and lost with the process; and places, until a retry is due."""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adapters.command_table import File
from localization.sentences import lazy
from memory.journal.journal import OFF_RECORD, OutboxRow, Part

LOST = lazy("I was stopped before this answer was sent, and kept no word of it: ask again if you still want it.")
_MOST = 10_000
"""How many parts are held, which can wait where a platform is out of reach; what is older is lost."""
_FIRST, _LONGEST = 5.0, 60.0
Place = tuple[str, str]
"""A platform, and the key of a place there."""


class PendingTexts:
    """The text of waiting parts."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, tuple[Part, bool, Sequence[File]]] = OrderedDict()

    def hold(self, parts: Sequence[Part], *, notice: bool, files: Sequence[File]) -> Sequence[Part]:
        """Hold the text of parts, and the files attached to the last; return the parts for the outbox, without text."""
        self._held |= {part.key: (part, notice, files if part is parts[-1] else ()) for part in parts}
        while len(self._held) > _MOST:
            self._held.popitem(last=False)
        return [replace(part, text="", actions="", form=OFF_RECORD) for part in parts]

    def whole(self, row: OutboxRow) -> tuple[OutboxRow, Sequence[File]] | None:
        """Return a part with its text and files; if these are lost, the first part says so, and the others are None."""
        part, notice, files = self._held.get(row.part.key, (None, True, ()))
        if part is not None:
            return replace(row, part=part, notice=notice), files
        return (replace(row, part=replace(row.part, text=str(LOST)), notice=True), ()) if row.first else None

    def drop(self, rows: Sequence[OutboxRow]) -> None:
        """Drop what is sent, or will never be sent."""
        for row in rows:
            self._held.pop(row.part.key, None)


@dataclass(slots=True)
class _Late:
    failures: int
    due: float | None


class Retries:
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
