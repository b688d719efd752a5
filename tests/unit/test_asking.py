"""What is asked of a server at the same time leaves together, once nobody could ask anything more before an answer."""

import asyncio
from collections.abc import Sequence

import pytest

from memory.store.database import Row
from memory.store.postgresql.batching import BatchedStatement, StatementBatch
from memory.store.postgresql.dialect import StoredRow
from tests.fakes.pulse import PATIENCE


class Server:
    """Answers each statement with itself, and writes down what came together."""

    def __init__(self, fails: str = "") -> None:
        self.trips: list[list[str]] = []
        self.under_way = 0
        self._fails = fails
        self.asking = StatementBatch(self.send)

    async def send(self, asked: Sequence[BatchedStatement]) -> list[list[Row]]:
        """Answer all of them after a while."""
        self.under_way += 1
        assert self.under_way == 1, "a connection takes one trip at a time"
        self.trips.append([one.step[0] for one in asked])
        await asyncio.sleep(0)
        self.under_way -= 1
        if self._fails in self.trips[-1]:
            raise ValueError(self._fails)
        return [[StoredRow({"sql": 0}, one.step)] for one in asked]

    async def ask(self, *asked: str) -> str:
        """Ask one thing after another; return the last answer."""
        for sql in asked:
            (row,) = await self.asking.ask((sql, ()))
        return str(row["sql"])


async def test_what_is_asked_alone_leaves_at_once() -> None:
    server = Server()
    assert await server.ask("a", "b") == "b"
    assert server.trips == [["a"], ["b"]]


async def test_what_several_ask_leaves_together_in_their_order_and_so_does_what_they_ask_next() -> None:
    server = Server()
    async with asyncio.timeout(PATIENCE):
        assert await server.asking.together([server.ask("a", "d"), server.ask("b"), server.ask("c", "e", "f")]) == ["d", "b", "f"]
        assert await server.ask("g") == "g"
    assert server.trips[0] == ["a", "b", "c"]
    assert [sorted(trip) for trip in server.trips[1:]] == [["d", "e"], ["f"], ["g"]]


async def test_what_is_asked_together_may_ask_together_itself() -> None:
    server = Server()

    async def inner() -> str:
        return "".join(
            [await server.ask("a"), *await server.asking.together([server.ask("c"), server.ask("d")]), await server.ask("f")]
        )

    async def nothing() -> None:
        await asyncio.sleep(0)

    async with asyncio.timeout(PATIENCE):
        assert await server.asking.together([inner(), server.ask("b", "e"), nothing()]) == ["acdf", "e", None]
    assert sorted(map(sorted, server.trips)) == [["a", "b"], ["c", "d", "e"], ["f"]]


async def test_who_works_on_something_else_is_waited_for() -> None:
    server = Server()
    done = asyncio.Event()

    async def late() -> str:
        await done.wait()
        return await server.ask("late")

    async with asyncio.timeout(PATIENCE):
        asking = asyncio.create_task(server.asking.together([server.ask("early"), late()]))
        for _ in range(5):
            await asyncio.sleep(0)
        assert server.trips == []
        done.set()
        assert await asking == ["early", "late"]
    assert server.trips == [["early", "late"]]


async def test_the_first_that_failed_is_told_once_all_have_ended() -> None:
    server = Server(fails="b")
    ended: list[str] = []

    async def kept(sql: str) -> None:
        try:
            await server.ask(sql)
        finally:
            ended.append(sql)

    async with asyncio.timeout(PATIENCE):
        with pytest.raises(ValueError, match="b"):
            await server.asking.together([kept("a"), kept("b")])
        assert sorted(ended) == ["a", "b"]
        assert await server.ask("c") == "c"


async def test_who_is_cancelled_meanwhile_is_told_once_all_have_ended() -> None:
    server = Server()
    asking = asyncio.create_task(server.asking.together([server.ask("a", "b"), server.ask("c")]))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert server.trips == [["a", "c"], ["b"]]
    assert await server.ask("d") == "d"
