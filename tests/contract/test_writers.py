"""Writers of different domains go on side by side on a server, in one process and in several, and nobody misses what they changed."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memory.core import ConsolidationRules, Memory, Ports
from memory.journal.inbox import in_commit_order
from memory.journal.journal import Event, Part
from memory.store.bounds import Bounds
from memory.store.database import Database, Row
from memory.store.domains import create, log_change, natural_key, read_domain
from memory.store.lineage import Seal, add_items
from memory.store.postgresql import transaction
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.pipelined_connection import PipelinedConnection, Step
from memory.store.postgresql.scope import SET_SCOPE
from memory.types import Domain, DomainKind, DomainRef, Kind, NewExchange
from memory.view.view import Answer
from tests.fakes.pulse import PATIENCE
from tests.kits.memory_kit import KEY, Clock, Corner, Ids, at_home, corner
from tests.kits.size import TORTURE

pytest_plugins = ["tests.kits.postgres_fixtures"]

A, B = Bounds.of(1), Bounds.of(2)


@asynccontextmanager
async def writers(address: DatabaseAddress, *, processes: bool) -> AsyncIterator[tuple[PostgresDatabase, PostgresDatabase]]:
    """Give two that write: one database twice, or as two processes have it."""
    async with await PostgresDatabase.open(address, KEY) as one:
        if not processes:
            yield one, one
            return
        async with await PostgresDatabase.open(address, KEY) as other:
            yield one, other


async def beside(one: Database, other: Database, held: Bounds | None, bounds: Bounds | None) -> bool:
    """Say whether a transaction begins while another is open; it must once that one is over."""
    inside = asyncio.Event()

    async def enter() -> None:
        async with other.transaction(bounds=bounds) as tx:
            await tx.all("SELECT 1 AS one")
            inside.set()

    async with asyncio.timeout(PATIENCE):
        async with one.transaction(bounds=held) as tx:
            await tx.all("SELECT 1 AS one")
            entering = asyncio.create_task(enter())
            # Many more ways to the server than a beginning takes, also where it has to connect first.
            trips = 200
            while trips and not inside.is_set():
                await other.all("SELECT 1 AS one")
                trips -= 1
            began = inside.is_set()
        await entering
    return began


@pytest.mark.parametrize("processes", [False, True], ids=["in one process", "in two"])
async def test_who_is_bound_to_different_things_writes_side_by_side(address: DatabaseAddress, processes: bool) -> None:
    cases = {
        (A, B): True,
        (A, A): False,
        (Bounds.of(1, rests_on=[3]), Bounds.of(2, rests_on=[3])): True,
        (A, Bounds.of(2, rests_on=[1])): False,
        (Bounds.of(2, rests_on=[1]), A): False,
        (Bounds(), A): True,
        (Bounds.of("1"), A): True,
        (None, A): False,
        (A, None): False,
    }
    async with writers(address, processes=processes) as (one, other):
        assert {case: await beside(one, other, *case) for case in cases} == cases


async def test_who_hears_at_one_place_or_in_one_stream_does_so_in_order_and_elsewhere_side_by_side(
    address: DatabaseAddress,
) -> None:
    def heard(*places: str, stream: str = "", platform: str = "discord") -> Bounds:
        return in_commit_order(platform, [Event("1", place, "") for place in places], {stream: "7"} if stream else {})

    many = [f"place {n}" for n in range(100)]
    cases = {
        (heard("a"), heard("b")): True,
        (heard("a"), heard("a")): False,
        (heard("a", "b"), heard("b", "c")): False,
        (heard("a"), heard("a", platform="matrix")): True,
        (heard("a", stream="s"), heard("b", stream="s")): False,
        (heard("a", stream="s"), heard("b", stream="t")): True,
        (heard(stream="s"), heard("b", stream="s")): False,
        (heard(*many), heard("b")): False,
        (heard("b"), heard(*many)): False,
        (heard(*many), heard("b", platform="matrix")): True,
    }
    async with writers(address, processes=True) as (one, other):
        assert {case: await beside(one, other, *case) for case in cases} == cases


async def test_without_the_locks_of_the_server_two_processes_write_the_same(
    address: DatabaseAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transaction, "beginning", lambda bounds, scope: [("BEGIN", ()), (SET_SCOPE, scope.parameters)])
    async with writers(address, processes=True) as (one, other):
        assert await beside(one, other, A, A)


async def test_those_who_wait_go_in_their_order_whoever_comes_first_before_them(address: DatabaseAddress) -> None:
    order: list[str] = []

    async def write(db: Database, name: str, bounds: Bounds | None, *, first: bool = False) -> None:
        async with db.transaction(bounds=bounds, first=first) as tx:
            order.append(name)
            await tx.all("SELECT 1 AS one")

    async with (
        asyncio.timeout(PATIENCE),
        await PostgresDatabase.open(address, KEY) as db,
        asyncio.TaskGroup() as group,
        db.transaction(bounds=A),
    ):
        for name, bounds in (("all", None), ("a", A), ("b", B)):
            group.create_task(write(db, name, bounds))
        given_up = group.create_task(write(db, "given up", None))
        await asyncio.sleep(0)
        group.create_task(write(db, "first", A, first=True))
        await asyncio.sleep(0)
        given_up.cancel()
        assert order == [], "who waits for all is overtaken by nobody"
    assert order[:2] == ["first", "all"] and sorted(order[2:]) == ["a", "b"]


async def domains(db: Database, n: int) -> list[Domain]:
    """Make so many domains."""
    refs = [DomainRef(DomainKind.DM, "console", f"p{at}") for at in range(n)]
    async with db.transaction() as tx:
        for ref in refs:
            await create(tx, ref, "UTC", 0)
        rows = [await tx.one(
            "SELECT * FROM domains WHERE platform = :platform AND kind = :kind AND native_id = :native_id AND epoch = :epoch",
            natural_key(ref),
        ) for ref in refs]  # fmt: skip
    return [read_domain(row) for row in rows if row]


class Follower:
    """Reads what changed in some domains, as a cache does: what is behind the last it read, wherever there is more."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.seen: dict[int, list[tuple[int, int]]] = {}

    async def follow(self) -> None:
        """Read what is new."""
        for row in await self._db.all("SELECT id, changes FROM domains"):
            mine = self.seen.setdefault(row["id"], [])
            last = mine[-1][0] if mine else 0
            if row["changes"] > last:
                rows = await self._db.all(
                    "SELECT seq, item FROM changes WHERE domain = :domain AND seq > :last ORDER BY seq",
                    {"domain": row["id"], "last": last},
                )
                mine += [(found["seq"], found["item"]) for found in rows]


async def test_a_follower_misses_nothing_of_what_many_write_at_once(address: DatabaseAddress) -> None:
    writes, each = (25_000, 1) if TORTURE else (125, 4)
    async with await PostgresDatabase.open(address, KEY) as one, await PostgresDatabase.open(address, KEY) as other:
        places = await domains(one, 3)
        follower, over = Follower(one), asyncio.Event()

        async def write(db: Database, name: str, at: int) -> None:
            for n in range(writes):
                domain = places[(at + n) % len(places)]
                async with db.transaction(bounds=Bounds.of(domain.key)) as tx:
                    await log_change(
                        tx, domain, await add_items(tx, domain, "exchange", [f"{name}{n} {at}" for at in range(each)]), "add"
                    )

        async def follow() -> None:
            while not over.is_set():
                await follower.follow()
            await follower.follow()

        following = asyncio.create_task(follow())
        await asyncio.gather(*(write(db, f"{db is one}{at} ", at) for db in (one, other) for at in range(2)))
        over.set()
        await following
    found = [follower.seen[domain.key] for domain in places]
    for changes in found:
        assert [seq for seq, _ in changes] == list(range(1, len(changes) + 1))
        assert [item for _, item in changes] == sorted(item for _, item in changes), "numbers rise within a domain"
    assert len({item for changes in found for _, item in changes}) == 4 * writes * each


@pytest.mark.parametrize("first", [0, 1, 2, 3])
async def test_the_numbers_of_a_transaction_rise_however_many_are_taken_at_once(address: DatabaseAddress, first: int) -> None:
    async with await PostgresDatabase.open(address, KEY) as db:
        taken: list[int] = []
        for bounds in (Bounds.of(1), None):
            async with db.transaction(bounds=bounds) as tx:
                await tx.one("SELECT 1 AS one")
                for n in (first, 2, 1, 3):
                    taken += await tx.numbers("item", n)
        assert len(taken) == 2 * (first + 6) and taken == sorted(set(taken))


async def test_who_followed_the_numbers_of_the_whole_memory_would_miss_some(address: DatabaseAddress) -> None:
    async with await PostgresDatabase.open(address, KEY) as one, await PostgresDatabase.open(address, KEY) as other:
        here, there = await domains(one, 2)
        async with one.transaction(bounds=Bounds.of(here.key)) as late:
            await add_items(late, here, "exchange", ["late"])
            async with other.transaction(bounds=Bounds.of(there.key)) as early:
                await add_items(early, there, "exchange", ["early"])
            [seen] = await one.all("SELECT id, public_id FROM items ORDER BY id")
        behind = await one.all("SELECT id FROM items WHERE id > :seen", {"seen": seen["id"]})
    assert seen["public_id"] == "early" and behind == []


async def turn(here: Corner, n: int = 1) -> None:
    """Hear, keep, answer and send one message."""
    (event,) = await here.memory.journal.accept("console", [Event(f"e{n}", "there", "hello")])
    asked = await here.say("hello", source=f"e{n}")
    reply = NewExchange(Kind.REPLY, "Hello.", f"r{n}", here.clock.now(), "Lyra", "assistant")
    answer = Answer(reply, [asked.key], [event.key], [Part(f"p{n}", "Hello.")], [asked])
    replied = await here.view.answer(here.session, answer)
    assert replied and replied.first
    await here.memory.journal.sent(replied.first.row)


async def test_the_writes_of_a_turn_take_ten_trips_to_the_server(
    address: DatabaseAddress, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trips: list[int] = []
    round_trip = PipelinedConnection.round_trip

    async def counted(self: PipelinedConnection, steps: Sequence[Step], *, uncancelled: bool = False) -> list[list[Row]]:
        trips.append(len(steps))
        return await round_trip(self, steps, uncancelled=uncancelled)

    async with await PostgresDatabase.open(address, KEY) as db:
        clock = Clock()
        here = await corner(Memory(db, tmp_path / "lyra.db", KEY, Seal(KEY), Ports(clock, Ids()), ConsolidationRules()), clock)
        await turn(here, 1)
        monkeypatch.setattr(PipelinedConnection, "round_trip", counted)
        await turn(here, 2)
    # One statement of each transaction numbers its commit, in the trip of that.
    assert len(trips) <= 10 and sum(trips) <= 66, trips


@pytest.mark.parametrize("alone", [False, True], ids=["another domain", "the twin: everything"])
async def test_a_turn_goes_on_while_another_domain_is_written(address: DatabaseAddress, tmp_path: Path, alone: bool) -> None:
    clock = Clock()
    async with await PostgresDatabase.open(address, KEY) as other, await PostgresDatabase.open(address, KEY) as db:
        memory = Memory(db, tmp_path / "lyra.db", KEY, Seal(KEY), Ports(clock, Ids()), ConsolidationRules())
        here, there = await corner(memory, clock), await corner(memory, clock, "bob", place="other")
        async with asyncio.timeout(PATIENCE):
            async with other.transaction(bounds=None if alone else Bounds.of(there.domain.key)) as tx:
                await tx.all("SELECT 1 AS one")
                going = asyncio.create_task(turn(here))
                if alone:
                    for _ in range(20):
                        await db.all("SELECT 1 AS one")
                    assert not going.done()
                else:
                    await going
            await going


async def test_a_domain_that_a_transaction_is_not_bound_to_is_not_written(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        db = here.memory.db
        for bounds, items in ((Bounds(), ["one"]), (Bounds.of(rests_on=[here.domain.key]), ["two"])):
            with pytest.raises(AssertionError, match="writes domain"):
                async with db.transaction(bounds=bounds) as tx:
                    await add_items(tx, here.domain, "exchange", items)
            with pytest.raises(AssertionError, match="writes domain"):
                async with db.transaction(bounds=bounds) as tx:
                    await log_change(tx, here.domain, [1], "add")
