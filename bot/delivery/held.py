"""Text that is not in the outbox: held in memory until it is sent, and lost with the process."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from adapters.command_table import File
from localization.sentences import lazy
from memory.journal.journal import OFF_RECORD, OutboxRow, Part

LOST = lazy("I was stopped before this answer was sent, and kept no word of it: ask again if you still want it.")
_MOST = 10_000
"""How many parts are held, which can wait where a platform is out of reach; what is older is lost."""


class Held:
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
