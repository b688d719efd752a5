"""What is written whether anybody talks or not, and what only tells processes what is new, does not pile up over the years."""

from dataclasses import replace
from pathlib import Path

import pytest

from memory.dream.schedule import NIGHT, Slot
from memory.index import vectors
from memory.index.recall.domain_indexes import DomainIndexes
from memory.tiers import selfstate
from memory.types import DAY
from tests.flow.test_recall_shards import ada
from tests.kits.memory_kit import BagOfWords, Corner, at_home, said

_YEARS = 3 * 365
_MANY = 2_500
"""More than the log of changes keeps."""


async def nights(here: Corner, n: int) -> None:
    """Let so many nights pass in which nothing is new."""
    for _ in range(n):
        here.clock.forward(DAY)
        slot = Slot(here.domain, NIGHT, f"{here.clock.now() // DAY}")
        held = await here.memory.dreams.claim(slot)
        assert held and await here.memory.dreams.finish(held, slot, here.clock.now(), {}, done=True, rested=True, heard=0)


async def test_a_place_where_nobody_talks_for_long_keeps_of_its_nights_those_of_the_last_ninety_days(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.view.note("import", stored=7)
        await nights(here, 30)
        assert [one.kind for one in await here.view.activity(0, 500)] == ["import", *["dream"] * 30]
        newest = (await here.view.activity(0, 1))[0].seq
        await nights(here, 100)
        assert await here.count("activity") == await here.count("dreams") == 91
        assert len(await here.view.activity(newest, 500)) == 91, "who looked before is told of all that is left"


async def test_what_is_done_in_one_place_is_not_dropped_by_the_nights_of_another(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        other = await here.memory.places.domain(replace(here.domain.ref, native_id="bob"), "UTC", here.clock.now())
        await here.memory.view(other).note("import", stored=7)
        await nights(here, 200)
        assert [one.kind for one in await here.memory.view(other).activity(0, 500)] == ["import"]


async def test_a_place_of_which_all_was_forgotten_costs_no_nights_and_no_minutes_any_more(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        await here.say("the parrot is green")
        here.clock.forward(2 * DAY)
        assert [slot.kind for slot in await here.memory.dreams.due()] == [NIGHT]
        assert await here.memory.places.inhabited() == [here.domain]
        await here.view.forget_all()
        assert await here.memory.dreams.due() == [] and await here.memory.places.inhabited() == []
        await here.say("a new parrot")
        here.clock.forward(2 * DAY)
        assert len(await here.memory.dreams.due()) == 1 and await here.memory.places.inhabited() == [here.domain]


async def test_of_her_moods_a_month_is_kept_whole_a_year_by_day_and_the_rest_by_month(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for day in range(0, _YEARS, 15):
            async with here.memory.db.transaction() as tx:
                for n in range(day, day + 15):
                    for hour in (0, 6):
                        at = here.clock.now() + hour * DAY // 24
                        await selfstate.keep(tx, here.domain, selfstate.StateOfMind(mood=n / _YEARS, heard=hour), at)
                    here.clock.forward(DAY)
        kept = await selfstate.history(here.memory.db, here.domain, 10_000)
        ages = [(kept[0].at - one.at) / DAY for one in kept]
        assert sum(age < 30 for age in ages) == 60
        assert sum(30 < age < 365 for age in ages) == 335
        before = [age for age in ages if age > 366]
        assert len(before) == pytest.approx((_YEARS - 365) / 30, abs=2)
        assert kept[0].mind.mood == pytest.approx(1 - 1 / _YEARS), "the newest is the present one"
        # The day and the month in which a span begins are not over.
        assert sum(one.mind.heard != 6 for one in kept[60:]) <= 2, "of a day or a month its last"


async def test_the_log_of_changes_stays_as_short_however_much_is_said(tmp_path: Path) -> None:
    async with at_home(tmp_path, None) as here:
        for n in range(0, _MANY + 500, 500):
            await here.view.say(here.session, [said(f"parrot {m}", f"m{m}") for m in range(n, n + 500)])
        assert 2_000 <= await here.count("changes") < 2_500


async def test_a_log_of_changes_that_grew_for_years_becomes_short_step_by_step(tmp_path: Path) -> None:
    async with at_home(tmp_path, None) as here:
        async with here.memory.db.transaction() as tx:
            await tx.run("UPDATE domains SET changes = 9000 WHERE id = :d", {"d": here.domain.key})
            rows = ({"d": here.domain.key, "seq": seq} for seq in range(1, 9_001))
            await tx.many("INSERT INTO changes (domain, seq, item, op) VALUES (:d, :seq, 1, 'add')", rows)
        lengths = [9_000]
        while lengths[-1] > 2_500:
            await here.say("a parrot")
            lengths.append(await here.count("changes"))
            assert 0 < lengths[-2] - lengths[-1] <= 500


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture, id="unguarded")])
async def test_a_process_that_was_not_asked_for_long_finds_all_that_others_kept_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(DomainIndexes, "_misses", lambda *_: False)
    async with ada(tmp_path / "a", tmp_path / "a") as (here, there):
        await here.say("the parrot is green")
        assert await there.found("parrot") == ["the parrot is green"]
        await here.say("the canary is yellow")
        for n in range(0, _MANY, 500):
            await here.view.say(here.session, [said(f"sparrow {m}", f"s{m}") for m in range(n, n + 500)])
        assert ("the canary is yellow" in await there.found("canary")) is guarded


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture, id="unguarded")])
async def test_a_process_that_did_not_embed_for_long_embeds_all_that_has_no_vector(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(vectors, "_lacks_changes", lambda *_: False)
    async with ada(tmp_path / "a", tmp_path / "a", embedder=BagOfWords()) as (here, there):
        await here.say("the parrot is green")
        assert await there.view.embed() == 1
        for n in range(0, _MANY, 500):
            await here.view.say(here.session, [said(f"sparrow {m}", f"s{m}") for m in range(n, n + 500)])
        assert (await there.view.embed() == _MANY) is guarded
