"""One at a time, in order, and who comes first goes before the others; who gives up waiting holds up nobody."""

import asyncio

from memory.store.transaction_gate import TransactionGate


async def _come(gate: TransactionGate, name: str, gone: list[str], *, first: bool = False) -> None:
    async with gate.turn(first=first):
        gone.append(name)
        await asyncio.sleep(0)


async def test_who_comes_first_goes_before_those_who_wait() -> None:
    gate, gone = TransactionGate(1), list[str]()
    async with asyncio.TaskGroup() as group:
        for name, first in (("a", False), ("b", False), ("c", False), ("d", True), ("e", True)):
            group.create_task(_come(gate, name, gone, first=first))
    assert gone == ["a", "d", "e", "b", "c"]


async def test_who_gives_up_at_any_moment_holds_up_nobody() -> None:
    for steps in range(6):
        gate, gone = TransactionGate(1), list[str]()
        tasks = [asyncio.create_task(_come(gate, name, gone)) for name in "abc"]
        for _ in range(steps):
            await asyncio.sleep(0)
        tasks[1].cancel()
        await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 5)
        assert gone[0] == "a" and gone[-1] == "c"
        await asyncio.wait_for(_come(gate, "d", gone), 5)
