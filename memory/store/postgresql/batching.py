"""What is asked of a server at the same time, in one trip: it leaves once nobody who works in a transaction could ask anything more before an answer."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from memory.store.cancellation import all_of
from memory.store.database import Parameters, Row
from memory.store.postgresql.guarding.scope import SAY, Scope
from memory.store.postgresql.pipelined_connection import PipelinedConnection, Step
from memory.store.postgresql.sealing.border import Border


@dataclass(frozen=True, slots=True, eq=False)
class BatchedStatement:
    """A statement whose rows somebody waits for; `everywhere` says that it is shown those of all domains."""

    step: Step
    everywhere: bool = False
    rows: "asyncio.Future[list[Row]]" = field(default_factory=lambda: asyncio.get_running_loop().create_future())


class StatementBatch:
    """What one transaction asks."""

    def __init__(self, send: Callable[[Sequence[BatchedStatement]], Awaitable[Sequence[list[Row]]]]) -> None:
        """Ask nothing yet; `send` runs statements in one trip and returns the rows of each."""
        self._send = send
        # So many go on without waiting for an answer: in the beginning whoever works in the transaction.
        self._busy = 1
        self._sending = False
        self._asked: list[BatchedStatement] = []

    async def ask(self, step: Step, *, everywhere: bool = False) -> list[Row]:
        """Run one statement and return its rows."""
        mine = BatchedStatement(step, everywhere)
        if self._busy == 1 and not self._asked and not self._sending:
            # Nobody else is at work.
            self._sending = True
            try:
                return (await self._send([mine]))[0]
            finally:
                self._sending = False
        self._asked.append(mine)
        await self._pause()
        return await mine.rows

    async def together(self, work: Sequence[Coroutine[Any, Any, Any]]) -> list[Any]:
        """Await all of these and return what they return. Raises what the first of them that failed raised, once all have ended."""
        self._busy += len(work) - 1
        try:
            return await all_of(self._part(one) for one in work)
        finally:
            self._busy += 1

    async def _part(self, work: Coroutine[Any, Any, Any]) -> Any:
        try:
            return await work
        finally:
            await self._pause()

    async def _pause(self) -> None:
        """Be busy no longer, and send what was asked where nobody else is."""
        self._busy -= 1
        while self._asked and not self._busy and not self._sending:
            asked, self._asked = self._asked, []
            self._sending = True
            try:
                (found,) = await asyncio.gather(self._send(asked), return_exceptions=True)
            finally:
                self._sending = False
            for at, one in enumerate(asked):
                if isinstance(found, BaseException):
                    one.rows.set_exception(found)
                else:
                    one.rows.set_result(found[at])
            self._busy += len(asked)


async def fetched(connection: PipelinedConnection, scope: Scope, sql: str, parameters: Parameters, border: Border) -> list[Row]:
    """Run one statement that seals nothing, for some domains, and return all its rows."""
    prepared, ask = border.prepared(sql), partial(asked, connection, scope)
    return await border.rows(prepared, await ask(prepared.sql, border.values(prepared, parameters)), ask)


async def asked(connection: PipelinedConnection, scope: Scope, sql: str, given: Sequence[object] = ()) -> list[Row]:
    """Run one statement of the server, for some domains, with its parameters in their order, and return all its rows.

    Both go there in one trip, which is one transaction unless one is open.
    """
    return (await connection.trip([(SAY, scope.parameters), (sql, given)]))[-1]
