"""Whose the tables are: a role that nobody signs in as, in whose name the schema is changed, and who may write rows for it."""

from localization.sentences import lazy
from memory.errors import DatabaseRefused
from memory.store.postgresql.address import SCHEMA, DatabaseAddress
from memory.store.postgresql.pipelined_connection import PipelinedConnection

_OWNER = (
    "SELECT quote_ident(o.rolname) AS name, CASE WHEN o.rolname = current_user OR u.rolsuper THEN 1 ELSE 0 END AS own, "
    "CASE WHEN pg_has_role(o.oid, 'SET') THEN 1 ELSE 0 END AS may, CASE WHEN n.oid IS NULL THEN 0 ELSE 1 END AS made "
    "FROM pg_database d LEFT JOIN pg_namespace n ON n.nspname = $1 JOIN pg_roles o ON o.oid = coalesce(n.nspowner, d.datdba) "
    "JOIN pg_roles u ON u.rolname = current_user WHERE d.datname = current_database()"
)
_RIGHTS = (
    f"GRANT USAGE ON SCHEMA {SCHEMA} TO SESSION_USER; "
    f"GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA {SCHEMA} TO SESSION_USER; "
    f"GRANT SELECT, USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA {SCHEMA} TO SESSION_USER"
)


async def act_as_owner(connection: PipelinedConnection, address: DatabaseAddress) -> None:
    """Have the rest of a transaction be the owner's of the schema, or, where there is none yet, of the database, if that may be.

    Raises DatabaseRefused where the schema is somebody else's.
    """
    row = await (await connection.execute(_OWNER, [SCHEMA])).fetchone()
    assert row is not None
    if row["own"]:
        return
    if row["may"]:
        await connection.execute(f"SET LOCAL ROLE {row['name']}")
    elif row["made"]:
        raise DatabaseRefused(
            lazy(
                "The tables at {address} belong to {owner} and are to be brought up to date, which {owner} alone may do. Start me once "
                "with that name in the url of [store], or let me act for it: GRANT {owner} TO … WITH INHERIT FALSE, SET TRUE",
                address=address,
                owner=row["name"],
            )
        )


async def give_rights(connection: PipelinedConnection) -> None:
    """Let whoever signed in read and write the rows of all tables: nobody else is given anything."""
    await connection.execute(_RIGHTS)
