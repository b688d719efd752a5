"""Presence at a conversation: while a tab shows it, unanswered questions there are taken up, unless a terminal is attached."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.conversation.conversation_lock import SoleProcess


class TabPresence:
    """The conversations shown by this process's tabs."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._taken: dict[str, tuple[SoleProcess, int]] = {}

    def at_hand(self, place: str) -> bool:
        """Return whether this process alone is present at a place."""
        return place in self._taken and self._taken[place][0].held

    @contextmanager
    def present(self, place: str) -> Iterator[bool]:
        """Be present at a place for the block; yield whether neither a terminal nor another process is there."""
        alone, sitting = self._taken.get(place, (SoleProcess(self._home, place), 0))
        if not sitting:
            alone.__enter__()
        self._taken[place] = alone, sitting + 1
        try:
            yield alone.held
        finally:
            alone, sitting = self._taken[place]
            if sitting > 1:
                self._taken[place] = alone, sitting - 1
            else:
                del self._taken[place]
                alone.__exit__()
