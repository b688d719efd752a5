"""What tests of the bank share: a room of two members, time that passes by conversations, and a writer of notes."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from memory.bank import block
from memory.bank.bank_maintenance import BankPass
from memory.bank.block import BankEntry
from memory.core import ConsolidationRules, Memory
from memory.derive.context import Context
from memory.deriving import Deriving
from memory.errors import WriterFailed
from memory.ports import Entry, Task
from memory.text.time.times import instant
from memory.tiers import statements
from memory.tiers.episodes import BankRules
from memory.types import MINUTE, DomainKind, DomainRef, Exchange, Identity, Kind, NewExchange, SessionRef
from memory.view.view import Answer
from tests.kits.memory_kit import Clock, Corner, Ids, Writer, opened

ADA = Identity("matrix", "@ada:example.org")
BOB = Identity("matrix", "@bob:example.org")
ROOMY = ConsolidationRules()


@dataclass
class Noter(Writer):
    """Copies the first three messages of a conversation, and the first four notes of a period; after so `many`, it is away."""

    many: int = 1_000

    async def write(self, task: Task) -> list[Entry]:
        """Answer with the next move, or from what is read."""
        if len(self.tasks) == self.many:
            raise WriterFailed("away")
        self.tasks.append(task)
        if self.moves:
            return await self.moves.pop(0)(task)
        return [Entry(source.text, (source.label,)) for source in task.sources[: task.sentences]]

    def asked(self, kind: str) -> list[Task]:
        """Return the tasks of a kind."""
        return [task for task in self.tasks if task.kind == kind]


@dataclass
class Room(Corner):
    """A room in which Ada and Bob talk."""

    async def said_by(self, who: Identity, text: str, *, at: int | None = None) -> Exchange:
        """Keep a message of a member's, a minute after the last unless told when."""
        self.said += 1
        self.clock.forward(MINUTE)
        name = "Ada" if who == ADA else "Bob"
        then = self.clock.now() if at is None else at
        kept = await self.view.say(self.session, [NewExchange(Kind.SAID, text, f"m{self.said}", then, name, identity=who)])
        return kept.stored[0]

    async def answer(self, text: str, asked: Exchange, *also: int) -> Exchange:
        """Keep a reply of Lyra's to a message, which rests on others also."""
        self.said += 1
        self.clock.forward(MINUTE)
        new = NewExchange(Kind.REPLY, text, f"r{self.said}", self.clock.now(), "Lyra", "assistant")
        stored = await self.view.answer(self.session, Answer(new, also, (), (), (asked,)))
        assert stored
        return stored.exchange

    async def talk(self, *texts: str) -> list[Exchange]:
        """Have a conversation, in turns of Ada and Bob, and let it end."""
        said = [await self.said_by((ADA, BOB)[at % 2], text) for at, text in enumerate(texts)]
        self.clock.forward(10 * MINUTE)
        return said

    async def on(self, day: str, *texts: str) -> list[Exchange]:
        """Have a conversation at noon of a local day, or at the time given with it."""
        moment = datetime.fromisoformat(day if "T" in day else f"{day}T12:00")
        self.clock.at = max(self.clock.at, instant(moment.replace(tzinfo=ZoneInfo(self.domain.time_zone))))
        return await self.talk(*texts)

    def context(self, writer: Writer) -> Context:
        """Return what a writer derives in."""
        return self.memory.context(self.domain, writer, writer)

    async def closed(self) -> None:
        """Close the conversations that are over."""
        consolidator = Deriving(self.memory).consolidator(self.domain, Writer(), Writer())
        for session in await self.view.sessions.all():
            await consolidator.close_episodes(session)

    async def kept(self, writer: Writer | None = None) -> BankPass:
        """Close what is over, and bring the bank up to date."""
        await self.closed()
        return await Deriving(self.memory).bank(self.domain, writer or Noter()).keep()

    async def noted(self) -> list[BankEntry]:
        """Return the entries that stand in the block, in its order."""
        return block.entries(await self.view.digests.statements("bank"))

    async def labels(self) -> list[str]:
        """Return the labels of the entries that stand in the block, in its order."""
        return [entry.label for entry in await self.noted()]

    async def lines(self) -> list[str]:
        """Return the bullets that stand in the block, in its order."""
        return [one.text for entry in await self.noted() for one in entry.bullets]

    async def everything(self) -> list[tuple[object, ...]]:
        """Return the whole bank, in the block or not, without keys: what two ways to the same state have in common."""
        both = [*await self.view.digests.statements("bank"), *await self.view.digests.statements("bank", past=True)]
        rests = await statements.cited(self.memory.db, [one.key for one in both])
        return sorted(
            (one.kind, one.period, one.text, one.ended_at is None, tuple(message.text for message in rests[one.key]))
            for one in both
        )


async def room(memory: Memory, clock: Clock, *, time_zone: str = "UTC", name: str = "!r") -> Room:
    """Make a room with one session."""
    domain = await memory.places.domain(DomainRef(DomainKind.ROOM, "matrix", name), time_zone, clock.now())
    view = memory.view(domain)
    return Room(memory, clock, domain, view, await view.sessions.get(SessionRef("matrix", name), name))


@asynccontextmanager
async def in_a_room(
    folder: Path, habits: ConsolidationRules = ROOMY, *, on: bool = True, time_zone: str = "UTC", ids: Ids | None = None
) -> AsyncIterator[Room]:
    """Open a fresh memory with a room in it, its bank on from the beginning unless told otherwise."""
    clock = Clock()
    async with opened(folder / "lyra.db", None, clock=clock, habits=habits, ids=ids) as memory:
        here = await room(memory, clock, time_zone=time_zone)
        if on:
            await here.view.bank.turn_on()
        yield here


def sized(max_tokens: int, headroom: float = 1.25) -> ConsolidationRules:
    """Return habits with a bank of that size."""
    return replace(ROOMY, bank=BankRules(max_tokens=max_tokens, headroom=headroom))
