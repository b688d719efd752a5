"""A write transaction of PostgreSQL, with a connection of its own.

BEGIN, the locks and the scope are sent with the first statements. Every trip is completed even if its task is cancelled, so
that the state of the connection is always known.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import psycopg
from psycopg.pq import TransactionStatus

from memory.store.bounds import Bounds
from memory.store.database import Numbers, Parameters, Reader, Row, Rows
from memory.store.postgresql.error_translation import is_lost
from memory.store.postgresql.pipelined_connection import PipelinedConnection, Step
from memory.store.postgresql.pool import Pool
from memory.store.postgresql.scope import ALL, SET_SCOPE, Everywhere, Scope, beginning
from memory.store.postgresql.sealing.converting import seal_anew, sealed_rows
from memory.store.postgresql.sealing.sealer import Prepared, Sealer
from memory.store.queued_transaction import QueuedTransaction

STILL_HERE = "SELECT 1 / count(*) FROM (SELECT 1 FROM processes WHERE name = $1 FOR KEY SHARE) AS here"
"""Fails with a division by zero if this process is not registered as alive; else its row is locked until the commit."""
_NUMBERED: Step = ("SELECT CAST(pg_current_xact_id_if_assigned() AS TEXT) AS number", ())
_AHEAD: Step = ("SELECT nextval('numbers_item') AS item, CAST(pg_current_xact_id() AS TEXT) AS number", ())
"""The next item number and the transaction id, which nearly every writer needs."""
_READS = ("SELECT", "COMMIT")
_HELD = "SELECT domain FROM data_keys WHERE number = ANY(CAST($1 AS BIGINT[]))"
Made = Sequence[tuple[str, Sequence[Sequence[object]]]]
"""Statements, each with the parameter lists of its runs."""
_MANY = 20
"""From how many rows on they are encrypted in a thread."""


@dataclass(frozen=True, slots=True, eq=False)
class BatchedStatement:
    """A statement whose rows are awaited; if `everywhere`, it reads all domains."""

    step: Step
    everywhere: bool = False


class PostgresTransaction(QueuedTransaction[BatchedStatement]):
    """An open write transaction."""

    def __init__(
        self,
        pool: Pool,
        bounds: Bounds | None,
        scope: Scope,
        require: Callable[[], Awaitable[None]],
        sealer: Sealer,
        closing: Made = (),
    ) -> None:
        """Prepare; nothing is sent yet.

        `require` is awaited before the commit and raises if nothing may be committed. The statements of `closing` run with the commit
        if anything was written; one of them is `STILL_HERE`.
        """
        super().__init__(bounds)
        self._scope = scope
        self._sealer = sealer
        # Domains with a data key created in this transaction; domains whose key was used; those of them whose key was locked.
        self._new: set[int] = set()
        self._used: set[int] = set()
        self._looked_at: set[int] = set()
        self._require = require
        self._closing = closing
        self._pool = pool
        self._taken: PipelinedConnection | None = None
        self._number: str | None = None
        self._item: int | None = None
        self._has_written = False

    @property
    def number(self) -> str | None:
        """The transaction id, if anything was written."""
        return self._number if self._has_written else None

    @property
    def everywhere(self) -> Reader:
        return Everywhere(partial(self._fetched, everywhere=True))

    @property
    def _connection(self) -> PipelinedConnection:
        assert self._taken is not None, "the transaction has not begun"
        return self._taken

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        return await self._fetched(sql, parameters or {})

    async def free(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        return await self.all(f"{sql} FOR UPDATE SKIP LOCKED", parameters)

    async def numbers(self, of: Numbers, n: int = 1) -> Sequence[int]:
        """Return the next n numbers of a sequence, without waiting for other transactions."""
        ahead = [self._item] if n and of == "item" and self._item is not None else []
        if ahead:
            self._item = None
        if len(ahead) == n:
            return ahead
        sql = f"SELECT nextval('numbers_{of}') AS number FROM generate_series(1, CAST(:n AS BIGINT))"
        return [*ahead, *sorted(row["number"] for row in await self.all(sql, {"n": n - len(ahead)}))]

    async def renew_key(self, domain: int) -> None:
        found = await sealed_rows(self, domain)
        self._drop(await self.all("DELETE FROM data_keys WHERE domain = :domain RETURNING domain", {"domain": domain}))
        await seal_anew(self, domain, found)

    async def drop_keys(self) -> None:
        """Drop the data keys of all domains; whatever they encrypted must be gone."""
        self._drop(await self.all("DELETE FROM data_keys WHERE domain > 0 RETURNING domain"))

    def _drop(self, rows: Sequence[Row]) -> None:
        domains = {row["domain"] for row in rows}
        self._sealer.keys.drop(domains)
        self._new |= domains
        self._looked_at -= domains

    async def commit(self) -> None:
        """Run queued statements, and commit."""
        waiting = await self._made()
        if self._taken is None and not waiting:
            return
        self._has_written |= bool(waiting)
        if waiting and (self._number is None or self._used - self._looked_at):
            # In a trip of its own: the transaction id must be known before the COMMIT is sent.
            await self._sent(waiting, [])
            waiting = []
        await self._require()
        if self.number is not None:
            waiting = [*waiting, *self._closing]
        if self._taken is not None and self._connection.info.transaction_status == TransactionStatus.INERROR:
            raise psycopg.errors.InFailedSqlTransaction("a statement of the transaction failed")
        await self._run(waiting, [BatchedStatement(("COMMIT", ()))])
        self._new.clear()

    async def end(self) -> None:
        """Roll back what was not committed, and release the connection."""
        self._sealer.keys.drop(self._new)
        if self._taken is None:
            return
        connection, self._taken = self._taken, None
        await self._pool.release(connection)

    async def _fetched(self, sql: str, parameters: Parameters, *, everywhere: bool = False) -> list[Row]:
        prepared = self._sealer.prepared(sql)
        await self._require_keys(prepared, [parameters])
        step = (prepared.sql, self._sealer.values(prepared, parameters))
        (rows,) = await self._ask([BatchedStatement(step, everywhere)])
        return await self._sealer.rows(prepared, rows, self._by_number)

    async def _by_number(self, sql: str, given: Sequence[object]) -> list[Row]:
        (rows,) = await self._ask([BatchedStatement((sql, given))])
        return rows

    async def _fetch(self, asked: Sequence[BatchedStatement]) -> Sequence[list[Row]]:
        return await self._sent(await self._made(), asked)

    async def _require_keys(self, prepared: Prepared, rows: Sequence[Parameters]) -> None:
        """Load the data keys for these rows, and create missing ones."""
        if not prepared.plan.recipes:
            return
        keys, domains = self._sealer.keys, prepared.domains(rows)
        if missing := [domain for domain in sorted(domains) if not keys.has(domain)]:
            await keys.require(self._by_number, missing)
            for key in await keys.create(self._by_number, missing):
                keys.take(key)
                self._new.add(key.domain)
        # Keys of no domain are permanent.
        self._used |= {domain for domain in domains if domain > 0}

    async def _sent(self, waiting: Made, asked: Sequence[BatchedStatement]) -> Sequence[list[Row]]:
        """Run queued statements, then `asked`; begin the transaction first if need be. Return the rows of each of `asked`."""
        for again in (True, False):
            begins = self._taken is None
            if begins:
                self._taken = await self._pool.acquire()
            try:
                return await self._run(waiting, asked, begins=begins)
            except psycopg.Error as error:
                if not (again and begins and is_lost(error)):
                    raise
                # The server was restarted: all connections of the pool are dead.
                await self.end()
                await self._pool.drain()
        raise AssertionError

    async def _run(self, waiting: Made, asked: Sequence[BatchedStatement], *, begins: bool = False) -> Sequence[list[Row]]:
        """Run everything in one trip; return the rows of each of `asked`."""
        steps = beginning(self.bounds, self._scope) if begins else []
        domains = [key for key in self.bounds.writes if isinstance(key, int)] if begins and self.bounds else []
        if domains:
            steps.append(_AHEAD)
        writes = bool(waiting) or any(not one.step[0].startswith(_READS) for one in asked)
        # Set before sending: the answer may be lost.
        self._has_written |= writes
        steps += [(statement, row) for statement, rows in waiting for row in rows]
        used = sorted((self._used | {key for key in domains if self._sealer.keys.has(key)}) - self._looked_at)
        held = len(steps)
        if used:
            steps.append((_HELD, [[self._sealer.keys.newest(domain).number for domain in used]]))
        at = {}
        for everywhere in (False, True):
            those = [one for one in asked if one.everywhere is everywhere]
            if those and everywhere:
                steps.append((SET_SCOPE, Scope(ALL, self._scope.writes).parameters))
            for one in those:
                at[one] = len(steps)
                steps.append(one.step)
            if those and everywhere:
                steps.append((SET_SCOPE, self._scope.parameters))
        numbered = writes and self._number is None and not domains
        if numbered:
            steps.append(_NUMBERED)
        found = await self._connection.round_trip(steps, uncancelled=True)
        if domains:
            begun = next(rows[0] for step, rows in zip(steps, found, strict=True) if step is _AHEAD)
            self._item, self._number = begun["item"], begun["number"]
        if numbered:
            self._number = found[-1][0]["number"]
        if used:
            there = {row["domain"] for row in found[held]}
            self._looked_at |= there
            self._require_held({*used} - there)
        return [found[at[one]] for one in asked]

    def _require_held(self, destroyed: Collection[int]) -> None:
        """Forget keys that another process destroyed. Raises DatabaseBusy if this transaction encrypted something with one."""
        self._sealer.keys.drop(destroyed)
        if not self._used.isdisjoint(destroyed):
            raise psycopg.errors.SerializationFailure("a key was destroyed meanwhile")

    async def _made(self) -> Made:
        made = []
        for sql, given in self._taken_over():
            rows = [given] if isinstance(given, Mapping) else await _listed(given)
            prepared = self._sealer.prepared(sql)
            await self._require_keys(prepared, rows)
            sealed = partial(_sealed, self._sealer, prepared, rows)
            made.append((prepared.sql, await asyncio.to_thread(sealed) if len(rows) > _MANY else sealed()))
        return made


async def _listed(rows: Rows) -> list[Parameters]:
    return await asyncio.to_thread(lambda: [*rows()]) if callable(rows) else [*rows]


def _sealed(sealer: Sealer, prepared: Prepared, rows: Sequence[Parameters]) -> list[list[object]]:
    return [sealer.values(prepared, row) for row in rows]
