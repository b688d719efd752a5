"""Batching, shared by the transactions of both stores: a round trip to a thread or server costs more than most statements.

Statements without results are queued until the next statement with results, or the commit. A server gets the statements of several
coroutines together (`gather`): each coroutine is driven by hand up to where it needs rows.
"""

from abc import abstractmethod
from collections.abc import Callable, Coroutine, Generator, Sequence
from itertools import islice
from typing import Any, Generic, Self, TypeVar

from memory.store.bounds import Bounds
from memory.store.database import Parameters, Reader, Row, Rows

S = TypeVar("S")
T = TypeVar("T")
Waiting = Sequence[tuple[str, Parameters | Rows]]


class QueuedTransaction(Reader, Generic[S]):
    """An open write transaction that sends statements `S` to its store. Nothing but these methods may be awaited inside it."""

    def __init__(self, bounds: Bounds | None) -> None:
        self.bounds = bounds
        self._waiting: list[tuple[str, Parameters | Rows]] = []
        # Whether the running code is driven by `gather`.
        self._driven = False

    @abstractmethod
    async def _fetch(self, asked: Sequence[S]) -> Sequence[list[Row]]:
        """Run queued statements, then these; return the rows of each of these."""

    async def run(self, sql: str, parameters: Parameters | None = None) -> None:
        """Queue one statement without results; its errors are raised by the next call that runs it."""
        self._waiting.append((sql, dict(parameters or {})))

    async def many(self, sql: str, rows: Rows) -> None:
        """Queue one statement for each set of parameters; its errors are raised by the next call that runs it."""
        if some := rows if callable(rows) else list(rows):
            self._waiting.append((sql, some))

    async def finish(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        return await work()

    async def gather(self, *work: Coroutine[Any, Any, Any]) -> list[Any]:
        """Run all of these up to where they need rows, get the rows for all in one go, and so on until they have ended."""
        ended: dict[int, Any] = {}
        answers: dict[int, Sequence[list[Row]] | None] = dict.fromkeys(range(len(work)))
        try:
            while answers:
                asked: dict[int, Sequence[S]] = {}
                for at, rows in answers.items():
                    try:
                        asked[at] = await self._drive(work[at], rows)
                    except _Ended as end:
                        ended[at] = end.value
                found = iter(await self._ask([one for some in asked.values() for one in some]) if asked else ())
                answers = {at: list(islice(found, len(some))) for at, some in asked.items()}
            return [ended[at] for at in range(len(work))]
        finally:
            for one in work:
                one.close()

    async def _drive(self, work: Coroutine[Any, Any, Any], rows: Sequence[list[Row]] | None) -> Sequence[S]:
        """Hand over the rows that `work` waits for, and return what it asks next. Raises _Ended with its result."""
        while True:
            before, self._driven = self._driven, True
            try:
                waits = work.send(rows)
            except StopIteration as end:
                raise _Ended(end.value) from None
            finally:
                self._driven = before
            if isinstance(waits, _Asked):
                return waits.statements
            await _Passed(waits)
            rows = None

    async def _ask(self, asked: Sequence[S]) -> Sequence[list[Row]]:
        """Return the rows of each of these statements."""
        return await (_Asked(asked) if self._driven else self._fetch(asked))

    def _taken_over(self) -> Waiting:
        waiting, self._waiting = self._waiting, []
        return waiting


class _Ended(Exception):
    """A driven coroutine has returned a value."""

    def __init__(self, value: object) -> None:
        super().__init__()
        self.value = value


class _Passed:
    """Anything else that a driven coroutine waits for, passed on to the event loop."""

    def __init__(self, waits: object) -> None:
        self._waits = waits

    def __await__(self) -> Generator[Any, None, None]:
        yield self._waits


class _Asked:
    """Statements that a driven coroutine waits for."""

    def __init__(self, statements: Sequence[Any]) -> None:
        self.statements = statements

    def __await__(self) -> Generator[Self, Sequence[list[Row]], Sequence[list[Row]]]:
        return (yield self)
