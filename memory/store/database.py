"""The storage port: statements in, rows out, and transactions that apply as a whole or not at all.

Statements are written once, for SQLite and PostgreSQL: named parameters, RETURNING and ON CONFLICT, numbers for booleans,
and no function or table that only one of them has. `tests/contract/test_store_statements.py` prepares each on both.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from memory.ports import Progress
from memory.store.bounds import Bounds
from memory.store.peers import Peers

T = TypeVar("T")
Parameters = Mapping[str, object]
Numbers = Literal["item", "fence"]
"""The kinds of numbers that are unique in the whole memory."""
Rows = Iterable[Parameters] | Callable[[], Iterable[Parameters]]
"""The parameter sets of one statement, or a callable that builds them where they are run, off the event loop."""


class Row(Protocol):
    """One result row, accessed by column name or iterated in order."""

    def __getitem__(self, name: str, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...


class Reader(Protocol):
    """Anything that answers statements: a database from the last committed state, a transaction from its own."""

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows."""

    async def one(self, sql: str, parameters: Parameters | None = None) -> Row | None:
        """Run one statement and return its first row, or None."""
        rows = await self.all(sql, parameters)
        return rows[0] if rows else None


class Transaction(Reader, Protocol):
    """An open write transaction. Nothing but these methods may be awaited inside it.

    `bounds` is what it may write and relies on; None for everything.
    """

    bounds: Bounds | None

    @property
    def everywhere(self) -> Reader:
        """The transaction for questions about the whole memory: see `DatabaseAccess`."""

    async def run(self, sql: str, parameters: Parameters | None = None) -> None:
        """Run one statement that returns nothing."""

    async def many(self, sql: str, rows: Rows) -> None:
        """Run one statement for each set of parameters."""

    async def numbers(self, of: Numbers, n: int = 1) -> Sequence[int]:
        """Return n ascending numbers, above any given to an earlier transaction that wrote the same domain.

        No number is given twice; some are never given.
        """

    async def renew_key(self, domain: int) -> None:
        """Replace a domain's own data key with a new one, if domains have keys; nothing may write beside it."""

    async def free(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Return the rows of a one-table SELECT that no other transaction has locked, and lock them until the end."""

    async def gather(self, *work: Coroutine[Any, Any, Any]) -> list[Any]:
        """Await all of these and return what they return; a store may run statements of several at once, in their order.

        None of them is the `last`: where one fails, the others may still run. Raises what the first of them that failed raised.
        """

    async def finish(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Await all that is left to do, and return what it returns; a store may run it in a thread of its own, and commit with it.

        It awaits nothing but this transaction.
        """


class ClaimHolders(Protocol):
    """The processes that hold claims on work, each under a name of its own while it lives."""

    @property
    def own(self) -> str:
        """The name of this process."""

    def mark(self) -> None:
        """Register in the home. Raises NotWritable."""

    async def join(self) -> None:
        """Register this process as alive (idempotent). Must be awaited before a transaction that claims anything."""

    async def leave(self) -> None:
        """Deregister this process."""

    async def living(self, reader: Reader, name: str) -> bool:
        """Return whether a holder is alive. A dead one never comes back, and nothing it still writes is kept."""


class DatabaseAccess(Reader, Protocol):
    """A database for code that works on memory, in all of its domains or limited to some."""

    def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open a write transaction: committed as a whole when the block ends, rolled back if it raises or is cancelled.

        Nobody else writes meanwhile unless it has `bounds`; then a store may run transactions beside it that do not
        conflict with them. Among several waiting to write, those that come `first` go before the others.
        """

    def within(self, domains: Collection[int]) -> "DatabaseAccess":
        """Return this database limited to these domains.

        A server then hides and refuses rows of all other domains, whatever the statement.
        """

    @property
    def everywhere(self) -> Reader:
        """This database for questions about the whole memory, such as whether something elsewhere still rests on an item."""

    async def commits(self) -> int:
        """Return a number that changes with every commit, here or in another process; it costs no read."""

    async def checkpoint(self, patience: float = 2.0) -> bool:
        """Make sure that erased bytes are gone from the disk; return whether they are.

        Readers and writers, here or in another process, delay this: it is retried for `patience` seconds.
        """


class Database(DatabaseAccess, Protocol):
    """An open database. Every method raises the errors of `memory.errors` if the database cannot be used.

    `reads` and `transactions` count statements and transactions since it was opened.
    """

    reads: int
    transactions: int

    @property
    def peers(self) -> Peers | None:
        """The processes that share the database, once `holders` was called; None for a file."""

    async def key_names(self, domains: Sequence[int] | None = None) -> Mapping[str, int]:
        """Map opaque names of data keys to the domains that have them, of these domains or all."""

    async def reserve(self, *, beside: bool = False) -> bool:
        """Reserve the database for this process until it is closed; return False if another process has it.

        With `beside`, it is shared with processes that also run `beside` others. A file is reserved together with its home.
        """

    def holders(self, folder: Path, own: str) -> ClaimHolders:
        """Return the claim holders; this process is registered as `own` in a folder of its home."""

    async def verify(self) -> None:
        """Read everything that is stored. Raises WrongKey if anything is damaged."""

    async def copy_to(self, target: Path, key: bytes | None, tell: Progress) -> None:
        """Write a consistent encrypted copy to `target` while others go on; `tell` gets the bytes copied and the total."""

    @property
    def outdated(self) -> asyncio.Event:
        """Set once confirmed commits of this process are missing: from then on it can commit nothing."""

    async def kept_commits(self) -> Mapping[str, int]:
        """Return the numbers of the last commits known to be durable, by name; they only grow."""

    async def lacking(self, name: str, told: Mapping[str, int]) -> int:
        """Return how many commits are missing, given the numbers that a process of that name knew of."""

    @property
    def hurried(self) -> asyncio.Event:
        """Set once `hurry` was called."""

    def hurry(self) -> None:
        """Let nobody wait any longer for a server that cannot be reached, since the process is to end."""

    async def close(self) -> None:
        """Close the database (idempotent)."""


@asynccontextmanager
async def taken_back(db: DatabaseAccess, bounds: Bounds | None = None) -> AsyncIterator[Transaction]:
    """Open a write transaction that is always rolled back; it raises what any other does."""
    with suppress(_TakenBack):
        async with db.transaction(bounds=bounds) as tx:
            yield tx
            raise _TakenBack


class _TakenBack(Exception):
    """Rolls a transaction back."""
