"""A pass of the dream: it senses how things stand, does what a drive past its threshold wants in its order, and says why."""

import json
from itertools import groupby
from pathlib import Path

import pytest

from memory.dream.dreamer import NO_MODEL
from memory.errors import WriterRefused
from memory.ports import Entry, Task
from memory.tiers import statements
from memory.tiers.drives import BASELINE, NAMES
from memory.tiers.statements import Grounds, NewStatement
from memory.types import MINUTE
from tests.kits.dream_kit import (
    Answer,
    Muse,
    Scribe,
    days,
    dreamer,
    dreamt,
    forced,
    reflections,
    refused,
    step,
    thinking,
    wondering,
)
from tests.kits.ladder_kit import PAIRS, Teller, standing
from tests.kits.memory_kit import DAY, HOUR, Corner, at_home

MARK = "zebrafinch"


async def test_where_nothing_was_said_no_model_is_called_even_if_a_dream_is_asked_for(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        writer, chat_model = Teller(), Muse()
        quiet, asked = await dreamt(here, writer, chat_model), await forced(here, writer, chat_model)
        assert (writer.tasks, chat_model.prompts) == ([], [])
        assert quiet.rested and asked.rested
        assert [one.why for one in asked.steps] == ["nothing was to be done", "nothing was to be done", "nothing is new"]


async def test_when_everything_is_up_to_date_no_model_is_called_again(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        assert (await forced(here, Teller(), Muse([wondering]))).rested
        writer, chat_model = Teller(), Muse()
        for _ in range(3):
            here.clock.forward(DAY)
            assert (await dreamt(here, writer, chat_model)).rested and (await forced(here, writer, chat_model)).rested
        assert (writer.tasks, chat_model.prompts) == ([], [])


async def test_what_was_talked_about_is_told_all_the_way_up_in_one_pass(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        report = await dreamt(here, Teller())
        assert report.before.coherence == BASELINE and report.sensed["coherence"].value == 0, (
            "before there are gists nothing calls"
        )
        assert step(report, "continuity").made == await here.count("digests") == 4
        raised = step(report, "coherence")
        assert raised.acted and raised.level == 1 and raised.made == 4
        for tier in ("profile", "era", "narrative", "self"):
            assert await standing(here, tier), f"there is no {tier}"


async def test_a_pass_tells_through_how_many_conversations_it_went(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        told: list[tuple[int, int]] = []
        await dreamer(here, Teller()).dream(forced=True, tell=lambda done, total: told.append((done, total)))
        assert told and [done for done, _ in told] == list(range(told[0][1]))


async def test_a_few_gists_raise_coherence_a_little(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here, 1)
        report = await forced(here, Teller())
        assert BASELINE < step(report, "coherence").level < 1


async def test_right_after_talking_nothing_is_done_and_the_report_says_why(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada painted the kitchen wall")
        await here.say("Kiki sowed carrots and beans")
        writer, chat_model = Teller(), Muse()
        report = await dreamt(here, writer, chat_model)
        assert [(one.acted, one.made, one.why) for one in report.steps] == [(False, 0, "below its threshold")] * 3
        assert all(BASELINE < one.level < one.threshold for one in report.steps if one.drive != "coherence")
        assert (writer.tasks, chat_model.prompts, await here.count("digests")) == ([], [], 0)
        assert not report.rested, "it will have to be done"


@pytest.mark.usefixtures("store")
async def test_everything_is_made_from_what_is_below_it_and_then_she_thinks(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        log: list[str] = []
        await dreamt(here, Scribe(log=log), Muse([wondering], log=log))
        assert [kind for kind, _ in groupby(log)] == ["gist", "profile", "era", "narrative", "self", "thought"]
        assert log.count("gist") == 4


async def test_a_dream_that_is_asked_for_acts_on_everything_however_low(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada painted the kitchen wall")
        chat_model = Muse([wondering])
        report = await forced(here, Teller(), chat_model)
        assert all(one.acted and one.level < 0.5 for one in report.steps if one.drive != "coherence")
        assert step(report, "coherence").acted and len(chat_model.prompts) == 1
        assert await standing(here, "era"), "not even the month that runs is left out"
        assert await standing(here, "profile") == ["Ada painted the kitchen wall"]


async def test_what_was_only_extracted_is_written_anew_once_there_is_a_model(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here, 2)
        assert step(await dreamt(here), "continuity").made == 2
        assert [digest.writer for _, digest in await here.view.digests.all()] == ["extractive"] * 2
        here.clock.forward(DAY)
        assert (await dreamt(here)).sensed["continuity"].value == 0, "without a model there is nothing better to be had"
        report = await dreamt(here, Teller())
        assert report.sensed["continuity"].counts["messages"] == 4
        assert [digest.writer for _, digest in await here.view.digests.all()] == ["scripted"] * 2


async def test_without_a_model_only_gists_are_written_and_she_says_that_the_rest_takes_one(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        report = await forced(here)
        assert step(report, "continuity").made == 4
        assert [(one.acted, one.made, one.why) for one in report.steps[1:]] == [(False, 0, NO_MODEL)] * 2
        assert NO_MODEL == "that takes a model" and await here.count("statements") == 0


async def test_a_drive_falls_when_it_was_acted_on_and_rises_again_with_what_is_said_next(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        report = await dreamt(here, Teller(), Muse())
        assert all(one.acted and one.level > BASELINE for one in report.steps)
        assert [report.after[name] for name in NAMES] == [BASELINE, BASELINE, BASELINE, 1.0]
        assert (await here.view.self_state.now()).mind.drives == report.after, "and is kept so"
        levels = []
        for talk in (("the ferry was late", "Bob missed his train"), ("a storm is coming", "we stay indoors")):
            for text in talk:
                await here.say(text)
            here.clock.forward(2 * HOUR)
            before = (await here.view.self_state.now()).mind.drives
            felt = await dreamer(here, Teller()).feel()
            assert (await here.view.self_state.now()).mind.drives == before, "who only looks changes nothing"
            levels.append((felt.before.continuity, felt.before.curiosity))
            assert before == report.after
        assert (BASELINE, BASELINE) < levels[0] < levels[1]


async def test_a_pass_too_low_to_act_keeps_how_far_a_drive_has_risen(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("Ada painted the kitchen wall")
        await here.say("Kiki sowed carrots and beans")
        risen = []
        for _ in range(3):
            here.clock.forward(40 * MINUTE)
            risen.append((await dreamt(here, Teller())).after.continuity)
        assert BASELINE < risen[0] < risen[1] < risen[2] < 0.5
        assert [moment.mind.drives.continuity for moment in await here.view.self_state.history()] == risen[::-1]


async def test_the_report_that_is_kept_is_json_and_holds_nobodys_words(tmp_path: Path) -> None:
    class Careless(Teller):
        """Answers, but refuses now and then with what it read."""

        async def write(self, task: Task) -> list[Entry]:
            if len(self.tasks) % 3 == 1:
                self.tasks.append(task)
                raise WriterRefused("No line has a label.", f"The {MARK} sang.")
            return await super().write(task)

    answers: list[Answer] = [
        wondering,
        wondering,
        f"I thought of the {MARK}",
        thinking(f"the {MARK} is gone", "x9"),
        thinking("", "m1"),
    ]
    async with at_home(tmp_path, habits=PAIRS) as here:
        for n, answer in enumerate(answers):
            await days(here, 2, mark=MARK)
            await here.say(f"the {MARK} sings song {n}?")
            for dream in (dreamt, forced):
                report = await dream(here, Careless(), Muse([answer]))
                kept = report.as_json()
                assert MARK not in json.dumps(kept) and json.loads(json.dumps(kept)) == kept
                assert kept["steps"]
        assert len(await reflections(here)) == 2 and len(await refused(here)) == 2, "every way to answer was tried"


async def test_what_a_model_would_not_write_is_asked_of_it_again_after_a_week_as_it_may_have_been_mended(tmp_path: Path) -> None:
    """Where it is served, for instance: nothing that she knows of it has changed."""

    async def invents(task: Task) -> list[Entry]:
        return [Entry("Zaphod has 77 elephants", (task.sources[-1].label,))]

    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here, 2)
        broken = Teller(moves=[invents] * 99)
        await forced(here, broken)
        asked, kept = len(broken.tasks), []
        here.clock.forward(6 * DAY)
        await forced(here, broken)
        assert len(broken.tasks) == asked, "so soon it would write the same"
        for _ in range(3):
            here.clock.forward(8 * DAY)
            await forced(here, broken)
            kept.append(await here.count("refusals"))
        assert asked < len(broken.tasks) <= 4 * asked and kept[1] == kept[2], "at most as often again, once a week"
        mended = Teller()
        here.clock.forward(8 * DAY)
        await forced(here, mended)
        assert {row["writer"] for row in await here.memory.db.all("SELECT writer FROM digests")} == {mended.name}
        assert await standing(here, "profile") and await standing(here, "era")


async def orphaned(here: Corner, text: str) -> None:
    """Keep a fact, and take away what it rests on behind her back."""
    message = await here.say(text)
    async with here.memory.db.transaction() as tx:
        new = NewStatement("profile", "", "said", text, "scripted", Grounds((message.key,), (message.key,), 1, 1))
        await statements.publish(tx, here.memory.places.seal, here.domain, new, here.clock.now())
        await tx.run("UPDATE items SET dead_at = 1 WHERE id = :id", {"id": message.key})
        for table in ("terms", "exchanges"):
            await tx.run(f"DELETE FROM {table} WHERE item = :id", {"id": message.key})


async def test_what_rests_on_nothing_is_taken_out(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        await forced(here, Teller())
        sound = await standing(here, "profile")
        await orphaned(here, "the parrot speaks Latin")
        assert "the parrot speaks Latin" in await standing(here, "profile")
        report = await dreamt(here, Teller())
        assert report.sensed["coherence"].counts["orphans"] == 1 and step(report, "coherence").acted, "at once, however low"
        assert await standing(here, "profile") == sound
        assert (await dreamer(here, Teller()).feel()).sensed["coherence"].counts["orphans"] == 0


class Both(Teller):
    """Keeps every sentence as a fact beside the others, and says how known ones go together, or the same again."""

    settles: bool = True

    async def write(self, task: Task) -> list[Entry]:
        """Answer with facts."""
        if task.kind != "profile":
            return await super().write(task)
        self.tasks.append(task)
        known = any(source.label.startswith("f") for source in task.sources)
        if known and self.settles:
            return [Entry("Ada went from Graz to Linz", tuple(source.label for source in task.sources))]
        return [Entry(source.text, (source.label,)) for source in task.sources if source.label.startswith("g")]


async def contradicting(here: Corner) -> list[str]:
    """Let Ada say two things that do not fit together, and return them as they stand."""
    await here.say("Ada lives in Graz")
    await here.say("Ada lives in Linz")
    await forced(here, Both())
    return await standing(here, "profile")


async def test_facts_that_do_not_fit_together_are_looked_at_again(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        assert await contradicting(here) == ["Ada lives in Graz", "Ada lives in Linz"]
        writer = Both()
        report = await forced(here, writer)
        assert report.sensed["coherence"].counts["contradictions"] == 1
        assert len(writer.asked("profile")) == 1
        assert await standing(here, "profile") == ["Ada went from Graz to Linz"]


async def test_facts_that_were_looked_at_in_vain_are_left_as_they_are(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        known = await contradicting(here)
        writer = Both()
        writer.settles = False
        asked = []
        for _ in range(3):
            report = await forced(here, writer)
            asked.append((report.sensed["coherence"].counts["contradictions"], len(writer.asked("profile"))))
        assert asked == [(1, 1), (0, 1), (0, 1)]
        assert await standing(here, "profile") == known
