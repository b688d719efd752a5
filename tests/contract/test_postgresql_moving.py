"""What a move between a file and a database holds on to while it copies, and how it is read back."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
import sqlcipher3

from memory.errors import DatabaseBusy, DatabaseRefused, MemoryUnusable
from memory.store import restoring
from memory.store.postgresql import connecting, moving
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.sqlite.database import SqliteDatabase
from tests.kits.memory_kit import KEY
from tests.kits.postgres import unguarded

pytest_plugins = ["tests.kits.postgres_fixtures"]

INSERT = "INSERT INTO cursors (platform, stream, value, moved_at) VALUES (:scope, '', '1', 0)"
CHANGED = """CREATE FUNCTION lyra.change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.value := '2'; RETURN NEW; END $$;
CREATE TRIGGER changing BEFORE INSERT ON lyra.cursors FOR EACH ROW WHEN (NEW.platform = 'one') EXECUTE FUNCTION lyra.change()"""


def quiet(_done: int, _total: int) -> None:
    """Tell nobody."""


async def always(*_: object) -> bool:
    """Take two stores for the same."""
    return True


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """The path of a memory in a file, which holds two rows."""
    async with await SqliteDatabase.open(tmp_path / "lyra.db", KEY) as file, file.transaction() as tx:
        await tx.many(INSERT, [{"scope": "one"}, {"scope": "two"}])
    return tmp_path / "lyra.db"


async def filled(address: DatabaseAddress) -> None:
    """Have a database hold a row."""
    async with await PostgresDatabase.open(address, KEY) as db, db.transaction() as tx:
        await tx.run(INSERT, {"scope": "one"})


def asked(address: DatabaseAddress, statements: str) -> None:
    """Have somebody else do something to a database."""
    with psycopg.connect(unguarded(address)) as other:
        other.execute(statements.encode())


def late(address: DatabaseAddress) -> Callable[[int, int], None]:
    """Return what lets many idle timeouts of the server pass by its own clock, once the copy has begun."""
    return lambda done, _total: None if done else asked(address, "SELECT pg_sleep(0.3)")


async def test_nobody_writes_to_a_database_before_what_moves_out_of_it_is_at_home(
    address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(address)
    monkeypatch.setattr(connecting, "PATIENCE_SECONDS", 0.2)
    async with await PostgresDatabase.open(address, KEY) as other:
        async with moving.out_of(address, tmp_path / "lyra.db", KEY, quiet):
            with pytest.raises(DatabaseBusy, match="another process"):
                async with other.transaction() as tx:
                    await tx.run(INSERT, {"scope": "late"})
        async with other.transaction() as tx:
            await tx.run(INSERT, {"scope": "later"})
        assert [row["scope"] for row in await other.all("SELECT platform AS scope FROM cursors ORDER BY platform")] == [
            "later",
            "one",
        ]


async def test_a_copy_out_of_a_database_outlasts_the_idle_timeout(
    address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(address)
    monkeypatch.setattr(connecting, "_IDLE_SECONDS", 0.05)
    async with moving.out_of(address, tmp_path / "lyra.db", KEY, late(address)):
        pass
    async with await SqliteDatabase.open(restoring.staging_path(tmp_path / "lyra.db"), KEY) as file:
        assert [row["scope"] for row in await file.all("SELECT platform AS scope FROM cursors")] == ["one"]


async def into(address: DatabaseAddress, path: Path) -> None:
    """Move a file into a database."""
    async with moving.into(address, path, KEY, quiet):
        pass


async def test_a_row_that_the_database_changes_is_found_and_nothing_of_the_move_is_kept(
    address: DatabaseAddress, path: Path
) -> None:
    asked(address, CHANGED)
    with pytest.raises(MemoryUnusable):
        await into(address, path)
    asked(address, "DROP TRIGGER changing ON lyra.cursors")
    await into(address, path)


async def test_without_reading_back_it_is_not_found(
    address: DatabaseAddress, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(address, CHANGED)
    answers = iter((False, True))

    async def same(*_: object) -> bool:
        """Take two stores for the same once something was written."""
        return next(answers)

    monkeypatch.setattr(moving, "are_equal", same)
    await into(address, path)
    async with await PostgresDatabase.open(address, KEY) as db:
        assert await db.one("SELECT 1 AS changed FROM cursors WHERE value = '2'")


async def test_a_database_that_holds_anything_else_is_refused(address: DatabaseAddress, path: Path) -> None:
    await into(address, path)
    await into(address, path)
    asked(address, "UPDATE lyra.cursors SET value = '2' WHERE platform = 'two'")
    with pytest.raises(DatabaseRefused, match="not this one"):
        await into(address, path)


async def test_a_database_sealed_with_another_key_is_refused_as_one_that_holds_something_else(
    address: DatabaseAddress, path: Path
) -> None:
    async with await PostgresDatabase.open(address, bytes(32)):
        pass
    with pytest.raises(DatabaseRefused, match="not this one"):
        await into(address, path)


async def test_without_looking_whether_it_is_empty_what_it_held_is_lost(
    address: DatabaseAddress, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(address)
    asked(address, "UPDATE lyra.cursors SET platform = 'theirs'")
    monkeypatch.setattr(moving, "is_empty", always)
    await into(address, path)
    async with await PostgresDatabase.open(address, KEY) as db:
        assert not await db.one("SELECT 1 AS held FROM cursors WHERE platform = 'theirs'")


def changing(path: Path) -> Callable[[int, int], None]:
    """Return what changes a row of the staged file once all rows are copied."""

    def tell(done: int, total: int) -> None:
        if done == total:
            with closing(sqlcipher3.connect(restoring.staging_path(path))) as other, other:
                other.execute(f"PRAGMA key = \"x'{KEY.hex()}'\"")
                other.execute("UPDATE cursors SET value = '2'")

    return tell


async def test_a_row_that_the_file_changes_is_found(address: DatabaseAddress, tmp_path: Path) -> None:
    await filled(address)
    with pytest.raises(MemoryUnusable):
        async with moving.out_of(address, tmp_path / "lyra.db", KEY, changing(tmp_path / "lyra.db")):
            pass


async def test_without_reading_back_it_is_not_found_in_the_file(
    address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await filled(address)
    monkeypatch.setattr(moving, "are_equal", always)
    async with moving.out_of(address, tmp_path / "lyra.db", KEY, changing(tmp_path / "lyra.db")):
        pass
