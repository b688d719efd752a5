"""A dry run: what a piece of work would change in the results of recall.

The work is written in a transaction that nobody else reads, inspected, and rolled back. The additions are then evaluated along
with what exists; only if they pass is the work written again, for good.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Row, Transaction
from memory.store.domains import last_change
from memory.store.lineage import bound, pages, placeholders
from memory.types import Domain

Put = Callable[[Transaction], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Difference:
    """The rows of `terms` that would be added, the items that would be unindexed, and the messages each new item cites."""

    added: Sequence[Row]
    gone: frozenset[int]
    cited: Mapping[int, frozenset[int]]


class Check(Protocol):
    """A check that new digests must pass before they become visible."""

    async def passed(self, put: Put) -> bool:
        """Return whether publishing a piece of work does no harm."""
        ...


async def dry_run(db: DatabaseAccess, domain: Domain, put: Put) -> Difference:
    """Return what a piece of work would change."""
    try:
        async with db.transaction(bounds=Bounds.of(domain.key)) as tx:
            before = await last_change(tx, domain.key)
            await put(tx)
            raise _TakenBackError(await _difference(tx, domain, before))
    except _TakenBackError as back:
        return back.difference


class _TakenBackError(Exception):
    """An exception that rolls back the transaction of a dry run."""

    def __init__(self, difference: Difference) -> None:
        super().__init__()
        self.difference = difference


async def _difference(tx: Transaction, domain: Domain, since: int) -> Difference:
    changes = await tx.all(
        "SELECT item, op FROM changes WHERE domain = :d AND seq > :since ORDER BY seq", {"d": domain.key, "since": since}
    )
    gone = {row["item"] for row in changes if row["op"] == "drop"}
    new = sorted({row["item"] for row in changes if row["op"] == "add"} - gone)
    rows: list[Row] = []
    cited: dict[int, set[int]] = {item: set() for item in new}
    for some in pages(new):
        which = bound("i", some)
        rows += await tx.all(
            f"SELECT * FROM terms WHERE domain = :d AND item IN ({placeholders('i', some)}) ORDER BY item, passage",
            {"d": domain.key, **which},
        )
        for row in await tx.all(
            f"SELECT child, parent FROM lineage WHERE cited = 1 AND child IN ({placeholders('i', some)})", which
        ):
            cited[row["child"]].add(row["parent"])
    return Difference(rows, frozenset(gone), {item: frozenset(rests) for item, rests in cited.items()})
