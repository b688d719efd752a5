"""Which events are edits, and of what: an edit that is taken back does not say it any more."""

from adapters.base import Notes

_NOTE = "edits"
_MOST = 500


class Edits:
    """The latest edits."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._originals: dict[str, str] = {}
        self._changed = False

    async def load(self) -> None:
        """Read what was kept."""
        self._originals = await self._notes.get(_NOTE) or {}

    def note(self, edit: str, original: str) -> None:
        """Note an edit."""
        self._changed = self._changed or edit not in self._originals
        self._originals[edit] = original
        while len(self._originals) > _MOST:
            del self._originals[next(iter(self._originals))]

    def original(self, edit: str) -> str:
        """Return what an event is an edit of, '' for none."""
        return self._originals.get(edit, "")

    async def settle(self) -> None:
        """Keep what changed."""
        if self._changed:
            await self._notes.put(_NOTE, self._originals)
            self._changed = False
