"""A fresh memory, copied from one that was brought to the present schema once in this process: making it takes four times as long.

The tests that open a memory by a kit do so on either store: a file, or, where LYRA_TEST_STORE or a fixture says "postgresql", a
database of its own, which is gone after the test.
"""

import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from memory.store.database import Reader
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.sqlite.database import SqliteDatabase
from tests.kits.postgres import Postgres, postgres, unguarded

SQLITE, POSTGRESQL = "sqlite", "postgresql"
STORE = "LYRA_TEST_STORE"

_COLUMNS = {
    False: "SELECT m.name AS belongs, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'",
    True: "SELECT table_name AS belongs, column_name AS name FROM information_schema.columns WHERE table_schema = 'lyra'",
}
_made: dict[bytes | None, bytes] = {}
_databases: set[str] = set()
_held = ExitStack()
_run: list[Path] = []


def on_server() -> bool:
    """Say whether memories are kept on PostgreSQL now."""
    return os.environ.get(STORE, SQLITE) == POSTGRESQL


def address_of(path: Path) -> DatabaseAddress | None:
    """Return where the memory of a path is kept, None where the file itself holds it."""
    return server().address(named(path)) if on_server() else None


async def fresh(path: Path, key: bytes | None) -> None:
    """Put a memory that holds nothing where there is none yet, as `open_database` would make it."""
    if on_server():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        server().make(named(path))
        _databases.add(named(path))
        return
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(await fresh_file(key))


async def fresh_file(key: bytes | None) -> bytes:
    """Return the file of a memory that holds nothing."""
    if key not in _made:
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder) / "lyra.db"
            await (await SqliteDatabase.open(own, key)).close()
            _made[key] = own.read_bytes()
    return _made[key]


def copies(path: Path) -> Callable[[Path], None]:
    """Return what puts a copy of the memory of a path, which nobody has open, elsewhere: however often, also when that path is gone."""
    if on_server():
        name = named(path)
        _databases.discard(name)

        def copy(other: Path) -> None:
            server().make(named(other), like=name)
            _databases.add(named(other))

        return copy
    written = path.read_bytes()
    return lambda other: _write(other, written)


def _write(path: Path, written: bytes) -> None:
    path.write_bytes(written)


async def columns(reader: Reader) -> list[tuple[str, str]]:
    """Return all columns, each as its table and its name."""
    rows = await reader.all(_COLUMNS[on_server()])
    return sorted((row["belongs"], row["name"]) for row in rows)


async def tables(reader: Reader) -> list[str]:
    """Return the names of all tables."""
    return sorted({table for table, _ in await columns(reader)})


async def with_words(reader: Reader, table: str, column: str, words: str) -> list[str]:
    """Return the values of a column that have these words in them, in the order of the rows; what is sealed no statement asks."""
    key = "item" if table == "exchanges" else "id"
    rows = await reader.all(f"SELECT {column} FROM {table} ORDER BY {key}")
    return [row[column] for row in rows if words in row[column]]


def holding(path: Path, word: str) -> list[str]:
    """Return which files beside a memory, and which of its tables where a server has them, hold a word."""
    found = [file.name for file in sorted(path.parent.iterdir()) if file.is_file() and word.encode() in file.read_bytes()]
    address = address_of(path)
    if address is None:
        return found
    with psycopg.connect(unguarded(address)) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'lyra' ORDER BY tablename").fetchall()
        for (name,) in names:
            asked = SQL("SELECT 1 FROM lyra.{0} t WHERE CAST(t AS TEXT) LIKE %s LIMIT 1").format(Identifier(name))
            if connection.execute(asked, [f"%{word}%"]).fetchone():
                found.append(name)
    return found


def stored(config: str, path: Path) -> str:
    """Return the text of a configuration with the store of the memory of a path."""
    address = address_of(path)
    return f'{config}\n[store]\nurl = "{address.url}"\n' if address else config


def drop_databases() -> None:
    """Remove the databases that were made, but for those that are still open: others of this file's tests go on there."""
    for name in sorted(_databases):
        with suppress(psycopg.errors.ObjectInUse):
            server().ask(f'DROP DATABASE "{name}"')
            _databases.discard(name)


def share(run: Path) -> None:
    """Have the workers of a run use one server; it is told in the folder of the run which."""
    _run.append(run)


@cache
def server() -> Postgres:
    """Return the server of this run, which ends with the last process that asked for it."""
    return _held.enter_context(postgres(_run[0] if _run else None))


def named(path: Path) -> str:
    return f"t{blake2b(str(path.absolute()).encode(), digest_size=12).hexdigest()}"


@pytest.fixture(autouse=True)
def kept_on_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep memories on PostgreSQL, in every test of a module that takes this."""
    monkeypatch.setenv(STORE, POSTGRESQL)
