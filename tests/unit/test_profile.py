"""The profile: standing facts, from what people said, each with its sources, never more than was said."""

from dataclasses import replace
from pathlib import Path

import pytest

from memory.deriving import Deriving
from memory.errors import NotFound, WriterFailed
from memory.ports import Entry, Task
from memory.types import DomainKind, DomainRef, SessionRef
from tests.kits.ladder_kit import PAIRS, Teller, climbed, gists, rests_on, standing, unsound
from tests.kits.memory_kit import Corner, Writer, answering, at_home, raising, said


async def facts_of(here: Corner, *texts: str) -> Teller:
    """Say these things, two of them an episode, and climb; return the writer."""
    writer = Teller()
    for text in texts:
        await here.say(text)
    await climbed(here, writer)
    return writer


async def test_a_fact_knows_the_messages_it_was_said_in(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await facts_of(here, "Ada lives in Graz", "Kiki is her parrot")
        assert await rests_on(here, "profile") == {
            "Ada lives in Graz": ["Ada lives in Graz"],
            "Kiki is her parrot": ["Kiki is her parrot"],
        }
        (first, _) = await here.view.digests.statements("profile")
        assert (first.kind, first.first_at, first.last_at) == ("said", first.first_at, first.first_at)
        assert await unsound(here) == []


async def test_it_is_built_when_there_is_enough_to_build_it_from(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        writer = Teller()
        for n in range(6):
            await here.say(f"thing{n} is here")
        await climbed(here, writer, asked=False)
        assert await standing(here, "profile") == [], "three gists are too few"
        await here.say("thing6 is here")
        await here.say("thing7 is here")
        await climbed(here, writer, asked=False)
        assert len(await standing(here, "profile")) == 8
        for n in range(8, 38):
            await here.say(f"thing{n} is here")
        await climbed(here, writer, asked=False)
        assert len(writer.asked("profile")) == 1, "fifteen more are too few again"
        await here.say("thing38 is here")
        await here.say("thing39 is here")
        await climbed(here, writer, asked=False)
        assert len(writer.asked("profile")) == 2
        assert await climbed(here, writer, asked=False) == 0, "what is done is not done again"


class Uneventful(Teller):
    """Finds nothing new for the profile, as the prompt has it said."""

    async def write(self, task: Task) -> list[Entry]:
        """Answer with that line, citing what is read last."""
        if task.kind != "profile":
            return await super().write(task)
        self.tasks.append(task)
        return [Entry("Nothing new.", (task.sources[-1].label,))]


@pytest.mark.parametrize("most", [24_000, 60])
async def test_an_answer_that_nothing_is_new_is_a_good_one(tmp_path: Path, most: int) -> None:
    async with at_home(tmp_path, habits=replace(PAIRS, max_transcript_chars=most)) as here:
        for text in ("Ada lives in Graz", "Kiki is her parrot", "nobody has oars", "Ben has a flat", "it leaks", "we sing"):
            await here.say(text)
        writer = Uneventful()
        await climbed(here, writer)
        asked = writer.asked("profile")
        assert len({task.sources for task in asked}) == len(asked), "nothing was asked twice"
        assert all("Nothing new." not in source.text for task in asked for source in task.sources)
        assert await here.count("refusals") == 0 and await standing(here, "profile") == []
        assert (len(asked) > 1) is (most < 100)


async def test_a_newer_fact_takes_the_place_of_an_older_one_and_keeps_it_as_history(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await facts_of(here, "Ada lives in Graz", "Kiki is her parrot")
        (graz, _) = await here.view.digests.statements("profile")
        await facts_of(here, "Ada lives in Vienna", "Kiki is her parrot")
        vienna, kiki = sorted(await here.view.digests.statements("profile"), key=lambda fact: fact.text)
        assert (vienna.text, vienna.first_at) == ("Ada lives in Vienna", graz.first_at)
        assert vienna.last_at > graz.last_at
        assert [(one.text, one.ended_at is not None) for one in await here.view.digests.statements("profile", past=True)] == [
            ("Ada lives in Graz", True)
        ]
        assert len(await standing(here, "profile")) == 2
        assert await unsound(here) == []


async def test_what_is_said_again_is_one_fact_that_was_seen_again(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await facts_of(here, "Ada lives in Graz", "Kiki is her parrot")
        (before, _) = await here.view.digests.statements("profile")
        await here.say("Ada lives in Graz")
        await here.say("yes she does")
        again = answering(Entry("Ada lives in Graz.", ("g1",)))
        await climbed(here, Teller(moves=[copies, again]))
        (after, _) = await here.view.digests.statements("profile")
        assert after.key == before.key and after.last_at > before.last_at and after.first_at == before.first_at
        assert (await rests_on(here, "profile"))["Ada lives in Graz"] == ["Ada lives in Graz", "Ada lives in Graz"]


async def copies(task: Task) -> list[Entry]:
    """Write a gist that copies its messages."""
    return [Entry(source.text, (source.label,)) for source in task.sources]


async def test_what_lyra_said_herself_is_no_fact(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        question = await here.say("where does Ada live")
        await here.reply("Ada lives in Graz", [question.key])
        await climbed(here, Teller())
        assert "Ada lives in Graz" not in await standing(here, "profile")


async def test_nobody_is_told_more_than_was_said(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada lives in Graz")
        await here.say("Kiki is her parrot")
        answer = answering(Entry("Ada lives in Linz.", ("g1",)), Entry("Kiki is a parrot.", ("g2",)), Entry("No label.", ()))
        await climbed(here, Teller(moves=[copies, answer]))
        assert await standing(here, "profile") == ["Kiki is a parrot."]
        (kept,) = await here.memory.db.all("SELECT reason, answer FROM refusals WHERE tier = 'profile'")
        assert kept["reason"] == "dropped" and "Linz" in kept["answer"], "what was left out is kept to be looked at"


async def test_a_sentence_that_is_left_out_is_no_refused_answer(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=replace(PAIRS, max_transcript_chars=20)) as here:
        await here.say("Ada lives in Graz")
        await here.say("Kiki is her parrot")
        await gists(here, Writer())
        partly = answering(Entry("Ada lives in Graz", ("g1",)), Entry("Ada lives in Linz", ("g1",)))
        refused = answering(Entry("Kiki lives in Linz", ("g2",)))
        writer = Teller(moves=[partly, refused, partly, copies, copies])
        await Deriving(here.memory).ladder(here.domain, writer).climb(asked=True)
        assert await standing(here, "profile") == ["Ada lives in Graz", "Kiki is her parrot"], "the second answer is asked for"


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("Inferred: Ada often cooks at night.", True),
        ("Inferred: Ada may have an illness.", False),
        ("Inferred: Ada is religious.", False),
        ("Ada told of her illness.", True),
    ],
)
async def test_nothing_sensitive_is_inferred(tmp_path: Path, text: str, stands: bool) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada was at the church after her illness")
        await here.say("she cooks at night")
        await climbed(here, Teller(moves=[copies, answering(Entry(text, ("g1", "g2")))]))
        found = await here.view.digests.statements("profile")
        assert bool(found) is stands
        assert all(one.kind == ("inferred" if text.startswith("Inferred") else "said") for one in found)


async def group(here: Corner) -> Corner:
    """Return a room that several people read, in the same memory."""
    domain = await here.memory.places.domain(DomainRef(DomainKind.ROOM, "matrix", "!garden"), "UTC", here.clock.now())
    view = here.memory.view(domain)
    return Corner(here.memory, here.clock, domain, view, await view.sessions.get(SessionRef("matrix", "garden"), "garden"))


@pytest.mark.parametrize(("speaker", "stands"), [("Bob", True), ("Ada", False)])
async def test_in_a_group_a_fact_about_somebody_rests_on_their_own_words(tmp_path: Path, speaker: str, stands: bool) -> None:
    async with at_home(tmp_path, habits=PAIRS) as home:
        room = await group(home)
        for n, (who, text) in enumerate([("Bob", "hello"), ("Ada", "hello"), (speaker, "Bob lives in Linz"), ("Ada", "I see")]):
            await room.view.say(room.session, [said(text, f"r{n}", room.clock.now() + n, who)])
        await climbed(room, Teller())
        assert ("Bob lives in Linz" in await standing(room, "profile")) is stands


async def test_a_fact_about_the_group_needs_nobody_in_particular(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as home:
        room = await group(home)
        for n, text in enumerate(["the club meets on fridays", "in the shed"]):
            await room.view.say(room.session, [said(text, f"r{n}", room.clock.now() + n, "Ada")])
        await climbed(room, Teller())
        assert "the club meets on fridays" in await standing(room, "profile")


async def test_facts_stay_in_their_domain(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as home:
        room = await group(home)
        await home.say("Ada lives in Graz")
        await home.say("Kiki is her parrot")
        await room.view.say(
            room.session, [said("the shed is green", "r1", room.clock.now()), said("and old", "r2", room.clock.now())]
        )
        await climbed(home, Teller())
        writer = Teller()
        await climbed(room, writer)
        assert not any("Graz" in source.text for task in writer.tasks for source in task.sources)
        assert await standing(room, "profile") == ["the shed is green", "and old"]
        assert await unsound(home) == []


async def test_a_model_that_is_away_changes_nothing_and_is_asked_again(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada lives in Graz")
        await here.say("Kiki is her parrot")
        await gists(here, Teller())
        with pytest.raises(WriterFailed):
            await Deriving(here.memory).ladder(here.domain, Teller(moves=[raising(WriterFailed("away"))])).climb(asked=True)
        assert await here.count("statements") == 0 and await here.count("refusals") == 0
        await climbed(here, Teller())
        assert len(await standing(here, "profile")) == 2


async def test_the_same_useless_answer_is_not_asked_for_thrice_and_the_next_gists_go_on(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada lives in Graz")
        await here.say("Kiki is her parrot")
        bad = answering(Entry("Zeno lives in Elea.", ("g1",)))
        writer = Teller(moves=[copies, bad, bad])
        await climbed(here, writer)
        assert len(writer.asked("profile")) == 2 and await standing(here, "profile") == []
        assert await here.count("refusals") == 3
        await facts_of(here, "Ada plays chess", "every day")
        assert await standing(here, "profile") == ["Ada plays chess", "every day"]


async def test_without_a_model_there_is_no_profile(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada lives in Graz")
        await here.say("Kiki is her parrot")
        copier = Writer("extractive", extractive=True)
        assert await climbed(here, copier) == 0
        assert await here.count("statements") == 0


async def test_forgetting_a_message_takes_its_facts_and_leaves_the_others(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        graz = await here.say("Ada lives in Graz")
        await here.say("Kiki is her parrot")
        await facts_of(here, "the boat is blue", "it leaks")
        await here.view.forget_message(graz.id)
        assert sorted(await standing(here, "profile")) == ["it leaks", "the boat is blue"], "what shared its gist waits"
        await climbed(here, Teller(), asked=False)
        assert sorted(await standing(here, "profile")) == ["Kiki is her parrot", "it leaks", "the boat is blue"]
        assert await unsound(here) == []


async def test_when_the_newer_fact_is_forgotten_the_older_one_stands_again(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await facts_of(here, "Ada lives in Graz", "Kiki is her parrot")
        vienna = await here.say("Ada lives in Vienna")
        await here.say("since the autumn")
        await climbed(here, Teller())
        assert "Ada lives in Graz" not in await standing(here, "profile")
        await here.view.forget_message(vienna.id)
        assert "Ada lives in Graz" in await standing(here, "profile")


async def test_changed_words_change_the_fact(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada lives in Graz", source="where")
        await facts_of(here, "Kiki is her parrot")
        await here.memory.kept.revise("console", "dm", "where", "Ada lives in Linz", here.clock.now())
        assert not any("Graz" in text for text in await standing(here, "profile"))
        await climbed(here, Teller(), asked=False)
        assert "Ada lives in Linz" in await standing(here, "profile")


async def test_a_forgotten_fact_does_not_come_back_from_the_same_words(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await facts_of(here, "Ada lives in Graz", "Kiki is her parrot")
        (fact,) = [one for one in await here.view.digests.statements("profile") if "Graz" in one.text]
        assert [message.text for message in await here.view.facts.forget(fact.id)] == ["Ada lives in Graz"]
        assert await standing(here, "profile") == ["Kiki is her parrot"]
        await facts_of(here, "Ada lives in Graz", "still")
        assert "Ada lives in Graz" not in await standing(here, "profile")
        assert not any("Graz" in row["mark"] for row in await here.memory.db.all("SELECT mark FROM unwanted"))
        assert "Ada lives in Graz" in await here.found("Graz"), "what was said stays said"
        with pytest.raises(NotFound):
            await here.view.facts.forget(fact.id)


async def test_a_correction_is_what_somebody_said_and_takes_the_facts_place(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await facts_of(here, "Ada lives in Graz", "Kiki is her parrot")
        (fact,) = [one for one in await here.view.digests.statements("profile") if "Graz" in one.text]
        correction = await here.say("I live in Vienna")
        corrected = await here.view.facts.correct(fact.id, correction)
        assert corrected.text == "I live in Vienna"
        assert (await rests_on(here, "profile"))["I live in Vienna"] == ["I live in Vienna"]
        assert [one.text for one in await here.view.digests.statements("profile", past=True)] == ["Ada lives in Graz"]
        await here.view.forget_message(correction.id)
        assert "Ada lives in Graz" in await standing(here, "profile")
