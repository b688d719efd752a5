"""What runs until it is cancelled ends at once, also where what it waits for comes in the same moment: it is asked to end only once."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.service.serve import Worker
from bot.talk import OtherProcesses
from memory.journal.chores import CHORE
from memory.store.peers import Heard
from tests.fakes.pulse import PATIENCE

Work = Callable[[], Awaitable[None]]


class Peers:
    """Other processes, as far as what they call is heard."""

    def __init__(self) -> None:
        self.heard: list[Heard] = []

    def listen(self, heard: Heard) -> None:
        """Remember who hears."""
        self.heard.append(heard)

    def tell(self, words: Collection[str]) -> None:
        """Call."""
        for heard in self.heard:
            heard(words)


def worker(peers: Peers) -> Work:
    """Return what a worker does where nothing waits."""

    async def nothing() -> None:
        return None

    memory = SimpleNamespace(db=SimpleNamespace(peers=peers), chores=SimpleNamespace(take=nothing))
    return Worker(cast("Any", memory), cast("Any", None)).run


def elsewhere(peers: Peers) -> Work:
    """Return what listens to other processes where they tell of no place that is held here."""
    one = OtherProcesses(cast("Any", peers))
    return lambda: one.run({}, cast("Any", None), cast("Any", None))


@pytest.mark.parametrize("turns", range(6))
@pytest.mark.parametrize(("made", "word"), [(worker, CHORE), (elsewhere, "inbox discord 1")])
async def test_it_ends_though_it_is_called_just_then(made: Callable[[Peers], Work], word: str, turns: int) -> None:
    peers = Peers()
    task = asyncio.ensure_future(made(peers)())
    while not peers.heard:
        await asyncio.sleep(0)
    for _ in range(10):
        await asyncio.sleep(0)
    peers.tell([word])
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=PATIENCE)
    task.cancel()
    assert done
