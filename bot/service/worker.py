"""A worker process: maintains waiting domains, several at a time, each claimed by one worker."""

import asyncio
from collections.abc import Collection

from bot.service.log import carried_on
from bot.service.maintenance import Maintenance
from memory.core import Memory
from memory.journal.chores import CHORE, Chore
from memory.store.domains import by_key
from memory.store.peers import EVERYTHING

_AT_ONCE = 4
_LOOK_SECONDS = 5.0
"""Seconds a domain waits at most if a signal was missed."""
_JOB = "chore"


class Worker:
    """Maintains waiting domains until cancelled; unfinished work is left to other workers."""

    def __init__(self, memory: Memory, maintenance: Maintenance) -> None:
        self._memory = memory
        self._maintenance = maintenance
        self._woken = asyncio.Event()
        self._busy: set[asyncio.Task[None]] = set()

    async def tick(self) -> None:
        """Queue every domain for maintenance."""
        await self._memory.chores.add_all()

    async def run(self) -> None:
        """Process waiting domains, woken by signals."""
        assert self._memory.db.peers is not None
        self._memory.db.peers.listen(self._hear)
        try:
            while True:
                self._woken.clear()
                while len(self._busy) < _AT_ONCE and (chore := await carried_on(self._memory.chores.take(), _JOB)):
                    task = asyncio.create_task(self._do(chore))
                    self._busy.add(task)
                    task.add_done_callback(self._over)
                try:
                    async with asyncio.timeout(_LOOK_SECONDS):
                        await self._woken.wait()
                except TimeoutError:
                    continue
        finally:
            for task in self._busy:
                task.cancel()
            await asyncio.gather(*self._busy, return_exceptions=True)

    def _hear(self, words: Collection[str]) -> None:
        if CHORE in words or EVERYTHING in words:
            self._woken.set()

    def _over(self, task: asyncio.Task[None]) -> None:
        self._busy.discard(task)
        self._woken.set()

    async def _do(self, chore: Chore) -> None:
        async def still() -> bool:
            return await self._memory.chores.renew(chore)

        try:
            if domain := await by_key(self._memory.db, chore.domain):
                await self._maintenance.look_after(domain, still)
        except asyncio.CancelledError:
            await carried_on(self._memory.chores.done(chore, again=True), _JOB)
            raise
        await carried_on(self._memory.chores.done(chore), _JOB)
