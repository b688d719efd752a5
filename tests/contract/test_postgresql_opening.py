"""Which PostgreSQL servers and databases are taken for a memory, and what is said of the others."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import scalar_row

from localization.sentences import told
from memory.errors import DatabaseAway, DatabaseBusy, DatabaseRefused, MemoryFailure, MemoryMissing, NewerDatabase
from memory.store.opening import open_database
from memory.store.postgresql import connecting, migrating, pool
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import LOCK, DatabaseAddress
from memory.store.postgresql.peers import presence
from tests.fakes.pulse import PATIENCE
from tests.kits import postgres_way
from tests.kits.memory_kit import KEY
from tests.kits.postgres import Postgres, postgres, unguarded
from tests.kits.postgres_way import scopes, write

pytest_plugins = ["tests.kits.postgres_fixtures"]

server = postgres_way.server


@pytest.fixture
def bare(server: Postgres) -> Iterator[str]:
    """The name of a database that is not there yet, and gone afterwards."""
    name = f"bare{os.getpid()}"
    yield name
    server.drop(name)


async def refusal(address: DatabaseAddress, *, new: bool = True) -> MemoryFailure:
    """Return why an address is not opened."""
    with pytest.raises(MemoryFailure) as refused:
        await PostgresDatabase.open(address, KEY, new=new)
    return refused.value


async def test_a_schema_is_made_once_by_however_many_come(server: Postgres, bare: str) -> None:
    server.bare(bare)
    opened = await asyncio.gather(*(PostgresDatabase.open(server.address(bare), KEY) for _ in range(4)))
    for n, db in enumerate(opened):
        await write(db, str(n))
        await db.close()
    async with await PostgresDatabase.open(server.address(bare), KEY) as db:
        assert await scopes(db) == ["0", "1", "2", "3"]


_FOR_LONG = (
    "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND application_name = 'lyra' AND wait_event_type = 'Lock' "
    "AND clock_timestamp() - query_start > make_interval(secs => 0.5)"
)
"""How many wait for a lock for longer than any other wait for one takes here."""


@contextmanager
def migrating_elsewhere(server: Postgres, name: str) -> Iterator[psycopg.Connection]:
    """Hold the lock of the first opening and of migrations for the block, as another process does."""
    with psycopg.connect(unguarded(server.address(name)), autocommit=True) as other:
        other.execute(f"SELECT pg_advisory_lock({LOCK}, 0)".encode())
        yield other


async def test_who_comes_while_another_migrates_waits_for_it(
    server: Postgres, bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "PATIENCE_SECONDS", 0.2)
    server.bare(bare)
    with migrating_elsewhere(server, bare) as other:
        opening = asyncio.create_task(PostgresDatabase.open(server.address(bare), KEY))
        async with asyncio.timeout(PATIENCE):
            while not opening.done() and other.cursor(row_factory=scalar_row).execute(_FOR_LONG, [bare]).fetchone() == 0:
                await asyncio.sleep(0.02)
    async with await opening as db:
        await write(db, "one")
        assert [row["wait"] for row in await db.all("SELECT current_setting('lock_timeout') AS wait")] == ["200ms"]


async def test_who_waits_for_a_migration_that_does_not_end_is_told_so(
    server: Postgres, bare: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(migrating, "_LONGEST_SECONDS", 0.2)
    server.bare(bare)
    with migrating_elsewhere(server, bare):
        error = await refusal(server.address(bare))
    assert isinstance(error, DatabaseBusy) and "is being set up or brought up to date by another process" in str(error)


async def test_a_database_that_is_not_there_is_said_to_be_missing(server: Postgres) -> None:
    error = await refusal(server.address("nowhere"))
    assert isinstance(error, DatabaseRefused) and "There is no database" in str(error) and "nowhere" in str(error)


async def test_a_database_that_lost_its_memory_is_not_begun_anew(server: Postgres, bare: str, tmp_path: Path) -> None:
    server.bare(bare)
    assert isinstance(await refusal(server.address(bare), new=False), MemoryMissing)
    (tmp_path / "holders").mkdir()
    with pytest.raises(MemoryMissing, match="is empty, though"):
        await open_database(tmp_path / "lyra.db", KEY, server.address(bare))


async def test_a_home_that_has_a_memory_is_not_left_behind_for_one_on_a_server(address: DatabaseAddress, tmp_path: Path) -> None:
    await (await open_database(tmp_path / "lyra.db", None, None)).close()
    with pytest.raises(DatabaseRefused, match="holds a memory of its own"):
        await open_database(tmp_path / "lyra.db", None, address)


async def test_a_memory_that_was_encrypted_before_master_keys_could_be_changed_is_opened(
    server: Postgres, address: DatabaseAddress
) -> None:
    name = address.url.split("/")[3].split("?")[0]
    server.ask("ALTER TABLE lyra.data_keys DROP COLUMN next", name)
    server.ask("DROP TABLE lyra.kept_commits", name)
    async with await PostgresDatabase.open(address, KEY) as db:
        await write(db, "one")
    async with await PostgresDatabase.open(address, KEY) as db:
        assert await scopes(db) == ["one"]


async def test_a_newer_memory_is_not_opened(server: Postgres, address: DatabaseAddress) -> None:
    server.ask(
        "INSERT INTO lyra.migrations (version, name, digest) VALUES (9999, 'later', '')", address.url.split("/")[3].split("?")[0]
    )
    assert isinstance(await refusal(address), NewerDatabase)


async def test_a_server_that_takes_no_writes_is_told_apart(server: Postgres, address: DatabaseAddress) -> None:
    name = address.url.split("/")[3].split("?")[0]
    server.ask(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with pytest.raises(DatabaseAway, match="takes no writes"):
        await PostgresDatabase.open(address, KEY)


async def test_text_that_is_not_utf8_is_refused(server: Postgres, bare: str) -> None:
    server.ask(f"CREATE DATABASE {bare} ENCODING 'LATIN1' TEMPLATE template0 LOCALE 'C'")
    assert "createdb --encoding UTF8" in str(await refusal(server.address(bare)))


async def test_a_server_that_is_too_old_is_refused(address: DatabaseAddress, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "OLDEST", 99)
    assert "takes 99 or newer" in str(await refusal(address))


async def test_nothing_that_listens_is_said_to_be_out_of_reach(tmp_path: Path) -> None:
    error = await refusal(DatabaseAddress(f"postgresql://lyra@/lyra?host={tmp_path}"))
    assert isinstance(error, DatabaseAway) and "cannot be reached" in told(error)


@pytest.mark.torture
def test_a_server_that_forgets_what_was_written_is_refused() -> None:
    with pytest.raises(DatabaseRefused, match="loses what was written"), postgres(fsync="off"):
        pass


@pytest.fixture
async def guarded(server: Postgres, address: DatabaseAddress) -> AsyncIterator[str]:
    """The URL of a database for which its role has to give a password, which is "right"."""
    hba = server.folder / "data" / "pg_hba.conf"
    before = hba.read_text()
    server.ask("CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'right'")
    url = address.url.replace("lyra@", "guarded@")
    try:
        hba.write_text(f"local all guarded scram-sha-256\n{before}")
        server.ask("SELECT pg_reload_conf()")
        async with asyncio.timeout(PATIENCE):
            while await _refused(DatabaseAddress(url, "wr0ng")) is None:
                await asyncio.sleep(0.02)
        yield url
    finally:
        hba.write_text(before)
        server.ask("SELECT pg_reload_conf()")
        server.ask("DROP ROLE guarded")


async def test_a_wrong_password_is_told_and_no_password_ever_is(guarded: str) -> None:
    error = await refusal(DatabaseAddress(guarded, "wr0ng"))
    assert "does not let me in" in str(error)
    assert "wr0ng" not in repr(error) + repr(DatabaseAddress(guarded, "wr0ng")) + str(
        DatabaseAddress(guarded.replace("guarded", "guarded:wr0ng"))
    )
    assert "does not let me in" in str(await refusal(DatabaseAddress(guarded)))
    async with await PostgresDatabase.open(DatabaseAddress(guarded, "right"), KEY) as db:
        await write(db, "in")


async def test_a_password_that_is_changed_in_its_file_is_taken_without_a_restart(
    server: Postgres, guarded: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "PATIENCE_SECONDS", 0.5)
    monkeypatch.setattr(presence, "PATIENCE_SECONDS", 0.5)
    file = tmp_path / "password"
    file.write_text("right\n")
    async with await PostgresDatabase.open(DatabaseAddress(guarded, password_file=file), KEY) as db:
        assert await db.reserve()
        server.ask("ALTER ROLE guarded PASSWORD 'new'")
        server.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'guarded'")
        async with asyncio.timeout(PATIENCE):
            # The first to write finds the connection that was lost.
            while "does not let me in" not in await _told(db):
                pass
            file.write_text("new\n")
            while await _told(db):
                pass
        assert await scopes(db) == ["late"]


async def _told(db: PostgresDatabase) -> str:
    """Write one row; return why that failed, '' if it did not."""
    try:
        await write(db, "late")
    except DatabaseAway as error:
        return str(error)
    return ""


async def _refused(address: DatabaseAddress) -> MemoryFailure | None:
    try:
        await (await PostgresDatabase.open(address, KEY)).close()
    except MemoryFailure as error:
        return error
    return None


def test_a_home_without_a_server_loads_nothing_of_it() -> None:
    looks = "import sys, bot.app, memory.core; print(sorted(name for name in sys.modules if name.startswith('psycopg')))"
    done = subprocess.run([sys.executable, "-c", looks], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
