"""Full garbage collections, during which everything stands still, are made at quiet moments."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from bot.service.process_lifecycle import collected_when_quiet

SECONDS_BUSY = 600
_USUAL = (700, 10, 10)


@contextmanager
def full_collections() -> Iterator[list[int]]:
    """Count the full collections of the block, by an interpreter's own thresholds; what there is by now is left out of them."""
    seen = list[int]()

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start" and info["generation"] == 2:
            seen.append(1)

    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(*_USUAL)
    gc.callbacks.append(note)
    try:
        yield seen
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*before)


def much() -> list[list[int]]:
    """Return more objects than the interpreter leaves alone."""
    return [[n] for n in range(300_000)]


async def test_while_messages_wait_nothing_is_collected_in_full() -> None:
    with full_collections() as seen:
        async with collected_when_quiet(lambda: 1):
            kept = much()
        assert kept and not seen


def test_without_that_it_is() -> None:
    with full_collections() as seen:
        assert much() and seen


async def test_once_nothing_waits_it_is() -> None:
    waiting = 1
    with full_collections() as seen:
        async with collected_when_quiet(lambda: waiting) as tick:
            await tick()
            assert not seen
            waiting = 0
            await tick()
            assert len(seen) == 1


async def test_where_it_is_never_quiet_it_is_after_ten_minutes() -> None:
    now = 0.0
    with full_collections() as seen:
        async with collected_when_quiet(lambda: 1, clock=lambda: now) as tick:
            for _ in range(20):
                now += SECONDS_BUSY / 10
                await tick()
    assert len(seen) == 2


async def test_afterwards_the_interpreter_collects_as_before() -> None:
    before = gc.get_threshold()
    async with collected_when_quiet(lambda: 0):
        assert gc.get_threshold() != before
    assert gc.get_threshold() == before
