"""What tests of memory share: time that stands still, fixed ids, and a person's own place in a fresh memory."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from memory.core import ConsolidationRules, Memory, Ports
from memory.index.hits import DigestHit, Hit, RecallLimits
from memory.journal.journal import Part
from memory.journal.ledger import LEASE
from memory.ports import Embedder, Entry, Task, Vectors
from memory.text.lexical import tokens
from memory.text.time.times import instant
from memory.types import MINUTE, Domain, DomainKind, DomainRef, Exchange, Kind, NewExchange, Session, SessionRef, Statement
from memory.view.view import Answer, View
from tests.kits.fresh import address_of, fresh

KEY = bytes(range(32))
START = 1_772_539_200_000_000  # 2026-03-03 12:00 UTC
HOUR = 60 * MINUTE
DAY = 24 * HOUR


@dataclass
class Clock:
    """Time that moves only when told to."""

    at: int = START

    def now(self) -> int:
        """Return the present instant."""
        return self.at

    def forward(self, microseconds: int) -> None:
        """Let time pass."""
        self.at += microseconds


@dataclass
class Ids:
    """Identifiers that are the same in every run."""

    prefix: str = "id"
    given: int = 0

    def new(self) -> str:
        """Return the next identifier."""
        self.given += 1
        return f"{self.prefix}{self.given:030d}"


class BagOfWords:
    """An embedder that hashes words into buckets; words of one meaning may be told to share theirs."""

    def __init__(self, name: str = "bag", dimension: int = 64, meanings: dict[str, str] | None = None) -> None:
        self.name = name
        self.dimension = dimension
        self._meanings = meanings or {}

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit vector a text."""
        rows = np.full((len(texts), self.dimension), 1e-3, np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in tokens(text):
                meant = self._meanings.get(word, word)
                row[int.from_bytes(blake2b(meant.encode(), digest_size=4).digest(), "big") % self.dimension] += 1
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


Move = Callable[[Task], Awaitable[list[Entry]]]


@dataclass
class Writer:
    """A writer that copies from its transcript, unless a scripted move answers instead; it remembers every task."""

    name: str = "scripted"
    extractive: bool = False
    moves: list[Move] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)

    async def write(self, task: Task) -> list[Entry]:
        """Answer with the next move, or copy the sources."""
        self.tasks.append(task)
        return await self.moves.pop(0)(task) if self.moves else copied(task)


def copied(task: Task) -> list[Entry]:
    """Return every source's text as an entry that cites it."""
    return [Entry(source.text, (source.label,)) for source in task.sources]


def raising(error: Exception) -> Move:
    """Return a move that fails."""

    async def move(task: Task) -> list[Entry]:
        raise error

    return move


def answering(*entries: Entry) -> Move:
    """Return a move that answers with these entries."""

    async def move(task: Task) -> list[Entry]:
        return list(entries)

    return move


@dataclass
class Overtaking:
    """Two workers at one piece of work: while the first writes, its lease runs out, and a second one begins to write.

    `first` and `second` are the moves of their writers. The second writes on once `go` is set; `begins` is its work.
    """

    clock: Clock
    begins: Callable[[Move], Coroutine[Any, Any, object]]
    go: asyncio.Event = field(default_factory=asyncio.Event)
    over: "asyncio.Task[object] | None" = None

    async def first(self, task: Task) -> list[Entry]:
        """Write so slowly that the second is at it before this is done."""
        self.clock.forward(LEASE + 1)
        writing = asyncio.Event()

        async def second(task: Task) -> list[Entry]:
            writing.set()
            await self.go.wait()
            return copied(task)

        self.over = asyncio.create_task(self.begins(second))
        await writing.wait()
        return copied(task)

    async def ends(self) -> object:
        """Let the second write on; return what came of it."""
        assert self.over, "nobody was overtaken"
        self.go.set()
        return await self.over


@dataclass
class Corner:
    """One domain with one session, and short ways to talk there."""

    memory: Memory
    clock: Clock
    domain: Domain
    view: View
    session: Session
    said: int = 0

    async def say(self, text: str, *, at: int | None = None, source: str = "", session: Session | None = None) -> Exchange:
        """Keep one message of Ada's, a minute after the last unless told when."""
        self.said += 1
        self.clock.forward(MINUTE)
        message = said(text, source or f"m{self.said}", self.clock.now() if at is None else at)
        kept = await self.view.say(session or self.session, [message])
        assert kept.stored, "the message was not stored"
        return kept.stored[0]

    async def reply(self, text: str, sources: Sequence[int], *, echo: bool = False, parts: Sequence[Part] = ()) -> Exchange:
        """Keep one reply of Lyra's that rests on these items."""
        self.said += 1
        self.clock.forward(MINUTE)
        new = NewExchange(Kind.REPLY, text, f"r{self.said}", self.clock.now(), "Lyra", "assistant", echo=echo)
        replied = await self.view.answer(self.session, Answer(new, sources, (), parts))
        assert replied, "the reply was not stored"
        return replied.exchange

    async def found(self, text: str, k: int = 50) -> list[str]:
        """Return the texts that a question finds."""
        return [hit.exchange.text for hit in await self.view.recall.messages(text, k)]

    async def count(self, table: str) -> int:
        """Count the rows of a table."""
        row = await self.memory.db.one(f"SELECT count(*) AS n FROM {table}")
        assert row is not None
        return int(row["n"])


def said(text: str, source: str, at: int = START, speaker: str = "Ada") -> NewExchange:
    """Return a message to be kept."""
    return NewExchange(Kind.SAID, text, source, at, speaker)


@asynccontextmanager
async def opened(
    path: Path, key: bytes | None = KEY, *, clock: Clock | None = None, ids: Ids | None = None,
    embedder: Embedder | None = None, habits: ConsolidationRules | None = None, others: Embedder | None = None,
) -> AsyncIterator[Memory]:  # fmt: skip
    """Open a memory, encrypted unless the key is None and it is a file."""
    await fresh(path, key)
    ports, address = Ports(clock or Clock(), ids or Ids(), embedder, others), address_of(path)
    async with await Memory.open(path, key or (KEY if address else None), ports, habits, address=address) as memory:
        yield memory


async def corner(memory: Memory, clock: Clock, person: str = "ada", time_zone: str = "UTC", place: str = "dm") -> Corner:
    """Make a person's own domain with one session."""
    domain = await memory.places.domain(DomainRef(DomainKind.DM, "console", person), time_zone, clock.now())
    view = memory.view(domain)
    return Corner(memory, clock, domain, view, await view.sessions.get(SessionRef("console", place), place))


@asynccontextmanager
async def cornered(path: Path, key: bytes | None = KEY, *, clock: Clock | None = None, **given: Any) -> AsyncIterator[Corner]:
    """Open the memory of a path with Ada's corner in it; `given` is as in `opened`."""
    clock = clock or Clock()
    async with opened(path, key, clock=clock, **given) as memory:
        yield await corner(memory, clock)


def at_home(folder: Path, key: bytes | None = KEY, **given: Any) -> AbstractAsyncContextManager[Corner]:
    """Open a fresh memory in a folder so."""
    return cornered(folder / "lyra.db", key, **given)


class CancelledAt:
    """Runs work and cancels its task when it waits for the n-th time; `waits` tells how often it waited."""

    def __init__(self, work: Coroutine[Any, Any, object], n: int) -> None:
        self._work = work
        self._n = n
        self.waits = 0
        self.task: Any = None

    def __await__(self) -> Generator[Any, Any, object]:
        error: BaseException | None = None
        while True:
            try:
                waiting = self._work.throw(error) if error else self._work.send(None)
            except StopIteration as end:
                return end.value
            self.waits += 1
            if self.waits == self._n:
                self.task.cancel()
            try:
                yield waiting
                error = None
            except BaseException as thrown:  # noqa: BLE001 - handed to the work
                error = thrown


async def cancelled_at(n: int, work: Coroutine[Any, Any, object]) -> bool:
    """Run work, cancelled at its n-th wait; return whether it waited that often."""
    stepped = CancelledAt(work, n)

    async def run() -> None:
        stepped.task = asyncio.current_task()
        await stepped

    with suppress(asyncio.CancelledError):
        await asyncio.create_task(run())
    return stepped.waits >= n


def utc(moment: str) -> int:
    """Return an instant by its time in UTC."""
    return instant(datetime.fromisoformat(moment).replace(tzinfo=UTC))


def line(hit: Hit) -> str:
    """Return a hit as "Name: text"."""
    return f"{hit.exchange.speaker}: {hit.exchange.text}"


async def found(here: Corner, question: str, k: int = 50, **how: Any) -> list[str]:
    """Return what a question finds, as "Name: text", best first."""
    return [line(hit) for hit in await here.view.recall.messages(question, k, **how)]


async def heard(here: Corner, question: str, **how: Any) -> str:
    """Return who said what a question finds, best first."""
    return " ".join(said.split(":")[0] for said in await found(here, question, **how))


def table(rows: str) -> list[list[str]]:
    """Return the rows of a table, each cut at its bars."""
    return [[cell.strip() for cell in row.split("|")] for row in rows.strip().splitlines()]


async def aside(here: Corner, line: str, *, at: int | None = None, place: str = "") -> Exchange:
    """Keep what is told as "Name: text", in a conversation of its own, so that nothing stands beside it, or at a place.

    What Lyra says is hers.
    """
    here.said += 1
    here.clock.forward(MINUTE)
    speaker, _, text = line.partition(": ")
    kind, role = (Kind.REPLY, "assistant") if speaker == "Lyra" else (Kind.SAID, "user")
    place = place or f"place {here.said}"
    there = await here.view.sessions.get(SessionRef("console", place), place)
    new = NewExchange(kind, text, f"s{here.said}", here.clock.now() if at is None else at, speaker, role)
    (kept,) = (await here.view.say(there, [new])).stored
    return kept


@asynccontextmanager
async def among(
    folder: Path, *lines: str, kind: DomainKind = DomainKind.SERVER, time_zone: str = "UTC", embedder: Embedder | None = None
) -> AsyncIterator[Corner]:
    """Open a fresh plain memory of a place of many, or of one, in which these lines were said, each by itself."""
    clock = Clock()
    async with opened(folder / "lyra.db", None, clock=clock, embedder=embedder) as memory:
        domain = await memory.places.domain(DomainRef(kind, "console", "here"), time_zone, clock.now())
        view = memory.view(domain)
        here = Corner(memory, clock, domain, view, await view.sessions.get(SessionRef("console", "dm"), "dm"))
        for line in lines:
            await aside(here, line)
        yield here


async def gists_about(view: View, text: str, k: int) -> list[DigestHit]:
    """Return the k digests that come up for a text."""
    return (await view.recall.at_once(text, RecallLimits(0, k, 0), (), "")).gists


async def above(view: View, text: str, k: int) -> list[Statement]:
    """Return the k paragraphs of eras that come up for a text, where home is shared bullets of its bank."""
    return (await view.recall.at_once(text, RecallLimits(0, 0, k), (), "")).eras
