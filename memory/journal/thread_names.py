"""Thread names given by Lyra: sent outbox rows, each answering the message that its thread is named after.

A name that may no longer be shown is removed by a part of its own, which waits until the platform accepts it.
"""

from collections.abc import Sequence

from memory.journal.parts import TITLE, Part
from memory.store.database import Database, Reader
from memory.store.lineage import bound, placeholders


class ThreadNames:
    """The thread names of one database that are to be removed."""

    _db: Database

    async def unnaming(self) -> list[tuple[str, str, Part]]:
        """Return the removals not attempted yet, oldest first, each with its platform and place."""
        rows = await self._db.all(
            f"SELECT key, platform, place, text, operation FROM outbox WHERE {_GOING} AND state = 'pending' ORDER BY id"
        )
        return [(row["platform"], row["place"], Part(row["key"], row["text"], row["operation"], form=TITLE)) for row in rows]

    async def named_still(self, parts: Sequence[Part]) -> list[tuple[str, str]]:
        """Return platform and place of the threads whose names these parts did not remove."""
        rows = await self._db.all(
            f"SELECT platform, place FROM outbox WHERE key IN ({placeholders('k', parts)}) AND state <> 'sent'",
            bound("k", (part.key for part in parts)),
        )
        return [(row["platform"], row["place"]) for row in rows]


async def is_removal_due(reader: Reader, platform: str, place: str) -> bool:
    """Return whether the thread of a place still bears a name that is to be removed."""
    row = await reader.one(
        f"SELECT 1 AS yes FROM outbox WHERE {_GOING} AND platform = :platform AND place = :place AND state <> 'sent' LIMIT 1",
        {"platform": platform, "place": place},
    )
    return row is not None


_GOING = f"form = '{TITLE}' AND answers = '' AND operation = 'delete'"
