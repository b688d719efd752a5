"""What she thinks in a dream: it rests on what people said in one place, is kept or waits, and is never dreamt from."""

import json
from pathlib import Path

import pytest

from memory.errors import NotFound
from memory.forget import gone
from memory.forget.gone import ForgottenScope
from memory.journal.parts import Part
from tests.kits.dream_kit import (
    Answer,
    Muse,
    Scribe,
    days,
    dreamt,
    forced,
    holding,
    reflections,
    refused,
    thinking,
    told,
    wondering,
)
from tests.kits.ladder_kit import PAIRS, Teller
from tests.kits.memory_kit import DAY, Clock, Corner, above, at_home, corner, gists_about, opened

LOUD = "it will be a loud morning with marmalade"
OTHER = "perhaps somebody would like to row across the lake"


async def talk(here: Corner) -> None:
    """Say two things."""
    await here.say("the zebrafinch in the kitchen sings all day")
    await here.say("Kiki comes at 7 with her trumpet")


async def thought_of(here: Corner, answer: Answer) -> str:
    """Let something be said and thought about; return what the report says became of it."""
    await talk(here)
    return (await forced(here, Teller(), Muse([answer]))).reflection


async def test_a_thought_that_rests_on_what_people_said_waits_to_be_said(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        assert await thought_of(here, thinking("Kiki comes at 7, while it sings", "m1", "m2")) == "waits to be said"
        (thought,) = (await here.view.self_state.now()).reflections
        assert thought.text == "Kiki comes at 7, while it sings" and thought.writer == "muse"
        receipts = (await here.view.digests.receipts([thought]))[thought.key]
        assert [message.text[:8] for message in receipts] == ["the zebr", "Kiki com"]
        assert [one.statement.text for one in await here.view.thoughts.waiting()] == [thought.text]


async def test_a_thought_may_rest_on_what_a_gist_says_and_so_on_the_words_below_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        assert await thought_of(here, thinking("Kiki comes while it sings", "g1", "g2")) == "waits to be said"
        (thought,) = (await here.view.self_state.now()).reflections
        assert len((await here.view.digests.receipts([thought]))[thought.key]) == 2


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (thinking("so Bob comes with Kiki", "m1", "m2"), "it says what its sources do not"),
        (thinking("Kiki comes at 8", "m1", "m2"), "it says what its sources do not"),
        (thinking("two trumpets and 41 bells", "m1", "m2"), "it says what its sources do not"),
        (thinking("there comes Kiki", "m1"), "it says what its sources do not"),
        (thinking("it sings", "m9", "x1"), "it cites none of its sources"),
        (thinking("it sings"), "it cites none of its sources"),
        (f"My thought: {thinking('it sings', 'm1', 'm2')}", "The answer is no JSON object."),
        (json.dumps({"text": "it sings", "post": True}), "The answer's text or its citations"),
        (thinking("it sings " * 100, "m1", "m2"), "The answer's text is longer"),
    ],
)
async def test_an_answer_that_invents_rambles_or_cites_nothing_is_refused_and_kept_for_inspection(
    tmp_path: Path, answer: str, why: str
) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        assert await thought_of(here, answer) == "the answer could not be used", "why is kept with it, and no word of it is told"
        (row,) = await here.memory.db.all("SELECT reason FROM refusals")
        assert why in row["reason"]
        assert await refused(here) == [answer] and await reflections(here) == []
        assert (await here.view.self_state.now()).reflections == []


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (thinking("it sings at breakfast", "m1"), "it rests on fewer than two messages"),
        (thinking("it sings at breakfast", "m1", "m9"), "it rests on fewer than two messages"),
        (thinking("it sings at breakfast", "m1", "g1"), "it rests on fewer than two messages"),
        (thinking("it sings at breakfast", "m1", "m2", post=False), "she keeps it to herself"),
        (thinking("it sings at breakfast", "m1", "m2", post="yes"), "she keeps it to herself"),
        (thinking("it sings at breakfast", "m1", "m2", post=1), "she keeps it to herself"),
        (thinking("it sings at breakfast", "m1", "m2", post=None), "she keeps it to herself"),
    ],
)
async def test_what_she_would_not_say_or_what_rests_on_one_message_is_only_kept(tmp_path: Path, answer: str, why: str) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        assert await thought_of(here, answer) == f"kept: {why}"
        assert await reflections(here) == [("it sings at breakfast", "kept")] and await here.view.thoughts.waiting() == []


async def test_what_she_thought_before_is_only_kept_and_something_else_waits(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        assert await thought_of(here, thinking(LOUD, "m1", "m2")) == "waits to be said"
        again = await thought_of(here, thinking("With marmalade it will be a loud, loud morning!", "m1", "m2"))
        assert again == "nothing is new"
        await here.say("an accordion player moves in upstairs")
        await here.say("he practises before breakfast")
        report = await forced(here, Teller(), Muse([thinking("With marmalade it will be a loud, loud morning!", "m1", "m2")]))
        assert report.reflection == "kept: she thought so before"
        await here.say("our rowing boat is painted at last")
        await here.say("nobody has oars yet")
        assert (await forced(here, Teller(), Muse([thinking(OTHER, "m1", "m2")]))).reflection == "waits to be said"
        assert [state for _, state in await reflections(here)] == ["waiting", "kept", "waiting"]


async def test_having_no_thought_is_no_mistake(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        assert await thought_of(here, '{"text": "", "cites": [], "post": false, "feeling": 0.9}') == "no thought came of it"
        assert await refused(here) == [] and await reflections(here) == []


@pytest.mark.parametrize(("feeling", "way"), [(1, 1), (-1, -1), (10**30, 1), (-(10**30), -1)])
async def test_what_she_heard_moves_her_mood_a_step_and_no_further(tmp_path: Path, feeling: float, way: int) -> None:
    moods = {}
    for felt in (0.0, feeling):
        folder = tmp_path / str(felt)
        folder.mkdir()
        async with at_home(folder, habits=PAIRS) as here:
            await thought_of(here, thinking("it sings", "m1", "m2", feeling=felt))
            moods[felt] = (await here.view.self_state.now()).mind.mood
    assert (moods[feeling] - moods[0.0]) * way > 0 and abs(moods[feeling]) <= 0.2


async def test_where_she_answers_with_the_same_garbage_twice_she_is_asked_no_more(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await talk(here)
        chat_model = Muse(["I cannot say."] * 9)
        asked, whys = [], []
        for _ in range(5):
            report = await forced(here, Teller(), chat_model)
            asked.append(len(chat_model.prompts))
            whys.append(report.reflection)
            here.clock.forward(DAY)
        assert asked == [1, 2, 2, 2, 2]
        assert await refused(here) == ["I cannot say."] * 2
        assert whys[2:] == ["no answer could be used", "nothing is new", "nothing is new"] and report.rested
        await here.say("an accordion player moves in upstairs")
        chat_model.answers = [thinking("he moves in upstairs", "m1", post=False)]
        assert "kept" in (await forced(here, Teller(), chat_model)).reflection, "about something new she is asked again"


async def test_what_she_answers_well_at_last_is_kept(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await talk(here)
        chat_model = Muse(["I cannot say.", thinking("it sings", "m1", "m9")])
        assert not (await forced(here, Teller(), chat_model)).rested, "it has to be thought about again"
        assert "kept" in (await forced(here, Teller(), chat_model)).reflection
        assert len(await reflections(here)) == 1 and len(chat_model.prompts) == 2


async def test_a_dream_never_feeds_on_a_dream(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        chat_model, writer = Muse([thinking(LOUD, "m1", "m2")]), Scribe()
        await talk(here)
        await forced(here, writer, chat_model)
        (waiting,) = await here.view.thoughts.waiting()
        part = Part("k1", LOUD)
        assert await here.view.thoughts.post(here.session, waiting, LOUD, [part]), "it is said aloud"
        for n in range(3):
            await days(here, n + 1)
            await here.say("what did the zebrafinch want?")
            await forced(here, writer, chat_model)
        assert len(chat_model.prompts) >= 2 and len(writer.asked("self")) >= 2
        assert "marmalade" not in "".join(chat_model.prompts)
        assert not any("marmalade" in source.text for task in writer.tasks for source in task.sources)
        assert "marmalade" not in str([digest.text for _, digest in await here.view.digests.all()])


async def test_a_thought_is_found_by_no_search(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await thought_of(here, thinking(LOUD, "m1", "m2"))
        (waiting,) = await here.view.thoughts.waiting()
        for said_aloud in (False, True):
            if said_aloud:
                await here.view.thoughts.post(here.session, waiting, LOUD, [Part("k1", LOUD)])
            assert "marmalade" not in str(await here.view.recall.messages(LOUD, 50))
            assert "marmalade" not in str(await here.view.recall.everything(LOUD, 50))
            assert await above(here.view, "marmalade", 5) == [] and await gists_about(here.view, "marmalade", 5) == []
            assert await here.found("marmalade") == []
        assert await here.found("zebrafinch trumpet"), "what it rests on is found"


@pytest.mark.parametrize("which", [0, 1])
async def test_when_what_it_rests_on_is_forgotten_the_thought_is_gone(tmp_path: Path, which: int) -> None:
    async with at_home(tmp_path, None, habits=PAIRS) as here:
        await thought_of(here, thinking(LOUD, "m1", "m2"))
        (thought,) = (await here.view.self_state.now()).reflections
        assert await here.count("reflections") == 1
        source = (await here.view.digests.receipts([thought]))[thought.key][which]
        await here.view.forget_message(source.id)
        assert (await here.view.self_state.now()).reflections == [] and await here.view.thoughts.waiting() == []
        assert await here.count("reflections") == 0 and await holding(here, "marmalade") == []


async def test_while_something_else_is_being_forgotten_a_thought_is_not_there_and_afterwards_it_waits_again(
    tmp_path: Path,
) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        other = await here.say("nobody has oars yet")
        await thought_of(here, thinking(LOUD, "m2", "m3"))
        async with here.memory.db.transaction() as tx:
            await gone.add(tx, here.domain, ForgottenScope([other.key]), here.clock.now())
        assert await here.view.thoughts.waiting() == []
        await here.memory.sweep()
        (waiting,) = await here.view.thoughts.waiting()
        assert await here.view.thoughts.post(here.session, waiting, LOUD, [Part("k1", LOUD)])
        async with here.memory.db.transaction() as tx:
            await gone.add(tx, here.domain, ForgottenScope([other.key]), here.clock.now())
        assert await here.view.thoughts.posted(1) == []
        with pytest.raises(NotFound):
            await here.view.thoughts.find(waiting.statement.id)


async def test_what_does_not_rest_on_what_is_forgotten_stays(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        other = await here.say("nobody has oars yet")
        await thought_of(here, thinking(LOUD, "m2", "m3"))
        await here.view.forget_message(other.id)
        assert await reflections(here) == [(LOUD, "waiting")]


async def test_she_thinks_of_each_place_by_itself(tmp_path: Path) -> None:
    clock = Clock()
    async with opened(tmp_path / "lyra.db", None, clock=clock, habits=PAIRS) as memory:
        ada, bob = await corner(memory, clock), await corner(memory, clock, "bob", place="bobs")
        await days(ada, mark="zebrafinch")
        await days(bob, mark="accordion")
        muses: dict[int, Muse] = {}
        for here in (ada, bob, ada, bob):
            chat_model = muses.setdefault(here.domain.key, Muse([wondering, wondering]))
            await dreamt(here, Teller(), chat_model)
            assert len(chat_model.prompts) == 1, "she thinks once about what is new"
            clock.forward(DAY)
        of_ada, of_bob = ("".join(muses[here.domain.key].prompts) for here in (ada, bob))
        assert "zebrafinch" in of_ada and "accordion" not in of_ada
        assert "accordion" in of_bob and "zebrafinch" not in of_bob
        assert all("zebrafinch" in text for text, _ in await reflections(ada)) and len(await reflections(ada)) == 1
        rows = await memory.db.all(
            "SELECT l.child FROM lineage l JOIN items c ON c.id = l.child JOIN items p ON p.id = l.parent "
            "WHERE c.domain <> p.domain"
        )
        assert rows == [], "nothing rests on what was said elsewhere"


async def test_what_she_is_asked_is_what_was_new_as_it_was_said(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        chat_model = Muse()
        await talk(here)
        await here.reply("how lovely, a marmalade trumpet", [])
        await forced(here, Teller(), chat_model)
        lines = dict(told(chat_model.prompts[0]))
        assert lines["m1"] == "the zebrafinch in the kitchen sings all day"
        assert lines["m2"] == "Kiki comes at 7 with her trumpet"
        assert "marmalade" not in str(lines), "what she said herself is nothing new"
