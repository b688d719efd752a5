"""Gives a domain another key: what is left in it is sealed anew, and what the old one sealed opens nowhere any more."""

from collections.abc import Mapping, Sequence

from memory.store.database import Row, Transaction
from memory.store.postgresql.address import SCHEMA
from memory.store.sealed import HASHED, TABLES

_KEYS = (
    "SELECT c.relname AS belongs, a.attname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid "
    "JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey) "
    "WHERE n.nspname = :schema AND i.indisprimary"
)
Left = Mapping[str, Sequence[Mapping[str, object]]]
"""The rows of each table, with what tells them and what is sealed in them."""


async def left(tx: Transaction, domain: int) -> Left:
    """Return what is sealed in a domain, opened."""
    keys: dict[str, list[str]] = {}
    for row in await tx.all(_KEYS, {"schema": SCHEMA}):
        keys.setdefault(row["belongs"], []).append(row["name"])
    found = {}
    for table, told in TABLES.items():
        if told.domain:
            names = list(dict.fromkeys([*keys[table], *(one.removesuffix(HASHED) for one in told.row), *told.columns]))
            rows = await tx.all(f"SELECT {', '.join(names)} FROM {table} WHERE {told.domain} = :domain", {"domain": domain})
            found[table] = [_named(names, row) for row in rows]
    return found


async def seal_anew(tx: Transaction, domain: int, found: Left) -> None:
    """Seal what `left` returned with the key that the domain has now."""
    for table, rows in found.items():
        told = TABLES[table]
        sets = ", ".join(f"{column} = :{column}" for column in told.columns)
        for row in rows:
            which = " AND ".join(f"{name} = :{name}" for name in row if name not in told.columns or f"{name}{HASHED}" in told.row)
            update = f"UPDATE {table} SET {sets} WHERE {told.domain} = :the_domain AND {which}"
            await tx.run(update, {**row, "the_domain": domain})


def _named(names: Sequence[str], row: Row) -> dict[str, object]:
    return dict(zip(names, row, strict=True))
