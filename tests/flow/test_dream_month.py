"""A month of somebody's talk, dreamt: every night once, in causal order, thoughts said where, when and as often as is wanted."""

from collections.abc import AsyncIterator
from datetime import date, timedelta
from itertools import combinations, pairwise

import pytest
import pytest_asyncio

from memory.dream.reflecting import alike
from memory.text.time.times import local
from tests.kits.dream_month import DAYS, ZONE, Month, month
from tests.kits.size import TORTURE

ORDER = ("gist", "merge", "profile", "era", "narrative", "self", "thought")
WANTED, UNWANTED = 5, 24
PER_HOUR = 10 if TORTURE else 2


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def lived(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Month]:
    """The month when it is over: from the 5th to the 24th Ada wanted to hear thoughts."""
    async with month(tmp_path_factory.mktemp("month"), PER_HOUR) as lived:
        for day in range(1, DAYS + 1):
            if day in (WANTED, UNWANTED):
                await lived.wants(thoughts=day == WANTED)
            await lived.hours(24 if day < DAYS else 17)
        yield lived


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def passes(lived: Month, kind: str) -> list[tuple[str, bool]]:
    """Return the slots of passes of a kind in order of time, each with whether it was done."""
    past = await lived.memory.dreams.last_passes(lived.domain, 10_000)
    return [(one.slot, one.done) for one in reversed(past) if one.kind == kind]


async def test_every_night_is_dreamt_once_through_the_change_of_the_clocks(lived: Month) -> None:
    nights = [slot for slot, done in await passes(lived, "night") if done]
    first = date(2026, 3, 2)
    assert nights == [(first + timedelta(days=n)).isoformat() for n in range(DAYS - 1)]


async def test_a_model_that_is_down_for_a_day_delays_the_night_and_loses_nothing(lived: Month) -> None:
    nights = await passes(lived, "night")
    failed = [slot for slot, done in nights if not done]
    assert set(failed) == {"2026-03-12"} and nights.index(("2026-03-12", True)) > nights.index(("2026-03-12", False))
    backlog = await lived.memory.backlog()
    assert backlog.ripe == 0 and len(lived.said) == 6 * DAYS * PER_HOUR
    assert {one.text for one in lived.said} == {text.text async for _, text in lived.view.messages.all()}


async def test_drives_act_from_their_threshold_on_in_causal_order(lived: Month) -> None:
    reports = [one.report for one in await lived.memory.dreams.last_passes(lived.domain, 10_000)]
    steps = [step for report in reports for step in report["steps"]]
    assert {step["drive"] for step in steps} == {"continuity", "coherence", "curiosity"}
    assert all(step["acted"] is (step["level"] >= step["threshold"]) for step in steps if not step["why"].startswith("The model"))
    assert {step["acted"] for step in steps} == {True, False}
    for report in reports:
        assert [step["drive"] for step in report["steps"]] == ["continuity", "coherence", "curiosity"]
    dreamt = [(at, kind) for at, kind in lived.model.order if kind not in ("gist", "merge")]
    for (before, first), (after, second) in pairwise(dreamt):
        assert before != after or ORDER.index(first) <= ORDER.index(second)
    assert lived.outside == []


async def test_drives_fall_when_acted_on_and_decay_where_nothing_happens(lived: Month) -> None:
    reports = [one.report for one in await lived.memory.dreams.last_passes(lived.domain, 10_000)]
    thought = [report for report in reports if any(step["drive"] == "curiosity" and step["made"] for step in report["steps"])]
    assert thought and all(report["after"]["curiosity"] < report["before"]["curiosity"] for report in thought)
    moments = await lived.view.self_state.history()
    assert len({moment.mind.mood for moment in moments}) > 5 and all(-1 <= moment.mind.mood <= 1 for moment in moments)
    steps = [abs(one.mind.mood - other.mind.mood) for one, other in pairwise(moments)]
    assert max(steps) <= 0.2 + 1e-9


async def test_thoughts_are_said_only_while_they_are_wanted_once_a_day_and_not_in_quiet_hours(lived: Month) -> None:
    days = [when.day for when, _ in lived.thoughts]
    assert len(days) >= 5 and len(days) == len(set(days))
    assert all(WANTED <= day < UNWANTED for day in days)
    assert all(8 <= when.hour < 22 for when, _ in lived.thoughts)


async def test_nobody_is_interrupted(lived: Month) -> None:
    for when, _ in lived.thoughts:
        before = [one for one in lived.said if local(one.said_at, ZONE) <= when]
        assert when - local(before[-1].said_at, ZONE) >= timedelta(minutes=30)


async def test_no_thought_is_said_twice_and_each_rests_on_two_messages(lived: Month) -> None:
    texts = [text.splitlines()[0] for _, text in lived.thoughts]
    assert not [pair for pair in combinations(texts, 2) if alike(*pair)]
    told = [one for one in await lived.view.digests.statements("self") if one.kind == "reflection"]
    receipts = await lived.view.digests.receipts(told)
    assert {one.text for one in told} >= set(texts) and all(len(receipts[one.key]) >= 2 for one in told if one.text in texts)


async def test_prose_and_broken_answers_go_nowhere(lived: Month) -> None:
    kept = " ".join(one.text for one in await lived.view.digests.statements("self"))
    assert not [word for word in ("PROSE", "BROKEN") if word in kept or word in " ".join(text for _, text in lived.thoughts)]
    rows = await lived.memory.db.all("SELECT answer FROM refusals WHERE tier = 'reflection'")
    assert any(row["answer"].startswith("PROSE") for row in rows)


async def test_no_dream_feeds_on_a_dream(lived: Month) -> None:
    for _, text in lived.thoughts:
        assert text.splitlines()[0] not in [hit.exchange.text for hit in await lived.view.recall.messages(text, 20)]
