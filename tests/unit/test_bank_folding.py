"""Where the block grows too large its oldest notes are folded: conversations into days, days into weeks, weeks into months."""

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from memory.bank import block, folding
from memory.bank.bank_maintenance import BankPass
from memory.bank.block import size
from memory.derive import pipeline
from memory.derive.entries import parse
from memory.deriving import Deriving
from memory.errors import WriterFailed
from memory.ports import Entry
from memory.text.budget import tokens
from memory.text.time.times import instant
from memory.tiers import statements
from memory.tiers.episodes import EpisodeRules
from tests.kits.bank_kit import ADA, BOB, Noter, Room, in_a_room, sized
from tests.kits.ladder_kit import unsound
from tests.kits.memory_kit import DAY, Ids, above, answering, opened, raising

NEXT_TO_NOTHING = sized(26, headroom=1.0)
"""Room for the head alone: all that is old enough is folded, and leaves."""


async def days(here: Room, *which: str) -> None:
    """Have a conversation on each of these days."""
    for day in which:
        await here.on(day, f"the well of {day} is dry", f"we dig on {day}")


async def later(here: Room, day: str, *texts: str) -> None:
    """Keep a conversation only now that was had on an earlier day, ten minutes past noon."""
    then = instant(datetime.fromisoformat(f"{day}T12:01").replace(tzinfo=UTC))
    for n, text in enumerate(texts):
        await here.said_by((ADA, BOB)[n % 2], text, at=then + n)
    here.clock.forward(DAY)


async def test_nothing_is_folded_while_the_block_is_within_its_headroom(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, sized(150, headroom=1.25)) as here:
        writer = Noter()
        for n in range(3, 9):
            await days(here, f"2026-03-{n:02}")
            done = await here.kept(writer)
            whole = size(await here.noted())
            assert whole <= 1.25 * 150 and (not done.digests or writer.tasks[-1].kind == "bank")
            if not done.digests:
                continue
            assert n > 5, "what fits is left as it is"
            break
        else:
            pytest.fail("nothing was ever folded")


async def test_without_headroom_it_would_be_folded_sooner(tmp_path: Path) -> None:
    async def folded(name: str, headroom: float) -> int:
        (tmp_path / name).mkdir()
        async with in_a_room(tmp_path / name, sized(150, headroom=headroom)) as here:
            for n in range(3, 9):
                await days(here, f"2026-03-{n:02}")
                if (await here.kept()).digests:
                    return n
        return 99

    assert await folded("none", 1.0) < await folded("some", 1.25) < await folded("much", 3.0)


async def test_the_oldest_day_is_folded_first_and_no_more_than_is_needed(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, sized(2000)) as here:
        await days(here, "2026-03-04T09:00", "2026-03-04T15:00", "2026-03-05", "2026-03-07")
        await here.kept()
        most = size(await here.noted()) - 1
    async with opened(tmp_path / "lyra.db", None, clock=here.clock, ids=Ids("b"), habits=sized(most, headroom=1.0)) as memory:
        here = replace(here, memory=memory, view=memory.view(here.domain))
        writer = Noter()
        assert await here.kept(writer) == BankPass(digests=1)
        assert await here.labels() == ["conversation:2026-03-07T12:01", "conversation:2026-03-05T12:01", "day:2026-03-04"]
        (task,) = writer.tasks
        assert task.kind == "bank" and [source.label for source in task.sources] == [
            "conversation:2026-03-04T09:01.1", "conversation:2026-03-04T09:01.2",
            "conversation:2026-03-04T15:01.1", "conversation:2026-03-04T15:01.2",
        ]  # fmt: skip
        assert await here.kept(writer) == BankPass() and len(writer.tasks) == 1


async def test_today_and_yesterday_are_left_as_they_are_however_large(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, NEXT_TO_NOTHING) as here:
        await days(here, "2026-03-03", "2026-03-04")
        assert await here.kept() == BankPass(conversations=2)
        here.clock.forward(DAY)
        assert (await here.kept()).digests == 1
        assert await here.labels() == ["conversation:2026-03-04T12:01", "day:2026-03-03"]


async def test_a_day_becomes_a_week_a_week_a_month_and_then_leaves_the_block_and_is_still_found(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, NEXT_TO_NOTHING) as here:
        said = await here.on("2026-03-03", "the well is dry", "we dig on Friday")
        stages: list[tuple[str, list[str]]] = []
        for _ in range(80):
            await here.kept()
            stages.append((f"{date.fromtimestamp(here.clock.now() / 1e6)}", await here.labels()))
            here.clock.forward(DAY)
        rungs = [labels for at, (_, labels) in enumerate(stages) if not at or labels != stages[at - 1][1]]
        assert rungs == [["conversation:2026-03-03T12:01"], ["day:2026-03-03"], ["week:2026-W10"], []]
        first = {labels[0] if labels else "": day for day, labels in reversed(stages)}
        assert first == {
            "conversation:2026-03-03T12:01": "2026-03-03", "day:2026-03-03": "2026-03-05", "week:2026-W10": "2026-03-16",
            "": "2026-04-29",
        }  # fmt: skip
        assert (await here.view.bank.render(2000)).text == "", "empty when empty"
        found = await above(here.view, "dig", 9)
        assert {one.kind for one in found} == {"conversation", "day", "week", "month"}
        assert {e.key for one in found for e in (await here.view.digests.receipts([one]))[one.key]} == {said[1].key}
        assert "we dig on Friday" in await here.found("dig")
        assert await unsound(here) == []


async def test_ended_as_history_it_would_not_be_found(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.kept()
        keys = [one.key for one in await here.view.digests.statements("bank")]
        async with here.memory.db.transaction() as tx:
            await statements.end(tx, here.domain, keys, here.clock.now())
        assert await above(here.view, "dig", 9) == []


async def test_after_the_last_rung_the_oldest_leave_and_no_more_than_is_needed(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, sized(75, headroom=1.0)) as here:
        for month in ("2026-03", "2026-04", "2026-05", "2026-06"):
            await here.on(f"{month}-10", f"the well of {month}-10 is dry", f"we dig on {month}-11")
            here.clock.forward(90 * DAY)
        assert await here.kept() == BankPass(conversations=4, digests=12, left=4)
        assert await here.labels() == ["month:2026-12", "month:2026-09"]
        months = [one for one in await above(here.view, "dig", 99) if one.kind == "month"]
        assert {one.period for one in months} == {"2026-03", "2026-06", "2026-09", "2026-12"}, "all are found"
        assert await here.kept() == BankPass()


async def test_a_late_conversation_reopens_its_day_its_week_and_its_month(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, sized(90, headroom=1.0)) as here:
        await days(here, "2026-03-04", "2026-03-05", "2026-03-12")
        here.clock.forward(70 * DAY)
        await here.kept()
        assert await here.labels() == ["month:2026-03"]
        await later(here, "2026-03-05", "the pump came", "it is green")
        with pytest.raises(WriterFailed):
            await here.kept(Noter(many=1))
        assert await here.labels() == [
            "conversation:2026-03-05T12:01", "conversation:2026-03-05T12:01", "day:2026-03-04", "week:2026-W11",
        ]  # fmt: skip
        writer = Noter()
        await here.kept(writer)
        (day, week, month) = [[source.text for source in task.sources] for task in writer.tasks]
        assert day == ["the well of 2026-03-05 is dry", "we dig on 2026-03-05", "the pump came", "it is green"]
        assert "the pump came" in week and "we dig on 2026-03-04" in week and "we dig on 2026-03-12" in month
        assert await here.labels() == ["month:2026-03"]
        assert await here.kept(writer) == BankPass() and await unsound(here) == []


async def test_a_failed_digest_leaves_its_children_in_place(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, NEXT_TO_NOTHING) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.kept()
        here.clock.forward(2 * DAY)
        before = await here.everything()
        with pytest.raises(WriterFailed):
            await here.kept(Noter(moves=[raising(WriterFailed("The model cannot be reached."))]))
        assert await here.everything() == before
        writer = Noter(moves=[answering(Entry("Humphrey digs", ("conversation:2026-03-03T12:01.1",)))] * 9)
        assert await here.kept(writer) == BankPass() and len(writer.tasks) == 2
        assert await here.everything() == before and await here.count("refusals") == 3
        assert await here.kept(writer) == BankPass() and len(writer.tasks) == 2, "it is not asked for ever"
        assert await here.labels() == ["conversation:2026-03-03T12:01"]
        here.clock.forward(70 * DAY)
        assert await here.kept(writer) == BankPass(left=2), "until it is as old as the last rung"
        assert [one.text for one in await above(here.view, "dig", 9)] == ["we dig on Friday"]


LABEL = "conversation:2026-03-03T12:01"
TOO_LITTLE = [
    [Entry("the well is dry", (f"{LABEL}.1",))],
    [Entry("dry " * 60, (f"{LABEL}.1",)), Entry("dry " * 60, (f"{LABEL}.1",))],
]


@pytest.mark.parametrize("answer", TOO_LITTLE, ids=["one bullet", "120 words"])
async def test_a_digest_of_too_little_within_its_words_is_refused(tmp_path: Path, answer: list[Entry]) -> None:
    async with in_a_room(tmp_path, NEXT_TO_NOTHING) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.kept()
        here.clock.forward(2 * DAY)
        writer = Noter(moves=[answering(*answer)])
        assert (await here.kept(writer)).digests == 1 and len(writer.tasks) == 2
        assert await here.lines() == ["the well is dry", "we dig on Friday"]


@pytest.mark.parametrize("answer", TOO_LITTLE, ids=["one bullet", "120 words"])
async def test_without_the_check_of_its_form_it_would_stand(tmp_path: Path, answer: list[Entry]) -> None:
    async with in_a_room(tmp_path, NEXT_TO_NOTHING) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.kept()
        here.clock.forward(2 * DAY)
        context = here.context(Noter(moves=[answering(*answer)]))
        work = await folding.due(context, await here.view.bank.state(), await here.noted())
        assert work and await pipeline.make_work(context, replace(work, cut=None))
        assert await here.lines() == [" ".join(entry.text.split()) for entry in answer]


async def test_labels_of_what_is_folded_are_read_back_from_a_models_answer(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, NEXT_TO_NOTHING) as here:
        await days(here, "2026-03-03", "2026-03-04")
        await here.kept()
        here.clock.forward(20 * DAY)
        writer = Noter()
        await here.kept(writer)
        for task in writer.asked("bank"):
            labels = [source.label for source in task.sources]
            answer = f"- The well is dry [{labels[0]}, {labels[1]}]\n- We dig. [{labels[1]}]"
            assert [entry.cites for entry in parse(answer, labels)] == [(labels[0], labels[1]), (labels[1],)]
        assert [source.label for source in writer.tasks[-1].sources] == [
            "day:2026-03-03.1", "day:2026-03-03.2", "day:2026-03-04.1", "day:2026-03-04.2",
        ]  # fmt: skip


async def test_what_is_dated_into_the_future_lies_in_the_day_on_which_it_was_over(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, replace(NEXT_TO_NOTHING, rules=EpisodeRules(count=2))) as here:
        for n in range(2):
            await here.said_by(ADA, f"the well of {n} is dry", at=here.clock.now() + 3000 * DAY)
        await here.kept()
        assert await here.labels() == ["conversation:2026-03-03T12:02"]
        here.clock.forward(2 * DAY)
        await here.kept()
        assert await here.labels() == ["day:2026-03-03"]


async def test_two_at_once_note_and_fold_once(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, NEXT_TO_NOTHING) as here:
        await days(here, "2026-03-03", "2026-03-04", "2026-03-05")
        here.clock.forward(12 * DAY)
        writer = Noter()
        consolidator = Deriving(here.memory).consolidator(here.domain, writer, writer)
        await consolidator.close_episodes(here.session)
        async with opened(tmp_path / "lyra.db", None, clock=here.clock, ids=Ids("other"), habits=NEXT_TO_NOTHING) as other:
            await asyncio.gather(
                Deriving(here.memory).bank(here.domain, writer).keep(), Deriving(other).bank(here.domain, writer).keep()
            )
        read = [task.sources for task in writer.tasks]
        assert len(read) == len(set(read)), "nothing is read twice"
        await here.kept()
        everything = await here.everything()
        assert len(everything) == len(set(everything)), "nothing stands twice"
        assert await here.labels() == ["week:2026-W10"]


async def test_what_comes_while_a_digest_is_written_makes_it_void(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, NEXT_TO_NOTHING) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.kept()
        here.clock.forward(2 * DAY)
        context = here.context(Noter())
        work = await folding.due(context, await here.view.bank.state(), await here.noted())
        assert work
        await later(here, "2026-03-03", "the pump is new", "it is green")
        with pytest.raises(WriterFailed):
            await here.kept(Noter(many=1))
        assert (
            not await pipeline.make_work(context, work) and [entry.rung for entry in await here.noted()] == ["conversation"] * 2
        )
        assert await pipeline.make_work(context, replace(work, still=None)), (
            "without that look it would stand beside a child of it"
        )
        assert [entry.rung for entry in await here.noted()] == ["conversation", "day"]


async def test_of_a_block_that_is_too_large_only_so_much_is_shown(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await days(here, *(f"2026-03-{n:02}" for n in range(3, 20)))
        await here.kept()
        noted = await here.noted()
        for most in (0, 1, 30, 60, 100, 400, 2000):
            assert tokens((await here.view.bank.render(most)).text) <= most
        assert tokens(block.render(noted).text) > 400, "while all of it is larger"
