"""What a writer may not do, and what workers beside each other may not: invent, write twice, or bring back what is forgotten."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.journal.ledger import LEASE
from memory.ports import Entry, Task
from memory.store.lineage import parents
from memory.tiers import summaries
from memory.tiers.episodes import EpisodeRules
from memory.types import Discretion, Identity
from tests.kits.memory_kit import (
    Clock,
    Corner,
    Ids,
    Move,
    Overtaking,
    Writer,
    answering,
    at_home,
    copied,
    corner,
    gists_about,
    opened,
    said,
)

ONE = ConsolidationRules(EpisodeRules(count=1))
REFUSED = [
    Entry("Ada met Humphrey", ("m1",)),
    Entry("Ada has 17 tomatoes", ("m1",)),
    Entry("Ada has tomatoes", ()),
    Entry("Ada has tomatoes", ("m9",)),
]


async def digest(here: Corner, writer: Writer, *, redo: bool = False) -> int:
    """Close all there is and write what is due."""
    work = Deriving(here.memory).consolidator(here.domain, writer, Writer("extractive", extractive=True))
    await work.close_episodes(here.session, asked=True)
    return await work.digest(here.session, redo=redo)


async def gists(here: Corner) -> list[tuple[str, str]]:
    """Return text and writer of what covers the session."""
    return [(d.text, d.writer) for d in await summaries.frontier(here.memory.db, here.session)]


@pytest.mark.parametrize("entry", REFUSED, ids=["a name", "a number", "no citation", "an unknown citation"])
async def test_an_answer_refused_twice_leaves_the_extracted_digest_and_is_kept(tmp_path: Path, entry: Entry) -> None:
    async with at_home(tmp_path) as here:
        await here.say("tomatoes grow")
        writer = Writer(moves=[answering(entry)] * 5)
        assert await digest(here, writer) == 1
        assert len(writer.tasks) == 2
        assert await gists(here) == [("tomatoes grow", "extractive")]
        kept = await here.memory.db.all("SELECT answer FROM refusals")
        assert len(kept) == 2 and all(entry.text in row["answer"] for row in kept)
        assert await digest(here, writer, redo=True) == 0 and len(writer.tasks) == 2, "it is not asked for ever"


async def test_answers_refused_twice_leave_the_extracted_digest_although_they_differ(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("tomatoes grow")
        writer = Writer(moves=[answering(entry) for entry in REFUSED])
        assert await digest(here, writer) == 1
        assert len(writer.tasks) == 2
        assert await gists(here) == [("tomatoes grow", "extractive")]
        assert await digest(here, writer, redo=True) == 0 and len(writer.tasks) == 2


async def test_a_refused_answer_is_asked_for_again(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("tomatoes grow")
        assert await digest(here, Writer(moves=[answering(REFUSED[0])])) == 1
        assert await gists(here) == [("tomatoes grow", "scripted")]
        assert await here.count("refusals") == 1


async def test_only_the_sentences_that_rest_on_something_are_published(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        message = await here.say("tomatoes grow")
        good = Entry("tomatoes grow", ("m1", "m77"))
        assert await digest(here, Writer(moves=[answering(REFUSED[0], good, REFUSED[2])])) == 1
        assert await gists(here) == [("tomatoes grow", "scripted")]
        (gist,) = await summaries.frontier(here.memory.db, here.session)
        assert await parents(here.memory.db, gist.key) == [message.key]


async def test_a_digest_of_which_little_is_left_is_asked_for_again_as_it_stands_for_all(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("tomatoes grow")
        writer = Writer(moves=[answering(*REFUSED[:3], Entry("tomatoes", ("m1",)))])
        assert await digest(here, writer) == 1
        assert len(writer.tasks) == 2
        assert await gists(here) == [("tomatoes grow", "scripted")]


async def test_a_sentence_that_is_left_out_is_no_refused_answer(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(EpisodeRules(count=2), max_transcript_chars=20)) as here:
        await here.say("tomatoes grow")
        await here.say("carrots are orange")
        partly, refused = answering(Entry("tomatoes grow", ("m1",)), REFUSED[0]), answering(Entry("Ada met Bo", ("m2",)))
        writer = Writer(moves=[partly, refused, partly])
        assert await digest(here, writer) == 1
        assert await gists(here) == [("tomatoes grow\ncarrots are orange", "scripted")], "the second answer is asked for"


async def test_a_summary_that_was_refused_now_and_then_is_still_asked_for(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        await here.say("remark zero")
        for n in range(1, 5):
            await here.say(f"remark {n}")
            await digest(here, Writer())
            writer = Writer("model", moves=[answering(Entry("Ada met Humphrey", ("d1",)))])
            (made,) = (
                await Deriving(here.memory)
                .consolidator(here.domain, writer, Writer("extractive", extractive=True))
                .summary(here.session)
            )
            assert made.writer == "model", f"summary {n}, each refused once"


async def test_workers_beside_each_other_write_nothing_twice(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        for n in range(20):
            await here.say(f"remark {n}")

        class Slow(Writer):
            async def write(self, task: Task) -> list[Entry]:
                await here.memory.db.all("SELECT 1")
                return await super().write(task)

        writer = Slow()
        await Deriving(here.memory).consolidator(here.domain, writer, writer).close_episodes(here.session, asked=True)
        done = await asyncio.gather(
            *(Deriving(here.memory).consolidator(here.domain, writer, writer).digest(here.session) for _ in range(4))
        )
        await digest(here, writer)
        asked = [task.sources[0].text for task in writer.tasks if task.kind == "gist"]
        assert sorted(asked) == sorted(f"remark {n}" for n in range(20)), "each gist was asked for once"
        assert sum(done) <= 22 and await here.count("digests") == 22


@asynccontextmanager
async def two_processes(tmp_path: Path) -> AsyncIterator[tuple[Corner, Corner]]:
    """Open a memory twice, in which something was said."""
    clock, path = Clock(), tmp_path / "lyra.db"
    async with (
        opened(path, clock=clock, ids=Ids("a"), habits=ONE) as one,
        opened(path, clock=clock, ids=Ids("b"), habits=ONE) as other,
    ):
        here, there = await corner(one, clock), await corner(other, clock)
        await here.say("tomatoes grow")
        yield here, there


async def test_workers_of_two_processes_write_nothing_twice(tmp_path: Path) -> None:
    async with two_processes(tmp_path) as (here, there):
        started, go = asyncio.Event(), asyncio.Event()

        async def waits(task: Task) -> list[Entry]:
            started.set()
            await go.wait()
            return copied(task)

        first = asyncio.create_task(digest(here, Writer(moves=[waits])))
        await started.wait()
        second = Writer()
        assert await digest(there, second) == 0 and second.tasks == []
        go.set()
        assert await first == 1


async def test_a_holder_whose_lease_ran_out_publishes_nothing(tmp_path: Path) -> None:
    async with two_processes(tmp_path) as (here, there):

        async def overtaken(task: Task) -> list[Entry]:
            here.clock.forward(LEASE + 1)
            assert await digest(there, Writer("the other")) == 1
            return copied(task)

        await digest(here, Writer("too late", moves=[overtaken]))
        assert await gists(here) == [("tomatoes grow", "the other")]
        assert await here.count("claims") == 0


async def test_a_holder_whose_lease_ran_out_publishes_nothing_while_the_other_is_still_at_work(tmp_path: Path) -> None:
    async with two_processes(tmp_path) as (here, there):

        async def begins(move: Move) -> int:
            return await digest(there, Writer("the other", moves=[move]))

        late = Overtaking(here.clock, begins)
        await digest(here, Writer("too late", moves=[late.first]))
        assert await gists(here) == []
        assert await late.ends() == 1 and await gists(here) == [("tomatoes grow", "the other")]


@pytest.mark.parametrize("count", [1, 3], ids=["all of it", "a part of it"])
async def test_what_is_forgotten_while_the_writer_works_is_not_published(tmp_path: Path, count: int) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(EpisodeRules(count=count))) as here:
        secret = await here.say("Xerxes is the parrot")
        for n in range(count - 1):
            await here.say(f"remark {n}")

        async def forgets(task: Task) -> list[Entry]:
            await here.view.forget_message(secret.id)
            return copied(task)

        await digest(here, Writer(moves=[forgets]))
        await digest(here, Writer())
        assert "Xerxes" not in repr(await here.memory.db.all("SELECT text FROM digests"))
        assert [hit for hit in await gists_about(here.view, "Xerxes", 5) if "Xerxes" in hit.digest.text] == []
        assert await here.count("digests") == (0 if count == 1 else 1)


async def test_what_is_told_in_confidence_while_the_writer_works_is_not_published(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(EpisodeRules(count=2))) as here:
        ada = Identity("console", "ada")
        kept = await here.view.say(here.session, [replace(said("Xerxes is the parrot", "s"), identity=ada)])
        await here.say("remark one")

        async def confides(task: Task) -> list[Entry]:
            await here.view.confidences.put(kept.stored[0].id, ada, Discretion(("Ben",)))
            return copied(task)

        await digest(here, Writer(moves=[confides]))
        await digest(here, Writer())
        assert [text for text, _ in await gists(here)] == ["remark one"]


async def test_what_is_forgotten_while_the_summary_is_written_is_not_shown(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        secret = await here.say("Xerxes is the parrot")
        for n in range(3):
            await here.say(f"remark {n}")
        await digest(here, Writer())

        async def forgets(task: Task) -> list[Entry]:
            await here.view.forget_message(secret.id)
            return copied(task)

        shown = await Deriving(here.memory).consolidator(here.domain, Writer(moves=[forgets]), Writer()).summary(here.session)
        assert shown and "Xerxes" not in "\n".join(d.text for d in shown)


async def test_an_episode_that_is_forgotten_before_its_turn_comes_is_passed_over(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        await here.say("remark one")
        secret = await here.say("Xerxes is the parrot")
        await here.say("remark two")

        async def forgets(task: Task) -> list[Entry]:
            await here.view.forget_message(secret.id)
            return copied(task)

        writer = Writer(moves=[forgets])
        assert await digest(here, writer) == 2
        assert all(task.sources for task in writer.tasks), "nobody is asked to digest nothing"
        assert [text for text, _ in await gists(here)] == ["remark one", "remark two"]


async def test_a_cancelled_worker_leaves_its_work_to_the_next(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ONE) as here:
        await here.say("tomatoes grow")
        started = asyncio.Event()

        async def never(task: Task) -> list[Entry]:
            started.set()
            await asyncio.Event().wait()
            return []

        task = asyncio.create_task(digest(here, Writer(moves=[never])))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await digest(here, Writer()) == 1
