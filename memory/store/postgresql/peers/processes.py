"""This process among those that share a memory: that it is alive, what it has of several alike, and what they call to each other.

What one process at a time has, such as one of the connections of an account, is a row each, held as long as its holder lives. How many there
are is agreed upon by those who hold some: who comes with another number takes theirs. The tables hold nothing of the memory, and do not
move with it.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from memory.store.bounds import Bounds
from memory.store.database import Transaction
from memory.store.peers import EVERYTHING, WRITTEN, Heard, Lease
from memory.store.postgresql.kept_commits import KEPT_TABLE
from memory.store.postgresql.peers.calls import PeerCalls
from memory.store.postgresql.peers.presence import ProcessPresence

Write = Callable[[Bounds], AbstractAsyncContextManager[Transaction]]
PEER_TABLES = (
    'CREATE TABLE IF NOT EXISTS processes (name TEXT COLLATE "C" PRIMARY KEY, role TEXT NOT NULL, until TIMESTAMPTZ NOT NULL)',
    'CREATE TABLE IF NOT EXISTS leases (name TEXT COLLATE "C" NOT NULL, unit BIGINT NOT NULL, units BIGINT NOT NULL, '
    'holder TEXT COLLATE "C" NOT NULL, fence BIGINT NOT NULL, PRIMARY KEY (name, unit))',
    'CREATE TABLE IF NOT EXISTS paces (name TEXT COLLATE "C" PRIMARY KEY, next DOUBLE PRECISION NOT NULL)',
    KEPT_TABLE,
)
_HELD = "SELECT l.unit, l.units FROM leases l JOIN processes p ON p.name = l.holder WHERE l.name = :name"
_TURN = (
    "INSERT INTO paces (name, next) VALUES (:name, extract(epoch FROM clock_timestamp()) + CAST(:apart AS DOUBLE PRECISION)) "
    "ON CONFLICT (name) DO UPDATE SET next = greatest(paces.next, extract(epoch FROM clock_timestamp())) + "
    "CAST(:apart AS DOUBLE PRECISION) "
    "RETURNING next - CAST(:apart AS DOUBLE PRECISION) - extract(epoch FROM clock_timestamp()) AS wait"
)


class Processes:
    """What `Peers` asks for, on a server."""

    def __init__(self, presence: ProcessPresence, calls: PeerCalls, write: Write) -> None:
        """Take part in nothing yet; `write` begins a transaction of what it is bound to."""
        self.presence = presence
        self.calls = calls
        self._write = write
        self._takes_part = False

    @property
    def lapsed(self) -> asyncio.Event:
        """Set once others go on with the work of this process."""
        return self.presence.lapsed

    async def join(self, role: str) -> None:
        """Be one of them in a role from now on. Raises DatabaseAway, DatabaseRefused."""
        await self.presence.join(role)
        self._takes_part = True

    async def lease(self, name: str, units: int) -> Lease | None:
        """Have one of so many units of a name until this process ends."""
        await self.presence.join()
        async with self._write(Bounds.of(f"leases {name}")) as tx:
            return await _take_unit(tx, self.presence.own, name, units)

    async def slot(self, name: str, a_second: float) -> float:
        """Take the next of so many turns a second that all processes have together, by the clock of the server; return in how many seconds it is."""
        async with self._write(Bounds()) as tx:
            (row,) = await tx.all(_TURN, {"name": name, "apart": 1 / a_second})
        return max(float(row["wait"]), 0.0)

    def call(self, *words: str) -> None:
        """Call words to the others soon."""
        if self._takes_part:
            self.calls.call(words)

    def listen(self, heard: Heard) -> None:
        """Have something told what the others call."""
        self.calls.listen(heard)

    def committed(self, bounds: Bounds | None) -> None:
        """Call which domains were written."""
        self.call(*([EVERYTHING] if bounds is None else [f"{WRITTEN}{key}" for key in bounds.writes if isinstance(key, int)]))


async def _take_unit(tx: Transaction, own: str, name: str, units: int) -> Lease | None:
    """Take the first that nobody living holds, in a transaction that is bound to their name; None where all are held."""
    held = await tx.all(f"{_HELD} ORDER BY l.unit", {"name": name})
    agreed = int(held[0]["units"]) if held else units
    taken = {int(row["unit"]) for row in held}
    unit = next((one for one in range(agreed) if one not in taken), None)
    if unit is None:
        return None
    (fence,) = await tx.numbers("fence")
    await tx.run(
        "INSERT INTO leases (name, unit, units, holder, fence) VALUES (:name, :unit, :units, :own, :fence) "
        "ON CONFLICT (name, unit) DO UPDATE SET units = excluded.units, holder = excluded.holder, fence = excluded.fence",
        {"name": name, "unit": unit, "units": agreed, "own": own, "fence": fence},
    )
    return Lease(unit, agreed, fence)
