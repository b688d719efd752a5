"""A connection to a server: what goes there in one trip, what comes back, and what it is in after a trip that failed or was left."""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

import psycopg
import pytest

from memory.errors import DatabaseAway, DatabaseRefused, MemoryFailure
from memory.store.postgresql import pipelined_connection as connections
from memory.store.postgresql import pool
from memory.store.postgresql.connecting import connect
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.error_translation import explained, is_lost, meaning
from memory.store.postgresql.pipelined_connection import PipelinedConnection, Step
from tests.fakes.pulse import PATIENCE
from tests.kits.fresh import server
from tests.kits.memory_kit import KEY

pytest_plugins = ["tests.kits.postgres_fixtures"]
ONE: Step = ("SELECT CAST($1 AS BIGINT) AS one", [1])
WRONG: Step = ("SELECT 1 / CAST($1 AS BIGINT) AS wrong", [0])
NAMES = "SELECT count(*) AS n FROM pg_prepared_statements WHERE name LIKE 'lyra%'"


@pytest.fixture
async def there(address: DatabaseAddress) -> AsyncIterator[PipelinedConnection]:
    """A connection."""
    async with await connect(address) as connection:
        yield connection


async def prepared(connection: PipelinedConnection) -> int:
    """Count the statements that the server has prepared."""
    row = await (await connection.execute(NAMES)).fetchone()
    assert row is not None
    return int(row["n"])


async def test_every_statement_of_a_trip_is_answered_in_its_order_and_values_come_back_as_they_were(
    there: PipelinedConnection,
) -> None:
    given: Sequence[object] = [7, 0.5, "é'\\", b"\x00\xff", None, [1, 2], ["a"]]
    types = ["BIGINT", "DOUBLE PRECISION", "TEXT", "BYTEA", "TEXT", "BIGINT[]", "TEXT[]"]
    all_of_them = ", ".join(f"CAST(${n} AS {name}) AS v{n}" for n, name in enumerate(types, 1))
    for _ in range(3):
        made, rows, many, nothing = await there.round_trip(
            [
                ("CREATE TEMP TABLE IF NOT EXISTS here (n BIGINT)", ()),
                (f"SELECT {all_of_them}", given),
                ("SELECT g AS n, g > 1 AS more, 1 AS n FROM generate_series(1, CAST($1 AS BIGINT)) g", [2]),
                ("SELECT n FROM here", ()),
            ]
        )
        assert made == nothing == [] and [list(row) for row in rows] == [given]
        assert [(row["n"], row["more"]) for row in many] == [(1, 0), (2, 1)]


async def test_behind_what_fails_nothing_is_run_and_the_connection_goes_on(there: PipelinedConnection) -> None:
    await there.execute("CREATE TEMP TABLE here (n BIGINT)")
    insert: Step = ("INSERT INTO here (n) VALUES ($1)", [1])
    for _ in range(3):
        # The second time what comes behind the error would be prepared.
        with pytest.raises(psycopg.errors.DivisionByZero):
            await there.round_trip([insert, WRONG, ONE, insert])
    assert [[row["n"] for row in rows] for rows in await there.round_trip([("SELECT count(*) AS n FROM here", ())])] == [[0]]
    for _ in range(3):
        assert [row["one"] for row in (await there.round_trip([insert, ONE]))[1]] == [1]
    assert (await there.round_trip([("SELECT count(*) AS n FROM here", ())]))[0][0]["n"] == 3


async def test_what_comes_again_is_prepared_and_what_came_longest_ago_is_forgotten(
    there: PipelinedConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "REMEMBERED", 3)
    await there.round_trip([ONE])
    assert await prepared(there) == 0
    for _ in range(3):
        await there.round_trip([ONE, ONE])
    assert await prepared(there) == 1
    for n in range(20):
        again: Step = (f"SELECT {n} AS n", ())
        assert [rows[0]["n"] for rows in await there.round_trip([again, again])] == [n, n]
        assert await prepared(there) <= 3
    assert (await there.round_trip([ONE, ONE]))[1][0]["one"] == 1


async def test_who_leaves_a_read_gets_the_connection_closed_and_nobody_is_given_another_ones_answer(
    there: PipelinedConnection,
) -> None:
    reading = asyncio.create_task(there.round_trip([("SELECT pg_sleep(60)", ())]))
    await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert there.closed


async def test_what_is_made_to_the_end_is_run_before_the_cancellation_is_told(there: PipelinedConnection) -> None:
    await there.execute("CREATE TEMP TABLE here (n BIGINT)")
    async with asyncio.timeout(PATIENCE):
        writing = asyncio.create_task(there.round_trip([("INSERT INTO here (n) VALUES (1)", ()), ONE], uncancelled=True))
        await asyncio.sleep(0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
    assert (await there.round_trip([("SELECT n FROM here", ())]))[0][0]["n"] == 1


async def test_more_than_the_way_there_holds_is_sent_while_answers_come_back(there: PipelinedConnection) -> None:
    large = "x" * 100_000
    async with asyncio.timeout(PATIENCE):
        answers = await there.round_trip([("SELECT CAST($1 AS TEXT) AS text", [large])] * 100)
    assert all(rows[0]["text"] == large for rows in answers)


async def test_a_connection_that_the_server_ends_is_told_apart_from_a_statement_that_fails(there: PipelinedConnection) -> None:
    with pytest.raises(psycopg.errors.AdminShutdown):
        await there.round_trip([ONE, ("SELECT pg_terminate_backend(pg_backend_pid())", ()), ONE])
    assert there.closed
    with pytest.raises(psycopg.OperationalError):
        await there.round_trip([ONE])


async def test_of_a_transaction_that_a_crash_left_no_trace_of_nothing_is_kept(address: DatabaseAddress) -> None:
    """Its number is one that the server, as it recovered, has not given yet."""
    async with await PostgresDatabase.open(address, KEY) as db:
        assert not await db._was_committed("5000000000")


async def test_an_answer_that_the_server_breaks_off_is_a_lost_connection(address: DatabaseAddress) -> None:
    """The library has an error without a state for it, of no kind in particular."""
    broken_off = psycopg.DatabaseError("server closed the connection unexpectedly")
    assert is_lost(broken_off) and isinstance(meaning(broken_off, address), DatabaseAway)
    assert not is_lost(psycopg.errors.DivisionByZero("division by zero"))


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("?frob=1", "has a part that PostgreSQL does not know"),
        ("%zz", "has a part that PostgreSQL does not know"),
        ("?port=99999", "has a part that PostgreSQL does not know"),
        ("?port=54x", "has a part that PostgreSQL does not know"),
        ("?sslmode=bogus", "cannot be encrypted as its url asks"),
        ("?user=nobody_there", "does not let me in"),
    ],
)
async def test_what_is_wrong_with_a_url_is_told_apart_from_a_server_that_is_away(
    address: DatabaseAddress, more: str, told: str
) -> None:
    url, _, host = address.url.partition("?")
    wrong = DatabaseAddress(url + more + ("&" if "?" in more else "?") + host)
    with pytest.raises(MemoryFailure, match=told), explained(wrong):
        await (await connect(wrong)).close()


async def test_a_server_without_a_connection_left_is_away_and_says_so(address: DatabaseAddress) -> None:
    full = psycopg.OperationalError("FATAL:  sorry, too many clients already")
    assert isinstance(meaning(full, address), DatabaseAway) and "no connection left" in str(meaning(full, address))


@pytest.mark.parametrize("mode", ["sslmode=require", "sslmode=verify-full&sslrootcert=/nowhere"])
async def test_a_server_without_tls_is_told_apart_from_one_that_is_away(mode: str) -> None:
    left = asyncio.Event()

    async def refuses(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if await reader.read(8):
            writer.write(b"N")
            await reader.read()
        writer.close()
        left.set()

    async with await asyncio.start_server(refuses, "127.0.0.1", 0) as server:
        there = DatabaseAddress(f"postgresql://lyra@127.0.0.1:{server.sockets[0].getsockname()[1]}/lyra?{mode}")
        with pytest.raises(DatabaseRefused, match="cannot be encrypted as its url asks"), explained(there):
            await (await connect(there)).close()
        await asyncio.wait_for(left.wait(), PATIENCE)


async def test_why_no_connection_can_be_made_is_said_by_whoever_waited_for_one(
    address: DatabaseAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "PATIENCE_SECONDS", 1.0)
    name = address.url.partition("?")[0].rpartition("/")[2]
    async with await PostgresDatabase.open(address, KEY) as db:
        for change, why in (("CONNECTION LIMIT 0", "no connection left"), ("ALLOW_CONNECTIONS false", "cannot be reached")):
            server().ask(f"ALTER DATABASE {name} {change}")
            server().ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
            with pytest.raises(DatabaseAway, match=why):
                await db.all("SELECT 1 AS one")
            with pytest.raises(DatabaseAway, match=why):
                async with db.transaction() as tx:
                    await tx.all("SELECT 1 AS one")
            server().ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true CONNECTION LIMIT -1")


async def test_a_server_that_was_away_is_noticed_as_soon_as_it_is_back(
    address: DatabaseAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "PATIENCE_SECONDS", 0.2)
    name = address.url.partition("?")[0].rpartition("/")[2]
    async with await PostgresDatabase.open(address, KEY) as db:

        async def reads() -> bool:
            with suppress(DatabaseAway):
                return bool(await db.all("SELECT 1 AS one"))
            return False

        server().ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        server().ask(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
        # A pool that doubles its pauses tries a third time after three seconds, and then after seven.
        ends = time.monotonic() + 3.5
        while time.monotonic() < ends:
            assert not await reads()
        server().ask(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        ends = time.monotonic() + 3.0
        while not await reads():
            assert time.monotonic() < ends
