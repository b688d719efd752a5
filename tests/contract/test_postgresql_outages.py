"""What becomes of reads and writes when a connection to PostgreSQL is lost, or the server crashes or stands still."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from memory.errors import DatabaseAway, DatabaseBusy
from memory.store.bounds import Bounds
from memory.store.postgresql import connecting, database, pipelined_connection, pool
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from tests.fakes.pulse import PATIENCE
from tests.kits import postgres_way
from tests.kits.memory_kit import KEY
from tests.kits.postgres import Postgres, postgres, unguarded
from tests.kits.postgres_way import INSERT, between, by_way, scopes, write

pytest_plugins = ["tests.kits.postgres_fixtures"]

server = postgres_way.server


async def test_a_connection_that_is_lost_undoes_its_transaction_and_the_next_goes_on(
    server: Postgres, address: DatabaseAddress, tmp_path: Path
) -> None:
    async with between(server, tmp_path) as way, await PostgresDatabase.open(by_way(address, way), KEY) as db:
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
    async with between(server, tmp_path) as way, await PostgresDatabase.open(by_way(address, way), KEY) as db:
        await write(db, "before")
        way.cuts_before = b"COMMIT"
        await write(db, "kept", bounds)
        assert await scopes(db) == ["before", "kept"]


async def test_without_asking_what_was_kept_is_said_to_have_failed(
    server: Postgres, address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(self: PostgresDatabase, number: str) -> bool:
        return False

    monkeypatch.setattr(PostgresDatabase, "_was_committed", never)
    async with between(server, tmp_path) as way, await PostgresDatabase.open(by_way(address, way), KEY) as db:
        way.cuts_before = b"COMMIT"
        with pytest.raises(DatabaseAway):
            await write(db, "kept")
        assert await scopes(db) == ["kept"]


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
def standing_still(server: Postgres) -> Iterator[None]:
    """Have a server that is there give no answer to anybody during the block."""
    first = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    stop(first)
    # Also who lets in a connection that the pool was just opening, and is in no list of the server's yet.
    others = [int(pid) for pid in Path(f"/proc/{first}/task/{first}/children").read_text().split()]
    for pid in others:
        stop(pid)
    try:
        yield
    finally:
        for pid in (*others, first):
            os.kill(pid, signal.SIGCONT)


def stop(pid: int) -> None:
    """Stop a process; return once it stands still, and begins no other."""
    os.kill(pid, signal.SIGSTOP)
    while Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "TZ":
        pass


@pytest.mark.parametrize("looks", [True, False], ids=["", "the twin"])
async def test_a_server_that_stands_still_is_said_to_be_out_of_reach(looks: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipelined_connection, "LOOK_SECONDS", 0.1 if looks else 60.0)
    monkeypatch.setattr(pipelined_connection, "ANSWER_SECONDS", 1)
    for module in (connecting, database, pool):
        monkeypatch.setattr(module, "PATIENCE_SECONDS", 1.0 if looks else 60.0)
    with postgres() as server:
        async with await PostgresDatabase.open(server.make("still"), KEY) as db:
            await write(db, "before")
            with standing_still(server):
                asked = asyncio.gather(db.all("SELECT 1 AS one"), write(db, "lost"), return_exceptions=True)
                done, _ = await asyncio.wait({asked}, timeout=PATIENCE if looks else 1.0)
                assert bool(done) == looks
            failed = await asked
            assert [isinstance(one, DatabaseAway) for one in failed] == [looks, looks]
            await write(db, "after")
            assert await scopes(db) == (["after", "before"] if looks else ["after", "before", "lost"])


@pytest.mark.parametrize("hurried", [True, False], ids=["", "the twin"])
async def test_who_is_to_end_waits_only_briefly_for_a_server_that_stands_still(
    hurried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipelined_connection, "LOOK_SECONDS", 60.0)
    with postgres() as server:
        async with await PostgresDatabase.open(server.make("still"), KEY) as db:
            await write(db, "before")
            with standing_still(server):
                asked = asyncio.gather(db.all("SELECT 1 AS one"), write(db, "lost"), return_exceptions=True)
                assert not (await asyncio.wait({asked}, timeout=0.2))[0]
                if hurried:
                    db.hurry()
                done, _ = await asyncio.wait({asked}, timeout=PATIENCE if hurried else 3.0)
                assert bool(done) == hurried
            assert [type(one) for one in await asked] == ([DatabaseAway, DatabaseAway] if hurried else [list, type(None)])


async def test_nobody_else_is_held_up_while_a_server_that_stands_still_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipelined_connection, "LOOK_SECONDS", 0.1)
    with postgres() as server:
        async with await PostgresDatabase.open(server.make("still"), KEY) as db:
            await write(db, "before")
            with standing_still(server):
                asked = asyncio.create_task(db.all("SELECT 1 AS one"))
                began = asyncio.get_running_loop().time()
                await asyncio.sleep(0.5)
                assert asyncio.get_running_loop().time() - began < 0.8 * pipelined_connection.ANSWER_SECONDS
            await asked


@pytest.mark.parametrize("answer", [b"N", b""], ids=["there", "closed"])
async def test_a_server_at_a_port_is_there_if_it_answers(answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readexactly(8)
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
        port = listening.sockets[0].getsockname()[1]
        assert await pipelined_connection.is_there("127.0.0.1", port, PATIENCE) == bool(answer)
    assert not await pipelined_connection.is_there("127.0.0.1", port, PATIENCE)


def shut(server: Postgres, address: DatabaseAddress, closed: bool = True) -> None:
    """End every connection to a database; let nobody in again if it is `closed`."""
    name = address.url.partition("?")[0].rpartition("/")[2]
    server.ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS {not closed}")
    server.ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")


@pytest.mark.parametrize("hurried", [True, False], ids=["", "the twin"])
async def test_who_is_to_end_waits_no_longer_for_a_server_that_is_away(
    server: Postgres, address: DatabaseAddress, hurried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "PATIENCE_SECONDS", 1.5 * PATIENCE)
    async with await PostgresDatabase.open(address, KEY) as db:
        shut(server, address)
        try:
            waiting = asyncio.gather(db.all("SELECT 1 AS one"), write(db, "lost"), return_exceptions=True)
            assert not (await asyncio.wait({waiting}, timeout=0.5))[0]
            if hurried:
                db.hurry()
            done, _ = await asyncio.wait({waiting}, timeout=PATIENCE if hurried else 1.0)
            assert bool(done) == hurried
            if hurried:
                assert [type(one) for one in await waiting] == [DatabaseAway, DatabaseAway]
                with pytest.raises(DatabaseAway):
                    await asyncio.wait_for(db.all("SELECT 1 AS one"), PATIENCE)
        finally:
            shut(server, address, closed=False)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)


async def test_who_is_to_end_still_writes_where_only_the_connections_are_gone(server: Postgres, address: DatabaseAddress) -> None:
    async with await PostgresDatabase.open(address, KEY) as db:
        db.hurry()
        shut(server, address, closed=False)
        await asyncio.gather(*(write(db, str(n)) for n in range(4)))
        assert await scopes(db) == ["0", "1", "2", "3"]


def crash(server: Postgres) -> None:
    """Have a server break down as it does where one of its processes is killed, and recover from its log."""
    with psycopg.connect(unguarded(server.address("crashing"))) as connection:
        others = connection.execute("SELECT pid FROM pg_stat_activity WHERE application_name = 'lyra'").fetchall()
    os.kill(others[0][0], signal.SIGKILL)
