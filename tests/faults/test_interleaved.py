"""Two processes at one memory: whatever one does between any two accesses of the other, nothing is made twice and nothing stays.

A part of the accesses is tried in `make test`, each of them in `make torture`.
"""

import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from memory.core import Memory, Ports
from memory.derive.pipeline import Piece
from memory.deriving import Deriving
from memory.errors import SourceGone
from memory.journal.journal import Part
from memory.store import installation_values
from memory.store.database import Transaction
from memory.store.lineage import Seal
from memory.store.sqlite.database import SqliteDatabase
from memory.types import Domain, Kind, NewExchange
from memory.view.view import Answer
from tests.kits.dream_kit import Muse, dreamer, extractive, holding
from tests.kits.interleaved import Interleaved
from tests.kits.ladder_kit import PAIRS, Teller, climbed
from tests.kits.memory_kit import BagOfWords, Clock, Corner, Ids, corner, opened
from tests.kits.size import breaks

WORD = "Xerxes"


@dataclass
class Process(Corner):
    """One of two processes at Ada's corner; both are given the same writer."""

    secret: str = ""
    writer: Teller = field(default_factory=Teller)


async def tells_more(here: Process) -> None:
    """Keep a message."""
    await here.say("the tomatoes are red")


async def answers(here: Process) -> None:
    """Keep an answer with what was found for it."""
    found = await here.view.recall.messages("what is the zebrafinch called?", 20)
    asked = await here.say("what is the zebrafinch called?")
    seen = {hit.exchange.key: hit.exchange.text for hit in found}
    text = f"It is called {WORD}." if WORD in repr(seen) else "I do not know."
    new = NewExchange(Kind.REPLY, text, "answer", here.clock.now(), "Lyra", "assistant")
    await here.view.answer(here.session, Answer(new, (), (), [Part("part", text)], [asked], seen=seen, begun=here.clock.now()))


async def climbs(here: Process) -> None:
    """Write all digests, and bring every tier up to date."""
    await climbed(here, here.writer)


async def sums_up(here: Process) -> None:
    """Write the digests of the conversation, and its summary."""
    consolidator = Deriving(here.memory).consolidator(here.domain, here.writer, extractive())
    await consolidator.close_episodes(here.session, asked=True)
    await consolidator.digest(here.session)
    await consolidator.summary(here.session)


async def dreams(here: Process) -> None:
    """Dream, with every drive."""
    await dreamer(here, here.writer, Muse()).dream(forced=True)


async def embeds(here: Process) -> None:
    """Make the vectors that are missing."""
    await here.view.embed()


async def forgets(here: Process) -> None:
    """Forget the message that tells the name."""
    await here.view.forget_message(here.secret)


async def forgets_all(here: Process) -> None:
    """Forget the conversation."""
    await here.view.forget_session(here.session)


Work = Callable[[Process], Awaitable[None]]
WORKING: list[Work] = [tells_more, answers, climbs, sums_up, dreams, embeds]
FORGETTING: list[Work] = [forgets, forgets_all]
WRITING: list[Work] = [climbs, sums_up, dreams]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def begun(tmp_path_factory: pytest.TempPathFactory) -> Process:
    """Ada's corner as it stands before each try, its memory closed: everything was made of a first part, the rest is new."""
    clock = Clock()
    async with opened(
        tmp_path_factory.mktemp("begun") / "lyra.db", None, clock=clock, embedder=BagOfWords(), habits=PAIRS
    ) as memory:
        here = await corner(memory, clock)
        await here.say("the garden needs water")
        secret = await here.say(f"my zebrafinch is called {WORD}")
        await here.reply(f"{WORD} is a fine name for a zebrafinch.", [secret.key])
        await here.say("Kiki sings")
        await here.say("it rains")
        await climbed(here, Teller())
        await here.view.embed()
        for text in ("the boat is blue", "the shed is red", "the sea is grey"):
            await here.say(text)
        return Process(memory, clock, here.domain, here.view, here.session, here.said, secret.id)


@asynccontextmanager
async def process(begun: Process, folder: Path, name: str, writer: Teller, kind: type[SqliteDatabase]) -> AsyncIterator[Process]:
    """Open the memory of a folder as a process of its own does."""
    clock, ids = Clock(), Ids(name)
    clock.at = begun.clock.at
    db = await kind.open(folder / "lyra.db", None)
    seal = Seal(await installation_values.seal_key(db, ids))
    async with Memory(db, folder / "lyra.db", None, seal, Ports(clock, ids, BagOfWords()), PAIRS) as memory:
        here = await corner(memory, clock)
        # The platform's ids of the two differ.
        said = begun.said + 100 * (kind is Interleaved)
        yield Process(memory, clock, here.domain, here.view, here.session, said, begun.secret, writer)


@dataclass
class Tried:
    """What came of a try: what is wrong with it, and how often the one that was interrupted read or wrote."""

    wrong: list[str]
    accesses: int


async def tried(begun: Process, folder: Path, one: Work, other: Work, before: int) -> Tried:
    """Let one process work, and another one before its access number `before`; return what is wrong afterwards."""
    shutil.copytree(begun.memory.path.parent, folder)
    writer = Teller()
    async with (
        process(begun, folder, "one", writer, Interleaved) as working,
        process(begun, folder, "other", writer, SqliteDatabase) as beside,
    ):
        db = working.memory.db
        assert isinstance(db, Interleaved)
        await working.found(WORD)
        db.interrupt(before, lambda: other(beside))
        refused = False
        try:
            await one(working)
        except SourceGone:
            refused = True
        accesses = db.accesses
        if db.happening is None:
            return Tried([], accesses)
        await db.happening
        wrong = []
        if {one, other} & set(FORGETTING):
            await beside.memory.sweep()
            await working.memory.sweep()
            wrong += await holding(working, WORD)
            wrong += [text for here in (working, beside) for text in await here.found("zebrafinch") if WORD in text]
        elif refused:
            wrong.append("refused without a reason")
        told = [(task.kind, task.sources) for task in writer.tasks]
        wrong += sorted({kind for kind, sources in told if told.count((kind, sources)) > 1})
        return Tried(wrong, accesses)


async def everywhere(begun: Process, folder: Path, one: Work, other: Work) -> dict[int, list[str]]:
    """Return what is wrong, by the access before which the other process worked."""
    whole = (await tried(begun, folder / "whole", one, other, 0)).accesses
    assert whole
    found = {at: (await tried(begun, folder / str(at), one, other, at)).wrong for at in breaks(whole, 2)}
    return {at: wrong for at, wrong in found.items() if wrong}


@pytest.mark.each
@pytest.mark.parametrize("other", FORGETTING)
@pytest.mark.parametrize("one", WORKING)
async def test_what_another_process_forgets_meanwhile_is_kept_in_nothing(
    begun: Process, tmp_path: Path, one: Work, other: Work
) -> None:
    assert await everywhere(begun, tmp_path, one, other) == {}


async def unchanged(_: object, __: Transaction, ___: Domain) -> bool:
    """Say that nothing has changed."""
    return True


@pytest.mark.torture
async def test_without_a_look_at_the_sources_before_it_is_published_it_would_be_kept(
    begun: Process, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Piece, "as_read", unchanged)
    assert await everywhere(begun, tmp_path, climbs, forgets) != {}


@pytest.mark.each
@pytest.mark.parametrize("other", WORKING)
@pytest.mark.parametrize("one", FORGETTING)
async def test_what_is_being_forgotten_gets_into_nothing_that_another_process_makes(
    begun: Process, tmp_path: Path, one: Work, other: Work
) -> None:
    assert await everywhere(begun, tmp_path, one, other) == {}


@pytest.mark.each
@pytest.mark.parametrize("other", WRITING)
@pytest.mark.parametrize("one", WRITING)
async def test_what_another_process_makes_meanwhile_is_not_made_again(
    begun: Process, tmp_path: Path, one: Work, other: Work
) -> None:
    assert await everywhere(begun, tmp_path, one, other) == {}
