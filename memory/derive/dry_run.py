"""A dry run: what a piece of work would change of what recall finds, without changing it.

The work is written in a transaction that nobody else reads, looked at, and taken back. What it would add is then examined
beside what stands, and only if it passes is it written again, for good.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.store.database import Access, Row, Transaction
from memory.store.domains import last_change
from memory.store.lineage import bound, pages, placeholders
from memory.types import Domain

Put = Callable[[Transaction], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Difference:
    """The rows of `terms` that would be added, the items that would be found no more, and the messages each new item cites."""

    added: Sequence[Row]
    gone: frozenset[int]
    cited: Mapping[int, frozenset[int]]


class Check(Protocol):
    """What new digests have to pass before anybody sees them."""

    async def passed(self, put: Put) -> bool:
        """Say whether what a piece of work would publish does no harm."""
        ...


async def dry_run(db: Access, domain: Domain, put: Put) -> Difference:
    """Return what a piece of work would change."""
    try:
        async with db.transaction() as tx:
            before = await last_change(tx, domain.key)
            await put(tx)
            raise _TakenBackError(await _difference(tx, domain, before))
    except _TakenBackError as back:
        return back.difference


class _TakenBackError(Exception):
    """Ends the transaction of a dry run; nothing of it stays."""

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
