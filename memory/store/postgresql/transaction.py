"""A write transaction of PostgreSQL, on a connection that it has alone.

The beginning waits with the statements. Each trip to the server is made to its end, also where who waits for it is cancelled: what the
connection is in afterwards is known.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import AsyncConnectionPool

from memory.store.bounds import Bounds
from memory.store.database import Numbers, Parameters, Reader, Row, Rows
from memory.store.postgresql.error_translation import is_lost
from memory.store.postgresql.guarding.scope import ALL, SAY, Scope, beginning
from memory.store.postgresql.guarding.within import Everywhere
from memory.store.postgresql.pipelined_connection import PipelinedConnection, Step
from memory.store.postgresql.sealing.border import Border, Prepared
from memory.store.postgresql.sealing.converting import left, seal_anew
from memory.store.queued_transaction import QueuedTransaction

Pool = AsyncConnectionPool[PipelinedConnection]
STILL_HERE = "SELECT 1 / count(*) FROM (SELECT 1 FROM processes WHERE name = $1 FOR KEY SHARE) AS here"
"""Fails where this process is not said to be alive any more; until the end nobody can say so."""
_NUMBERED: Step = ("SELECT CAST(pg_current_xact_id_if_assigned() AS TEXT) AS number", ())
_AHEAD: Step = ("SELECT nextval('numbers_item') AS item, CAST(pg_current_xact_id() AS TEXT) AS number", ())
"""Numbers that whoever writes in a domain needs nearly always, behind the locks."""
_READS = ("SELECT", "COMMIT")
_HELD = "SELECT domain FROM data_keys WHERE number = ANY(CAST($1 AS BIGINT[]))"
Made = Sequence[tuple[str, Sequence[Sequence[object]]]]
"""Statements, and the parameters in their order of each time that one is run."""
_MANY = 20
"""So many rows are sealed beside the event loop."""
_IN_USE = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


@dataclass(frozen=True, slots=True, eq=False)
class BatchedStatement:
    """A statement whose rows somebody waits for; `everywhere` says that it is shown those of all domains."""

    step: Step
    everywhere: bool = False


class PostgresTransaction(QueuedTransaction[BatchedStatement]):
    """An open write transaction of a server."""

    def __init__(
        self,
        pool: Pool,
        bounds: Bounds | None,
        scope: Scope,
        require: Callable[[], Awaitable[None]],
        border: Border,
        closing: Made = (),
    ) -> None:
        """Begin nothing yet; `scope` is what it is for.

        `require` raises where nothing may be kept after all, and is asked once the server has answered; `closing` is run with the commit
        of what was written, such as `STILL_HERE`: once this process is not said to be alive any more, nothing is kept either.
        """
        super().__init__(bounds)
        self._scope = scope
        self._border = border
        # The domains that something was sealed in: with a key that was made here, and with one that may be gone by now.
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
        """The server's own number of it, once it is known that anything was written."""
        return self._number if self._has_written else None

    @property
    def everywhere(self) -> Reader:
        """The transaction for questions of the whole memory."""
        return Everywhere(partial(self._fetched, everywhere=True))

    @property
    def _connection(self) -> PipelinedConnection:
        assert self._taken is not None, "the transaction has not begun"
        return self._taken

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows."""
        return await self._fetched(sql, parameters or {})

    async def free(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run a SELECT and return those of its rows that no other transaction has locked; this one has them locked then."""
        return await self.all(f"{sql} FOR UPDATE SKIP LOCKED", parameters)

    async def numbers(self, of: Numbers, n: int = 1) -> Sequence[int]:
        """Return the next n numbers of a sequence of the server, for which nobody waits."""
        ahead = [self._item] if n and of == "item" and self._item is not None else []
        if ahead:
            self._item = None
        if len(ahead) == n:
            return ahead
        sql = f"SELECT nextval('numbers_{of}') AS number FROM generate_series(1, CAST(:n AS BIGINT))"
        return [*ahead, *sorted(row["number"] for row in await self.all(sql, {"n": n - len(ahead)}))]

    async def last(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run the last statement and return all its rows; the commit is the next thing."""
        return await self.all(sql, parameters)

    async def renew_key(self, domain: int) -> None:
        """Have what is left in a domain open with a new key alone, and the old one be gone."""
        found = await left(self, domain)
        self._drop(await self.all("DELETE FROM data_keys WHERE domain = :domain RETURNING domain", {"domain": domain}))
        await seal_anew(self, domain, found)

    async def drop_keys(self) -> None:
        """Have every domain have a new key from now on; what the old ones sealed must be gone."""
        self._drop(await self.all("DELETE FROM data_keys WHERE domain > 0 RETURNING domain"))

    def _drop(self, rows: Sequence[Row]) -> None:
        domains = {row["domain"] for row in rows}
        self._border.keys.drop(domains)
        self._new |= domains
        self._looked_at -= domains

    async def commit(self) -> None:
        """Run what waits, and keep all of it."""
        waiting = await self._made()
        if self._taken is None and not waiting:
            return
        self._has_written |= bool(waiting)
        if waiting and (self._number is None or self._used - self._looked_at):
            # By itself: of what is written and ends at once nobody could say what became of it.
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
        """Undo what was not committed, and let the connection go."""
        self._border.keys.drop(self._new)
        if self._taken is None:
            return
        connection, self._taken = self._taken, None
        await let_go(self._pool, connection)

    async def _fetched(self, sql: str, parameters: Parameters, *, everywhere: bool = False) -> list[Row]:
        prepared = self._border.prepared(sql)
        await self._require_keys(prepared, [parameters])
        step = (prepared.sql, self._border.values(prepared, parameters))
        (rows,) = await self._ask([BatchedStatement(step, everywhere)])
        return await self._border.rows(prepared, rows, self._by_number)

    async def _by_number(self, sql: str, given: Sequence[object]) -> list[Row]:
        (rows,) = await self._ask([BatchedStatement((sql, given))])
        return rows

    async def _fetch(self, asked: Sequence[BatchedStatement]) -> Sequence[list[Row]]:
        return await self._sent(await self._made(), asked)

    async def _require_keys(self, prepared: Prepared, rows: Sequence[Parameters]) -> None:
        """Have the keys at hand that these rows are sealed with, made where there are none."""
        if not prepared.plan.recipes:
            return
        keys, domains = self._border.keys, prepared.domains(rows)
        if missing := [domain for domain in sorted(domains) if not keys.has(domain)]:
            await keys.require(self._by_number, missing)
            for key in await keys.made(self._by_number, missing):
                keys.take(key)
                self._new.add(key.domain)
        # Those that are no domain's stay for good.
        self._used |= {domain for domain in domains if domain > 0}

    async def _sent(self, waiting: Made, asked: Sequence[BatchedStatement]) -> Sequence[list[Row]]:
        """Run what waits and what is asked, behind the beginning where that was not made yet; return the rows of each that is asked."""
        for again in (True, False):
            begins = self._taken is None
            if begins:
                self._taken = await self._pool.getconn()
            try:
                return await self._run(waiting, asked, begins=begins)
            except psycopg.Error as error:
                if not (again and begins and is_lost(error)):
                    raise
                # The server was started anew since: so were all the others.
                await self.end()
                await self._pool.drain()
        raise AssertionError

    async def _run(self, waiting: Made, asked: Sequence[BatchedStatement], *, begins: bool = False) -> Sequence[list[Row]]:
        """Run statements in one trip, and return the rows of each that is asked."""
        steps = beginning(self.bounds, self._scope) if begins else []
        domains = [key for key in self.bounds.writes if isinstance(key, int)] if begins and self.bounds else []
        if domains:
            steps.append(_AHEAD)
        writes = bool(waiting) or any(not one.step[0].startswith(_READS) for one in asked)
        # Known before it is sent: its answer may be lost.
        self._has_written |= writes
        steps += [(statement, row) for statement, rows in waiting for row in rows]
        used = sorted((self._used | {key for key in domains if self._border.keys.has(key)}) - self._looked_at)
        held = len(steps)
        if used:
            steps.append((_HELD, [[self._border.keys.newest(domain).number for domain in used]]))
        at = {}
        for everywhere in (False, True):
            those = [one for one in asked if one.everywhere is everywhere]
            if those and everywhere:
                steps.append((SAY, Scope(ALL, self._scope.writes).parameters))
            for one in those:
                at[one] = len(steps)
                steps.append(one.step)
            if those and everywhere:
                steps.append((SAY, self._scope.parameters))
        numbered = writes and self._number is None and not domains
        if numbered:
            steps.append(_NUMBERED)
        found = await self._connection.trip(steps, to_the_end=True)
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
        """Have keys that another process destroyed be looked for anew. Raises DatabaseBusy where something was sealed with one meanwhile."""
        self._border.keys.drop(destroyed)
        if not self._used.isdisjoint(destroyed):
            raise psycopg.errors.SerializationFailure("a key was destroyed meanwhile")

    async def _made(self) -> Made:
        made = []
        for sql, given in self._taken_over():
            rows = [given] if isinstance(given, Mapping) else await _listed(given)
            prepared = self._border.prepared(sql)
            await self._require_keys(prepared, rows)
            sealed = partial(_sealed, self._border, prepared, rows)
            made.append((prepared.sql, await asyncio.to_thread(sealed) if len(rows) > _MANY else sealed()))
        return made


async def _listed(rows: Rows) -> list[Parameters]:
    return await asyncio.to_thread(lambda: [*rows()]) if callable(rows) else [*rows]


def _sealed(border: Border, prepared: Prepared, rows: Sequence[Parameters]) -> list[list[object]]:
    return [border.values(prepared, row) for row in rows]


async def let_go(pool: Pool, connection: PipelinedConnection) -> None:
    """Give a connection back, with nothing begun on it; one of which that cannot be said is closed."""
    if connection.info.transaction_status in _IN_USE:
        try:
            await connection.trip([("ROLLBACK", ())])
        except psycopg.Error:
            await connection.close()
    if connection.info.transaction_status != TransactionStatus.IDLE:
        await connection.close()
    await pool.putconn(connection)
