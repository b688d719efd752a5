"""The port to where everything is kept: statements come in, rows come out, and a transaction holds as a whole or not at all.

Statements are written once, for SQLite and PostgreSQL: named parameters, RETURNING and ON CONFLICT, numbers for what is true or
false, and no function or table that only one of them has. `tests/contract/test_store_statements.py` prepares each on both.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, Protocol

from memory.ports import Progress
from memory.store.bounds import Bounds
from memory.store.peers import Peers

Parameters = Mapping[str, object]
Numbers = Literal["item", "fence"]
"""What is numbered for the whole memory."""
Rows = Iterable[Parameters] | Callable[[], Iterable[Parameters]]
"""The parameters of one statement that is run once a row, or what makes them where it is run, beside the event loop."""


class Row(Protocol):
    """One result row, read by column name, or in order."""

    def __getitem__(self, name: str, /) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...


class Reader(Protocol):
    """What answers statements: a database from the last committed state, a transaction from its own."""

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows."""
        ...

    async def one(self, sql: str, parameters: Parameters | None = None) -> Row | None:
        """Run one statement and return its first row, or None."""
        ...


class Transaction(Reader, Protocol):
    """An open write transaction. Nothing but these methods may be awaited inside it.

    `bounds` is what it may write of domains; None where that is everything.
    """

    bounds: Bounds | None

    @property
    def everywhere(self) -> Reader:
        """The transaction for a question of the whole memory, where it is one of some domains: see `Access`."""
        ...

    async def run(self, sql: str, parameters: Parameters | None = None) -> None:
        """Run one statement that returns nothing."""
        ...

    async def many(self, sql: str, rows: Rows) -> None:
        """Run one statement once a row."""
        ...

    async def numbers(self, of: Numbers, n: int = 1) -> Sequence[int]:
        """Return n numbers, ascending, each higher than any that a transaction which wrote the same domain before was given.

        No number is given twice; some are never given.
        """
        ...

    async def renew_key(self, domain: int) -> None:
        """Have what is kept in a domain open with a new key alone, where domains have keys of their own; nothing may write beside it."""
        ...

    async def free(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Return those rows of a SELECT of one table that no other transaction is at, and have nobody else be at them until the end."""
        ...

    async def last(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run the last statement and return all its rows; it may be committed together with it."""
        ...


class Holders(Protocol):
    """The processes that hold claims on work, each under a name of its own for as long as it lives."""

    @property
    def own(self) -> str:
        """The name of this process."""
        ...

    def mark(self) -> None:
        """Be known in the home from now on. Raises NotWritable."""
        ...

    async def join(self) -> None:
        """Be alive from now on; the second call does nothing. It is awaited before a transaction that claims anything."""
        ...

    async def leave(self) -> None:
        """Be gone."""
        ...

    async def living(self, reader: Reader, name: str) -> bool:
        """Say whether a holder is alive. One that is not never comes back, and nothing that it still writes is kept."""
        ...


class Access(Reader, Protocol):
    """A database for those who work on what is remembered: in all of its domains, or in some alone."""

    def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Write in one transaction: all of it is committed when the block ends, nothing when it raises or is cancelled.

        Nobody else writes meanwhile, unless it has `bounds`: then a store may let others write that do not meet them. Where several
        wait to write, who comes `first` does not wait for the others.
        """
        ...

    def within(self, domains: Collection[int]) -> "Access":
        """Return it for these domains alone, if all of them may be worked on here.

        A store on a server shows no row of any other there, whatever is asked, and takes none; what is bound to nothing is for all.
        """
        ...

    @property
    def everywhere(self) -> Reader:
        """It for what is asked of the whole memory: whether something is kept or rests on anything elsewhere, and so is left out here."""
        ...

    async def commits(self) -> int:
        """Return a number that is another one once anything was committed, here or in another process; it counts as no read."""
        ...

    async def checkpoint(self, patience: float = 2.0) -> bool:
        """Bring it about that erased bytes are gone from the disk; return whether they are.

        Who reads or writes meanwhile, here or in another process, holds that up: it is tried again for `patience` seconds.
        """
        ...


class Database(Access, Protocol):
    """An open database. Every method raises the errors of `memory.errors` where the database cannot be used.

    `reads` and `transactions` count what it was asked since it was opened.
    """

    reads: int
    transactions: int

    @property
    def peers(self) -> Peers | None:
        """The processes that share it, once `holders` was asked for; None for a file."""
        ...

    async def key_names(self, domains: Sequence[int] | None = None) -> Mapping[str, int]:
        """Return the domains that have a key of their own, of these or of all, by names that tell nothing of the keys."""
        ...

    async def reserve(self, *, beside: bool = False) -> bool:
        """Have nobody else run Lyra on it until it is closed, or only those who run `beside` others; False where somebody does.

        A file is reserved together with its home.
        """
        ...

    def holders(self, folder: Path, own: str) -> Holders:
        """Return who holds claims on work in it; this process does so under a name of its `own`, known in a folder of its home."""
        ...

    async def verify(self) -> None:
        """Read everything that is stored. Raises WrongKey where something is damaged."""
        ...

    async def copy_to(self, target: Path, key: bytes | None, tell: Progress) -> None:
        """Write a consistent copy of the present state to `target`, encrypted with a key, while others go on; `tell` is told bytes."""
        ...

    async def close(self) -> None:
        """Let go of it; the second call does nothing."""
        ...
