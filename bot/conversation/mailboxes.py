"""Mailboxes: one worker per conversation, in the order of the messages.

Events are committed first (T1) and then put into the mailbox of their place. A mailbox has a worker only while it holds
something, so the table never grows. What one person said while she was busy is answered together; a command is handled by
itself, and one called from a menu waits for nobody. What a turn needs is loaded when it starts, never before.

Retractions do not wait for answers either, which would still use what is retracted: a command to forget runs at once, and a
request for discretion is stored at once, each after the earlier messages of its place.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from adapters.base import Adapter
from adapters.events import MenuCall, Message, Place
from adapters.task_groups import cancel
from bot.commands.table import Commands
from bot.conversation.answering.turn import Turns
from bot.conversation.conversation_lock import turn_in
from bot.conversation.inbox_events import Row, accept, only_messages, unfinished
from bot.conversation.mailbox import Letter, Mailbox, Ticket
from bot.conversation.services import Services
from bot.errors import LyraError, PlaceUnknown
from bot.models.outage import PROMISED, WAITS_FOR_A_MODEL
from bot.printing import OutputUnwritable
from bot.service.log import carried_on, log
from bot.service.runtime_metrics import measures
from localization.current_language import reading
from memory.errors import DatabaseBusy, MemoryFailure
from memory.journal.journal import InboxEvent
from memory.text.off_loop import off_loop
from memory.text.told import discretion

_TRIES = 3
_PAUSES = (0.1, 1.0)
"""Seconds before a turn is retried whose database was out of reach."""


class Mailboxes:
    """Accepts events from adapters, and has each place's messages answered in order."""

    def __init__(
        self, services: Services, turns: Turns, commands: Commands, adapters: Mapping[str, Adapter], group: asyncio.TaskGroup,
        home: Path, elsewhere: Callable[[str, str], None] = lambda platform, place: None,
    ) -> None:  # fmt: skip
        """Create; `elsewhere` is called with places held by another process where something waits."""
        self._on_held_elsewhere = elsewhere
        self._home = home
        self._outage = services.models.outage
        self._tried_last = ""
        self._journal = services.memory.journal
        self._turns = turns
        self._commands = commands
        self._adapters = adapters
        self._languages = services.languages
        self._group = group
        self._mailboxes: dict[tuple[str, str], Mailbox] = {}
        self._workers: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._read_ahead: dict[str, InboxEvent] = {}
        self._left: set[tuple[str, str]] = set()
        self._closing = False
        self.on_left: Callable[[Place, MemoryFailure], None] = lambda _place, _error: None
        """Called when a turn at a place and its failure could not be stored, so that nobody learns of it in the conversation."""
        self._accepting = asyncio.Lock()
        self._recovering = asyncio.Lock()

    async def accept(
        self, platform: str, events: Sequence[Message | MenuCall], cursors: Mapping[str, str]
    ) -> Sequence[asyncio.Future[None]]:
        """T1: commit events of one platform together with its cursors; return the promises of their completion."""
        async with self._accepting:
            # A message read ahead is committed already; it counts as heard now.
            rows: list[Row] = [(self._read_ahead.pop(event.id), event) for event in events if event.id in self._read_ahead]
            known = {event.id for _, event in rows}
            try:
                rows += await accept(self._journal, platform, [event for event in events if event.id not in known], cursors)
            except MemoryFailure:
                # What was committed in spite of the error counts as heard when the platform reports it again: a retry answers it.
                self._left |= {(platform, event.place.key) for event in events}
                raise
            return self._post([self._letter(row, event) for row, event in rows])

    async def _ask(self, letter: Letter, message: Message) -> None:
        """T1 for a message that a command asks next: the command is done once that is answered."""
        for promise in await self.accept(letter.event.place.platform, [message], {}):
            letter.leads_to.append(promise)

    async def keep(self, platform: str, message: Message) -> None:
        """T1 for a message read ahead; it is answered once it is accepted, or at the next start."""
        async with self._accepting:
            self._read_ahead |= {event.id: row for row, event in await accept(self._journal, platform, [message], {})}

    async def recover(self, platform: str, place: str | None = None, *, fresh: bool = False) -> Awaitable[None]:
        """Resume unanswered events that a kill or an outage left, or, if `fresh`, that another process heard.

        Commands are not run again, since the caller may not be waiting any more. Messages off the record left no text.
        """
        async with self._recovering:
            async with self._accepting:
                # A worker of that time may be done since, so the read is stale for its mailbox; where all is answered, it only ends.
                busy = {key for key in self._workers if key not in self._mailboxes or not self._mailboxes[key].is_done}
                rows = await unfinished(self._journal, platform, place)
                if fresh:
                    rows = [(row, event) for row, event in rows if not row.tries]
                else:
                    self._left = {key for key in self._left if key in busy or key[0] != platform or place not in (None, key[1])}
                letters = [self._letter(row, event) for row, event in rows if event.id not in self._read_ahead]
                held_here = [letter for letter in letters if self._holds(letter)]
                unattended = [letter for letter in held_here if busy.isdisjoint((letter.mailbox_key, letter.own_mailbox_key))]
                promises = self._post([letter for letter in unattended if not letter.cannot_be_resumed])
            for letter in unattended:
                if letter.cannot_be_resumed:
                    with reading(await self._languages.language(letter.event)):
                        await self._commands.cut_off(letter.row, letter.event)
        return Answered(promises)

    async def retry(self) -> Sequence[Awaitable[None]]:
        """Resume what was held until a model or a place is back, or was left because the memory could not be written; return
        their completion, place by place."""
        resumed = []
        for platform, adapter in self._adapters.items():
            left = [place for of, place in sorted(self._left) if of == platform]
            held = await self._journal.held_places(platform)
            places = list(filter(adapter.at_hand, dict.fromkeys([*held, *left])))
            for place in self._tried_now(held, places) if self._outage.lasts else places:
                resumed.append(await self.recover(platform, place))
        return resumed

    def _tried_now(self, held: Mapping[str, set[str]], places: Sequence[str]) -> Sequence[str]:
        """Return the places to try in an outage: of those that wait for a model one after the other, so that a question at which
        a model always fails keeps no other from its try."""
        waiting = [place for place in places if place in held and held[place] <= WAITS_FOR_A_MODEL]
        others = [place for place in places if place not in waiting]
        if not (waiting and self._outage.is_due):
            return others
        at = waiting.index(self._tried_last) + 1 if self._tried_last in waiting else 0
        self._tried_last = waiting[at % len(waiting)]
        return [*others, self._tried_last]

    @property
    def waiting(self) -> int:
        """The number of messages waiting or being answered."""
        return sum(map(len, self._mailboxes.values()))

    async def drain(self, seconds: float) -> None:
        """Wait for the turns in progress, then cancel them: their messages are committed, and the next start answers them.

        Events from now on are committed and left to the next start as well.
        """
        self._closing = True
        if not self._workers:
            return
        _, late = await asyncio.wait(self._workers.values(), timeout=seconds)
        await cancel(*late)

    def _holds(self, letter: Letter) -> bool:
        return self._adapters[letter.event.place.platform].holds(letter.event.place.key)

    def _letter(self, row: InboxEvent, event: Message | MenuCall) -> Letter:
        adapter = self._adapters[event.place.platform]
        is_command = self._commands.is_command(event, adapter)
        takes_back = is_command and self._commands.takes_back(event, adapter)
        return Letter(row, event, is_command, takes_back, asyncio.get_running_loop().create_future())

    def _post(self, letters: Sequence[Letter]) -> Sequence[asyncio.Future[None]]:
        if self._closing:
            return ()
        for letter in letters:
            if not self._holds(letter):
                # It is committed, and answered by the process that holds its place.
                self._on_held_elsewhere(*letter.place_key)
                letter.end()
                continue
            box_key = letter.mailbox_key
            if box_key not in self._mailboxes:
                self._mailboxes[box_key] = Mailbox(partial(self._handle, self._adapters[box_key[0]]))
                self._workers[box_key] = self._group.create_task(self._work(box_key))
            elif not (letter.is_command or letter.event.off_record or letter.event.place.is_private):
                task_key = (letter.event.place.platform, f"ahead:{letter.event.id}")
                self._workers[task_key] = self._group.create_task(carried_on(self._keep_discreet(task_key, letter), "keep"))
            self._mailboxes[box_key].post(letter)
        return [letter.done for letter in letters]

    async def _keep_discreet(self, key: tuple[str, str], letter: Letter) -> None:
        """Store a message before its turn if it asks for discretion."""
        try:
            text = letter.event.text if isinstance(letter.event, Message) else ""
            if await off_loop(len(text), partial(discretion.request_in, text)):
                await self._keep_up_to(letter)
        finally:
            del self._workers[key]

    async def _keep_up_to(self, letter: Letter) -> None:
        mailbox = self._mailboxes.get(letter.place_key)
        await self._keep([other for other in (mailbox.letters if mailbox else ()) if other.row.key <= letter.row.key])

    async def _keep(self, letters: Sequence[Letter]) -> None:
        """Store waiting messages; what cannot be stored now is stored in its turn."""
        for letter in letters:
            if letter.is_command or letter.event.off_record or letter.done.done():
                continue
            with suppress(LyraError, MemoryFailure), reading(await self._languages.language(letter.event)):
                await self._turns.keep(only_messages([(letter.row, letter.event)]), self._adapters[letter.place_key[0]])

    async def _work(self, key: tuple[str, str]) -> None:
        try:
            await self._mailboxes[key].work()
        finally:
            del self._workers[key], self._mailboxes[key]

    async def _handle(self, adapter: Adapter, letters: Sequence[Letter], before: Sequence[Letter], ticket: Ticket) -> None:
        language = ""
        try:
            language = await self._languages.language(letters[-1].event)
            with reading(language):
                await self._answer(letters, before, adapter, ticket)
        except MemoryFailure as error:
            # Not even the failure could be written. The event is committed, and the next retry, connection or start answers it.
            self._left.add(letters[0].place_key)
            log.error("turn.left", error=type(error).__name__)
            with reading(language):
                self.on_left(letters[-1].event.place, error)
        finally:
            for letter in letters:
                letter.end()

    async def _answer(self, letters: Sequence[Letter], before: Sequence[Letter], adapter: Adapter, ticket: Ticket) -> None:
        # One of the three places where a broad handler stands: one turn failed, and the next message is still answered.
        first = letters[0]
        try:
            if before:
                async with ticket.storing():
                    await self._keep([*before, *letters])
            if first.is_command:
                if first.takes_back:
                    await self._keep_up_to(first)
                await self._commands.run(first.row, first.event, adapter, partial(self._ask, first))
            else:
                async with turn_in(self._home, adapter, first.event.place.key):
                    await self._answer_messages(letters, adapter, ticket)
        except PlaceUnknown as error:
            # A question that was promised an answer is held already, and stays promised.
            if unpromised := [letter.row.key for letter in letters if letter.row.why not in PROMISED]:
                await self._journal.hold(unpromised, type(error).__name__, None)
        except OutputUnwritable:
            raise  # the process ends without a terminal, and the next one says the answer
        except Exception as error:  # noqa: BLE001
            await self._failed(letters, error)

    async def _answer_messages(self, letters: Sequence[Letter], adapter: Adapter, ticket: Ticket) -> None:
        """Answer messages; retry where the database was out of reach, as after a kill.

        Left for later, they would be answered after what is asked next.
        """
        heard = only_messages((letter.row, letter.event) for letter in letters)
        for pause in _PAUSES:
            try:
                return await self._turns.take(heard, adapter, ticket)
            except DatabaseBusy as error:
                log.warning("turn.anew", error=type(error).__name__, at=_trace(error))
                await asyncio.sleep(pause)
        return await self._turns.take(heard, adapter, ticket)

    async def _failed(self, letters: Sequence[Letter], error: Exception) -> None:
        number = secrets.token_hex(4)
        measures.turns["failed"] += 1
        measures.errors[type(error).__name__] += 1
        log.error("turn.failed", number=number, error=type(error).__name__, at=_trace(error))
        most_tries = None if isinstance(error, MemoryFailure) else _TRIES
        await self._journal.hold([letter.row.key for letter in letters], number, most_tries)
        if not letters[-1].row.tries:
            await self._commands.apologize(letters[-1].event, number, error)


def _trace(error: Exception) -> str:
    """Return where an error was raised, without its message, which may contain people's words."""
    steps = []
    trace = error.__traceback__
    while trace is not None:
        steps.append(f"{trace.tb_frame.f_code.co_filename.rsplit('/', 1)[-1]}:{trace.tb_lineno}")
        trace = trace.tb_next
    return " ".join(steps[-6:])


class Answered:
    """An awaitable that completes once everything handed over is answered; awaiting it is optional."""

    def __init__(self, promises: Sequence[asyncio.Future[None]]) -> None:
        self._promises = promises

    def __await__(self) -> Generator[Any, None, None]:
        for promise in self._promises:
            yield from promise.__await__()
