"""One mailbox: what waits at one place, in what order it is started, and in what order it is answered.

Up to three people of a shared place are answered concurrently, the messages of each in sequence. Messages are stored in
order, and answers leave in the order of the questions. A command is a barrier: it waits for everything before it, and
everything after it waits for it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from adapters.events import MenuCall, Message
from memory.journal.journal import InboxEvent

MOST_AT_ONCE = 3
"""How many people are answered concurrently at one place."""
_PATIENCE = 10.0
"""Seconds that an answer waits for those to earlier questions."""


@dataclass(frozen=True, slots=True, eq=False)
class Letter:
    """An item in a mailbox, whether it is a command, whether it retracts something, and the promise of its completion.

    `leads_to` are the promises of the items that it triggers.
    """

    row: InboxEvent
    event: Message | MenuCall
    is_command: bool
    takes_back: bool
    done: asyncio.Future[None]
    leads_to: list[asyncio.Future[None]] = field(default_factory=list)

    @property
    def place_key(self) -> tuple[str, str]:
        """The platform and place of the event."""
        return self.event.place.platform, self.event.place.key

    @property
    def mailbox_key(self) -> tuple[str, str]:
        """The key of its mailbox: its place's, or its own if it waits for nobody."""
        return self.own_mailbox_key if self.takes_back or isinstance(self.event, MenuCall) else self.place_key

    @property
    def own_mailbox_key(self) -> tuple[str, str]:
        """The key of its own mailbox, for an item that waits for nobody."""
        return self.event.place.platform, f"call:{self.event.id}"

    @property
    def cannot_be_resumed(self) -> bool:
        """Whether, after a restart, it can only be reported as not done."""
        return self.is_command or self.event.off_record

    @property
    def stands_alone(self) -> bool:
        """Whether it is never batched: a command, a regeneration, or an item answered elsewhere."""
        return self.is_command or (isinstance(self.event, Message) and bool(self.event.anew or self.event.answers))

    def end(self) -> None:
        """Resolve its promise once everything it leads to is done."""
        if self.done.done():
            return
        if all(promise.done() for promise in self.leads_to):
            self.done.set_result(None)
            return
        for promise in self.leads_to:
            promise.add_done_callback(lambda _: self.end())

    def goes_with(self, other: "Letter") -> bool:
        """Return whether both are answered together."""
        if self.stands_alone or other.stands_alone:
            return False
        # If the readers changed between two messages, each stays with its own readers.
        event, other_event = self.event, other.event
        if event.off_record != other_event.off_record:
            return False
        return event.place == other_event.place and (event.place.is_private or event.person.id == other_event.person.id)


class Ticket:
    """A turn's place in the order of its mailbox, behind the tickets of `earlier` turns. `lock` is one for all of them."""

    def __init__(self, lock: asyncio.Lock, earlier: Sequence["Ticket"] = (), patience: float = _PATIENCE) -> None:
        self._lock = lock
        self._earlier = earlier
        self._patience = patience
        self._begun = False
        self._stored = asyncio.Event()
        self._over = asyncio.Event()

    def begin(self) -> None:
        """Have later turns store their messages after those of this one; before that, they store these themselves."""
        self._begun = True

    @asynccontextmanager
    async def storing(self) -> AsyncIterator[None]:
        """Store messages for the block, alone, and after those of every earlier turn that has begun, with a limit."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                for ticket in self._earlier:
                    if ticket._begun:
                        await ticket._stored.wait()
        try:
            async with self._lock:
                yield
        finally:
            self._stored.set()

    @property
    def is_up(self) -> bool:
        """Whether every earlier turn is over."""
        return all(ticket._over.is_set() for ticket in self._earlier)

    async def wait_for_earlier(self) -> None:
        """Wait until every earlier turn is over, with a limit, so that nobody waits too long for somebody else."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                for ticket in self._earlier:
                    await ticket._over.wait()

    def end(self) -> None:
        """Release later turns."""
        self._earlier = ()
        self._stored.set()
        self._over.set()


class Mailbox:
    """The letters of one place.

    `answer` handles letters that are answered together, given those of others said before, which wait for their own turn, and the
    ticket of the first; it never raises.
    """

    def __init__(self, answer: Callable[[Sequence[Letter], Sequence[Letter], Ticket], Awaitable[None]]) -> None:
        self._answer = answer
        self._letters: list[Letter] = []
        self._begun: dict[asyncio.Task[None], Letter] = {}
        self._tickets: dict[Letter, Ticket] = {}
        self._changed = asyncio.Event()
        self._storing = asyncio.Lock()

    def __len__(self) -> int:
        return len(self._letters) + len(self._begun)

    @property
    def letters(self) -> list[Letter]:
        """Everything in it, in order: what waits, and what is being answered."""
        return list(self._tickets)

    @property
    def is_busy(self) -> bool:
        """Whether anything in it is not answered yet; a moment later it has no worker any more."""
        return any(not letter.done.done() for letter in self._tickets)

    def post(self, letter: Letter) -> None:
        """Append a letter."""
        self._letters.append(letter)
        self._tickets[letter] = Ticket(self._storing, tuple(self._tickets.values()))
        self._changed.set()

    async def work(self) -> None:
        """Answer everything in the mailbox, including what arrives meanwhile."""
        async with asyncio.TaskGroup() as group:
            while self:
                self._changed.clear()
                self._begin(group)
                await self._changed.wait()

    def _begin(self, group: asyncio.TaskGroup) -> None:
        """Start every batch that need not wait for one before it."""
        waiting: list[Letter] = []
        for letters in _batches(self._letters):
            first, running = letters[0], list(self._begun.values())
            command_runs = any(letter.is_command for letter in running)
            waits_as_command = first.is_command and bool(running or waiting)
            if command_runs or waits_as_command or len(running) == MOST_AT_ONCE:
                return
            # Their account tells people apart, also while a private place becomes a shared one.
            if first.event.person.id in {letter.event.person.id for letter in running}:
                waiting += letters
                continue
            self._letters = [letter for letter in self._letters if letter not in letters]
            self._tickets[first].begin()
            task = group.create_task(self._run(letters, tuple(waiting)))
            self._begun[task] = first
            task.add_done_callback(self._end)

    async def _run(self, letters: Sequence[Letter], before: Sequence[Letter]) -> None:
        try:
            await self._answer(letters, before, self._tickets[letters[0]])
        finally:
            for letter in letters:
                self._tickets.pop(letter).end()

    def _end(self, task: asyncio.Task[None]) -> None:
        del self._begun[task]
        self._changed.set()


def _batches(letters: Sequence[Letter]) -> list[list[Letter]]:
    batches: list[list[Letter]] = []
    for letter in letters:
        if not batches or not batches[-1][-1].goes_with(letter):
            batches.append([])
        batches[-1].append(letter)
    return batches
