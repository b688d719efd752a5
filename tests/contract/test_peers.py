"""Processes that share a memory on a server: who is alive, and that nothing is kept of one that others took for gone."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest

from memory.errors import HomeInUse
from memory.journal import ledger
from memory.store.bounds import Bounds
from memory.store.postgresql import transaction
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.peers import presence
from memory.store.postgresql.peers.presence import ProcessPresence
from tests.fakes.pulse import PATIENCE
from tests.kits.fresh import server as shared
from tests.kits.memory_kit import KEY
from tests.kits.postgres_way import between

pytest_plugins = ["tests.kits.postgres_fixtures"]

BEAT, EXPIRY = 0.05, 1.5
"""Seconds. Who is not heard of for as long as the second is gone, and on a busy machine nobody is for half of one now and then."""
INSERT = "INSERT INTO settings (scope, key, value) VALUES (:scope, '', '')"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "BEAT_SECONDS", BEAT)
    monkeypatch.setattr(presence, "EXPIRY_SECONDS", EXPIRY)


@asynccontextmanager
async def joined(address: DatabaseAddress, home: Path, name: str) -> AsyncIterator[tuple[PostgresDatabase, ProcessPresence]]:
    """Give a database in which a process of a home is alive under a name."""
    async with await PostgresDatabase.open(address, KEY) as db:
        here = db.holders(home, name)
        here.mark()
        await here.join()
        try:
            yield db, here
        finally:
            await here.leave()


async def until_gone(db: PostgresDatabase, name: str) -> float:
    """Wait until a process is not said to be alive any more; return the seconds that took."""
    began = asyncio.get_running_loop().time()
    async with asyncio.timeout(PATIENCE):
        while await db.one("SELECT 1 AS yes FROM processes WHERE name = :name", {"name": name}):
            await asyncio.sleep(0.01)
    return asyncio.get_running_loop().time() - began


async def test_who_is_asked_to_end_while_its_connection_is_lost_ends(
    address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What fails just then must not take the place of the end: nobody asks twice, and the loop would wait for ever."""
    asked, lost = asyncio.Event(), asyncio.Event()

    async def renewed(here: ProcessPresence) -> bool:
        asked.set()
        await lost.wait()
        raise psycopg.OperationalError

    async with joined(address, tmp_path, "one") as (_, here):
        monkeypatch.setattr(ProcessPresence, "_renewed", renewed)
        await asked.wait()
        assert here._beating
        here._beating.cancel()
        await asyncio.sleep(0)
        lost.set()
        done, _still = await asyncio.wait({here._beating}, timeout=PATIENCE)
        assert done


_FROZEN = f"""
import asyncio, sys
from pathlib import Path
from memory.errors import HomeInUse
from memory.store.postgresql import database
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.peers import presence
presence.BEAT_SECONDS, presence.EXPIRY_SECONDS = {BEAT}, {EXPIRY}
if sys.argv[3] == "unguarded":
    database.STILL_HERE = "SELECT 1 WHERE $1 <> ''"
async def work():
    async with await PostgresDatabase.open(DatabaseAddress(sys.argv[1]), bytes(range(32))) as db:
        here = db.holders(Path(sys.argv[2]), "frozen")
        here.mark()
        await here.join()
        try:
            async with db.transaction() as tx:
                await tx.run({INSERT!r}, {{"scope": "late"}})
                await tx.all("SELECT 1 AS one")
                print("inside", flush=True)
                sys.stdin.readline()
        except HomeInUse as error:
            print(error, flush=True)
        else:
            print("kept", flush=True)
asyncio.run(work())
"""


async def frozen(address: DatabaseAddress, folder: Path, how: str) -> tuple[str, list[str]]:
    """Freeze a process in the middle of a transaction until it is taken for gone; return what it says then, and what is kept."""
    async with joined(address, folder / "other", "other") as (db, _):
        process = subprocess.Popen(
            [sys.executable, "-c", _FROZEN, address.url, str(folder / "one"), how], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        assert process.stdin and process.stdout
        assert await asyncio.to_thread(process.stdout.readline) == b"inside\n"
        process.send_signal(signal.SIGSTOP)
        await until_gone(db, "frozen")
        process.send_signal(signal.SIGCONT)
        said, _err = await asyncio.to_thread(process.communicate, b"\n", PATIENCE)
        return said.decode().strip(), [row["scope"] for row in await db.all("SELECT scope FROM settings")]


async def test_nothing_is_kept_of_a_process_that_was_frozen_until_others_took_it_for_gone(
    address: DatabaseAddress, tmp_path: Path
) -> None:
    said, kept = await frozen(address, tmp_path, "guarded")
    assert said.startswith("This process stood still for too long") and kept == []


async def test_without_the_guard_what_it_wrote_is_kept(address: DatabaseAddress, tmp_path: Path) -> None:
    assert await frozen(address, tmp_path, "unguarded") == ("kept", ["late"])


async def test_who_is_taken_for_gone_is_told_and_keeps_nothing_any_more(address: DatabaseAddress, tmp_path: Path) -> None:
    async with joined(address, tmp_path / "one", "one") as (db, here), joined(address, tmp_path / "other", "other") as (other, _):
        async with db.transaction() as tx:
            await tx.run(INSERT, {"scope": "before"})
        async with other.transaction() as tx:
            await tx.run("DELETE FROM processes WHERE name = 'one'")
        async with asyncio.timeout(PATIENCE):
            await here.lapsed.wait()
        for bounds in (None, Bounds.of(1)):
            with pytest.raises(HomeInUse, match="stood still"):
                async with db.transaction(bounds=bounds) as tx:
                    await tx.one("SELECT 1 AS one")
                    await tx.run(INSERT, {"scope": "after"})
        assert [row["scope"] for row in await db.all("SELECT scope FROM settings")] == ["before"]


async def test_nobody_says_that_a_process_is_gone_while_it_commits(address: DatabaseAddress, tmp_path: Path) -> None:
    """Between the look at its own row and the commit, the row cannot go."""
    async with joined(address, tmp_path / "other", "other") as (db, _), await PostgresDatabase.open(address, KEY) as one:
        async with db.transaction() as tx:
            await tx.run("INSERT INTO processes (name, role, until) VALUES ('one', '', clock_timestamp() + INTERVAL '0.1 s')")
        async with one.transaction(bounds=Bounds()) as tx:
            await tx.run(INSERT, {"scope": "slow"})
            assert await tx.one(transaction.STILL_HERE.replace("$1", ":own"), {"own": "one"})
            # As long as it takes to be taken for gone, and longer.
            await asyncio.sleep(2 * EXPIRY)
            assert await db.one("SELECT 1 AS yes FROM processes WHERE name = 'one'")
        await until_gone(db, "one")


async def test_a_claim_is_anybodys_once_its_holder_is_gone_and_nobodys_else_before(
    address: DatabaseAddress, tmp_path: Path
) -> None:
    async with joined(address, tmp_path / "a", "one") as (db, _), joined(address, tmp_path / "b", "other") as (other, there):
        async with db.transaction(bounds=Bounds.of(1)) as tx:
            (fence,) = await tx.numbers("fence")
            await tx.run(
                "INSERT INTO processes (name, role, until) VALUES ('dead', '', clock_timestamp() + make_interval(secs => 0.5))"
            )
            await tx.run(
                "INSERT INTO claims (name, slot, holder, fence, until) VALUES ('gist', '1', 'dead', :fence, 600)",
                {"fence": fence},
            )
        assert await claimed(other, there) is None
        await until_gone(db, "dead")
        held = await claimed(other, there)
        assert held is not None and held.fence > fence


async def test_who_meets_somebody_at_a_claim_goes_on_without_waiting(address: DatabaseAddress, tmp_path: Path) -> None:
    async with joined(address, tmp_path / "a", "one") as (db, here), joined(address, tmp_path / "b", "other") as (other, there):
        async with db.transaction(bounds=Bounds()) as tx:
            held = await ledger.claim(tx, "gist", "1", here, 0)
            assert held is not None
            await ledger.release(tx, held)
        async with db.transaction(bounds=Bounds()) as tx:
            assert await ledger.claim(tx, "gist", "1", here, 1)
            async with asyncio.timeout(PATIENCE):
                assert await claimed(other, there) is None


async def claimed(db: PostgresDatabase, holders: ProcessPresence) -> ledger.Claim | None:
    """Claim the one piece of work, as of the first microsecond there was."""
    async with db.transaction(bounds=Bounds()) as tx:
        return await ledger.claim(tx, "gist", "1", holders, 1)


async def lapsed_after_an_outage(address: DatabaseAddress, tmp_path: Path) -> int:
    """Have two processes lose their server and come back to it; return how many were taken for gone."""
    async with between(shared(), tmp_path) as way, await PostgresDatabase.open(address, KEY) as direct:
        by_way = DatabaseAddress(f"{address.url.partition('host=')[0]}host={way.folder}")
        async with joined(by_way, tmp_path / "a", "one") as (_, one), joined(by_way, tmp_path / "b", "other") as (_, other):
            # Long enough to be somebody who may say that others are gone.
            await asyncio.sleep(1.5 * EXPIRY)
            (tmp_path / ".s.PGSQL.5432").rename(tmp_path / "away")
            way.cut()
            await asyncio.sleep(2 * EXPIRY)
            (tmp_path / "away").rename(tmp_path / ".s.PGSQL.5432")
            await asyncio.sleep(2 * EXPIRY)
            alive = await direct.all("SELECT name FROM processes WHERE until > clock_timestamp()")
            assert len(alive) == 2 - one.lapsed.is_set() - other.lapsed.is_set()
            return 2 - len(alive)


async def test_after_a_server_was_away_everybody_has_the_time_to_come_back(address: DatabaseAddress, tmp_path: Path) -> None:
    assert await lapsed_after_an_outage(address, tmp_path) == 0


@pytest.mark.torture
async def test_without_the_guard_who_comes_back_first_takes_the_others_for_gone(
    address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ProcessPresence, "_may_judge", lambda self: True)
    assert await lapsed_after_an_outage(address, tmp_path) > 0


async def test_of_a_process_of_the_same_home_it_is_known_at_once_that_it_was_killed(
    address: DatabaseAddress, tmp_path: Path
) -> None:
    joins = _FROZEN.replace("sys.stdin.readline()", "await asyncio.Event().wait()")
    with subprocess.Popen(
        [sys.executable, "-c", joins, address.url, str(tmp_path), "guarded"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout and await asyncio.to_thread(process.stdout.readline) == b"inside\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        async with joined(address, tmp_path, "next") as (db, here):
            assert not await here.living(db, "frozen")
            assert await db.one("SELECT 1 AS yes FROM processes WHERE name = 'frozen'") is None


async def test_each_unit_is_one_process_and_the_next_ones_once_it_is_gone(address: DatabaseAddress, tmp_path: Path) -> None:
    async with joined(address, tmp_path / "a", "one") as (one, _), joined(address, tmp_path / "b", "other") as (other, there):
        assert one.peers and other.peers
        first, second = await one.peers.lease("discord", 2), await other.peers.lease("discord", 2)
        assert first and second and {first.unit, second.unit} == {0, 1}
        assert await one.peers.lease("discord", 2) is None
        assert await one.peers.lease("matrix", 1) is not None
        await there.leave()
        again = await one.peers.lease("discord", 2)
        assert again and again.unit == second.unit and again.fence > second.fence


async def test_who_comes_with_another_number_of_units_takes_that_of_those_who_hold_some(
    address: DatabaseAddress, tmp_path: Path
) -> None:
    async with joined(address, tmp_path / "a", "one") as (one, here), joined(address, tmp_path / "b", "other") as (other, _):
        assert one.peers and other.peers
        assert await one.peers.lease("discord", 2)
        second = await other.peers.lease("discord", 16)
        assert second and (second.unit, second.units) == (1, 2)
        assert await other.peers.lease("discord", 16) is None


async def test_of_many_who_want_the_same_units_at_once_each_gets_its_own(address: DatabaseAddress, tmp_path: Path) -> None:
    async with joined(address, tmp_path / "a", "one") as (one, _), joined(address, tmp_path / "b", "other") as (other, _):
        assert one.peers and other.peers
        found = await asyncio.gather(*(db.peers.lease("discord", 8) for db in (one, other) for _ in range(6) if db.peers))
        assert sorted(lease.unit for lease in found if lease) == list(range(8))


async def test_turns_of_one_pace_are_given_out_one_after_the_other_to_all(address: DatabaseAddress, tmp_path: Path) -> None:
    async with joined(address, tmp_path / "a", "one") as (one, _), joined(address, tmp_path / "b", "other") as (other, _):
        # One in twenty seconds, so that what asking takes is little beside it.
        waits = await asyncio.gather(*(db.peers.slot("requests", 0.05) for db in (one, other) for _ in range(5) if db.peers))
        assert sorted(round(wait * 0.05) for wait in waits) == list(range(10))
