"""Mailboxes: one conversation, one worker, in the order things were said.

What is heard is committed first (T1) and then put into the mailbox of its place. A mailbox has one worker while it holds
anything, and none otherwise, so the table never grows. What arrived together, or while she was busy, is answered together;
a command stands alone. The worker loads what it needs after it has its turn, never before.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass

from adapters.base import Adapter, Message
from bot.commands import Commands
from bot.log import log
from bot.turn import Turns
from memory.errors import MemoryFailure
from memory.journal import Event, Heard, Journal

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Letter:
    """A message in a mailbox, and the promise that it was dealt with."""

    heard: Heard
    message: Message
    done: asyncio.Future[None]


class Mailboxes:
    """Takes in what adapters hear, and has each place's messages answered in order."""

    def __init__(
        self, journal: Journal, turns: Turns, commands: Commands, adapters: Mapping[str, Adapter], group: asyncio.TaskGroup
    ) -> None:
        self._journal = journal
        self._turns = turns
        self._commands = commands
        self._adapters = adapters
        self._group = group
        self._waiting: dict[tuple[str, str], list[Letter]] = {}
        self._working: dict[tuple[str, str], asyncio.Task[None]] = {}

    async def hear(self, messages: Sequence[Message]) -> Awaitable[None]:
        """T1: commit messages of one platform; return what to await until they are answered."""
        platform = messages[0].place.platform
        events = [Event(message.id, message.place.key, message.payload()) for message in messages]
        by_id = {message.id: message for message in messages}
        heard = await self._journal.accept(platform, events)
        return self._post([(event, by_id[event.event.event_id]) for event in heard])

    async def recover(self, platform: str, place: str | None = None) -> Awaitable[None]:
        """Take up again what was heard and not answered, as a kill or an outage left it.

        A command is not run again: whoever gave it may not be waiting any more.
        """
        unfinished = [(event, Message.read(event.event.payload)) for event in await self._journal.unfinished(platform, place)]
        for event, message in unfinished:
            if self._commands.is_command(message):
                await self._commands.cut_off(event, message)
        return self._post([pair for pair in unfinished if not self._commands.is_command(pair[1])])

    async def drain(self, seconds: float) -> None:
        """Wait for the turns under way, then cancel them: their messages are committed, and the next start answers them."""
        if not self._working:
            return
        _, late = await asyncio.wait(self._working.values(), timeout=seconds)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _post(self, heard: Sequence[tuple[Heard, Message]]) -> Awaitable[None]:
        loop = asyncio.get_running_loop()
        letters = [Letter(event, message, loop.create_future()) for event, message in heard]
        for letter in letters:
            key = (letter.message.place.platform, letter.message.place.key)
            self._waiting.setdefault(key, []).append(letter)
            if key not in self._working:
                self._working[key] = self._group.create_task(self._work(key))
        return _all([letter.done for letter in letters])

    async def _work(self, key: tuple[str, str]) -> None:
        try:
            while letters := self._waiting.pop(key, []):
                for batch in _batches(letters, self._commands):
                    await self._handle(key, batch)
        finally:
            del self._working[key]

    async def _handle(self, key: tuple[str, str], batch: Sequence[Letter]) -> None:
        # One of the three places where a broad handler stands: one turn failed, and the next message is heard all the same.
        adapter = self._adapters[key[0]]
        heard = [(letter.heard, letter.message) for letter in batch]
        try:
            if self._commands.is_command(batch[0].message):
                await self._commands.run(heard[0][0], heard[0][1], adapter)
            else:
                await self._turns.take(heard, adapter)
        except Exception as error:  # noqa: BLE001
            await self._failed(heard, error)
        finally:
            for letter in batch:
                if not letter.done.done():
                    letter.done.set_result(None)

    async def _failed(self, heard: Sequence[tuple[Heard, Message]], error: Exception) -> None:
        number = secrets.token_hex(4)
        log.error("turn.failed", number=number, error=type(error).__name__, at=_trace(error))
        most = None if isinstance(error, MemoryFailure) else _TRIES
        await self._journal.hold([event.key for event, _ in heard], number, most)
        await self._commands.apologize(heard[-1][1], number, error)


def _trace(error: Exception) -> str:
    """Return where an error arose, without its message, which may hold somebody's words."""
    steps = []
    trace = error.__traceback__
    while trace is not None:
        steps.append(f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}")
        trace = trace.tb_next
    return " ".join(steps[-6:])


def _batches(letters: Sequence[Letter], commands: Commands) -> list[list[Letter]]:
    batches: list[list[Letter]] = []
    for letter in letters:
        alone = commands.is_command(letter.message)
        if not batches or alone or commands.is_command(batches[-1][0].message):
            batches.append([])
        batches[-1].append(letter)
    return batches


async def _all(promises: Sequence[asyncio.Future[None]]) -> None:
    for promise in promises:
        await promise
