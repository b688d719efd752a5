"""The regression check of what a dream made: what would be in the way of people's own words is not published, and trying leaves no trace."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memory.core import ConsolidationRules
from memory.derive.context import Context, Put
from memory.derive.ladder import Ladder
from memory.deriving import Deriving
from memory.dream.regression_check import Difference, RegressionCheck, dry_run
from memory.forget.erase import retire
from memory.index.hits import Hit
from memory.index.recall.domain_indexes import MOST_BYTES, DomainIndexes
from memory.ports import Entry, Task, TaskKind
from memory.store.database import Transaction
from memory.store.file_locks import FileHolders
from memory.tiers import statements
from memory.tiers.episodes import EpisodeRules
from memory.tiers.statements import Grounds, NewStatement
from tests.kits.dream_kit import Muse, days, dreamt, everything, extractive, forced, refused, step
from tests.kits.fresh import on_server
from tests.kits.ladder_kit import PAIRS, Teller, gists, standing
from tests.kits.memory_kit import DAY, Corner, above, at_home

SAID = (
    "the kettle in the kitchen whistles every morning",
    "a violin lesson costs more than the gardener",
    "pumpkins grow slowly behind the crooked fence",
    "the ferry to the island leaves before sunrise",
)
OTHERS = "amber birch cedar dune ember fjord".split()
IN_THE_WAY = "what was made would be in the way of what was said; it was not published"
PUMPKINS = "pumpkins grow slowly behind crooked fences"
OVER_AND_OVER = [PUMPKINS, "slowly behind crooked fences pumpkins grow", "behind crooked fences pumpkins grow slowly"]
WHOLE = ConsolidationRules(EpisodeRules(count=6))
"""Six messages make an episode."""


@dataclass
class Stuffer(Teller):
    """Stuffs what it tells with other people's words, and says that they rest on the first message."""

    stuffs: TaskKind = "era"

    async def write(self, task: Task) -> list[Entry]:
        """Answer with the words of every source but the first, said over and over."""
        if task.kind != self.stuffs:
            return await super().write(task)
        self.tasks.append(task)
        first, *others = task.sources
        told = [(other.text, " ".join(reversed(other.text.split()))) for other in [*others[1:], *others[:1]]]
        # Never quite the same: two equal answers would end the asking.
        turned = len(self.tasks) % len(OTHERS)
        words = OTHERS[turned:] + OTHERS[:turned]
        # One word is the first's: what shares none with what it cites is not even asked about.
        own = first.text.split()[-1]
        return [Entry(f"{text} {word} {backwards} {own}", (first.label,)) for text, backwards in told for word in words]


@dataclass
class Repeater(Teller):
    """Tells of pumpkins, whatever was said, and says that it rests on the second message, of which it has a word."""

    async def write(self, task: Task) -> list[Entry]:
        """Answer with one sentence."""
        if task.kind != "gist":
            return await super().write(task)
        self.tasks.append(task)
        turned = len(self.tasks) % 3
        # Never quite the same: two equal answers would end the asking.
        return [Entry(", ".join([*OVER_AND_OVER[turned:], *OVER_AND_OVER[:turned], "violin"]), ("m2",))]


async def last_month(here: Corner) -> None:
    """Say four things that have nothing to do with each other, a month and more ago."""
    here.clock.at -= 40 * DAY
    for text in SAID:
        await here.say(text)
    here.clock.forward(40 * DAY)


async def of_pumpkins(here: Corner) -> None:
    """Say six things, one of which is just about found among the first five by its own words."""
    for text in (PUMPKINS, SAID[1], *(f"{PUMPKINS} {PUMPKINS} {word}" for word in OTHERS[:4])):
        await here.say(text)
    assert (await here.found(PUMPKINS, 5))[-1] == PUMPKINS


async def test_an_honest_gist_and_an_honest_month_pass(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await days(here)
        report = await forced(here, Teller())
        assert (
            report.regression_check.asked >= 8
            and report.regression_check.after == report.regression_check.before == report.regression_check.asked
        )
        assert [one.why for one in report.steps[:2]] == ["", ""]
        assert len(await here.view.digests.all()) == 4 and len(await standing(here, "era")) == 6


async def test_what_was_said_is_found_beside_what_was_made_of_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await last_month(here)
        await dreamt(here, Teller())
        assert await standing(here, "era") == list(SAID)
        for text in SAID:
            assert (await here.found(text, 1)) == [text]


async def crowded_out(here: Corner) -> list[str]:
    """Return what was said and is not found among the first five of everything, nor anything that rests on it."""
    lost = []
    for text in SAID:
        hits = await here.view.recall.everything(text, 5)
        under = {said.text for hit in hits for said in ((hit.exchange,) if isinstance(hit, Hit) else hit.sources)}
        lost += [text] if text not in under else []
    return lost


async def test_a_month_that_crowds_out_what_was_said_is_not_published(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await last_month(here)
        report = await forced(here, Stuffer())
        assert (
            report.regression_check.before > report.regression_check.after
            and report.as_json()["exam"]["after"] == report.regression_check.after
        )
        assert step(report, "coherence").why == IN_THE_WAY and step(report, "coherence").acted
        assert await standing(here, "era") == [] and not report.rested
        assert await standing(here, "profile"), "what does no harm is published"
        (kept,) = await refused(here, "era")
        assert "pumpkins" in kept, "the answer can be looked at"
        assert not await crowded_out(here)


async def test_without_the_exam_the_same_month_is_published_and_is_in_the_way(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await last_month(here)
        await gists(here, Teller())
        assert not await crowded_out(here)
        await Deriving(here.memory).ladder(here.domain, Stuffer()).climb(asked=True)
        assert len(await standing(here, "era")) == 6 and await refused(here, "era") == []
        assert await crowded_out(here)


async def test_after_two_failed_exams_about_the_same_a_month_is_given_up(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await last_month(here)
        writer = Stuffer()
        asked = []
        for _ in range(5):
            await forced(here, writer, Muse())
            asked.append(len(writer.asked("era")))
            here.clock.forward(DAY)
        assert asked == [1, 2, 2, 2, 2] and len(await refused(here, "era")) == 2
        assert await standing(here, "era") == []
        report = await forced(here, writer, Muse())
        assert report.rested and step(report, "coherence").why == "nothing was to be done"


async def test_a_month_that_was_given_up_is_told_again_when_something_new_is_heard_of_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await last_month(here)
        for _ in range(4):
            await forced(here, Stuffer())
        for text in ("a late letter told of the harvest", "and of a broken bridge"):
            await here.say(text, at=here.clock.now() - 40 * DAY)
        await forced(here, Teller())
        assert "a late letter told of the harvest" in await standing(here, "era")


async def test_a_gist_that_crowds_out_what_was_said_gives_way_to_an_extracted_one(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=WHOLE) as here:
        await of_pumpkins(here)
        writer = Repeater()
        first = await forced(here, writer)
        assert step(first, "continuity").why == IN_THE_WAY and first.regression_check.before > first.regression_check.after
        assert await here.view.digests.all() == []
        await forced(here, writer)
        ((_, gist),) = await here.view.digests.all()
        assert gist.writer == extractive().name and len(writer.asked("gist")) == 2
        here.clock.forward(DAY)
        await forced(here, writer)
        assert len(writer.asked("gist")) == 2, "two answers about the same are enough"


async def test_without_the_exam_the_same_gist_is_published(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=WHOLE) as here:
        await of_pumpkins(here)
        await gists(here, Repeater())
        ((_, gist),) = await here.view.digests.all()
        assert gist.writer == "scripted"


@dataclass
class Watching:
    """A regression check that notes everything that is kept before and after it."""

    here: Corner
    check: RegressionCheck
    seen: list[tuple[Any, Any, bool]] = field(default_factory=list)

    async def passed(self, put: Put) -> bool:
        """Examine."""
        before = await everything(self.here)
        passed = await self.check.passed(put)
        self.seen.append((before, await everything(self.here), passed))
        return passed


@pytest.mark.parametrize(("writer", "passes"), [(Teller(), True), (Stuffer(), False)])
async def test_an_exam_leaves_no_trace_be_it_passed_or_not(tmp_path: Path, writer: Teller, passes: bool) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await last_month(here)
        await gists(here, writer)
        memory = here.memory
        check = Watching(here, RegressionCheck(memory.db, here.domain, DomainIndexes(memory.db, MOST_BYTES)))
        holders = FileHolders(tmp_path / "holders", "examined")
        holders.mark()
        rules = ConsolidationRules().rules
        context = Context(
            memory.db, memory.places.seal, here.clock, here.domain, writer, writer, rules, holders, regression_check=check.passed
        )
        await Ladder(context).climb(asked=True)
        await holders.leave()
        assert [passed for _, _, passed in check.seen].count(False) == (not passes) and len(check.seen) >= 4
        for before, after, _ in check.seen:
            assert before == after and before["changes"] and before["counters"]
        assert bool(await standing(here, "era")) == passes


async def test_a_rehearsal_says_what_would_change_and_changes_nothing(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await last_month(here)
        await gists(here, Teller())
        before = await everything(here)
        (_, old), _ = await here.view.digests.all()
        (message,) = (hit.exchange for hit in await here.view.recall.messages(SAID[2], 1))

        async def put(tx: Transaction) -> None:
            await retire(tx, here.domain, [old.key], here.clock.now())
            new = NewStatement("era", "2026-01", "", "a month of tea", "scripted", Grounds((message.key,), (message.key,), 1, 1))
            await statements.publish(tx, here.memory.places.seal, here.domain, new, here.clock.now())

        difference: Difference = await dry_run(here.memory.db, here.domain, put)
        assert old.key in difference.gone and len(difference.added) == 1
        assert list(difference.cited.values()) == [frozenset({message.key})]
        assert await everything(here) == before
        assert await above(here.view, "a month of tea", 3) == []
        async with here.memory.db.transaction() as tx:
            await put(tx)
        assert [era.text for era in await above(here.view, "a month of tea", 3)] == ["a month of tea"]
        after = await everything(here)
        changed = {name for name, rows in after.items() if rows != before[name]}
        shows = {"statements", "digests", "changes", "terms", "items", "counters", "lineage"}
        # A server numbers by sequences.
        assert shows - ({"counters"} if on_server() else set()) <= changed, "done for good, it shows"
