"""Encrypts what stands in tables: columns of an earlier version, during a migration, and a domain's rows under its new key.

A converted table is rewritten, so that nothing in plain text is left in its old files. What the server wrote to its log and backups
before is beyond the reach of this program.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from memory.store.database import Reader, Row, Transaction
from memory.store.postgresql.database_server import SCHEMA
from memory.store.postgresql.pipelined_connection import PipelinedConnection
from memory.store.postgresql.sealing.envelope import hashed, place, seal
from memory.store.postgresql.sealing.keyring import ROOT, Keyring
from memory.store.sealed import HASHED, TABLES, Sealed

_PAGE = 500
_DONE = "CREATE TABLE IF NOT EXISTS sealings (name TEXT PRIMARY KEY)"
_NAMES = frozenset(f"{table}.{column}" for table, told in TABLES.items() for column in told.columns)


async def is_sealed(connection: PipelinedConnection) -> bool:
    """Return whether all columns that should be sealed are."""
    return await connection.has("sealings") and await _sealed(connection) >= _NAMES


async def convert(connection: PipelinedConnection, keys: Keyring) -> None:
    """Seal the columns that should be and are not yet. Raises WrongKey."""
    await connection.execute(_DONE)
    before = await _sealed(connection)
    for table, told in TABLES.items():
        if fresh := [column for column in told.columns if f"{table}.{column}" not in before]:
            await _Table(connection, keys, table, told, fresh).convert()
            await connection.execute(
                "INSERT INTO sealings (name) SELECT unnest(CAST($1 AS TEXT[]))", [[f"{table}.{c}" for c in fresh]]
            )


async def _sealed(connection: PipelinedConnection) -> set[str]:
    return {row["name"] for row in await connection.rows("SELECT name FROM sealings")}


class _Table:
    """A table in which the columns `fresh` are not sealed yet."""

    def __init__(self, connection: PipelinedConnection, keys: Keyring, name: str, told: Sealed, fresh: Sequence[str]) -> None:
        self._connection = connection
        self._keys = keys
        self._name = name
        self._told = told
        self._fresh = fresh
        self._looked_up = [column for column in fresh if column in told.looked_up]
        self._numbers = [column for column in fresh if column in told.numbers]

    async def convert(self) -> None:
        """Seal the columns, add hashes for those that are looked up, and move constraints and indexes to the hashes."""
        for column in self._looked_up:
            await self._run(f'ALTER TABLE {self._name} ADD COLUMN {column}{HASHED} TEXT COLLATE "C"')
        for column in self._numbers:
            await self._run(f"ALTER TABLE {self._name} ADD COLUMN {_sealed_name(column)} BYTEA")
        if await self._connection.rows(f"SELECT 1 AS held FROM {self._name} LIMIT 1"):
            await self._seal()
        for column in self._numbers:
            await self._run(f"ALTER TABLE {self._name} DROP COLUMN {column}")
            await self._run(f"ALTER TABLE {self._name} RENAME COLUMN {_sealed_name(column)} TO {column}")
        for column in self._looked_up:
            await self._compare_hashes(column)

    async def _seal(self) -> None:
        asked = {"ctid", *self._fresh, *(one.removesuffix(HASHED) for one in self._told.row), self._told.domain or "ctid"}
        await self._run(f"DECLARE unsealed NO SCROLL CURSOR FOR SELECT {', '.join(sorted(asked))} FROM {self._name}")
        sets = [f"{_sealed_name(one) if one in self._numbers else one} = ${at}" for at, one in enumerate(self._fresh, 2)]
        sets += [f"{one}{HASHED} = ${at}" for at, one in enumerate(self._looked_up, 2 + len(self._fresh))]
        update = f"UPDATE {self._name} SET {', '.join(sets)} WHERE ctid = CAST($1 AS tid)"
        while page := await (await self._connection.execute(f"FETCH {_PAGE} FROM unsealed")).fetchall():
            await self._require_keys(page)
            await self._connection.cursor().executemany(update, [self._values(row) for row in page])
        await self._run("CLOSE unsealed")
        # Rewrite the table: plain text would be left in its old file.
        kept = next(column for column in self._fresh if column not in self._numbers)
        nothing = "''::bytea" if kept in self._told.binary else "''"
        await self._run(
            f"ALTER TABLE {self._name} ALTER COLUMN {kept} TYPE {'BYTEA' if kept in self._told.binary else 'TEXT'} USING {kept} || {nothing}"
        )

    async def _require_keys(self, page: Sequence[Row]) -> None:
        domains = sorted({self._domain(row) for row in page})
        await self._keys.require(self._connection.rows, domains)
        for key in await self._keys.create(self._connection.rows, domains):
            self._keys.take(key)

    def _domain(self, row: Row) -> int:
        return int(row[self._told.domain]) if self._told.domain else ROOT

    def _values(self, row: Row) -> list[object]:
        hashes = {column: hashed(self._keys, self._name, column, row[column]) for column in self._looked_up}
        key = self._keys.newest(self._domain(row))
        sealed = [seal(key, self._place(column, row, hashes), row[column]) for column in self._fresh]
        return [row["ctid"], *sealed, *hashes.values()]

    def _place(self, column: str, row: Row, hashes: Mapping[str, object]) -> str:
        columns = () if column in self._told.loose else self._told.row
        parts = [hashes[one.removesuffix(HASHED)] if one.endswith(HASHED) else row[one] for one in columns]
        return place(self._name, column, self._domain(row), parts)

    async def _compare_hashes(self, column: str) -> None:
        """Move the constraints and indexes on a column to its hashes."""
        rows = await self._connection.rows(
            "SELECT i.indexrelid::regclass::text AS index, pg_get_indexdef(i.indexrelid) AS made, coalesce(c.conname, '') AS held, "
            "pg_get_constraintdef(c.oid) AS constrained FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid "
            "AND a.attnum = ANY(i.indkey) LEFT JOIN pg_constraint c ON c.conindid = i.indexrelid AND c.conrelid = i.indrelid "
            "WHERE i.indrelid = CAST($1 AS regclass) AND a.attname = $2",
            [f"{SCHEMA}.{self._name}", column],
        )
        for row in rows:
            if row["held"]:
                await self._run(f'ALTER TABLE {self._name} DROP CONSTRAINT "{row["held"]}"')
                await self._run(f'ALTER TABLE {self._name} ADD CONSTRAINT "{row["held"]}" {_on_hash(row["constrained"], column)}')
            else:
                await self._run(f"DROP INDEX {row['index']}; {_on_hash(row['made'], column)}")

    async def _run(self, sql: str) -> None:
        await self._connection.execute(sql)


def _sealed_name(column: str) -> str:
    return f"{column}_sealed"


def _on_hash(definition: Any, column: str) -> str:
    return re.sub(rf"\b{column}\b", f"{column}{HASHED}", definition)


async def columns(connection: PipelinedConnection) -> dict[str, list[str]]:
    """Return the columns of every table, in order."""
    rows = await connection.rows(
        "SELECT table_name AS belongs, column_name AS name FROM information_schema.columns WHERE table_schema = $1 ORDER BY 1, ordinal_position",
        [SCHEMA],
    )
    return _by_table(rows)


async def primary_keys(reader: Reader) -> dict[str, list[str]]:
    """Return the columns of the primary key of every table, in order."""
    rows = await reader.all(
        "SELECT c.relname AS belongs, a.attname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid "
        "JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) "
        "WHERE n.nspname = :schema AND i.indisprimary ORDER BY c.relname, array_position(i.indkey, a.attnum)",
        {"schema": SCHEMA},
    )
    return _by_table(rows)


def _by_table(rows: Sequence[Row]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["belongs"], []).append(row["name"])
    return found


SealedRows = Mapping[str, Sequence[Mapping[str, object]]]
"""The rows of each table: their keys and their decrypted columns."""


async def sealed_rows(tx: Transaction, domain: int) -> SealedRows:
    """Return the sealed rows of a domain, decrypted."""
    keys, found = await primary_keys(tx), {}
    for table, told in TABLES.items():
        if told.domain:
            names = list(dict.fromkeys([*keys[table], *(one.removesuffix(HASHED) for one in told.row), *told.columns]))
            rows = await tx.all(f"SELECT {', '.join(names)} FROM {table} WHERE {told.domain} = :domain", {"domain": domain})
            found[table] = [dict(zip(names, row, strict=True)) for row in rows]
    return found


async def seal_anew(tx: Transaction, domain: int, rows_by_table: SealedRows) -> None:
    """Seal what `sealed_rows` returned with the present key of the domain."""
    for table, rows in rows_by_table.items():
        sealed = TABLES[table]
        sets = ", ".join(f"{column} = :{column}" for column in sealed.columns)
        for row in rows:
            which = " AND ".join(
                f"{name} = :{name}" for name in row if name not in sealed.columns or f"{name}{HASHED}" in sealed.row
            )
            update = f"UPDATE {table} SET {sets} WHERE {sealed.domain} = :the_domain AND {which}"
            await tx.run(update, {**row, "the_domain": domain})
