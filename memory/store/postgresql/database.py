"""A memory in a schema of a PostgreSQL database, behind a pool of connections.

Transactions run concurrently unless their bounds conflict. Within the process a gate decides, between processes advisory locks
on the memory and on each domain: so what a transaction read within its bounds still holds when it writes. Reads run
concurrently with everything, each from the last committed state.

If a connection is lost, a read is repeated on another. A transaction is rolled back, unless only the answer to its COMMIT was
lost: then the server is asked what became of it.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Self

import psycopg
from psycopg_pool import PoolTimeout

from memory.errors import HomeInUse, MemoryFailure, WrongKey
from memory.ports import Progress
from memory.store.bounds import Bounds
from memory.store.cancellation import uncancelled
from memory.store.database import Parameters, Reader, Row
from memory.store.file_locks import FileHolders
from memory.store.postgresql.connecting import PATIENCE_SECONDS, connect, require_fit, set_up
from memory.store.postgresql.copying import copy, read_through, snapshot, tables
from memory.store.postgresql.database_server import CHANNEL, DatabaseAddress
from memory.store.postgresql.error_translation import explained, is_lost
from memory.store.postgresql.kept_commits import KeptCommits, lacking
from memory.store.postgresql.migrating import migrate, write_down_numbers
from memory.store.postgresql.peers.presence import ProcessPresence, Reservation
from memory.store.postgresql.peers.processes import Processes
from memory.store.postgresql.pipelined_connection import PipelinedConnection
from memory.store.postgresql.pool import Pool
from memory.store.postgresql.scope import READING_ALL, WHOLE, Scope, ScopedDatabase, query
from memory.store.postgresql.sealing.converting import columns
from memory.store.postgresql.sealing.keyring import Keyring
from memory.store.postgresql.sealing.sealer import Sealer
from memory.store.postgresql.transaction import STILL_HERE, PostgresTransaction
from memory.store.sqlite.database import SqliteDatabase
from memory.store.transaction_gate import TransactionGate

READERS, WRITERS = 4, 4


class PostgresDatabase(Reader):
    """An open database. Use `PostgresDatabase.open`; close it, or leave the `async with`."""

    def __init__(self, address: DatabaseAddress, pool: Pool, sealer: Sealer, commits: KeptCommits) -> None:
        self.address = address
        self._sealer = sealer
        self._pool = pool
        self._commits = commits
        self.outdated, self.hurried = commits.outdated, pool.hurried
        self._writing = TransactionGate(WRITERS)
        self._reading = asyncio.Semaphore(READERS)
        self._reservation = Reservation(address, self._hear, pool.hurried)
        self.peers: Processes | None = None
        self._closed = False
        self.reads = self.transactions = 0

    @classmethod
    async def open(cls, address: DatabaseAddress, key: bytes, *, new: bool = True) -> Self:
        """Open the database and migrate its schema, which is created only if it may be `new`.

        `key` is the master key. Raises WrongKey, MemoryMissing, DatabaseAway, DatabaseRefused, DatabaseBusy, NewerDatabase,
        NotWritable, DiskFull.
        """
        keys = Keyring(key)
        with explained(address):
            # Not from the pool, which reports every failure as a timeout.
            async with await connect(address) as connection:
                await require_fit(connection, address)
                await migrate(connection, address, keys, new=new)
                sealer = Sealer(keys, await columns(connection))
            commits = KeptCommits(address, WRITERS)

            async def configure(connection: PipelinedConnection) -> None:
                await set_up(connection)
                await commits.check(connection)

            pool = Pool(address, configure, READERS + WRITERS)
            await pool.open()
        return cls(address, pool, sealer, commits)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def hurry(self) -> None:
        self._pool.hurry()

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self.peers is not None:
            await self.peers.close()
        async with self._writing.turn():
            await uncancelled(self._reservation.close())
            await uncancelled(self._pool.close(timeout=1.0))

    def transaction(
        self, *, first: bool = False, bounds: Bounds | None = None
    ) -> AbstractAsyncContextManager[PostgresTransaction]:
        return self.write(Scope.writing(bounds), bounds, first=first)

    def within(self, domains: Collection[int]) -> ScopedDatabase:
        """Return this database limited to these domains: the server hides the rows of all others."""
        return ScopedDatabase(self, domains)

    @property
    def everywhere(self) -> Self:
        """This database, which is not limited to any domains."""
        return self

    @asynccontextmanager
    async def write(self, scope: Scope, bounds: Bounds | None, *, first: bool = False) -> AsyncIterator[PostgresTransaction]:
        """Open a write transaction within a scope."""
        self.transactions += 1
        async with self._writing.turn(bounds, first=first):
            with explained(self.address), self._commits.slot() as slot:
                closing = [*([(STILL_HERE, [[self._own]])] if self._own else ()), *self._commits.numbered(slot)]
                tx = PostgresTransaction(self._pool, bounds, scope, self._may_commit, self._sealer, closing)
                try:
                    yield tx
                    await uncancelled(self._commit(tx, slot))
                    if self.peers is not None and tx.number is not None:
                        self.peers.committed(bounds)
                finally:
                    await uncancelled(tx.end())

    async def _may_commit(self) -> None:
        await self._reservation.require()
        self._commits.require()

    async def _commit(self, tx: PostgresTransaction, slot: int) -> None:
        try:
            await tx.commit()
        except psycopg.errors.DivisionByZero as error:
            raise HomeInUse(
                "This process stood still for too long, and others go on with its work. It ends; start it again."
            ) from error
        except psycopg.Error as error:
            if tx.number is None or not is_lost(error) or not await self._was_committed(tx.number):
                raise
            # A standby that took over may have reused the transaction id.
            if not await self._commits.holds(self, slot):
                raise
        if tx.number is not None:
            self._commits.confirm(slot)

    async def _was_committed(self, number: str) -> bool:
        """Return whether a transaction was committed whose COMMIT was never answered. Raises DatabaseAway."""
        ends = asyncio.get_running_loop().time() + PATIENCE_SECONDS
        sql = "SELECT pg_xact_status(CAST(CAST(:number AS TEXT) AS xid8)) AS became"
        while asyncio.get_running_loop().time() < ends:
            try:
                became = (await self._read(sql, {"number": number}))[0]["became"]
            except psycopg.errors.InvalidParameterValue:
                # An id in the future: the server crashed and recovered without it.
                return False
            if became != "in progress":
                return bool(became == "committed")
            await asyncio.sleep(0.05)
        return False

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        return await self.read(READING_ALL, sql, parameters)

    async def read(self, scope: Scope, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement within a scope, on the last committed state, and return all its rows."""
        self.reads += 1
        with explained(self.address):
            return await self._read(sql, parameters or {}, scope)

    async def _read(self, sql: str, parameters: Parameters, scope: Scope = READING_ALL) -> list[Row]:
        async with self._reading:
            try:
                return await self._asked(sql, parameters, scope)
            except psycopg.Error as error:
                if isinstance(error, PoolTimeout) or not is_lost(error):
                    raise
            await self._pool.drain()
            return await self._asked(sql, parameters, scope)

    async def _asked(self, sql: str, parameters: Parameters, scope: Scope) -> list[Row]:
        async with self._pool.borrowed() as connection:
            return await self._sealer.fetched(connection, scope, sql, parameters)

    async def commits(self) -> int:
        """Return a number that changes with every commit, here or in another process; it is not counted as a read.

        It is a hash of the server's snapshot of visible transactions.
        """
        with explained(self.address):
            seen = await self._read("SELECT CAST(pg_current_snapshot() AS TEXT) AS seen", {})
        return int.from_bytes(blake2b(seen[0]["seen"].encode(), digest_size=8).digest())

    async def key_names(self, domains: Sequence[int] | None = None) -> Mapping[str, int]:
        with explained(self.address):
            return await self._sealer.keys.names(self._read_by_number, domains)

    async def wrap_next(self, master: bytes) -> None:
        """Let the database be opened with another master key as well, until it is opened with either."""
        with explained(self.address):
            await self._sealer.keys.wrap_next(self._read_by_number, master)

    async def _read_by_number(self, sql: str, given: Sequence[object]) -> list[Row]:
        async with self._pool.borrowed() as connection:
            return await query(connection, WHOLE, sql, given)

    async def kept_commits(self) -> Mapping[str, int]:
        return self._commits.confirmed

    async def lacking(self, name: str, told: Mapping[str, int]) -> int:
        return await lacking(self, name, told)

    async def checkpoint(self, patience: float = 2.0) -> bool:
        """Return False: only the server decides when erased rows leave its disk."""
        return False

    async def reserve(self, *, beside: bool = False) -> bool:
        with explained(self.address):
            return await self._reservation.take(beside=beside)

    def holders(self, folder: Path, own: str) -> ProcessPresence:
        """Return the claim holders: processes of this home and of others. This one counts once it joins."""
        presence = ProcessPresence(self.address, FileHolders(folder, own))
        self._commits.name = own
        self.peers = Processes(presence, self._call, lambda bounds: self.transaction(bounds=bounds))
        return presence

    @property
    def _own(self) -> str:
        """The name under which this process is registered as alive, '' before it joins."""
        return self.peers.presence.own if self.peers and self.peers.presence.joined else ""

    async def _call(self, payload: str) -> None:
        with explained(self.address):
            await self._read("SELECT pg_notify(:channel, :payload)", {"channel": CHANNEL, "payload": payload})

    def _hear(self, payload: str) -> None:
        if self.peers is not None:
            self.peers.hear(payload)

    async def verify(self) -> None:
        try:
            await read_through(self)
        except MemoryFailure as error:
            cause = error.__cause__
            if isinstance(cause, psycopg.Error) and (cause.sqlstate or "").startswith("XX"):
                raise WrongKey(
                    "The memory at {path} is damaged. Restore your newest backup with: lyra restore FILE", path=self.address
                ) from error
            raise

    async def copy_to(self, target: Path, key: bytes | None, tell: Progress) -> None:
        """Write a consistent copy to `target`, an SQLite file encrypted with `key`, while others go on.

        `tell` gets the progress and the total, at 1,000 bytes a row.
        """
        with explained(self.address):
            async with await SqliteDatabase.open(target, key) as file, await connect(self.address) as connection:
                source = await snapshot(connection, self._sealer)

                async def write(insert: str, page: Sequence[Parameters]) -> None:
                    async with file.transaction() as tx:
                        await tx.many(insert, page)

                await copy(source, await tables(file), write, tell)
                async with file.transaction() as tx:
                    await write_down_numbers(source, tx)
                await file.checkpoint()
