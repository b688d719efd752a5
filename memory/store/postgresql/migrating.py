"""Forward migrations of the schema, applied by whichever process comes first, and the sequences that number items.

The tables may belong to a role that cannot log in: the schema is changed in its name, and Lyra's role may only read and write rows.
"""

from collections.abc import Set
from functools import partial
from typing import get_args

import psycopg

from memory.errors import DatabaseBusy, DatabaseRefused, MemoryMissing
from memory.store.database import Numbers, Reader, Transaction
from memory.store.postgresql.database_server import LOCK, SCHEMA, DatabaseAddress
from memory.store.postgresql.dialect import translated
from memory.store.postgresql.peers.processes import PEER_TABLES
from memory.store.postgresql.pipelined_connection import PipelinedConnection
from memory.store.postgresql.scope import SET_SCOPE, WHOLE, are_policies_forced, force_policies, query
from memory.store.postgresql.sealing.converting import convert, is_sealed
from memory.store.postgresql.sealing.keyring import TABLE, Keyring
from memory.store.schema import applied, migrations, titles

SEQUENCES = get_args(Numbers)
"""The kinds of numbers that are unique in the whole memory, each a sequence here; a file has rows of `counters` for them."""
_LEDGER = "CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL, digest TEXT NOT NULL)"

_LONGEST_SECONDS = 600.0
"""How long to wait for another process that makes or migrates the schema: a slow machine takes a minute."""

_MARKS = {"sealed": 10_000, "guarded": 10_001}
"""Noted as versions, so that an older Lyra refuses the database: it could not decrypt it, or would take hidden rows for erased."""
_OWNER = (
    "SELECT quote_ident(o.rolname) AS name, CASE WHEN o.rolname = current_user OR u.rolsuper THEN 1 ELSE 0 END AS own, "
    "CASE WHEN pg_has_role(o.oid, 'SET') THEN 1 ELSE 0 END AS may, CASE WHEN n.oid IS NULL THEN 0 ELSE 1 END AS made "
    "FROM pg_database d LEFT JOIN pg_namespace n ON n.nspname = $1 JOIN pg_roles o ON o.oid = coalesce(n.nspowner, d.datdba) "
    "JOIN pg_roles u ON u.rolname = current_user WHERE d.datname = current_database()"
)
# Privileges for the role that logged in, and for no other.
_RIGHTS = (
    f"GRANT USAGE ON SCHEMA {SCHEMA} TO SESSION_USER; "
    f"GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA {SCHEMA} TO SESSION_USER; "
    f"GRANT SELECT, USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO SESSION_USER"
)
_GO_ON = (
    "SELECT setval('numbers_{of}', greatest(nextval('numbers_{of}'), "
    "(SELECT coalesce(max(value), 0) + 1 FROM counters WHERE name = '{of}')), false) AS next"
)


async def migrate(connection: PipelinedConnection, address: DatabaseAddress, keys: Keyring, *, new: bool = True) -> None:
    """Apply missing migrations, encrypt columns and create policies, in one transaction; create the schema if it may be `new`.

    Raises NewerDatabase, MemoryMissing, WrongKey, DatabaseBusy.
    """
    seen = await _applied_steps(connection)
    if (
        titles() <= seen
        and await connection.has(f"numbers_{SEQUENCES[-1]}")
        and await connection.has("kept_commits")
        and await is_sealed(connection)
        and await are_policies_forced(connection)
    ):
        await keys.open(partial(query, connection, WHOLE))
        return
    if not seen and not new:
        raise MemoryMissing(
            "The database {address} is empty, though a memory was kept for this home. Name the right one as url in [store]. "
            "To begin anew on purpose, use another home (LYRA_HOME).",
            address=address,
        )
    async with connection.transaction():
        await _lock(connection, address)
        # Another process may have migrated it meanwhile.
        seen = await _applied_steps(connection)
        await _act_as_owner(connection, address)
        await connection.execute(SET_SCOPE, WHOLE.parameters)
        await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}; {_LEDGER}")
        for step in migrations():
            if step.title not in seen:
                await connection.execute(";\n".join(map(translated, step.statements())))
                await connection.execute(
                    "INSERT INTO migrations (version, name, digest) VALUES ($1, $2, $3)", [step.version, step.name, step.digest]
                )
        await make_sequences(connection)
        await connection.execute(";\n".join((*PEER_TABLES, TABLE)))
        await keys.open(partial(query, connection, WHOLE))
        await convert(connection, keys)
        await force_policies(connection)
        await connection.execute(_RIGHTS)
        for name, version in _MARKS.items():
            await connection.execute(
                "INSERT INTO migrations (version, name, digest) VALUES ($1, $2, '') ON CONFLICT DO NOTHING", [version, name]
            )


async def _lock(connection: PipelinedConnection, address: DatabaseAddress) -> None:
    """Lock the memory for the transaction, as soon as no other process has it. Raises DatabaseBusy."""
    (before,) = await connection.rows("SELECT current_setting('lock_timeout') AS wait")
    await connection.execute(f"SET LOCAL lock_timeout = {int(_LONGEST_SECONDS * 1000)}")
    try:
        await connection.execute(f"SELECT pg_advisory_xact_lock({LOCK}, 0)")
    except psycopg.errors.LockNotAvailable as error:
        raise DatabaseBusy(
            "The database {address} is being set up or brought up to date by another process, which has not ended for ten "
            "minutes. See what it waits for, or end it, and start me again.",
            address=address,
        ) from error
    await connection.execute(f"SET LOCAL lock_timeout = '{before['wait']}'")


async def _applied_steps(connection: PipelinedConnection) -> Set[str]:
    if not await connection.has("migrations"):
        return frozenset()
    ledger = "SELECT version, name FROM migrations WHERE name <> ALL (CAST($1 AS TEXT[]))"
    return applied(await connection.rows(ledger, [[*_MARKS]]))


async def _act_as_owner(connection: PipelinedConnection, address: DatabaseAddress) -> None:
    """Run the rest of the transaction as the owner of the schema, or of the database if there is no schema yet.

    Raises DatabaseRefused if Lyra's role may not act as the owner of an existing schema.
    """
    (row,) = await connection.rows(_OWNER, [SCHEMA])
    if row["own"]:
        return
    if row["may"]:
        await connection.execute(f"SET LOCAL ROLE {row['name']}")
    elif row["made"]:
        raise DatabaseRefused(
            "The tables at {address} belong to {owner} and are to be brought up to date, which {owner} alone may do. Start me once "
            "with that name in the url of [store], or let me act for it: GRANT {owner} TO … WITH INHERIT FALSE, SET TRUE",
            address=address,
            owner=row["name"],
        )


async def make_sequences(connection: PipelinedConnection) -> None:
    """Create the sequences; they continue after the numbers in `counters`."""
    for of in SEQUENCES:
        await connection.execute(f"CREATE SEQUENCE IF NOT EXISTS numbers_{of}; {_GO_ON.format(of=of)}")


async def advance_sequences(tx: Transaction) -> None:
    """Advance every sequence of the schema past the rows that were copied.

    None is set back: sequences are not rolled back with the transaction.
    """
    for of in SEQUENCES:
        await tx.one(_GO_ON.format(of=of))
    numbered = await tx.all(
        "SELECT table_name AS belongs, column_name AS name, "
        "pg_get_serial_sequence(table_schema || '.' || table_name, column_name) AS sequence "
        "FROM information_schema.columns WHERE table_schema = current_schema() AND is_identity = 'YES'"
    )
    for row in numbered:
        await tx.one(
            f"SELECT setval('{row['sequence']}', greatest(nextval('{row['sequence']}'), "
            f"(SELECT coalesce(max({row['name']}), 0) + 1 FROM {row['belongs']})), false) AS next"
        )


async def write_down_numbers(source: Reader, file: Transaction) -> None:
    """Store the last numbers of the sequences in a file."""
    for of in SEQUENCES:
        row = await source.one(f"SELECT last_value AS value FROM numbers_{of}")
        await file.run(
            "INSERT INTO counters (name, value) VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            {"name": of, "value": row["value"] if row else 0},
        )
