"""What is forgotten, withdrawn or turned off leaves the bank at once, and what is left is written again."""

from dataclasses import replace
from pathlib import Path

from memory.bank import bank_maintenance
from memory.bank.bank_maintenance import OFF, BankPass
from memory.core import ConsolidationRules
from memory.derive import pipeline
from memory.deriving import Deriving
from memory.ports import Entry, Task
from memory.tiers.episodes import EpisodeRules
from memory.types import Exchange
from tests.kits.bank_kit import ADA, BOB, Noter, Room, in_a_room, sized
from tests.kits.ladder_kit import unsound
from tests.kits.memory_kit import DAY, HOUR, above, answering

FOLDED = sized(26, headroom=1.0)
SECRET = "the parrot is called Xerxes"


async def holding(here: Room, word: str) -> list[str]:
    """Return what of the bank, or of what was refused of it, holds a word."""
    rows = await here.memory.db.all(
        "SELECT text FROM statements WHERE tier = 'bank' UNION ALL SELECT answer FROM refusals WHERE tier = 'bank'"
    )
    return [row["text"] for row in rows if word in row["text"]]


async def month(here: Room) -> list[Exchange]:
    """Have two conversations and let them be folded into a month."""
    said = await here.on("2026-03-04", "the well is dry", SECRET)
    said += await here.on("2026-03-05", "we dig on Friday", "the pump is new")
    await here.kept()
    here.clock.forward(44 * DAY)
    await here.kept()
    assert await here.labels() == ["week:2026-W10"]
    return said


async def test_a_forgotten_message_takes_its_bullet_along_and_the_entry_is_written_again(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        said = await here.talk("the well is dry", SECRET, "we dig on Friday", "the pump is new")
        await here.kept()
        assert await here.lines() == ["the well is dry", SECRET, "we dig on Friday"]
        await here.view.forget_message(said[1].id)
        assert await here.lines() == ["the well is dry", "we dig on Friday"] and await holding(here, "Xerxes") == []
        before = await here.labels()
        writer = Noter()
        assert await here.kept(writer) == BankPass(conversations=1)
        assert [source.text for source in writer.tasks[0].sources] == ["the well is dry", "we dig on Friday", "the pump is new"]
        assert await here.lines() == ["the well is dry", "we dig on Friday", "the pump is new"]
        assert await here.labels() == before, "it keeps its place"
        assert await here.kept(writer) == BankPass()


async def test_what_rests_on_nothing_forgotten_is_not_written_again(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        said = await here.talk("the well is dry", "we dig", "on Friday", "at noon")
        await here.kept()
        before = await here.everything()
        await here.view.forget_message(said[3].id)
        writer = Noter()
        assert await here.kept(writer) == BankPass() and writer.tasks == [] and await here.everything() == before


async def test_an_edited_message_has_its_entry_written_again(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        said = await here.talk("the well is dry", SECRET)
        await here.kept()
        assert await here.memory.kept.revise("matrix", "!r", said[1].source_id, "the parrot is green", here.clock.now())
        assert await holding(here, "Xerxes") == []
        await here.kept()
        assert await here.lines() == ["the well is dry", "the parrot is green"]


async def test_a_digest_that_loses_something_is_rebuilt_from_its_kept_children(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, FOLDED) as here:
        said = await month(here)
        await here.view.forget_message(said[1].id)
        assert await holding(here, "Xerxes") == []
        assert await here.lines() == ["the well is dry", "we dig on Friday", "the pump is new"], "what is left stands"
        writer = Noter()
        assert await here.kept(writer) == BankPass(conversations=1, digests=2), "the other day is as it was"
        assert [task.kind for task in writer.tasks] == ["conversation", "bank", "bank"]
        (_, day, week) = [[source.label for source in task.sources] for task in writer.tasks]
        assert day == ["conversation:2026-03-04T12:01"]
        assert week == ["day:2026-03-04", "day:2026-03-05.1", "day:2026-03-05.2"]
        assert await here.labels() == ["week:2026-W10"] and await unsound(here) == []
        assert await here.lines() == ["the well is dry", "we dig on Friday", "the pump is new"]
        assert await here.kept(writer) == BankPass()


async def test_a_digest_may_be_gone_as_a_whole_and_its_other_children_stand_again(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, FOLDED) as here:
        said = await here.on("2026-03-04", "the well is dry", SECRET)
        await here.on("2026-03-04", "the pump is new", "it is green")
        await here.kept()
        here.clock.forward(2 * DAY)

        async def both(task: Task) -> list[Entry]:
            labels = tuple(source.label for source in task.sources)
            return [Entry("the well is dry", labels), Entry("the pump is new", labels)]

        await here.kept(Noter(moves=[both]))
        assert await here.labels() == ["day:2026-03-04"]
        for message in said:
            await here.view.forget_message(message.id)
        assert await here.lines() == []
        await here.kept(Noter())
        assert await here.lines() == ["the pump is new", "it is green"] and await unsound(here) == []


async def test_forgetting_all_leaves_nothing_of_the_bank(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, FOLDED) as here:
        await month(here)
        await here.view.forget_all()
        assert await here.everything() == [] and await here.kept() == BankPass()
        rows = await here.memory.db.all("SELECT period FROM derivations WHERE tier = 'bank'")
        assert rows == [], "not even when they talked"


async def test_turning_it_off_empties_it_and_keeps_the_messages(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, FOLDED) as here:
        await month(here)
        await here.talk("they say Humphrey comes", "on Friday")
        await here.kept(Noter(moves=[answering(Entry("they met in Ulm", ("m1",)))] * 3))
        assert await here.count("refusals") == 3
        assert await here.view.bank.turn_off()
        assert await here.everything() == [] and (await here.view.bank.render(2000)).text == ""
        assert await above(here.view, "dig", 9) == [] and await here.count("refusals") == 0
        assert "we dig on Friday" in await here.found("dig")
        assert await here.kept() == BankPass(why=OFF) and not await here.view.bank.turn_off()
        await here.view.bank.turn_on()
        assert await here.kept() == BankPass(), "what was said before does not come back"
        await here.talk("the roof leaks", "we mend it")
        await here.kept()
        assert await here.lines() == ["the roof leaks", "we mend it"]


async def test_turned_off_while_an_entry_is_written_nothing_is_kept(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")

        async def off(task: Task) -> list[Entry]:
            await here.view.bank.turn_off()
            return [Entry("the well is dry", ("m1",))]

        assert await here.kept(Noter(moves=[off])) == BankPass()
        assert await here.everything() == []


async def test_without_that_look_it_would_be_kept(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", "we dig on Friday")
        await here.closed()
        context = here.context(Noter())
        work = await bank_maintenance.due(context, await here.view.bank.state())
        await here.view.bank.turn_off()
        assert work and await pipeline.make_work(context, replace(work, still=None))
        assert await here.everything() != []


async def test_a_member_who_withdraws_takes_along_what_rests_on_their_words(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", SECRET)
        await here.kept()
        assert await here.view.bank.opt_out(BOB) == 1
        assert (await here.view.bank.state()).without == (BOB,)
        assert await here.lines() == ["the well is dry"] and await holding(here, "Xerxes") == []
        assert SECRET in await here.found("parrot"), "the message stays"
        writer = Noter()
        await here.kept(writer)
        assert [source.text for task in writer.tasks for source in task.sources] == ["the well is dry"]
        await here.talk("it rains", "Xerxes can sing")
        await here.kept(writer)
        assert [source.text for source in writer.tasks[-1].sources] == ["it rains"]
        assert await holding(here, "Xerxes") == [] and await unsound(here) == []


async def test_replies_to_them_and_replies_that_rest_on_their_words_stay_out(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        secret = await here.said_by(BOB, SECRET)
        await here.answer("a fine name, Xerxes", secret)
        asked = await here.said_by(ADA, "what is the parrot called?")
        told = await here.answer("Xerxes, says Bob", asked, secret.key)
        again = await here.said_by(ADA, "say it again")
        await here.answer("Xerxes it is", again, told.key)
        await here.answer("a good day", await here.said_by(ADA, "good day"))
        here.clock.forward(HOUR)
        await here.view.bank.opt_out(BOB)
        writer = Noter()
        await here.kept(writer)
        texts = ["what is the parrot called?", "say it again", "good day", "a good day"]
        assert [source.text for source in writer.tasks[0].sources] == texts


async def test_a_reply_that_rests_on_a_gist_rests_on_all_that_the_gist_was_made_from_cited_or_not(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", SECRET)
        await here.kept()
        writer = Noter(moves=[answering(Entry("the well is dry", ("m1",)))])
        await Deriving(here.memory).consolidator(here.domain, writer, writer).digest(here.session)
        ((_, gist),) = await here.view.digests.all()
        asked = await here.said_by(ADA, "how is the well?")
        await here.answer("as dry as ever", asked, gist.key)
        here.clock.forward(HOUR)
        await here.kept(Noter(moves=[answering(Entry("the well", ("m1",)), Entry("dry as ever", ("m1", "m2")))]))
        assert await here.lines() == ["the well", "dry as ever", "the well is dry", SECRET]
        await here.view.bank.opt_out(BOB)
        assert await here.lines() == ["the well", "the well is dry"]
        writer = Noter()
        await here.kept(writer)
        assert [[source.text for source in task.sources] for task in writer.tasks] == [["the well is dry"], ["how is the well?"]]


async def test_without_that_look_their_words_would_enter(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", SECRET)
        await here.closed()
        await here.view.bank.opt_out(BOB)
        terms = await here.view.bank.state()
        context = here.context(Noter())
        work = await bank_maintenance.due(context, terms._replace(without=()))
        assert work and [source.text for source in work.task.sources] == ["the well is dry", SECRET]


async def test_one_who_withdraws_while_an_entry_is_written_is_not_in_it_nor_in_what_is_refused(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", SECRET)

        async def leaving(task: Task) -> list[Entry]:
            await here.view.bank.opt_out(BOB)
            return [Entry(SECRET, ("m2",))]

        async def refused(task: Task) -> list[Entry]:
            await here.view.bank.opt_out(BOB)
            return [Entry(f"{SECRET} in Ulm", ("m2",))]

        for move in (leaving, refused):
            await here.view.bank.opt_in(BOB)
            await here.kept(Noter(moves=[move]))
            assert await holding(here, "Xerxes") == []
        assert await here.lines() == ["the well is dry"]


async def test_refused_about_what_is_not_there_any_more_it_is_not_asked_again(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.talk("the well is dry", SECRET)

        invented = Entry("they met Humphrey", ("m1",))

        async def leaving(task: Task) -> list[Entry]:
            await here.view.bank.opt_out(BOB)
            return [invented]

        writer = Noter(moves=[leaving, *[answering(invented)] * 9])
        await here.kept(writer)
        assert [len(task.sources) for task in writer.tasks] == [2, 1, 1], "the same answer about what is left was refused twice"


async def test_digests_that_rest_on_their_words_are_rebuilt_without_them(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, FOLDED) as here:
        await month(here)
        await here.view.bank.opt_out(BOB)
        assert await holding(here, "Xerxes") == []
        await here.kept()
        assert await here.labels() == ["week:2026-W10"]
        assert await here.lines() == ["the well is dry", "we dig on Friday"] and await holding(here, "pump") == []
        assert await here.kept() == BankPass()


async def test_of_a_conversation_of_theirs_alone_nothing_is_left(tmp_path: Path) -> None:
    async with in_a_room(tmp_path, ConsolidationRules(EpisodeRules(count=2))) as here:
        await here.said_by(BOB, SECRET)
        await here.said_by(BOB, "Xerxes can sing")
        await here.kept()
        assert len(await here.lines()) == 2
        await here.view.bank.opt_out(BOB)
        writer = Noter()
        assert await here.kept(writer) == BankPass() and writer.tasks == []
        assert await here.everything() == [] and (await here.view.bank.render(2000)).text == ""


async def test_who_comes_back_is_heard_again(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.view.bank.opt_out(BOB)
        await here.view.bank.opt_in(BOB)
        assert (await here.view.bank.state()).without == ()
        await here.talk("the well is dry", SECRET)
        await here.kept()
        assert await here.lines() == ["the well is dry", SECRET]


async def test_withdrawing_is_remembered_while_it_is_off_and_holds_here_only(tmp_path: Path) -> None:
    async with in_a_room(tmp_path) as here:
        await here.view.bank.opt_out(BOB)
        await here.view.bank.opt_out(ADA)
        await here.view.bank.turn_off()
        await here.view.bank.turn_on()
        assert set((await here.view.bank.state()).without) == {ADA, BOB}
        other = await here.memory.places.domain(replace(here.domain.ref, native_id="!other"), "UTC", 0)
        assert (await here.memory.view(other).bank.state()).without == ()
