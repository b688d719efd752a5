"""A database that writes down what a view runs on the whole memory, and by which of its methods, where it could name its domains."""

from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from sys import _getframe
from types import FrameType
from typing import Any

from memory import view
from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Parameters, Reader, Row, Transaction

_VIEW = Path(view.__file__).parent
NO_VIEW = ("kept_messages", "shown_messages")
"""What acts on a place for the platform, whatever its domain; no view runs it."""


@dataclass
class Scopes:
    """The methods of views that ran something within their domains, asked of the whole memory, and wrote it bound to nothing."""

    within: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)

    def note(self, kept: set[str]) -> None:
        """Note whichever method of a view runs this, if any does."""
        frame: FrameType | None = _getframe(1)
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.parent == _VIEW:
                if path.stem not in NO_VIEW:
                    kept.add(frame.f_code.co_qualname.removesuffix(".<locals>.<genexpr>"))
                return
            frame = frame.f_back


@dataclass
class NotedReader:
    """What answers statements; whichever method of a view runs one is noted among `kept`."""

    inner: Any
    scopes: Scopes
    kept: set[str]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    @property
    def everywhere(self) -> Reader:
        """It for the whole memory."""
        return NotedReader(self.inner.everywhere, self.scopes, self.scopes.asked)

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement."""
        self.scopes.note(self.kept)
        return list(await self.inner.all(sql, parameters))

    async def one(self, sql: str, parameters: Parameters | None = None) -> Row | None:
        """Run one statement."""
        self.scopes.note(self.kept)
        row: Row | None = await self.inner.one(sql, parameters)
        return row

    async def finish(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Await all that is left to do here, for the same reason as in `gather`."""
        return await work()

    async def gather(self, *work: Coroutine[Any, Any, Any]) -> list[Any]:
        """Await one after the other: in tasks of their own, nobody could see which method began them."""
        return [await one for one in work]


class Noted(NotedReader):
    """A database, of some domains or of the whole memory."""

    def within(self, domains: Collection[int]) -> DatabaseAccess:
        """It for some domains."""
        return Noted(self.inner.within(domains), self.scopes, self.scopes.within)

    @asynccontextmanager
    async def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AsyncIterator[Transaction]:
        """Open a transaction; bound to nothing it is of the whole memory."""
        kept = self.scopes.within if bounds is not None else self.scopes.written
        self.scopes.note(kept)
        async with self.inner.transaction(first=first, bounds=bounds) as tx:
            yield NotedReader(tx, self.scopes, kept)
