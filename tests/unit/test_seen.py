"""An answer rests on everything that was in view when it was made: forgetting, changing and losing a right follow it there."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.errors import SourceGone
from memory.ports import Embedder, Entry
from memory.tiers.episodes import EpisodeRules
from memory.tiers.messages import seen
from memory.tiers.messages.asides import Aside
from memory.types import MINUTE, Digest, DomainKind, DomainRef, Exchange, Kind, NewExchange, SessionRef
from memory.view.shown_messages import ShownMessage
from memory.view.view import Answer
from tests.kits.memory_kit import BagOfWords, Corner, Writer, answering, at_home, said

CODE = "my locker code is 4711"
FEW = ConsolidationRules(EpisodeRules(count=4))


async def replied(
    here: Corner,
    text: str,
    asked: Exchange | None,
    view: Sequence[Exchange | Digest] = (),
    asides: Sequence[str] = (),
    **how: int,
) -> Exchange:
    """Keep a reply that had these messages in view."""
    here.said += 1
    here.clock.forward(MINUTE)
    new = NewExchange(Kind.REPLY, text, f"r{here.said}", here.clock.now(), "Lyra", "assistant")
    answer = Answer(
        new, (), (), (), [asked] if asked else [], seen={one.key: one.text for one in view},
        asides=[Aside(id) for id in asides],
        begun=how.get("begun", here.clock.now()),
    )  # fmt: skip
    kept = await here.view.answer(here.session, answer)
    assert kept
    return kept.exchange


async def texts(here: Corner) -> list[str]:
    """Return all that is kept, in order."""
    return [message.text async for _, message in here.view.messages.all()]


async def test_every_answer_that_had_it_in_view_and_holds_it_goes(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code = await here.say(CODE)
        asked = [await here.say(f"what was it again, number {n}?") for n in range(3)]
        copies = [await replied(here, f"It is 4711, as ever {n}.", asked[n], [code]) for n in range(3)]
        weather = await here.say("how is the weather?")
        innocent = await replied(here, "The weather is sunny and warm.", weather, [code, *asked, *copies])
        receipt = await here.view.forget_message(code.id)
        assert (receipt.messages, receipt.replies) == (1, 3)
        assert await texts(here) == [*(one.text for one in asked), weather.text, innocent.text]
        assert not any("4711" in text for text in await here.found("locker code 4711"))


async def test_without_the_record_of_what_was_in_view_the_copies_would_stay(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code, asked = await here.say(CODE), await here.say("what was it again?")
        copy = await replied(here, "It is 4711.", asked, [])
        await here.view.forget_message(code.id)
        assert copy.text in await texts(here)


async def test_what_only_repeats_an_answer_that_goes_goes_too(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code, asked, again = await here.say(CODE), await here.say("what was it?"), await here.say("and once more?")
        first = await replied(here, "Your locker opens with 4711.", asked, [code])
        await replied(here, "With 4711, as I said.", again, [first])
        assert (await here.view.forget_message(code.id)).replies == 2


async def test_what_repeats_a_digest_goes_with_whatever_the_digest_was_made_from_cited_or_not(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code, plan = await here.say(CODE), await here.say("the trip is on Friday")
        writer = Writer(moves=[answering(Entry("the trip is on Friday", ("m2",)))])
        work = Deriving(here.memory).consolidator(here.domain, writer, writer)
        await work.close_episodes(here.session, asked=True)
        await work.digest(here.session)
        ((_, gist),) = await here.view.digests.all()
        asked = await here.say("when do we go?")
        await replied(here, "On Friday.", asked, [gist])
        await here.view.forget_message(code.id)
        assert await here.view.digests.all() == []
        assert await texts(here) == [plan.text, asked.text]


async def test_what_repeats_a_digest_that_was_replaced_goes_with_whatever_that_was_made_from_cited_or_not(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code, plan = await here.say(CODE), await here.say("the trip is on Friday")
        writer = Writer(moves=[answering(Entry("the trip is on Friday", ("m2",)))])
        work = Deriving(here.memory).consolidator(here.domain, writer, writer)
        await work.close_episodes(here.session, asked=True)
        await work.digest(here.session)
        ((_, gist),) = await here.view.digests.all()
        asked = await here.say("what do you know?")
        copy = await replied(here, "It is 4711.", asked, [gist])
        assert await here.memory.kept.revise("console", "dm", plan.source_id, "the trip is on Sunday", here.clock.now())
        assert await here.view.digests.all() == [] and copy.text in await texts(here)
        await here.view.forget_message(code.id)
        assert await texts(here) == ["the trip is on Sunday", asked.text]


async def test_what_other_messages_in_view_say_as_well_may_stay(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code, other = await here.say(CODE), await here.say("the guest house has number 4711")
        asked = await here.say("where does grandmother sleep?")
        kept = await replied(here, "At the guest house, number 4711.", asked, [code, other])
        await here.view.forget_message(code.id)
        assert kept.text in await texts(here)
        await here.view.forget_message(other.id)
        assert kept.text not in await texts(here)


async def test_an_answer_to_it_goes_whatever_it_says(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code = await here.say(CODE)
        await replied(here, "Noted with pleasure.", code)
        assert (await here.view.forget_message(code.id)).replies == 1


@pytest.mark.parametrize("embedder", [None, BagOfWords()], ids=["nearness unknown", "nearness known"])
async def test_where_nearness_cannot_be_measured_the_answer_goes(tmp_path: Path, embedder: Embedder | None) -> None:
    async with at_home(tmp_path, embedder=embedder) as here:
        code, weather = await here.say(CODE), await here.say("how is the weather?")
        await replied(here, "It is sunny and warm outside today.", weather, [code])
        assert (await here.view.forget_message(code.id)).replies == (embedder is None)


async def test_without_an_embedder_an_answer_that_goes_takes_along_those_that_saw_it_only_where_they_repeat_it(
    tmp_path: Path,
) -> None:
    async with at_home(tmp_path) as here:
        code = await here.say(CODE)
        asked = [await here.say(f"what about number {n}?") for n in range(5)]
        told = await replied(here, "Your locker opens with 4711.", asked[0], [code])
        doubtful = await replied(here, "You have an elephant's memory for combinations.", asked[1], [code])
        await replied(here, "With 4711, as I said to you before.", asked[2], [told])
        await replied(here, "You could write your combinations down, of course.", asked[0], [doubtful])
        kept = [
            await replied(here, text, asked[n], [told, doubtful])
            for n, text in ((3, "You could take him for a walk instead."), (4, "Soup of leeks and potatoes for you both, then."))
        ]
        assert (await here.view.forget_message(code.id)).replies == 4
        assert await texts(here) == [one.text for one in (*asked, *kept)]


@pytest.mark.parametrize("embedder", [None, BagOfWords()], ids=["nearness unknown", "nearness known"])
async def test_what_repeats_an_answer_in_its_own_words_goes_with_what_that_answered(
    tmp_path: Path, embedder: Embedder | None
) -> None:
    async with at_home(tmp_path, embedder=embedder) as here:
        ill, plan = await here.say("the doctor found a tumour"), await here.say("the trip is on Friday")
        first = await replied(here, "I am sorry. Will they give you chemotherapy?", ill)
        await replied(here, "Your chemotherapy comes first, so ask before you go.", plan, [first])
        assert (await here.view.forget_message(ill.id)).replies == 2
        assert await texts(here) == [plan.text]


@pytest.mark.parametrize("embedder", [None, BagOfWords()], ids=["nearness unknown", "nearness known"])
async def test_what_is_short_goes_with_an_answer_that_had_it_in_view_and_takes_no_other_along(
    tmp_path: Path, embedder: Embedder | None
) -> None:
    async with at_home(tmp_path, embedder=embedder) as here:
        nuts = await here.say("nuts make Mila ill")
        asked = [await here.say(text) for text in ("she may have the cake.", "really?", "and what is for dinner?")]
        first = await replied(here, "Better not.", asked[0], [nuts])
        second = await replied(here, "Really.", asked[1], [first])
        third = await replied(here, "Soup.", asked[2], [second])
        assert (await here.view.forget_message(nuts.id)).replies == 2
        assert await texts(here) == [*(one.text for one in asked), third.text]


async def test_an_answer_of_before_views_were_recorded_had_everything_in_view(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code, weather, asked = await here.say(CODE), await here.say("how is the weather?"), await here.say("the code?")
        innocent = await replied(here, "It is sunny and warm outside today.", weather)
        await replied(here, "4711 it is.", asked)
        async with here.memory.db.transaction() as tx:
            await tx.run("DELETE FROM seen")
        assert (await here.view.forget_message(code.id)).replies == 1
        assert await texts(here) == [weather.text, asked.text, innocent.text]


async def test_an_edit_takes_along_what_holds_the_words_that_it_took_out(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code, asked = await here.say(CODE), await here.say("what was it again?")
        fine = await replied(here, "A good code for a locker.", code)
        await replied(here, "It is 4711.", asked, [code])
        assert await here.memory.kept.revise("console", "dm", code.source_id, "my locker code is a secret", here.clock.now())
        assert await texts(here) == ["my locker code is a secret", asked.text, fine.text]
        assert await here.memory.kept.revise("console", "dm", code.source_id, "My locker code is a secret!", here.clock.now() + 1)
        assert fine.text in await texts(here), "nothing was taken out"


async def test_without_an_embedder_what_answers_an_edited_message_goes_unless_nothing_was_taken_out(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        code, weather = await here.say(CODE), await here.say("how is the weather outside?")
        await replied(here, "Ah, four digits for the locker, fine.", code)
        fine = await replied(here, "The weather outside is fine, fine enough.", weather, [code])
        for text, left in (("My locker code is 4711!", 2), ("my locker", 1)):
            assert await here.memory.kept.revise("console", "dm", code.source_id, text, here.clock.now() + 3 - left)
            assert len(await texts(here)) == 2 + left
        assert fine.text in await texts(here)


@pytest.mark.parametrize("meanwhile", ["forgotten", "changed", "all forgotten"])
async def test_an_answer_of_which_something_in_view_went_meanwhile_is_not_kept(tmp_path: Path, meanwhile: str) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code = await here.say(CODE)
        begun = here.clock.now()
        match meanwhile:
            case "forgotten":
                await here.view.forget_message(code.id)
            case "changed":
                await here.memory.kept.revise("console", "dm", code.source_id, "my locker code is a secret", here.clock.now())
            case _:
                await here.view.forget_all()
        asked = await here.say("what was it again?")
        with pytest.raises(SourceGone):
            await replied(here, "It is 4711.", asked, [code], begun=begun)
        assert not any("4711" in text for text in await texts(here))


async def test_what_was_seen_and_never_kept_takes_its_answers_along_when_it_is_taken_back(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        asked = await here.say("what do you think of that?", source="q")
        await replied(here, "A fine idea.", asked, asides=["a1", "a2"])
        assert await here.memory.kept.follows("console", "dm", "a1") and not await here.memory.kept.follows("console", "dm", "a3")
        assert await here.memory.kept.knows("console", "dm", ["a1", "a3"]) == set(), "what is not kept may be shown again"
        assert await here.memory.kept.withdraw("console", "dm", ["a3"]) is None
        assert await here.memory.kept.withdraw("console", "dm", ["a1"])
        assert await texts(here) == [asked.text]
        with pytest.raises(SourceGone):
            await replied(here, "A fine idea, I say.", asked, asides=["a1"])
        assert await here.memory.shown.withheld("console", [ShownMessage(id, ["dm"], False, 0) for id in ("a1", "a2")]) == {"a1"}


async def test_what_was_seen_first_and_kept_later_is_one_thing(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        asked = await here.say("what do you think of that?", source="q")
        await replied(here, "4711 is a fine number.", asked, asides=["late"])
        (late,) = (await here.view.say(here.session, [said(CODE, "late")])).stored
        receipt = await here.view.forget_message(late.id)
        assert (receipt.messages, receipt.replies) == (1, 1)


async def test_a_changed_aside_takes_its_answers_along_and_may_be_shown_again(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        asked = await here.say("what do you think of that?", source="q")
        await replied(here, "A fine idea.", asked, asides=["a1"])
        assert await here.memory.kept.revise("console", "dm", "a1", "other words", here.clock.now())
        assert await texts(here) == [asked.text]
        await replied(here, "Other words are fine.", asked, asides=["a1"])
        assert len(await texts(here)) == 2


async def test_posts_of_hers_that_came_of_it_are_withheld_and_notices_of_before_as_well(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code, asked = await here.say(CODE), await here.say("what was it again?")
        copy, other = await replied(here, "It is 4711.", asked, [code]), await replied(here, "Good morning.", asked, [])
        async with here.memory.db.transaction() as tx:
            for remote, item in (("post of the copy", copy.key), ("post of the other", other.key), ("notice", None)):
                await tx.run(
                    "INSERT INTO outbox (domain, item, platform, place, part, key, text, state, remote_id, created_at) "
                    "VALUES (:d, :item, 'console', 'dm', 0, :remote, :text, 'sent', :remote, 0)",
                    {"d": here.domain.key, "item": item, "remote": remote, "text": "x"},
                )
        posts = [ShownMessage(id, ["dm"], True, here.clock.now()) for id in ("post of the copy", "post of the other", "notice")]
        assert await here.memory.shown.withheld("console", posts) == set()
        await here.view.forget_message(code.id)
        assert await here.memory.shown.withheld("console", posts) == {"post of the copy", "notice"}
        assert await here.memory.shown.withheld("console", [ShownMessage("notice", ["dm"], True, here.clock.now() + 1)]) == set()
        assert await here.view.posts.count_left() == 1
        ((where, parts),) = (await here.view.posts.delete(iter(["k1", "k2"]), 5)).items()
        assert where == ("console", "dm") and [part.target for part in parts] == ["post of the copy"]
        assert await here.view.posts.count_left() == 0


async def test_what_an_answer_holds_of_another_place_is_shown_only_where_that_may_be_read(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        channel = await here.memory.places.domain(DomainRef(DomainKind.CHANNEL, "console", "c"), "UTC", here.clock.now())
        there = here.memory.view(channel)
        session = await there.sessions.get(SessionRef("console", "channel"), "channel")
        (plan,) = (await there.say(session, [said("the launch is on Friday in Oslo", "p1")])).stored
        wide, narrow = here.memory.view(here.domain, [channel]), here.view
        here.view = wide
        asked = [await here.say(text) for text in ("when is the launch?", "say it once more", "hello you", "good evening")]
        first = await replied(here, "The launch is on Friday in Oslo.", asked[0], [plan])
        second = await replied(here, "Friday, in Oslo.", asked[1], [first])
        hello = await replied(here, "Good to see you here, as always.", asked[2], [first, second])
        assert [one.text for one in await wide.messages.window(here.session, 20)][-3:] == [first.text, second.text, hello.text]
        shown = [one.text for one in await narrow.messages.window(here.session, 20)]
        assert first.text not in shown and second.text not in shown and hello.text in shown
        assert "Oslo" not in str([message.text async for _, message in narrow.messages.all()])
        assert not any("Oslo" in hit.exchange.text for hit in await narrow.recall.messages("launch in Oslo", 50))
        async with here.memory.db.transaction() as tx:
            await tx.run("DELETE FROM abroad WHERE reply = :r", {"r": second.key})
        assert second.text in [one.text for one in await narrow.messages.window(here.session, 20)], "without that row it is shown"
        await there.forget_message(plan.id)
        left = await texts(here)
        assert first.text not in left and second.text not in left and hello.text in left


async def test_digests_that_were_in_view_pass_on_only_what_they_say_of_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords(), habits=FEW) as here:
        code = await here.say(CODE)
        for text in ("the tomatoes are ripe", "the river is high", "the violin has five strings"):
            await here.say(text)
        consolidator = Deriving(here.memory).consolidator(here.domain, Writer(), Writer())
        await consolidator.close_episodes(here.session, asked=True)
        await consolidator.digest(here.session)
        ((_, gist),) = await here.view.digests.all()
        asked, again = await here.say("what do you know?"), await here.say("and the garden?")
        for question, text in ((asked, "Your code: 4711."), (again, "The tomatoes in the garden are ripe.")):
            here.said += 1
            new = NewExchange(Kind.REPLY, text, f"r{here.said}", here.clock.now(), "Lyra", "assistant")
            await here.view.answer(here.session, Answer(new, (), (), (), [question], seen={gist.key: gist.text}))
        assert (await here.view.forget_message(code.id)).replies == 1
        assert "The tomatoes in the garden are ripe." in await texts(here)


async def test_what_was_in_view_is_read_back_as_it_was_recorded(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        said_here = [await here.say(f"number {n}") for n in range(5)]
        reply = await replied(here, "Fine.", said_here[0], said_here[1:4])
        assert await seen.seen_by(here.memory.db, [reply.key]) == {reply.key: frozenset(one.key for one in said_here[:4])}
        assert [one async for one in seen.replies_that_saw(here.memory.db, here.domain, [said_here[2].key])] == [reply.key]
        assert [one async for one in seen.replies_that_saw(here.memory.db, here.domain, [said_here[4].key])] == []


@pytest.mark.parametrize("embedder", [None, BagOfWords()], ids=["nearness unknown", "nearness known"])
async def test_what_only_takes_note_of_a_statement_that_stays_goes_with_no_other(
    tmp_path: Path, embedder: Embedder | None
) -> None:
    async with at_home(tmp_path, embedder=embedder) as here:
        code, plan, asked = [await here.say(text) for text in (CODE, "the trip is on Friday", "did you get it?")]
        await replied(here, "Good to know, thank you!", code)
        noted = await replied(here, "Good to know, thank you!", plan, [code])
        await replied(here, "Got it, thank you!", asked, [code])
        await replied(here, "Good to know, thank you!", None, [code])
        assert (await here.view.forget_message(code.id)).replies == 3, "what answers it, a question, or something unknown"
        assert await texts(here) == [plan.text, asked.text, noted.text]
        assert (await here.view.forget_message(plan.id)).replies == 1


@pytest.mark.parametrize("says", ["Yes.", "Not of all of them.", "🥜", "Good to know. 🥜"])
async def test_what_is_too_short_to_have_a_meaning_of_its_own_goes(tmp_path: Path, says: str) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        nuts, asked = await here.say("nuts make Mila ill"), await here.say("she may have the cake.")
        await replied(here, says, asked, [nuts])
        await replied(here, "…", asked, [nuts])
        assert (await here.view.forget_message(nuts.id)).replies == 1
        assert await texts(here) == [asked.text, "…"]


async def test_an_imported_answer_takes_note_of_what_was_said_right_before_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, embedder=BagOfWords()) as here:
        code, noted, plan, again, asked, got = (
            await here.view.say(
                here.session,
                [
                    NewExchange(Kind.REPLY if who == "assistant" else Kind.SAID, text, f"i{n}", here.clock.now() + n, who, who)
                    for n, (who, text) in enumerate(
                        [("user", CODE), ("assistant", "Good to know."), ("user", "the trip is on Friday"),
                         ("assistant", "I see, thank you."), ("user", "did you get it?"), ("assistant", "Got it.")]
                    )
                ],
            )
        ).stored  # fmt: skip
        assert (await here.view.forget_message(code.id)).replies == 2
        assert noted.text not in await texts(here) and got.text not in await texts(here)
        assert await texts(here) == [plan.text, again.text, asked.text]
