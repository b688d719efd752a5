"""A dream tells nobody's words where they do not belong, and reads nothing that may go along with what is being forgotten."""

import asyncio
import json
from pathlib import Path

import pytest

from memory.derive import pipeline
from memory.forget import gone
from memory.forget.gone import ForgottenScope
from memory.ports import Entry, Task
from memory.store.database import Reader
from tests.kits.dream_kit import Muse, Scribe, days, dreamt, forced, reflections, thinking, wondering
from tests.kits.ladder_kit import PAIRS, Teller, standing
from tests.kits.memory_kit import CancelledAt, Clock, Ids, at_home, corner, opened
from tests.unit.test_dream_pass import contradicting


async def test_why_a_thought_was_refused_is_in_no_report_where_it_is_somebodys_word(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("we were at the lake")
        await here.say("and Quokka was there too")
        report = await forced(here, Teller(), Muse([thinking("so Quokka was at the lake", "m1")]))
        assert report.reflection == "the answer could not be used" and "Quokka" not in json.dumps(report.as_json())


async def test_what_is_forgotten_during_a_pass_is_not_shown_to_her_later_in_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        gone = await here.say("every zebrafinch likes millet and cucumber")
        await days(here, 2)

        async def forget() -> None:
            await here.view.forget_message(gone.id)

        chat_model = Muse()
        await forced(here, Scribe(meanwhile={"gist": forget}), chat_model)
        assert len(chat_model.prompts) == 1 and "cucumber" not in chat_model.prompts[0]


async def test_two_passes_at_once_think_once(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        async with opened(tmp_path / "lyra.db", clock=here.clock, ids=Ids("other"), habits=PAIRS) as other:
            there = await corner(other, here.clock)
            await asyncio.gather(forced(here, Teller(), Muse([wondering])), forced(there, Teller(), Muse([wondering, wondering])))
        assert len(await reflections(here)) == 1


@pytest.mark.parametrize("before_the_end", [2, 6, 12])
async def test_a_pass_that_is_cut_off_after_she_thought_thinks_it_no_second_time(tmp_path: Path, before_the_end: int) -> None:
    async def thoughts(n: int) -> tuple[int, int]:
        folder = tmp_path / str(n)
        folder.mkdir()
        async with at_home(folder, None, habits=PAIRS) as here:
            await days(here, 1)
            dreaming = CancelledAt(forced(here, Teller(), Muse([wondering])), n)

            async def run() -> object:
                return await dreaming

            dreaming.task = asyncio.ensure_future(run())
            await asyncio.gather(dreaming.task, return_exceptions=True)
        async with opened(folder / "lyra.db", None, clock=Clock(here.clock.at), ids=Ids("again"), habits=PAIRS) as memory:
            again = await corner(memory, Clock(here.clock.at))
            await forced(again, Teller(), Muse([wondering]))
            return dreaming.waits, len(await reflections(again))

    waits, undisturbed = await thoughts(0)
    assert undisturbed == 1
    assert (await thoughts(waits - before_the_end))[1] == 1


@pytest.mark.parametrize("answer", ['{"text": "x \\ud800 y", "cites": ["m1", "m2"]}', "half a smile \ud83d"])
async def test_half_a_character_in_an_answer_breaks_no_pass(tmp_path: Path, answer: str) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here, 1)
        report = await forced(here, Teller(), Muse([answer]))
        assert report.failed == "" and report.reflection


class Nothing(Teller):
    """A writer that finds nothing new for the profile."""

    async def write(self, task: Task) -> list[Entry]:
        """Say so, as it was asked to."""
        return [Entry("Nothing new.", (task.sources[-1].label,))] if task.kind == "profile" else await super().write(task)


async def test_nothing_new_is_no_fact(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here, 1)
        await forced(here, Teller())
        known = await standing(here, "profile")
        await here.say("it rains")
        await here.say("still")
        await forced(here, Nothing())
        assert await standing(here, "profile") == known


class Settles(Teller):
    """A writer that settles where Ada lives by naming the fact that holds."""

    async def write(self, task: Task) -> list[Entry]:
        """Cite what holds beside the fact that does not."""
        if task.kind != "profile":
            return await super().write(task)
        facts = {source.text: source.label for source in task.sources if source.label.startswith("f")}
        said = [source.label for source in task.sources if source.label.startswith("g") and "Linz" in source.text]
        return [Entry("Ada lives in Linz", (facts["Ada lives in Graz"], *said))]


async def test_a_contradiction_is_settled_by_naming_the_fact_that_holds(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await contradicting(here)
        await forced(here, Settles())
        assert await standing(here, "profile") == ["Ada lives in Linz"]


SECRET = "the key is under the zebrafinch"


async def never(_: Reader, __: object) -> bool:
    """Say that nothing is being forgotten."""
    return False


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture, id="unguarded")])
async def test_a_dream_has_no_model_read_a_reply_that_holds_what_is_being_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(pipeline, "is_sweeping", never)
    async with at_home(tmp_path, habits=PAIRS) as here:
        secret = await here.say(SECRET)
        await here.reply("So it is under the zebrafinch.", [secret.key])
        await days(here)
        async with here.memory.db.transaction() as tx:
            # As another process does that has only begun.
            await gone.add(tx, here.domain, ForgottenScope([secret.key]), here.clock.now())
        read, thought = Teller(), Muse()
        await forced(here, read, thought)
        assert ("zebrafinch" not in f"{read.tasks} {thought.prompts}") is guarded
        if guarded:
            assert read.tasks == [] and thought.prompts == [], "not even of what has nothing to do with it"
            await here.memory.sweep()
            await dreamt(here, read, thought)
            assert read.tasks and thought.prompts and "zebrafinch" not in f"{read.tasks} {thought.prompts}"
