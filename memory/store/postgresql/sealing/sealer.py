"""The sealer: encrypts the parameters of statements, and decrypts the rows that come back."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

from memory.store.database import Parameters, Row
from memory.store.postgresql.dialect import StoredRow, numbered
from memory.store.postgresql.pipelined_connection import PipelinedConnection
from memory.store.postgresql.scope import Scope, query
from memory.store.postgresql.sealing.envelope import hashed, is_sealed, opened, place, seal, unknown
from memory.store.postgresql.sealing.keyring import Ask, Keyring
from memory.store.postgresql.sealing.plans import Part, Recipe, StatementPlan, plan
from memory.store.postgresql.sealing.sql_parsing import Columns

_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement with numbered parameters, their names in that order, and its plan."""

    sql: str
    names: Sequence[str]
    plan: StatementPlan

    def domains(self, rows: Iterable[Parameters]) -> set[int]:
        """Return the domains whose keys are needed to run it for these rows."""
        domains = {recipe.domain for recipe in self.plan.recipes if not recipe.is_hash}
        names = [one for one in domains if isinstance(one, str)]
        return {one for one in domains if isinstance(one, int)} | {int(row[name]) for row in rows for name in names}  # type: ignore[call-overload]


class SealedRow(StoredRow):
    """One result row; sealed columns are decrypted when they are read."""

    __slots__ = ("_keys", "_sealed")

    def __init__(self, row: StoredRow, sealed: frozenset[int], keys: Keyring) -> None:
        super().__init__(row.at, row.values)
        self._sealed = sealed
        self._keys = keys

    def __getitem__(self, name: str, /) -> Any:
        return self._opened(self.at[name])

    def __iter__(self) -> Iterator[Any]:
        return (self._opened(at) for at in range(len(self.values)))

    def _opened(self, at: int) -> Any:
        value = self.values[at]
        return opened(self._keys, value) if at in self._sealed and is_sealed(value) else value


@dataclass(slots=True)
class Sealer:
    """Seals and opens the columns of one database."""

    keys: Keyring
    columns: Columns
    prepared: Callable[[str], Prepared] = field(init=False)
    """Returns a statement as it is sent to the server; results are cached."""

    def __post_init__(self) -> None:
        self.prepared = lru_cache(_REMEMBERED)(self._planned)

    def _planned(self, sql: str) -> Prepared:
        planned = plan(sql, self.columns)
        return Prepared(*numbered(planned.sql), planned)

    async def fetched(self, connection: PipelinedConnection, scope: Scope, sql: str, parameters: Parameters) -> list[Row]:
        """Run one statement without sealed parameters within a scope, and return all its rows."""
        prepared, ask = self.prepared(sql), partial(query, connection, scope)
        return await self.rows(prepared, await ask(prepared.sql, self.values(prepared, parameters)), ask)

    def values(self, prepared: Prepared, given: Parameters) -> list[object]:
        """Return the parameters of a statement in order, sealed."""
        if prepared.plan.recipes:
            made = dict(given)
            for recipe in prepared.plan.recipes:
                made[recipe.name] = self._made(recipe, made)
            given = made
        return [given[name] for name in prepared.names]

    async def rows(self, prepared: Prepared, found: list[Row], ask: Ask) -> list[Row]:
        """Load the keys that rows need, using `ask`, and return rows that decrypt themselves."""
        sealed = prepared.plan.opens
        if not sealed or not found:
            return found
        stored: list[Any] = found
        if missing := unknown(self.keys, (row.values for row in stored), sealed):
            await self.keys.find(ask, missing)
        return [SealedRow(row, sealed, self.keys) for row in stored]

    def _made(self, recipe: Recipe, given: Parameters) -> object:
        value = given[recipe.source]
        if recipe.is_hash:
            return hashed(self.keys, recipe.table, recipe.column, value)
        domain = int(_part_value(recipe.domain, given))  # type: ignore[call-overload]
        where = place(recipe.table, recipe.column, domain, (_part_value(part, given) for part in recipe.row))
        return seal(self.keys.newest(domain), where, value)


def _part_value(part: Part, given: Parameters) -> object:
    return given[part] if isinstance(part, str) else part
