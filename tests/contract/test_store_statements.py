"""Every statement of memory is one that SQLite and PostgreSQL take, and none escapes being read from the source."""

import re
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from memory.core import Memory, Ports
from memory.store.bounds import Bounds
from memory.store.database import Numbers, Parameters, Reader, Row, Rows, Transaction
from memory.store.lineage import Seal
from memory.store.sqlite.database import SqliteDatabase
from tests.kits.dream_kit import Muse, days, forced
from tests.kits.fresh import server as shared
from tests.kits.ladder_kit import PAIRS, Teller
from tests.kits.memory_kit import KEY, BagOfWords, Clock, Ids, corner
from tests.kits.postgres import Postgres
from tests.kits.statements import Source, Statement, Unresolved, writers
from tests.kits.tabled import tabled


@cache
def read() -> list[Statement]:
    """Return what is handed to a store anywhere in memory."""
    return list(Source().statements())


@cache
def statements_read() -> list[str]:
    """Return each statement once."""
    return sorted({statement.sql for statement in read()})


@pytest.fixture(scope="module")
def server() -> Postgres:
    """A PostgreSQL with the tables of memory, made by the same migrations."""
    return shared()


def test_postgresql_takes_every_statement(server: Postgres) -> None:
    assert server.refused(statements_read()) == []


@pytest.mark.parametrize("sql", tabled("statements", "only_sqlite"))
def test_what_only_sqlite_takes_is_refused(server: Postgres, sql: str) -> None:
    assert len(server.refused(["SELECT 1 AS yes", sql])) == 1


@pytest.mark.parametrize(
    ("module", "statements"),
    [
        ('async def a(tx): await tx.run("DELETE" " FROM x")', ["DELETE FROM x"]),
        ('async def a(tx): await tx.run(sql="SELECT 1")', ["SELECT 1"]),
        (
            'async def a(tx, t): await tx.run(f"DELETE FROM {t}")\nb = [a(0, "x"), a(0, t="y")]',
            ["DELETE FROM x", "DELETE FROM y"],
        ),
        (
            'async def a(tx, n):\n  for t in ("x", "y"): await tx.one(f"SELECT {t}" if n else "SELECT 1")',
            ["SELECT 1", "SELECT x", "SELECT y"],
        ),
        (
            'A = "SELECT {c}"\ndef b(c) -> str: return f"{c}, z"\nasync def d(tx): await tx.all(A.format(c=b("y")))',
            ["SELECT y, z"],
        ),
        ("async def a(tx, t): await tx.run(t)", None),
        ("async def a(tx): await tx.run(input())", None),
        ('async def a(tx, o): await tx.run("SELECT " + o.name)', None),
    ],
)
def test_a_statement_is_followed_to_what_it_is_put_together_from_or_is_an_error(
    tmp_path: Path, module: str, statements: list[str] | None
) -> None:
    (tmp_path / "one.py").write_text(module)
    if statements is None:
        with pytest.raises(Unresolved):
            list(Source(tmp_path).statements())
    else:
        assert [found.sql for found in Source(tmp_path).statements()] == statements


async def test_sqlite_takes_every_statement(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", None) as db:
        for sql in statements_read():
            await db.all(f"EXPLAIN {sql}", dict.fromkeys(re.findall(r":([a-z_]\w*)", sql)))


async def test_each_table_is_written_by_one_module(tmp_path: Path) -> None:
    async with await SqliteDatabase.open(tmp_path / "lyra.db", None) as db:
        tables = {row["name"] for row in await db.all("SELECT name FROM sqlite_master WHERE type = 'table'")}
    written = writers(read())
    assert {table: modules for table, modules in written.items() if len(modules) > 1} == {}
    # Those two are the file's own.
    assert tables - {"migrations", "commits"} == set(written)


def test_a_second_writer_is_seen() -> None:
    other = Statement("memory.elsewhere", 1, "WITH old AS (SELECT 1) UPDATE terms SET length = 0")
    assert writers([*read(), other])["terms"] == {"memory.index.indexing", "memory.elsewhere"}


class Ears:
    """What a store is handed: every statement, and the types of its parameters."""

    def __init__(self) -> None:
        self.statements: set[str] = set()
        self.types: set[type] = set()

    def hear(self, sql: str, rows: Iterable[Parameters]) -> None:
        """Note a statement that is run with these parameters."""
        self.statements.add(sql)
        self.types.update(type(value) for row in rows for value in row.values())


class Overheard(SqliteDatabase):
    """A database that is listened to."""

    ears: Ears

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows."""
        self.ears.hear(sql, [parameters or {}])
        return await super().all(sql, parameters)

    @asynccontextmanager
    async def transaction(self, *, first: bool = False, bounds: Bounds | None = None) -> AsyncIterator[Transaction]:
        """Write in one transaction."""
        async with super().transaction(bounds=bounds) as tx:
            yield OverheardTransaction(tx, self.ears)


class OverheardTransaction(Transaction):
    """A transaction of it."""

    def __init__(self, tx: Transaction, ears: Ears) -> None:
        self._tx = tx
        self._ears = ears
        self.bounds = tx.bounds

    @property
    def everywhere(self) -> Reader:
        """It as it is."""
        return self

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return all its rows."""
        self._ears.hear(sql, [parameters or {}])
        return await self._tx.all(sql, parameters)

    async def one(self, sql: str, parameters: Parameters | None = None) -> Row | None:
        """Run one statement and return its first row, or None."""
        self._ears.hear(sql, [parameters or {}])
        return await self._tx.one(sql, parameters)

    async def free(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Run one statement and return its rows that nobody else is at."""
        self._ears.hear(sql, [parameters or {}])
        return await self._tx.free(sql, parameters)

    async def numbers(self, of: Numbers, n: int = 1) -> Sequence[int]:
        """Return n numbers."""
        return await self._tx.numbers(of, n)

    async def gather(self, *work: Coroutine[Any, Any, Any]) -> list[Any]:
        """Await all of these."""
        return await self._tx.gather(*work)

    async def finish(self, work: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        """Await all that is left to do."""
        return await self._tx.finish(work)

    async def renew_key(self, domain: int) -> None:
        """Have a domain have a new key."""
        await self._tx.renew_key(domain)

    async def run(self, sql: str, parameters: Parameters | None = None) -> None:
        """Run one statement that returns nothing."""
        self._ears.hear(sql, [parameters or {}])
        await self._tx.run(sql, parameters)

    async def many(self, sql: str, rows: Rows) -> None:
        """Run one statement once a row."""
        rows = list(rows() if callable(rows) else rows)
        self._ears.hear(sql, rows)
        await self._tx.many(sql, rows)


async def test_whatever_a_store_is_handed_was_read_from_the_source(tmp_path: Path) -> None:
    clock = Clock()
    db = await Overheard.open(tmp_path / "lyra.db", KEY)
    db.ears = Ears()
    async with Memory(db, tmp_path / "lyra.db", KEY, Seal(KEY), Ports(clock, Ids(), BagOfWords()), PAIRS) as memory:
        here = await corner(memory, clock)
        await days(here)
        await forced(here, Teller(), Muse())
        await here.view.embed()
        assert await here.found("garden")
        await here.view.forget_all()
    assert len(db.ears.statements) > 100
    assert {_shape(sql) for sql in db.ears.statements} - {_shape(sql) for sql in statements_read()} == set()
    assert db.ears.types <= {int, float, str, bytes, type(None)}, "PostgreSQL takes True for no number"


def _shape(sql: str) -> str:
    """Return a statement with lists and alternatives of one, however many they have."""
    one = re.sub(r"IN \((NULL|:[a-z]+\d+(, :[a-z]+\d+)*)\)", "IN (:some)", " ".join(sql.split()))
    return re.sub(r"(\([^()]+\))( OR \1)+", r"\1", re.sub(r":([a-z]+)\d+", r":\1", one))


@pytest.mark.torture
def test_the_server_ends_with_whoever_started_it() -> None:
    starts = "from tests.kits.postgres import postgres\nwith postgres() as server: print(server.folder, flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", starts], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdin is not None and starter.stdout is not None
        folder = Path(starter.stdout.readline().strip())
        assert (folder / "data" / "postmaster.pid").exists()
        starter.kill()
        # The server holds the other end of it as long as it runs.
        starter.stdout.read()
    assert not folder.exists()
