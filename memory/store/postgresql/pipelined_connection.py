"""A connection to a server that sends several statements in one write, and takes their answers together.

To send something wakes the server, and an answer wakes this process: that costs a processor more than most statements do. So
everything of a trip waits until its last statement is there. A statement that comes again is prepared. A server may work for as long
as it takes, but where it stands still, so that nobody else gets an answer from it either, the connection is given up.
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
from psycopg.conninfo import make_conninfo
from psycopg.pq import ConnStatus, ExecStatus, Format, PGconn, Ping
from psycopg.pq.abc import PGresult

from memory.store.database import Row
from memory.store.postgresql.address import SCHEMA
from memory.store.postgresql.dialect import StoredRow, positions

Step = tuple[str, Sequence[object]]
"""A statement with its parameters by number, and their values in that order."""
REMEMBERED = 500
"""So many statements are prepared at most."""
LOOK_SECONDS = 3.0
"""After so long without an answer it is asked whether the server gives any, and again after twice as long each time."""
ANSWER_SECONDS = 5
_DONE = (ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK)
_Key = tuple[str, tuple[int, ...]]


@dataclass(slots=True)
class _Statement:
    """A statement that was sent: under which name it is prepared, b'' where it is not, and where its columns stand."""

    name: bytes = b""
    at: dict[str, int] | None = None


class _Message(Enum):
    """What the server is asked for."""

    ROWS = auto()
    PREPARED = auto()
    FORGOTTEN = auto()


_Asked = list[tuple[_Message, _Statement]]


class PipelinedConnection(AsyncConnection[Row]):
    """A connection, and what it has prepared."""

    def __init__(self, *given: Any, **named: Any) -> None:
        """Prepare nothing yet."""
        super().__init__(*given, **named)
        self._statements: OrderedDict[_Key, _Statement] = OrderedDict()
        self._named = 0
        self._converting: abc.Transformer | None = None

    async def trip(self, steps: Sequence[Step], *, to_the_end: bool = False) -> list[list[Row]]:
        """Run statements in their order and return the rows of each; outside of a transaction they are one of their own.

        Nothing behind a statement that fails is run, and its error is raised. Where who waits is cancelled the connection is closed,
        or, with `to_the_end`, all is run before that is raised. Raises the library's errors, and OperationalError where the server
        stands still; a commit is waited for all the same, as nobody could say what becomes of it.
        """
        ends = steps[-1][0] == "COMMIT"
        waiting = _Waiting(self.pgconn.socket, to_the_end, None if ends else self._way_there)
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
            # An answer that is still under way would be taken for another's.
            self.pgconn.finish()
            if isinstance(error, psycopg.Error) and (why := _failure(results)):
                raise why from error
            raise
        found = self._taken(asked, results)
        if waiting.cancelled is not None:
            raise waiting.cancelled
        return found

    async def rows(self, sql: str, given: Sequence[object] = ()) -> list[Row]:
        """Run one statement by itself and return its rows."""
        return await (await self.execute(sql, given, binary=True)).fetchall()

    async def has(self, relation: str) -> bool:
        """Say whether the database has a table or a sequence of this name."""
        (row,) = await self.rows("SELECT CASE WHEN to_regclass($1) IS NULL THEN 0 ELSE 1 END AS there", [f"{SCHEMA}.{relation}"])
        return bool(row["there"])

    @property
    def _way_there(self) -> str:
        """How the server is reached that this connection is one to."""
        host, port = self.pgconn.hostaddr or self.pgconn.host, self.pgconn.port
        return make_conninfo(host=host.decode(), port=port.decode(), connect_timeout=ANSWER_SECONDS)

    def _send(self, asked: _Asked, sql: str, given: Sequence[object]) -> None:
        """Hand a statement to the library, which keeps it until it is told to send all or has a buffer full."""
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

    async def _result(self, waiting: "_Waiting", *, of_sync: bool = False) -> PGresult:
        """Return the next result. Raises OperationalError where the connection is lost."""
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

    def _taken(self, asked: _Asked, results: Sequence[PGresult]) -> list[list[Row]]:
        """Return the rows of each statement. Raises the error of the one that failed."""
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
        """Return what converts values; how they are to be is known once the connection is made."""
        if self._converting is None:
            self._converting = Transformer(self)
        return self._converting


class _Waiting:
    """Waits for a socket, on through being cancelled where it is `to_the_end`, and for as long as its server answers at all."""

    def __init__(self, socket: int, to_the_end: bool, server: str | None) -> None:
        """Wait for nothing yet; `server` is how to reach whom to ask for an answer, None where it is waited for all the same."""
        self._socket = socket
        self._to_the_end = to_the_end
        self._server = server
        self._pause = LOOK_SECONDS
        self._looking: asyncio.Task[None] | None = None
        self.cancelled: asyncio.CancelledError | None = None

    async def ready(self, *, writing: bool = False) -> None:
        """Return once something can be read, or, where that is asked, written. Raises OperationalError where the server stands still."""
        loop = asyncio.get_running_loop()
        ready = loop.create_future()
        look = loop.call_later(self._pause, self._look, ready) if self._server else None
        loop.add_reader(self._socket, _told, ready)
        if writing:
            loop.add_writer(self._socket, _told, ready)
        try:
            await ready
        except asyncio.CancelledError as error:
            if not self._to_the_end:
                raise
            self.cancelled = error
        finally:
            if look is not None:
                look.cancel()
            loop.remove_reader(self._socket)
            if writing:
                loop.remove_writer(self._socket)

    def _look(self, ready: asyncio.Future[None]) -> None:
        self._looking = asyncio.create_task(self._require_answer(ready))

    async def _require_answer(self, ready: asyncio.Future[None]) -> None:
        """Have whoever waits wait no longer once the server gives no answer to anybody."""
        server = (self._server or "").encode()
        while not ready.done():
            if await asyncio.to_thread(PGconn.ping, server) == Ping.NO_RESPONSE and not ready.done():
                ready.set_exception(psycopg.OperationalError("the server stands still"))
                return
            self._pause *= 2
            await asyncio.wait({ready}, timeout=self._pause)


def _failure(results: Sequence[PGresult]) -> psycopg.Error | None:
    """Return the error of the first statement that failed by itself, None where none did."""
    failed = (result for result in results if result.status not in (*_DONE, ExecStatus.PIPELINE_ABORTED))
    return next((errors.error_from_result(result) for result in failed), None)


def _told(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
