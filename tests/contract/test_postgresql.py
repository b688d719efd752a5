"""A memory on a PostgreSQL server: which servers are taken, what is said of the others, and what becomes of a connection that breaks."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from localization.sentences import told
from memory.errors import (
    DatabaseAway,
    DatabaseBusy,
    DatabaseRefused,
    HomeInUse,
    MemoryFailure,
    MemoryMissing,
    NewerDatabase,
    NotWritable,
)
from memory.store.bounds import Bounds
from memory.store.opening import open_database
from memory.store.postgresql import connecting, database, pipelined_connection, transaction
from memory.store.postgresql.address import DatabaseAddress
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.reservation import Reservation
from memory.store.postgresql.scope import SET_SCOPE
from tests.fakes.pulse import PATIENCE
from tests.kits import forked
from tests.kits.fresh import server as shared
from tests.kits.memory_kit import KEY
from tests.kits.postgres import Postgres, postgres, unguarded
from tests.kits.size import TORTURE

pytest_plugins = ["tests.kits.postgres_fixtures"]

INSERT = "INSERT INTO settings (scope, key, value) VALUES (:scope, '', '')"


@pytest.fixture
def server() -> Postgres:
    """The server of the run."""
    return shared()


@pytest.fixture
def bare(server: Postgres) -> Iterator[str]:
    """The name of a database that is not there yet, and gone afterwards."""
    name = f"bare{os.getpid()}"
    yield name
    server.drop(name)


async def scopes(db: PostgresDatabase) -> list[str]:
    """Return what was written."""
    return [row["scope"] for row in await db.all("SELECT scope FROM settings ORDER BY scope")]


async def write(db: PostgresDatabase, scope: str, bounds: Bounds | None = None) -> None:
    """Write one row; where that is bound, it goes there with the commit."""
    async with db.transaction(bounds=bounds) as tx:
        if bounds:
            await tx.one("SELECT 1 AS one")
        await tx.run(INSERT, {"scope": scope})


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


async def test_a_newer_memory_is_not_opened(server: Postgres, address: DatabaseAddress) -> None:
    server.ask(
        "INSERT INTO lyra.migrations (version, name, digest) VALUES (9999, 'later', '')", address.url.split("/")[3].split("?")[0]
    )
    assert isinstance(await refusal(address), NewerDatabase)


async def test_a_server_that_takes_no_writes_is_told_apart(server: Postgres, address: DatabaseAddress) -> None:
    name = address.url.split("/")[3].split("?")[0]
    server.ask(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    assert isinstance(await refusal(address), NotWritable)


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


async def test_a_wrong_password_is_told_and_no_password_ever_is(server: Postgres, address: DatabaseAddress) -> None:
    hba = server.folder / "data" / "pg_hba.conf"
    before = hba.read_text()
    server.ask("CREATE ROLE guarded LOGIN SUPERUSER PASSWORD 'right'")
    try:
        hba.write_text(f"local all guarded scram-sha-256\n{before}")
        server.ask("SELECT pg_reload_conf()")
        url = address.url.replace("lyra@", "guarded@")
        async with asyncio.timeout(PATIENCE):
            while not isinstance(error := await _refused(DatabaseAddress(url, "wr0ng")), DatabaseRefused):
                await asyncio.sleep(0.02)
        assert "does not let me in" in str(error)
        assert "wr0ng" not in repr(error) + repr(DatabaseAddress(url, "wr0ng")) + str(
            DatabaseAddress(url.replace("guarded", "guarded:wr0ng"))
        )
        assert "does not let me in" in str(await refusal(DatabaseAddress(url)))
        async with await PostgresDatabase.open(DatabaseAddress(url, "right"), KEY) as db:
            await write(db, "in")
    finally:
        hba.write_text(before)
        server.ask("SELECT pg_reload_conf()")
        server.ask("DROP ROLE guarded")


async def _refused(address: DatabaseAddress) -> MemoryFailure | None:
    try:
        await (await PostgresDatabase.open(address, KEY)).close()
    except MemoryFailure as error:
        return error
    return None


class Between:
    """A way to a server, which can be cut: at once, or in the place of an answer that holds something."""

    def __init__(self, server: Postgres, folder: Path) -> None:
        self._server = server
        self.folder = folder
        self._writers: set[asyncio.StreamWriter] = set()
        self.cuts_before = b""

    def cut(self) -> None:
        """Cut every connection."""
        for writer in self._writers:
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Lead one client to the server."""
        there, to_server = await asyncio.open_unix_connection(self._server.folder / ".s.PGSQL.5432")
        self._writers |= {writer, to_server}
        with suppress(ConnectionError):
            await asyncio.gather(self._lead(reader, to_server, out=True), self._lead(there, writer, out=False))
        for one in (writer, to_server):
            one.close()

    async def _lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, out: bool) -> None:
        while data := await reader.read(65536):
            if not out and self.cuts_before and self.cuts_before in data:
                self.cuts_before = b""
                self.cut()
                return
            writer.write(data)
            await writer.drain()
        writer.close()


@asynccontextmanager
async def between(server: Postgres, folder: Path) -> AsyncIterator[Between]:
    """Make a way to a server."""
    way = Between(server, folder)
    listening = await asyncio.start_unix_server(way.serve, folder / ".s.PGSQL.5432")
    try:
        yield way
    finally:
        way.cut()
        listening.close()


async def test_a_connection_that_is_lost_undoes_its_transaction_and_the_next_goes_on(
    server: Postgres, address: DatabaseAddress, tmp_path: Path
) -> None:
    async with between(server, tmp_path) as way, await PostgresDatabase.open(_by(address, way), KEY) as db:
        await write(db, "before")
        with pytest.raises(DatabaseBusy):
            async with db.transaction() as tx:
                assert await tx.all("SELECT 1 AS one")
                await tx.run(INSERT, {"scope": "lost"})
                way.cut()
                await tx.all("SELECT 1 AS one")
        assert await scopes(db) == ["before"]
        way.cut()
        await write(db, "after")
        way.cut()
        assert await scopes(db) == ["after", "before"]


@pytest.mark.parametrize("bounds", [None, Bounds.of(1)], ids=["by itself", "with what it writes"])
async def test_where_the_answer_to_a_commit_is_lost_the_server_is_asked_what_became_of_it(
    server: Postgres, address: DatabaseAddress, tmp_path: Path, bounds: Bounds | None
) -> None:
    async with between(server, tmp_path) as way, await PostgresDatabase.open(_by(address, way), KEY) as db:
        await write(db, "before")
        way.cuts_before = b"COMMIT"
        await write(db, "kept", bounds)
        assert await scopes(db) == ["before", "kept"]


async def test_without_asking_what_was_kept_is_said_to_have_failed(
    server: Postgres, address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(self: PostgresDatabase, number: str) -> bool:
        return False

    monkeypatch.setattr(PostgresDatabase, "_kept", never)
    async with between(server, tmp_path) as way, await PostgresDatabase.open(_by(address, way), KEY) as db:
        way.cuts_before = b"COMMIT"
        with pytest.raises(DatabaseAway):
            await write(db, "kept")
        assert await scopes(db) == ["kept"]


def _by(address: DatabaseAddress, way: Between) -> DatabaseAddress:
    return DatabaseAddress(f"{address.url.partition('host=')[0]}host={way.folder}")


@pytest.mark.torture
async def test_a_server_that_crashes_and_recovers_has_every_commit_that_was_answered_and_each_once() -> None:
    with postgres() as server:
        address = server.make("crashing")
        async with await PostgresDatabase.open(address, KEY) as db:

            async def kept(number: int) -> int:
                """Write one row as who is told to try again does; return how often that took."""
                for tries in range(1, 100):
                    with suppress(DatabaseBusy):
                        await write(db, f"{number:03}")
                        return tries
                raise AssertionError("the server never came back")

            tries = 0
            for number in range(60):
                if number % 20 == 10:
                    crash(server)
                tries += await kept(number)
            assert await scopes(db) == [f"{number:03}" for number in range(60)]
            assert tries >= 60


@contextmanager
def standing_still(server: Postgres, database: str) -> Iterator[None]:
    """Have a server that is there give no answer to anybody during the block."""
    pids = [int((server.folder / "data" / "postmaster.pid").read_text().split()[0])]
    with psycopg.connect(unguarded(server.address(database))) as connection:
        # First who begins new ones: a connection that the pool was just opening would answer.
        os.kill(pids[0], signal.SIGSTOP)
        ours = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        pids += [pid for (pid,) in connection.execute(ours)]
    for pid in pids[1:]:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("looks", [True, False], ids=["", "the twin"])
async def test_a_server_that_stands_still_is_said_to_be_out_of_reach(looks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipelined_connection, "LOOK_SECONDS", 0.1 if looks else 60.0)
    monkeypatch.setattr(pipelined_connection, "ANSWER_SECONDS", 1)
    for module in (connecting, database):
        monkeypatch.setattr(module, "PATIENCE_SECONDS", 1.0)
    with postgres() as server:
        async with await PostgresDatabase.open(server.make("still"), KEY) as db:
            await write(db, "before")
            with standing_still(server, "still"):
                asked = asyncio.gather(db.all("SELECT 1 AS one"), write(db, "lost"), return_exceptions=True)
                done, _ = await asyncio.wait({asked}, timeout=PATIENCE if looks else 1.0)
                assert bool(done) == looks
            failed = await asked
            assert [isinstance(one, DatabaseAway) for one in failed] == [looks, looks]
            await write(db, "after")
            assert await scopes(db) == (["after", "before"] if looks else ["after", "before", "lost"])


def crash(server: Postgres) -> None:
    """Have a server break down as it does where one of its processes is killed, and recover from its log."""
    with psycopg.connect(unguarded(server.address("crashing"))) as connection:
        others = connection.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'lyra'").fetchall()
    os.kill(others[0][0], signal.SIGKILL)


async def test_a_process_that_writes_for_too_long_is_waited_for_no_longer(
    address: DatabaseAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "PATIENCE_SECONDS", 0.2)
    async with await PostgresDatabase.open(address, KEY) as one, await PostgresDatabase.open(address, KEY) as other:
        async with one.transaction() as tx:
            await tx.all("SELECT 1 AS one")
            with pytest.raises(DatabaseBusy, match="another process"):
                await write(other, "late")
        await write(other, "later")
        assert await scopes(one) == ["later"]


_COUNTING = """
import asyncio, sys
from memory.store.postgresql.address import DatabaseAddress
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.reservation import Reservation
async def count():
    async with await PostgresDatabase.open(DatabaseAddress(sys.argv[1]), bytes(range(32))) as db:
        print("ready", flush=True)
        sys.stdin.readline()
        for _ in range(int(sys.argv[2])):
            async with db.transaction() as tx:
                row = await tx.one("SELECT value FROM counters WHERE name = 'shared'")
                value = row["value"] + 1 if row else 1
                await tx.run("INSERT INTO counters (name, value) VALUES ('shared', :value) "
                             "ON CONFLICT (name) DO UPDATE SET value = :value", {"value": value})
asyncio.run(count())
"""


async def counted(address: DatabaseAddress, times: int, processes: int = 2) -> int:
    """Have several processes count as often as told, all beginning together; return how far they came."""
    running = [forked.started(_COUNTING, address.url, times) for _ in range(processes)]
    for one in running:
        assert await asyncio.to_thread(one.stdout.readline) == b"ready\n"
    for one in running:
        one.stdin.write(b"\n")
        one.stdin.flush()
    for one in running:
        _, errors, code = await asyncio.to_thread(one.ended)
        assert code == 0, errors
    async with await PostgresDatabase.open(address, KEY) as db:
        row = await db.one("SELECT value FROM counters WHERE name = 'shared'")
    return row["value"] if row else 0


async def test_what_two_processes_read_and_then_write_is_never_lost(address: DatabaseAddress) -> None:
    times = 5_000 if TORTURE else 100
    assert await counted(address, times) == 2 * times


async def test_without_the_lock_it_is(address: DatabaseAddress, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "beginning", lambda bounds, scope: [("BEGIN", ()), (SET_SCOPE, scope.parameters)])
    async with await PostgresDatabase.open(address, KEY) as one, await PostgresDatabase.open(address, KEY) as other:
        async with one.transaction() as first, other.transaction() as second:
            for tx in (first, second):
                assert await tx.one("SELECT value FROM counters WHERE name = 'shared'") is None
            await first.run("INSERT INTO counters (name, value) VALUES ('shared', 1) ON CONFLICT (name) DO UPDATE SET value = 1")
            await first.all("SELECT 1 AS one")
        row = await one.one("SELECT value FROM counters WHERE name = 'shared'")
    assert row and row["value"] == 1


async def test_a_process_killed_in_the_middle_of_a_transaction_leaves_nothing_and_holds_nobody_up(
    address: DatabaseAddress,
) -> None:
    stays = (
        "import asyncio, sys\nfrom memory.store.postgresql.address import DatabaseAddress\n"
        "from memory.store.postgresql.database import PostgresDatabase\n"
        "async def stay():\n  db = await PostgresDatabase.open(DatabaseAddress(sys.argv[1]), bytes(range(32)))\n  async with db.transaction() as tx:\n"
        f"    await tx.run({INSERT!r}, {{'scope': 'half'}})\n    await tx.all('SELECT 1 AS one')\n"
        "    print('inside', flush=True)\n    await asyncio.Event().wait()\nasyncio.run(stay())\n"
    )
    process = forked.started(stays, address.url)
    assert await asyncio.to_thread(process.stdout.readline) == b"inside\n"
    process.kill()
    await asyncio.to_thread(process.ended)
    async with await PostgresDatabase.open(address, KEY) as db:
        await write(db, "next")
        assert await scopes(db) == ["next"]


async def test_one_at_a_time_runs_on_a_database_until_it_is_closed(address: DatabaseAddress) -> None:
    async with await PostgresDatabase.open(address, KEY) as two:
        async with await PostgresDatabase.open(address, KEY) as one:
            assert await one.reserve() and await one.reserve()
            assert not await two.reserve()
        async with asyncio.timeout(PATIENCE):
            while not await two.reserve():
                await asyncio.sleep(0.01)


@asynccontextmanager
async def taken_over(
    server: Postgres, address: DatabaseAddress, folder: Path
) -> AsyncIterator[tuple[PostgresDatabase, PostgresDatabase]]:
    """Give a database that was reserved before its server was out of reach, and the one that reserved it meanwhile."""
    async with AsyncExitStack() as stack:
        other = await stack.enter_async_context(await PostgresDatabase.open(address, KEY))
        async with between(server, folder) as way:
            one = await stack.enter_async_context(await PostgresDatabase.open(_by(address, way), KEY))
            assert await one.reserve()
        (folder / ".s.PGSQL.5432").unlink(missing_ok=True)
        async with asyncio.timeout(PATIENCE):
            while not await other.reserve():
                await asyncio.sleep(0.01)
        await stack.enter_async_context(between(server, folder))
        yield one, other


async def test_who_runs_on_a_database_holds_it_again_after_the_way_there_was_cut(
    server: Postgres, address: DatabaseAddress, tmp_path: Path
) -> None:
    async with (
        between(server, tmp_path) as way,
        await PostgresDatabase.open(_by(address, way), KEY) as one,
        await PostgresDatabase.open(address, KEY) as other,
    ):
        assert await one.reserve()
        for scope in ("first", "second"):
            way.cut()
            await write(one, scope)
            assert not await other.reserve() and await one.reserve()


async def test_who_was_taken_over_meanwhile_writes_no_more(server: Postgres, address: DatabaseAddress, tmp_path: Path) -> None:
    async with taken_over(server, address, tmp_path) as (one, other):
        with pytest.raises(HomeInUse, match="taken over"):
            await write(one, "late")
        assert not await one.reserve()
        await write(other, "new")
        assert await scopes(other) == ["new"]


async def test_without_looking_who_holds_it_both_write(
    server: Postgres, address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def anybody(self: Reservation) -> None: ...

    monkeypatch.setattr(Reservation, "require", anybody)
    async with taken_over(server, address, tmp_path) as (one, other):
        await write(one, "late")
        await write(other, "new")
        assert await scopes(other) == ["late", "new"]


def test_a_home_without_a_server_loads_nothing_of_it() -> None:
    looks = "import sys, bot.app, memory.core; print(sorted(name for name in sys.modules if name.startswith('psycopg')))"
    done = subprocess.run([sys.executable, "-c", looks], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
