"""A connection that sends several statements in one write and reads their results together (libpq's pipeline mode).

Waking the server, and being woken by it, costs more processor time than most statements. So all statements of a trip are sent at once.
A statement that is repeated is prepared.

A server may take as long as it needs for a statement. But if it does not answer on a connection of its own either, it hangs.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import psycopg
from psycopg import AsyncConnection, abc, errors
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ConnStatus, ExecStatus, Format
from psycopg.pq.abc import PGconn, PGresult

from memory.store.database import Row
from memory.store.postgresql.database_server import SCHEMA
from memory.store.postgresql.dialect import StoredRow, positions

Step = tuple[str, Sequence[object]]
"""A statement with numbered parameters, and their values in order."""
REMEMBERED = 500
"""The most prepared statements."""
LOOK_SECONDS = 3.0
"""After how long without an answer the server is asked whether it is there; the pause doubles with each time."""
ANSWER_SECONDS = 5.0
_HURRIED_SECONDS = 0.5
"""Both of these once the process is to end."""
_IS_TLS_OFFERED = bytes.fromhex("0000000804d2162f")
"""SSLRequest: the shortest message that a server answers, before anybody signs in."""
_DONE = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)
_Key = tuple[str, tuple[int, ...]]


@dataclass(slots=True)
class _Statement:
    """A statement that was sent: its prepared name, b'' if it is not prepared, and the positions of its columns."""

    name: bytes = b""
    at: dict[str, int] | None = None


class _Message(Enum):
    """The purpose of a message to the server."""

    ROWS = auto()
    PREPARED = auto()
    FORGOTTEN = auto()


_Asked = list[tuple[_Message, _Statement]]


class ServerAnswer:
    """Waits for a socket as long as the server is there; with `uncancelled`, also after the task was cancelled."""

    def __init__(self, pgconn: PGconn, uncancelled: bool, *, looks: bool) -> None:
        """Prepare; unless it `looks`, a server that hangs is waited for until there is a hurry."""
        self._pgconn = pgconn
        self._socket = pgconn.socket
        self._uncancelled = uncancelled
        self._looks = looks
        self._pause, self._patience = LOOK_SECONDS, ANSWER_SECONDS
        self._ready: asyncio.Future[None] | None = None
        self._looking: asyncio.Task[None] | None = None
        self.cancelled: asyncio.CancelledError | None = None

    def hurry(self) -> None:
        """Wait only briefly for a server that hangs."""
        self._looks = True
        self._pause = self._patience = _HURRIED_SECONDS
        if self._ready is not None:
            self._look(self._ready)

    async def ready(self, *, writing: bool = False) -> None:
        """Return once the socket is readable or, with `writing`, writable. Raises OperationalError if the server hangs."""
        loop = asyncio.get_running_loop()
        self._ready = ready = loop.create_future()
        look = loop.call_later(self._pause, self._look, ready) if self._looks else None
        loop.add_reader(self._socket, _set_ready, ready)
        if writing:
            loop.add_writer(self._socket, _set_ready, ready)
        try:
            await ready
        except asyncio.CancelledError as error:
            if not self._uncancelled:
                raise
            self.cancelled = error
        finally:
            self._ready = None
            if look is not None:
                look.cancel()
            loop.remove_reader(self._socket)
            if writing:
                loop.remove_writer(self._socket)

    def _look(self, ready: asyncio.Future[None]) -> None:
        if self._looking is not None:
            self._looking.cancel()
        self._looking = asyncio.create_task(self._require_answer(ready))

    async def _require_answer(self, ready: asyncio.Future[None]) -> None:
        """Ask the server until the socket is ready; end the wait with an error if it does not answer."""
        while not ready.done():
            host = self._pgconn.hostaddr or self._pgconn.host
            if not await is_there(host.decode(), int(self._pgconn.port), self._patience) and not ready.done():
                ready.set_exception(psycopg.OperationalError("the server stands still"))
                return
            self._pause *= 2
            await asyncio.wait({ready}, timeout=self._pause)


async def is_there(host: str, port: int, patience: float) -> bool:
    """Return whether a server, at a host or in the folder of its socket, answers a new connection within `patience` seconds.

    libpq has PQping for this, but it holds the interpreter's lock while it waits, so that the whole process would stand still.
    """
    try:
        async with asyncio.timeout(patience):
            if host.startswith(("/", "@")):
                path = f"{host}/.s.PGSQL.{port}"
                reader, writer = await asyncio.open_unix_connection(f"\0{path[1:]}" if host.startswith("@") else path)
            else:
                reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(_IS_TLS_OFFERED)
                return bool(await reader.read(1))
            finally:
                writer.transport.abort()
    except (OSError, TimeoutError):
        return False


def _set_ready(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


class PipelinedConnection(AsyncConnection[Row]):
    """A connection with its prepared statements."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """Prepare nothing yet."""
        super().__init__(*given, **named)
        self._statements: OrderedDict[_Key, _Statement] = OrderedDict()
        self._named = 0
        self._converting: abc.Transformer | None = None
        self._waiting: ServerAnswer | None = None
        self._is_hurried = False

    def hurry(self) -> None:
        """Wait only briefly for a server that hangs, from now on, also for the fate of a COMMIT."""
        self._is_hurried = True
        if self._waiting is not None:
            self._waiting.hurry()

    async def round_trip(self, steps: Sequence[Step], *, uncancelled: bool = False) -> list[list[Row]]:
        """Run statements in order and return the rows of each; outside of a transaction they form one.

        If one fails, those after it are not run, and its error is raised. If the caller is cancelled, the connection is closed or,
        with `uncancelled`, the trip is completed first. Raises psycopg.Error; OperationalError if the server hangs, unless the last
        statement is a COMMIT, whose fate would be unknown, and nothing is hurried.
        """
        # The server may take as long as it needs, but if it answers no other connection either, this one is given up.
        self._waiting = waiting = ServerAnswer(self.pgconn, uncancelled, looks=steps[-1][0] != "COMMIT")
        if self._is_hurried:
            waiting.hurry()
        asked: _Asked = []
        results: list[PGresult] = []
        try:
            self.pgconn.enter_pipeline_mode()
            for sql, given in steps:
                self._send(asked, sql, given)
            self.pgconn.pipeline_sync()
            while self.pgconn.flush():
                await waiting.ready(writing=True)
                self.pgconn.consume_input()
            for _ in asked:
                results.append(await self._result(waiting))
            await self._result(waiting, of_sync=True)
            self.pgconn.exit_pipeline_mode()
        except BaseException as error:
            # A late answer would be taken for that of the next trip.
            self.pgconn.finish()
            if isinstance(error, psycopg.Error) and (why := _failure(results)):
                raise why from error
            raise
        finally:
            self._waiting = None
        found = self._rows_of(asked, results)
        if waiting.cancelled is not None:
            raise waiting.cancelled
        return found

    async def rows(self, sql: str, given: Sequence[object] = ()) -> list[Row]:
        """Run a single statement and return its rows."""
        return await (await self.execute(sql, given, binary=True)).fetchall()

    async def has(self, relation: str) -> bool:
        """Return whether the schema has a table or sequence of this name."""
        (row,) = await self.rows("SELECT CASE WHEN to_regclass($1) IS NULL THEN 0 ELSE 1 END AS there", [f"{SCHEMA}.{relation}"])
        return bool(row["there"])

    def _send(self, asked: _Asked, sql: str, given: Sequence[object]) -> None:
        """Queue a statement in libpq, which sends it with the flush or when its buffer is full."""
        converting = self._values()
        values = converting.dump_sequence(given, [PyFormat.AUTO] * len(given))
        types, formats = converting.types or (), converting.formats
        known = self._statements.get((sql, types))
        if known is None:
            known = self._statements[sql, types] = _Statement()
            if len(self._statements) > REMEMBERED:
                self._forget(asked)
            self.pgconn.send_query_params(sql.encode(), values, types, formats, Format.BINARY)
        else:
            self._statements.move_to_end((sql, types))
            if not known.name:
                self._named += 1
                known.name = b"lyra_%d" % self._named
                self.pgconn.send_prepare(known.name, sql.encode(), types)
                asked.append((_Message.PREPARED, known))
            self.pgconn.send_query_prepared(known.name, values, formats, Format.BINARY)
        asked.append((_Message.ROWS, known))

    def _forget(self, asked: _Asked) -> None:
        _, oldest = self._statements.popitem(last=False)
        if oldest.name:
            self.pgconn.send_query_params(b"DEALLOCATE " + oldest.name, None)
            asked.append((_Message.FORGOTTEN, oldest))

    async def _result(self, waiting: ServerAnswer, *, of_sync: bool = False) -> PGresult:
        """Return the next result. Raises OperationalError if the connection is lost."""
        pgconn = self.pgconn
        last: PGresult | None = None
        while True:
            while pgconn.is_busy():
                await waiting.ready()
                pgconn.consume_input()
            result = pgconn.get_result()
            if result is None:
                if last is None:
                    raise psycopg.OperationalError("the connection is lost")
                return last
            last = result
            if of_sync:
                return last
            if pgconn.status == ConnStatus.BAD:
                raise errors.error_from_result(result)

    def _rows_of(self, asked: _Asked, results: Sequence[PGresult]) -> list[list[Row]]:
        """Return the rows of each statement. Raises the error of the first that failed."""
        found: list[list[Row]] = []
        for (message, statement), result in zip(asked, results, strict=True):
            if result.status not in _DONE:
                if message is _Message.PREPARED:
                    statement.name = b""
            elif message is _Message.ROWS:
                found.append(self._rows(statement, result))
        if why := _failure(results):
            raise why
        return found

    def _rows(self, statement: _Statement, result: PGresult) -> list[Row]:
        if not result.ntuples:
            return []
        at = statement.at
        if at is None:
            at = positions([(result.fname(n) or b"").decode() for n in range(result.nfields)])
            if statement.name:
                statement.at = at
        converting = self._values()
        converting.set_pgresult(result, format=Format.BINARY)
        return converting.load_rows(0, result.ntuples, lambda values: StoredRow(at, values))

    def _values(self) -> abc.Transformer:
        """Return the converter of values, which needs an open connection."""
        if self._converting is None:
            self._converting = Transformer(self)
        return self._converting


def _failure(results: Sequence[PGresult]) -> psycopg.Error | None:
    """Return the error of the first statement that failed, None if none did."""
    failed = (result for result in results if result.status not in (*_DONE, ExecStatus.PIPELINE_ABORTED))
    return next((errors.error_from_result(result) for result in failed), None)
