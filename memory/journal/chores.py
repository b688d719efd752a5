"""Housekeeping that waits for a process with the time for it: which domains are to be looked after, each by one process at a time.

Where one process does everything, it looks after a domain itself and nothing waits here.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from memory.journal import ledger
from memory.journal.ledger import Claim
from memory.ports import Clock
from memory.store.bounds import Bounds
from memory.store.database import Database, Holders
from memory.types import MINUTE

CHORE = "chore"
"""What is called to other processes where a domain waits."""
_ROUND, _EVERY = "chores", "all"


@dataclass(frozen=True, slots=True)
class Chore:
    """A domain, by its key, that this process looks after now."""

    domain: int
    held: Claim


class Chores:
    """The domains that wait to be looked after."""

    def __init__(self, db: Database, holders: Holders, clock: Clock) -> None:
        self._db = db
        self._holders = holders
        self._clock = clock

    async def add(self, domains: Iterable[int]) -> None:
        """Have domains looked after soon."""
        slots = [str(domain) for domain in sorted(domains)]
        async with self._db.transaction(bounds=Bounds()) as tx:
            await ledger.want(tx, CHORE, slots)
        self._call()

    async def add_all(self) -> bool:
        """Have every domain looked after, once a minute however many ask; return whether it was this time."""
        await self._holders.join()
        async with self._db.transaction(bounds=Bounds()) as tx:
            held = await ledger.claim(tx, _ROUND, _EVERY, self._holders, self._clock.now())
            if held is not None:
                await ledger.want_everywhere(tx, CHORE)
                await ledger.renew(tx, held, self._clock.now() + MINUTE - ledger.LEASE)
        if held is not None:
            self._call()
        return held is not None

    async def take(self) -> Chore | None:
        """Take a domain that waits and that nobody looks after."""
        await self._holders.join()
        async with self._db.transaction(bounds=Bounds()) as tx:
            held = await ledger.take_wanted(tx, CHORE, self._holders, self._clock.now())
        return Chore(int(held.slot), held) if held else None

    async def renew(self, chore: Chore) -> bool:
        """Go on with it for ten minutes more; False where another process does by now."""
        async with self._db.transaction(bounds=Bounds()) as tx:
            return await ledger.renew(tx, chore.held, self._clock.now())

    async def done(self, chore: Chore, *, again: bool = False) -> None:
        """Let go of a domain: it is looked after, or will be `again` in a minute."""
        async with self._db.transaction(bounds=Bounds()) as tx:
            await ledger.finish_wanted(tx, chore.held, self._clock.now() + MINUTE if again else 0)

    def _call(self) -> None:
        if self._db.peers is not None:
            self._db.peers.call(CHORE)
