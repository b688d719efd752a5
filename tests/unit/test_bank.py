"""The bank of a room: off until it is turned on, then each conversation that is over is noted in a few bullets."""

from dataclasses import replace
from pathlib import Path

import pytest

from memory.bank import bank_maintenance
from memory.bank.bank_maintenance import NO_MODEL, OFF, BankPass
from memory.core import ConsolidationRules
from memory.derive import pipeline
from memory.errors import NotShared, WriterFailed
from memory.ports import Entry
from memory.tiers.episodes import BankRules, EpisodeRules
from memory.types import MINUTE
from tests.kits.bank_kit import ADA, BOB, Noter, in_a_room, sized
from tests.kits.ladder_kit import unsound
from tests.kits.memory_kit import HOUR, Writer, above, answering, corner, raising


async def test_it_is_off_until_somebody_turns_it_on(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, on=False) as here:
        await here.talk("the well is dry", "we dig on Friday")
        writer = Noter()
        assert await here.kept(writer) == BankPass(why=OFF)
        assert writer.tasks == [] and await here.count("statements") == 0
        assert (await here.view.bank.state()).since is None and (await here.view.bank.render(2000)).text == ""
        assert await here.view.bank.turn_on()
        assert (await here.view.bank.state()).since == here.clock.now()
        assert not await here.view.bank.turn_on(), "it is on already"


async def test_a_person_alone_has_no_bank(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        alone = await corner(here.memory, here.clock)
        for refused in (alone.view.bank.turn_on(), alone.view.bank.opt_out(ADA), alone.view.bank.opt_in(ADA)):
            with pytest.raises(NotShared, match="several people"):
                await refused
        assert not await alone.view.bank.turn_off() and (await alone.view.bank.state()).since is None


async def test_a_conversation_is_noted_once_it_is_over(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        writer = Noter()
        first = await here.said_by(ADA, "the well is dry")
        second = await here.said_by(BOB, "we dig on Friday")
        here.clock.forward(9 * MINUTE)
        assert await here.kept(writer) == BankPass() and writer.tasks == []
        here.clock.forward(MINUTE)
        assert await here.kept(writer) == BankPass(conversations=1)
        (task,) = writer.tasks
        assert task.kind == "conversation" and [source.speaker for source in task.sources] == ["Ada", "Bob"]
        (entry,) = await here.noted()
        assert entry.label == "conversation:2026-03-03T12:01"
        assert [one.text for one in entry.bullets] == ["the well is dry", "we dig on Friday"]
        rests = await here.view.digests.receipts(entry.bullets)
        assert [[e.key for e in rests[one.key]] for one in entry.bullets] == [[first.key], [second.key]]
        assert await here.kept(writer) == BankPass() and len(writer.tasks) == 1, "what is noted is not noted again"


async def test_where_it_is_off_silence_must_be_long(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, on=False) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.closed()
        assert await here.count("episodes") == 0
        await here.view.bank.turn_on()
        await here.closed()
        assert await here.count("episodes") == 1


async def test_a_single_remark_is_no_conversation_and_the_usual_count_ends_one(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, ConsolidationRules(EpisodeRules(count=4))) as here:
        await here.talk("the well is dry")
        assert await here.kept() == BankPass()
        for n in range(5):
            await here.said_by(BOB, f"remark {n}")
        assert await here.kept() == BankPass(conversations=1), "four messages are one, the rest goes on"


async def test_only_what_was_said_since_it_is_on_enters(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, on=False) as here:
        await here.talk("the code is 4711", "so it is")
        await here.closed()
        await here.said_by(ADA, "the key lies under the mat")
        await here.view.bank.turn_on()
        await here.talk("the well is dry", "we dig on Friday")
        writer = Noter()
        await here.kept(writer)
        assert [source.text for task in writer.tasks for source in task.sources] == ["the well is dry", "we dig on Friday"]


async def test_without_the_instant_what_was_said_before_would_enter(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, on=False) as here:
        await here.said_by(ADA, "the key lies under the mat")
        await here.view.bank.turn_on()
        await here.talk("the well is dry")
        await here.closed()
        terms = await here.view.bank.state()
        work = await bank_maintenance.due(here.context(Noter()), terms._replace(since=0))
        assert work and "the key lies under the mat" in [source.text for source in work.task.sources]


async def test_what_only_repeats_memory_does_not_enter(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        asked = await here.said_by(ADA, "what of the well?")
        await here.reply("You told me of tomatoes", [asked.key], echo=True)
        await here.answer("It is dry", asked)
        here.clock.forward(HOUR)
        writer = Noter()
        await here.kept(writer)
        assert [source.text for source in writer.tasks[0].sources] == ["what of the well?", "It is dry"]


async def test_a_bullet_that_rests_on_her_own_words_alone_does_not_stand(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        asked = await here.said_by(ADA, "is the well dry?")
        await here.answer("it is dry", asked)
        here.clock.forward(HOUR)
        writer = Noter(moves=[answering(Entry("it is dry", ("m2",)), Entry("Ada asked of the well", ("m1", "m2")))])
        await here.kept(writer)
        assert await here.lines() == ["Ada asked of the well"]
        assert await unsound(here) == []


NOTHING_LEFT = [
    [Entry("dry " * 80, ("m1",))],
    [Entry("干" * 600, ("m1",))],
    [Entry("the well is dry in Ulm", ("m1",))],
    [Entry("we dig", ("m2",))],
]


@pytest.mark.parametrize("answer", NOTHING_LEFT, ids=["80 words", "a text without spaces", "a name", "Lyra alone"])
async def test_an_answer_of_which_nothing_is_left_is_refused_and_asked_for_once_more(tmp_path: Path, answer: list[Entry]) -> None:
    async with in_a_room(tmp_path) as here:
        asked = await here.said_by(ADA, "the well is dry 干")
        await here.answer("we dig", asked)
        here.clock.forward(HOUR)
        writer = Noter(moves=[answering(*answer)] * 5)
        assert await here.kept(writer) == BankPass() and len(writer.tasks) == 2
        assert await here.count("refusals") == 3 and await here.lines() == []
        assert await here.kept(writer) == BankPass() and len(writer.tasks) == 2, "it is not asked for ever"


async def test_a_refused_answer_is_asked_for_again(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")
        assert await here.kept(Noter(moves=[answering(*NOTHING_LEFT[0])])) == BankPass(conversations=1)
        assert await here.lines() == ["the well is dry", "we dig on Friday"]


async def test_what_is_longer_than_asked_is_cut_to_what_was_asked(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")
        four = [Entry(text, ("m1", "m2")) for text in ("the well is dry", "we dig", "we dig on Friday", "it is dry")]
        assert await here.kept(Noter(moves=[answering(*four)])) == BankPass(conversations=1)
        assert await here.lines() == ["the well is dry", "we dig", "we dig on Friday"]
        await here.talk("the well is dry", "we dig on Monday")
        long = [Entry("dry " * 40, ("m1",)), Entry("we dig on Monday " * 10, ("m2",))]
        await here.kept(Noter(moves=[answering(*long)]))
        assert " ".join(["dry"] * 40) in await here.lines() and not any("Monday" in line for line in await here.lines())


async def test_what_one_model_gave_up_another_one_is_asked_for(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")
        weak = Noter(moves=[answering(Entry("they met in Ulm", ("m1",)))] * 9)
        assert await here.kept(weak) == BankPass() and await here.kept(weak) == BankPass()
        better = Noter()
        better.name = "better"
        assert await here.kept(better) == BankPass(conversations=1)
        assert await here.lines() == ["the well is dry", "we dig on Friday"]


async def test_just_under_eighty_words_stand(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.kept(Noter(moves=[answering(Entry("dry " * 79, ("m1",)))]))
        assert await here.lines() == [" ".join(["dry"] * 79)]


async def test_without_the_check_of_its_form_a_long_answer_would_stand(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.closed()
        context = here.context(Noter(moves=[answering(*NOTHING_LEFT[0])]))
        work = await bank_maintenance.due(context, await here.view.bank.state())
        assert work and await pipeline.make_work(context, replace(work, cut=None))
        assert len(" ".join(await here.lines()).split()) == 80


async def test_of_a_long_conversation_forty_pairs_are_read_at_a_time_and_none_is_dropped(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, ConsolidationRules(EpisodeRules(count=200))) as here:
        for n in range(100):
            await here.answer(f"noted {n}", await here.said_by(ADA, f"remark {n}"))
        writer = Noter()
        assert await here.kept(writer) == BankPass(conversations=1)
        *pieces, last = writer.tasks
        assert [len(task.sources) for task in pieces] == [80, 80, 40]
        read = [source.text for task in pieces for source in task.sources]
        assert read == [text for n in range(100) for text in (f"remark {n}", f"noted {n}")]
        assert last.kind == "conversation" and len(last.sources) == 9, "the notes of the pieces are joined"
        assert 1 <= len(await here.lines()) <= 3


async def test_without_that_bound_all_is_read_in_one_call(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, ConsolidationRules(EpisodeRules(count=200), bank=BankRules(most_turns=100))) as here:
        for n in range(100):
            await here.answer(f"noted {n}", await here.said_by(ADA, f"remark {n}"))
        writer = Noter()
        await here.kept(writer)
        assert [len(task.sources) for task in writer.tasks] == [200]


async def test_a_writer_out_of_reach_leaves_it_for_later(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")
        with pytest.raises(WriterFailed):
            await here.kept(Noter(moves=[raising(WriterFailed("The model cannot be reached."))]))
        assert await here.lines() == [] and await here.count("refusals") == 0
        assert await here.kept() == BankPass(conversations=1), "at once, no lease is left behind"


async def test_without_a_model_nothing_is_done_and_that_is_said(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.kept()
        before = await here.everything()
        await here.talk("the pump is new", "it is green")
        writer = Writer("extractive", extractive=True)
        assert await here.kept(writer) == BankPass(why=NO_MODEL) and writer.tasks == []
        assert await here.everything() == before, "and what is there stays"


async def test_it_is_found_by_words_and_the_log_of_what_was_done_holds_none(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.kept()
        assert [one.text for one in await above(here.view, "dig", 5)] == ["we dig on Friday"]
        (line,) = await here.memory.db.all("SELECT kind, detail FROM activity")
        assert line["kind"] == "bank" and "dig" not in line["detail"]


async def test_the_block_is_labelled_newest_first_and_says_how_to_use_it(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        assert (await here.view.bank.render(2000)).text == "", "empty when empty"
        await here.talk("the well is dry", "we dig on Friday")
        await here.talk("the pump is new", "it is\ngreen")
        await here.kept()
        head, *lines = (await here.view.bank.render(2000)).text.splitlines()
        assert "only when directly relevant" in head
        assert lines == [
            "[conversation:2026-03-03T12:13]", "- the pump is new", "- it is green",
            "[conversation:2026-03-03T12:01]", "- the well is dry", "- we dig on Friday",
        ]  # fmt: skip
        short = await here.view.bank.render(50)
        assert [one.text for one in short.shown] == ["the pump is new", "it is green"]
        assert short.text.splitlines() == [head, *lines[:3]]
        assert (await here.view.bank.render(10)).text == ""


async def test_another_room_has_its_own(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, sized(100)) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.kept()
        other = here.memory.view(await here.memory.places.domain(replace(here.domain.ref, native_id="!other"), "UTC", 0))
        assert (await other.bank.state()).since is None and await other.digests.statements("bank") == []
        assert await above(other, "dig", 5) == []
