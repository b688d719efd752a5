"""Places where Lyra may temporarily not write: answers wait, and those that come too late are replaced by one line.

This is known to this process alone: after a restart, the waiting parts fail again and mark their place anew.
"""

from dataclasses import replace

from bot.delivery.cards import CARDS
from localization.sentences import lazy
from memory.journal.journal import OutboxRow
from memory.ports import Clock
from memory.types import MINUTE

LATE = lazy("You asked me something while I could not write here. That was a while ago: ask again if you still want to know.")
_LONGEST = 24 * 60 * MINUTE
PlaceKey = tuple[str, str]
"""A platform, and the key of a place there."""


class BlockedPlaces:
    """Barred places. An answer older than `within`, in microseconds, comes too late."""

    def __init__(self, clock: Clock, within: int) -> None:
        self._clock = clock
        self._within = within
        self._since: dict[PlaceKey, set[str]] = {}

    def __contains__(self, place: PlaceKey) -> bool:
        return place in self._since

    def begin(self, place: PlaceKey) -> None:
        """Mark a place where she may not write."""
        self._since.setdefault(place, set())

    def end(self, place: PlaceKey) -> None:
        """Unmark a place where nothing waits any more."""
        self._since.pop(place, None)

    def is_over(self, row: OutboxRow) -> bool:
        """Return whether a part waited so long that it is given up."""
        return self._clock.now() - row.since > _LONGEST

    def as_told(self, place: PlaceKey, row: OutboxRow) -> OutboxRow | None:
        """Return what to send for a waiting part: the part, one line in place of all that come too late, or None."""
        lines = self._since.get(place)
        if lines is None or row.part.operation != "send" or self._clock.now() - row.since <= self._within:
            return row
        if not row.answers or not row.first or (lines and row.part.key not in lines):
            return None
        lines.add(row.part.key)
        return replace(
            row,
            part=replace(row.part, text=str(LATE), actions="", form="" if row.part.form == CARDS else row.part.form),
            notice=True,
        )
