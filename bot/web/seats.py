"""Who sits at a conversation: while a tab shows it, what was left unanswered there is taken up, unless a terminal is there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.conversation.alone import Alone


class Seats:
    """The conversations that tabs of this process show."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._taken: dict[str, tuple[Alone, int]] = {}

    def at_hand(self, place: str) -> bool:
        """Say whether this process, and no other, sits at a place."""
        return place in self._taken and self._taken[place][0].held

    @contextmanager
    def taken(self, place: str) -> Iterator[bool]:
        """Sit at a place for the block; give whether no terminal and no other process is there as well."""
        alone, sitting = self._taken.get(place, (Alone(self._home, place), 0))
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
