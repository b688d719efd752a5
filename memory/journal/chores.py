"""Housekeeping queued for a process with spare time: domains due for it, each handled by one process at a time.

Where a single process does everything, it does the housekeeping itself and nothing is queued here.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from memory.journal import ledger
from memory.journal.ledger import Claim
from memory.ports import Clock
from memory.store.bounds import Bounds
from memory.store.database import ClaimHolders, Database
from memory.types import MINUTE

CHORE = "chore"
"""What is called to other processes when a domain is queued."""


@dataclass(frozen=True, slots=True)
class Chore:
    """A domain, by key, whose housekeeping this process has claimed."""

    domain: int
    held: Claim


class Chores:
    """The queue of domains due for housekeeping."""

    def __init__(self, db: Database, holders: ClaimHolders, clock: Clock) -> None:
        self._db = db
        self._holders = holders
        self._clock = clock

    async def add(self, domains: Iterable[int]) -> None:
        """Queue domains for housekeeping."""
        slots = [str(domain) for domain in sorted(domains)]
        async with self._db.transaction(bounds=Bounds()) as tx:
            await ledger.queue_work(tx, CHORE, slots)
        if self._db.peers is not None:
            self._db.peers.call(CHORE)

    async def take(self) -> Chore | None:
        """Claim a queued domain that no other process holds."""
        await self._holders.join()
        async with self._db.transaction(bounds=Bounds()) as tx:
            held = await ledger.take_wanted(tx, CHORE, self._holders, self._clock.now())
        return Chore(int(held.slot), held) if held else None

    async def renew(self, chore: Chore) -> bool:
        """Renew the claim for another ten minutes; False if another process has it by now."""
        async with self._db.transaction(bounds=Bounds()) as tx:
            return await ledger.renew(tx, chore.held, self._clock.now())

    async def done(self, chore: Chore, *, again: bool = False) -> None:
        """Release a domain, done or, with `again`, due once more in a minute."""
        async with self._db.transaction(bounds=Bounds()) as tx:
            await ledger.finish_wanted(tx, chore.held, self._clock.now() + MINUTE if again else 0)
