"""A transaction of some domains, for what it asks of the whole memory."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from memory.store.database import Parameters, Row


@dataclass(frozen=True, slots=True)
class Everywhere:
    """What `Reader` asks for, by what runs one statement for all domains."""

    ask: Callable[[str, Parameters], Awaitable[list[Row]]]

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows."""
        return await self.ask(sql, parameters or {})

    async def one(self, sql: str, parameters: Parameters | None = None) -> Row | None:
        """Run one statement and return its first row, or None."""
        rows = await self.all(sql, parameters)
        return rows[0] if rows else None
