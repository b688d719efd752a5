"""What processes call to each other after a commit: together, to everybody else, and never so that anything rests on it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest

from memory.core import Memory
from memory.index.recall.domain_indexes import DomainIndexes
from memory.store.bounds import Bounds
from memory.store.database import Row
from memory.store.peers import EVERYTHING, WRITTEN
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.postgresql.peers.presence import Reservation
from memory.store.postgresql.peers.processes import Processes
from tests.fakes.pulse import PATIENCE
from tests.kits import fresh
from tests.kits.memory_kit import Clock, Corner, Ids, corner, opened
from tests.kits.size import TORTURE


class Ear:
    """What one process hears."""

    def __init__(self, memory: Memory) -> None:
        self.calls: list[list[str]] = []
        self._beat = asyncio.Event()
        assert memory.db.peers is not None
        memory.db.peers.listen(self._hear)

    def _hear(self, words: object) -> None:
        assert isinstance(words, list | tuple)
        self.calls.append([*words])
        self._beat.set()

    async def heard(self, word: str) -> None:
        """Wait until something was called."""
        async with asyncio.timeout(PATIENCE):
            while not any(word in words for words in self.calls):
                self._beat.clear()
                await self._beat.wait()


_on_server = fresh.kept_on_server


@asynccontextmanager
async def both(folder: Path) -> AsyncIterator[tuple[Memory, Memory]]:
    """Give a memory as two processes have it open, which know of each other."""
    path, clock = folder / "lyra.db", Clock()
    async with opened(path, clock=clock) as one, opened(path, clock=clock, ids=Ids("other")) as other:
        for memory in (one, other):
            assert await memory.db.reserve(beside=True)
            assert memory.db.peers is not None
            await memory.db.peers.join("worker")
        yield one, other


async def _at(memory: Memory) -> Corner:
    return await corner(memory, Clock())


async def test_what_is_called_is_heard_by_the_others_together(tmp_path: Path) -> None:
    async with both(tmp_path) as (one, other):
        here, there = Ear(one), Ear(other)
        assert one.db.peers is not None
        for n in range(1_000):
            one.db.peers.call(f"word {n} {'x' * 20}")
        await there.heard(f"word 999 {'x' * 20}")
        assert sum(map(len, there.calls)) == 1_000 and len(there.calls) < 10
        assert here.calls == []


async def test_domains_are_called_once_they_are_written_and_not_before(tmp_path: Path) -> None:
    async with both(tmp_path) as (one, other):
        there = Ear(other)
        place = await _at(one)
        word = f"{WRITTEN}{place.domain.key}"
        assert one.db.peers is not None
        one.db.peers.call("made")
        await there.heard("made")
        there.calls.clear()
        with pytest.raises(ZeroDivisionError):
            async with one.db.transaction(bounds=Bounds.of(place.domain.key)) as tx:
                await tx.run("UPDATE domains SET items = items + 1 WHERE id = :id", {"id": place.domain.key})
                raise ZeroDivisionError
        one.db.peers.call("later")
        await there.heard("later")
        assert not any(word in words for words in there.calls)
        await place.say("The kayak is red.")
        await there.heard(word)


async def test_a_memory_that_was_loaded_follows_what_another_process_wrote_before_anybody_asks(tmp_path: Path) -> None:
    async with both(tmp_path) as (one, other):
        here, there = await _at(one), await _at(other)
        await here.say("The kayak is red.")
        assert await there.found("kayak") == ["The kayak is red."]
        (loaded,) = other.domain_indexes._loaded.values()
        before = loaded.last
        await here.say("The tent is green.")
        async with asyncio.timeout(PATIENCE):
            while loaded.last == before:
                await asyncio.sleep(0.01)


@pytest.mark.parametrize("calls", [True, False], ids=["called", "nothing is called"])
async def test_what_another_process_wrote_or_forgot_is_known_with_calls_or_without(
    tmp_path: Path, calls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not calls:
        monkeypatch.setattr(Processes, "call", lambda self, *words: None)
    async with both(tmp_path) as (one, other):
        here, there = await _at(one), await _at(other)
        await here.say("The kayak is red.")
        assert await there.found("kayak") == ["The kayak is red."]
        for n in range(50 if TORTURE else 5):
            said = await here.say(f"The tent {n} is green.")
            assert f"The tent {n} is green." in await there.found(f"tent {n}")
            await here.view.forget_message(said.id)
            assert f"The tent {n} is green." not in await there.found(f"tent {n}")


async def missed_by_an_index(folder: Path) -> list[str]:
    """Have several write at once while an index in memory is asked; return what it does not find afterwards."""
    writers, each = 4, 500 if TORTURE else 15
    async with both(folder) as (one, other):
        there = await _at(other)
        places = [await _at(memory) for memory in (one, other) for _ in range(writers // 2)]
        await places[0].say("The kayak is red.")
        over = asyncio.Event()

        async def write(n: int, here: Corner) -> None:
            for at in range(each):
                await here.say(f"The tent is green: word{n}x{at}.", source=f"{n}/{at}")

        async def ask() -> None:
            while not over.is_set():
                await there.found("kayak")

        asking = asyncio.create_task(ask())
        await asyncio.gather(*(write(n, here) for n, here in enumerate(places)))
        over.set()
        await asking
        words = [f"word{n}x{at}" for n in range(writers) for at in range(each)]
        found = {word: await there.found(word, 3) for word in words}
        return [word for word in words if not any(text.endswith(f" {word}.") for text in found[word])]


@pytest.mark.first
@pytest.mark.parametrize("calls", [True, False], ids=["called", "nothing is called"])
async def test_an_index_in_memory_misses_nothing_of_what_others_write_at_once(
    tmp_path: Path, calls: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not calls:
        monkeypatch.setattr(Processes, "call", lambda self, *words: None)
    assert await missed_by_an_index(tmp_path) == []


async def test_without_the_guard_it_would_know_only_what_it_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def nothing(indexes: DomainIndexes, known: object) -> dict[int, list[Row]]:
        return {}

    monkeypatch.setattr(DomainIndexes, "_changes", nothing)
    assert len(await missed_by_an_index(tmp_path)) > 0


async def test_after_a_connection_was_lost_anything_may_have_been_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with both(tmp_path) as (one, other):
        there = Ear(other)
        async with one.db.transaction(bounds=Bounds()) as tx:
            await tx.all(
                "SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()"
            )
        await there.heard(EVERYTHING)
        assert isinstance(other.db._reservation, Reservation)  # type: ignore[attr-defined]
        assert one.db.peers is not None
        one.db.peers.call("again")
        await there.heard("again")


async def test_who_waits_for_calls_ends_too() -> None:
    class Lost:
        """A connection that is lost as soon as nobody waits for it any more."""

        async def notifies(self) -> AsyncIterator[psycopg.Notify]:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise psycopg.OperationalError from None
            yield psycopg.Notify("", "", 0)

        async def close(self) -> None:
            pass

    reservation = Reservation(DatabaseAddress("postgresql://lyra@/lyra?host=/nowhere"), lambda call: None, asyncio.Event())
    keeping = asyncio.create_task(reservation._keep(Lost()))  # type: ignore[arg-type]
    await asyncio.sleep(0)
    keeping.cancel()
    done, _still = await asyncio.wait({keeping}, timeout=PATIENCE)
    assert done
