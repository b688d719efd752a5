"""Sweeping: removal of expired data, in `lyra run`, beside an idle conversation, and at the start of every command."""

import asyncio
from collections.abc import Awaitable, Iterable

from adapters.task_groups import cancel
from bot.commands.texts import receipts
from bot.context.quoting import quoting_nothing_forgotten
from bot.conversation.inbox_events import quoting, reword
from bot.printing import note
from bot.service.log import log
from memory.core import Memory
from memory.errors import MemoryFailure
from memory.journal import ledger
from memory.ports import Clock
from memory.store import restoring
from memory.store.cancellation import end_if_asked
from memory.store.domains import last_forgotten
from memory.types import DAY

SECONDS = 10.0
"""How long erased bytes may stay in the write-ahead log if a reader holds it up."""


class Sweeper:
    """Blanks what was sent a day ago, drops memories set aside for a week, finishes an interrupted erasure, removes what has
    reached its retention limit, and empties the log beside the file.
    """

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self._memory = memory
        self._clock = clock
        self._task: asyncio.Task[None] | None = None
        self._unquoted = 0
        self._believes_clock = True

    async def begin(self, *, again: bool = True) -> None:
        """Sweep now, and again every few seconds until `end`, unless other processes do."""
        await self._try(self._tell_lost())
        await self.sweep()
        if again:
            self._task = asyncio.create_task(self._again())

    async def end(self) -> None:
        """Stop sweeping."""
        if self._task is not None:
            await cancel(self._task)
        await self._try(self._memory.marks.note())

    async def sweep(self) -> None:
        """Sweep once; what fails is retried the next time."""
        await self._try(self._memory.journal.blank(self._clock.now() - DAY))
        await self._try(self._drop())
        await self._try(self._memory.sweep())
        await self._try(self._expire())
        await self._try(self._unquote())
        await self._try(self._memory.db.checkpoint(patience=0))
        await self._try(self._memory.marks.note())

    async def _tell_lost(self, *, meanwhile: bool = False) -> None:
        if lost := await self._memory.marks.compare():
            log.error("memory.outdated", commits=lost.commits)
            note(receipts.loss_notice(lost, self._memory.address or self._memory.path, self._clock.now()))
            if meanwhile:
                # What this process has read of it may be what is gone.
                self._memory.db.outdated.set()

    async def _drop(self) -> None:
        believed, self._believes_clock = self._believes_clock, await self._memory.clock_jumps.is_settled()
        if not self._believes_clock:
            if believed:
                log.warning("clock.doubted")
            return
        for path in restoring.drop_old(self._memory.path, self._clock.now()):
            log.warning("restore.dropped", file=path.name)
            async with self._memory.db.transaction() as tx:
                await ledger.note(tx, 0, "restore dropped", self._clock.now(), file=path.name)

    async def _expire(self) -> None:
        await self._memory.linking.drop_expired()
        if swept := await self._memory.expire():
            log.info("retention.swept", items=swept)

    async def _unquote(self) -> None:
        at = await last_forgotten(self._memory.db)
        if at > self._unquoted:
            await drop_quotes(self._memory, await self._memory.journal.waiting_platforms())
            self._unquoted = at

    async def _again(self) -> None:
        while True:
            await asyncio.sleep(SECONDS)
            await self._try(self._tell_lost(meanwhile=True))
            await self.sweep()

    async def _try(self, work: Awaitable[object]) -> None:
        try:
            await work
        except (MemoryFailure, OSError) as error:
            log.info("sweep.later", why=str(error))
            end_if_asked()


async def drop_quotes(memory: Memory, platforms: Iterable[str]) -> None:
    """Remove forgotten quotes and forwards from every unanswered message of these platforms, so that they leave the journal too."""
    for platform in platforms:
        for message in await quoting(memory.journal, platform):
            bare = await quoting_nothing_forgotten(memory, message)
            if bare != message:
                await reword(memory.journal, bare)
