"""Cooperation of the processes that share a memory: presence, leases, shared rate limits, and calls.

A lease is one of several units that one process at a time holds, such as a connection of an account, as long as it lives. All holders
agree on the number of units. These tables hold no content of the memory, and do not move with it.

Calls go by NOTIFY, batched, each in a transaction of its own after the commit: within a writing transaction it would serialize all
commits. Nothing depends on a call: if one is lost, the others find the change when they next poll.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import AbstractAsyncContextManager

from memory.errors import MemoryFailure
from memory.store.bounds import Bounds
from memory.store.database import Transaction
from memory.store.peers import EVERYTHING, WRITTEN, Heard, Lease
from memory.store.postgresql.kept_commits import KEPT_TABLE
from memory.store.postgresql.peers.presence import ProcessPresence

_TOGETHER_SECONDS = 0.005
_MOST_BYTES = 7_000
"""The server accepts less than 8,000 bytes per notification."""
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
    """Implements `Peers` on a server."""

    def __init__(self, presence: ProcessPresence, send: Callable[[str], Awaitable[None]], write: Write) -> None:
        """Prepare; `send` sends a notification, `write` opens a transaction with bounds."""
        self.presence = presence
        self._send = send
        self._write = write
        self._takes_part = False
        self._waiting: set[str] = set()
        self._sending: asyncio.Task[None] | None = None
        self._listeners: list[Heard] = []

    @property
    def lapsed(self) -> asyncio.Event:
        return self.presence.lapsed

    async def join(self, role: str) -> None:
        await self.presence.join(role)
        self._takes_part = True

    async def lease(self, name: str, units: int) -> Lease | None:
        await self.presence.join()
        async with self._write(Bounds.of(f"leases {name}")) as tx:
            return await _take_unit(tx, self.presence.own, name, units)

    async def slot(self, name: str, a_second: float) -> float:
        """Reserve one of `a_second` turns a second that all processes share, by the server's clock; return the seconds until it."""
        async with self._write(Bounds()) as tx:
            (row,) = await tx.all(_TURN, {"name": name, "apart": 1 / a_second})
        return max(float(row["wait"]), 0.0)

    def call(self, *words: str) -> None:
        if not self._takes_part:
            return
        self._waiting.update(words)
        if self._waiting and (self._sending is None or self._sending.done()):
            self._sending = asyncio.create_task(self._call())

    def listen(self, heard: Heard) -> None:
        self._listeners.append(heard)

    def hear(self, payload: str) -> None:
        """Pass a notification on unless this process sent it; '' means that calls may have been missed."""
        caller, *words = payload.split("\n") if payload else ("", EVERYTHING)
        if caller != self.presence.own:
            for heard in self._listeners:
                heard(words)

    async def close(self) -> None:
        """Send what is waiting, and stop."""
        if self._sending is not None:
            await asyncio.gather(self._sending, return_exceptions=True)

    async def _call(self) -> None:
        while self._waiting:
            await asyncio.sleep(_TOGETHER_SECONDS)
            words, self._waiting = sorted(self._waiting), set()
            for payload in _payloads(self.presence.own, words):
                try:
                    await self._send(payload)
                except MemoryFailure:
                    return

    def committed(self, bounds: Bounds | None) -> None:
        """Announce which domains were written."""
        self.call(*([EVERYTHING] if bounds is None else [f"{WRITTEN}{key}" for key in bounds.writes if isinstance(key, int)]))


def _payloads(own: str, words: Collection[str]) -> Iterator[str]:
    payload = own
    for word in words:
        if len(payload.encode()) + len(word.encode()) >= _MOST_BYTES:
            yield payload
            payload = own
        payload += f"\n{word}"
    yield payload


async def _take_unit(tx: Transaction, own: str, name: str, units: int) -> Lease | None:
    """Take the first unit that no living process holds, in a transaction bound to the name; None if there is none."""
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
