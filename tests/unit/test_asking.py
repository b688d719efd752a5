"""What several ask in a transaction at the same time leaves together, once nobody could ask anything more before an answer."""

import asyncio
from collections.abc import Sequence

import pytest

from memory.store.database import Parameters, Row
from memory.store.postgresql.dialect import StoredRow
from memory.store.queued_transaction import QueuedTransaction
from tests.fakes.pulse import PATIENCE


class Server(QueuedTransaction[str]):
    """Answers each statement with itself, and writes down what came together."""

    def __init__(self, fails: str = "") -> None:
        super().__init__(None)
        self.trips: list[list[str]] = []
        self.under_way = 0
        self._fails = fails

    async def all(self, sql: str, parameters: Parameters | None = None) -> list[Row]:
        """Ask one thing."""
        (rows,) = await self._ask([sql])
        return rows

    async def _fetch(self, asked: Sequence[str]) -> list[list[Row]]:
        self.under_way += 1
        assert self.under_way == 1, "a connection takes one trip at a time"
        self.trips.append(list(asked))
        try:
            await asyncio.sleep(0)
        finally:
            self.under_way -= 1
        if self._fails in self.trips[-1]:
            raise ValueError(self._fails)
        return [[StoredRow({"sql": 0}, [one])] for one in asked]

    async def ask(self, *asked: str) -> str:
        """Ask one thing after another; return the last answer."""
        for sql in asked:
            (row,) = await self.all(sql)
        return str(row["sql"])


async def test_what_is_asked_alone_leaves_at_once() -> None:
    server = Server()
    assert await server.ask("a", "b") == "b"
    assert server.trips == [["a"], ["b"]]


async def test_what_several_ask_leaves_together_in_their_order_and_so_does_what_they_ask_next() -> None:
    server = Server()
    async with asyncio.timeout(PATIENCE):
        assert await server.gather(server.ask("a", "d"), server.ask("b"), server.ask("c", "e", "f")) == ["d", "b", "f"]
        assert await server.ask("g") == "g"
    assert server.trips == [["a", "b", "c"], ["d", "e"], ["f"], ["g"]]


async def test_what_is_asked_together_may_ask_together_itself() -> None:
    server = Server()

    async def inner() -> str:
        return "".join([await server.ask("a"), *await server.gather(server.ask("c"), server.ask("d")), await server.ask("f")])

    async def nothing() -> None:
        await asyncio.sleep(0)

    async with asyncio.timeout(PATIENCE):
        assert await server.gather(inner(), server.ask("b", "e"), nothing()) == ["acdf", "e", None]
    assert server.trips == [["a", "b"], ["c", "d", "e"], ["f"]]


async def test_who_works_on_something_else_is_waited_for() -> None:
    server = Server()
    done = asyncio.Event()

    async def late() -> str:
        await done.wait()
        return await server.ask("late")

    async with asyncio.timeout(PATIENCE):
        asking = asyncio.create_task(server.gather(server.ask("early"), late()))
        for _ in range(5):
            await asyncio.sleep(0)
        assert server.trips == []
        done.set()
        assert await asking == ["early", "late"]
    assert server.trips == [["early", "late"]]


async def test_what_failed_is_told_once_all_have_ended() -> None:
    server = Server(fails="b")
    ended: list[str] = []

    async def kept(sql: str) -> None:
        try:
            await server.ask(sql)
        finally:
            ended.append(sql)

    async with asyncio.timeout(PATIENCE):
        with pytest.raises(ValueError, match="b"):
            await server.gather(kept("a"), kept("b"))
        assert sorted(ended) == ["a", "b"]
        assert await server.ask("c") == "c"


async def test_who_is_cancelled_meanwhile_leaves_nothing_behind() -> None:
    server = Server()
    asking = asyncio.create_task(server.gather(server.ask("a", "b"), server.ask("c")))
    await asyncio.sleep(0)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert server.trips == [["a", "c"]]
    assert await server.ask("d") == "d"
