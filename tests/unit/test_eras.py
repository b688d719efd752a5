"""Eras: what was happening in each calendar month, told from that month's conversations, also of years that were imported."""

from collections import Counter
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.errors import WriterFailed
from memory.index.hits import RecallLimits
from memory.ports import Entry, Task
from memory.text.time.times import instant, month
from memory.tiers.episodes import EpisodeRules
from memory.types import DomainKind, DomainRef, SessionRef
from tests.kits.ladder_kit import PAIRS, Teller, climbed, gists, unsound
from tests.kits.memory_kit import DAY, HOUR, BagOfWords, Corner, above, answering, at_home, copied, opened, raising
from tests.kits.memory_kit import Clock as Frozen
from tests.kits.size import examples

PARAGRAPHS = 6
"""How many the story of a month has at most."""


def on(year: int, month_: int, day: int, hour: int = 12, zone: str = "UTC") -> int:
    """Return an instant."""
    return instant(datetime(year, month_, day, hour, tzinfo=ZoneInfo(zone)))


async def months(here: Corner) -> dict[str, list[str]]:
    """Return the paragraphs of each era."""
    found: dict[str, list[str]] = {}
    for one in await here.view.digests.statements("era"):
        found.setdefault(one.period, []).append(one.text)
    return found


async def test_imported_years_become_eras_of_their_months(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for at, text in (
            (on(2019, 5, 3), "the boat was bought"),
            (on(2019, 5, 30), "it leaks"),
            (on(2021, 1, 1), "happy new year"),
        ):
            await here.say(text, at=at)
        writer = Teller()
        await climbed(here, writer, asked=False)
        assert len(writer.asked("era")) == 2
        assert await months(here) == {"2019-05": ["the boat was bought", "it leaks"], "2021-01": ["happy new year"]}
        assert await here.view.digests.era_sessions() == {"2019-05": 1, "2021-01": 1}
        assert await unsound(here) == []
        assert await climbed(here, Teller(), asked=False) == 0


async def test_the_month_that_runs_waits_until_it_is_over_or_somebody_asks(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("the boat was bought")
        await here.say("it leaks")
        await climbed(here, Teller(), asked=False)
        assert await months(here) == {}
        here.clock.forward(29 * DAY)
        await climbed(here, Teller(), asked=False)
        assert await months(here) == {"2026-03": ["the boat was bought", "it leaks"]}


async def test_a_busy_month_is_told_while_it_runs_ever_more_rarely(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(EpisodeRules(count=1))) as here:
        writer = Teller()
        told = []
        for n in range(64):
            await here.say(f"thing{n} happened")
            before = len(writer.asked("era"))
            await climbed(here, writer, asked=False)
            told += [n + 1] if len(writer.asked("era")) > before else []
        assert told == [32, 64]


async def test_a_month_is_not_told_before_all_of_it_is_summarized(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for at in (on(2019, 5, 3), on(2019, 5, 4), on(2019, 5, 20), on(2019, 5, 21)):
            await here.say("the boat leaks", at=at)
        writer = Teller(
            moves=[answering(Entry("the boat leaks", ("m1",))), raising(WriterFailed("The model cannot be reached."))]
        )
        consolidator = Deriving(here.memory).consolidator(here.domain, writer, writer)
        await consolidator.close_episodes(here.session)
        with pytest.raises(WriterFailed):
            await consolidator.digest(here.session)
        await Deriving(here.memory).ladder(here.domain, writer).climb()
        assert await months(here) == {}
        await consolidator.digest(here.session)
        await Deriving(here.memory).ladder(here.domain, writer).climb()
        assert len(await months(here)) == 1 and len(writer.asked("era")) == 1


async def test_what_is_said_late_retells_its_month_alone(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for year in (2019, 2020):
            await here.say(f"the boat of {year}", at=on(year, 5, 3))
            await here.say("it leaks", at=on(year, 5, 4))
        await climbed(here, Teller())
        kept = {one.key for one in await here.view.digests.statements("era") if one.period == "2020-05"}
        writer = Teller()
        await here.say("a photograph of the boat", at=on(2019, 5, 10))
        await climbed(here, writer, asked=False)
        assert len(writer.asked("era")) == 1
        assert (await months(here))["2019-05"] == ["the boat of 2019", "it leaks", "a photograph of the boat"]
        assert {one.key for one in await here.view.digests.statements("era") if one.period == "2020-05"} == kept


async def test_what_is_told_again_in_the_same_words_stays_and_is_no_history(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for day in range(1, 9):
            await here.say(f"the boat of day {day}", at=on(2019, 5, day))
        *_, last = [await here.say(text, at=on(2019, 5, 20)) for text in ("the choir sings", "it leaks")]
        await climbed(here, Teller())
        told, writer = await here.view.digests.statements("era"), Teller()
        await here.view.forget_message(last.id)
        await climbed(here, writer, asked=False)
        assert len(writer.asked("era")) == 1
        assert [one.key for one in await here.view.digests.statements("era")] == [one.key for one in told]
        assert await here.view.digests.statements("era", past=True) == []
        await here.say("a photograph of the boat", at=on(2019, 5, 1))
        await climbed(here, Teller(), asked=False)
        assert [one.key for one in await here.view.digests.statements("era")] != [one.key for one in told]
        assert await unsound(here) == []


async def test_an_era_is_found_by_its_words_and_an_old_telling_is_not(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS, embedder=BagOfWords(dimension=1024, meanings={"vessel": "boat"})) as here:
        await here.say("the boat was bought", at=on(2019, 5, 3))
        await here.say("we paint it", at=on(2019, 5, 4))
        await here.say("the piano is new", at=on(2019, 6, 4))
        await climbed(here, Teller())
        await here.view.embed()
        assert (await above(here.view, "boat", 1))[0].text == "the boat was bought"
        assert (await above(here.view, "vessel", 1))[0].text == "the boat was bought", "by meaning, too"
        await here.say("the boat sank", at=on(2019, 5, 20))
        await climbed(here, Teller())
        found = await above(here.view, "boat", 9)
        assert sorted(one.text for one in found if "boat" in one.text) == ["the boat sank", "the boat was bought"]
        assert len({one.key for one in found}) == len(found)


async def test_forgetting_takes_what_rests_on_it_and_the_month_is_told_again(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        boat = await here.say("the boat was bought", at=on(2019, 5, 3))
        await here.say("the choir sings", at=on(2019, 5, 3))
        await here.say("the piano came", at=on(2019, 5, 20))
        await here.say("it is black", at=on(2019, 5, 21))
        await climbed(here, Teller())
        await here.view.forget_message(boat.id)
        assert (await months(here))["2019-05"] == ["the piano came", "it is black"]
        await climbed(here, Teller(), asked=False)
        assert (await months(here))["2019-05"] == ["the choir sings", "the piano came", "it is black"]
        assert await above(here.view, "boat", 5) == []
        assert await unsound(here) == []


async def test_a_model_that_fails_leaves_the_month_as_it_was(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        await here.say("the boat was bought", at=on(2019, 5, 3))
        await here.say("it leaks", at=on(2019, 5, 4))
        await climbed(here, Teller())
        await here.say("it sank", at=on(2019, 5, 20))
        await gists(here, Teller())
        with pytest.raises(WriterFailed):
            await Deriving(here.memory).ladder(here.domain, Teller(moves=[raising(WriterFailed("away"))])).climb()
        assert (await months(here))["2019-05"] == ["the boat was bought", "it leaks"]


ZONES = (
    "UTC",
    "Europe/Vienna",
    "America/New_York",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Australia/Lord_Howe",
    "America/Asuncion",
)


@settings(max_examples=examples(6))
@given(
    zone=st.sampled_from(ZONES),
    moments=st.lists(
        st.integers(on(2023, 12, 20) // HOUR, on(2025, 1, 12) // HOUR).map(lambda hours: hours * HOUR), min_size=1, max_size=24
    ),
)
async def test_eras_part_time_without_overlap_or_hole(
    tmp_path_factory: pytest.TempPathFactory, zone: str, moments: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("eras")
    clock = Frozen(on(2026, 3, 1))
    async with opened(folder / "lyra.db", None, clock=clock, habits=ConsolidationRules(EpisodeRules(count=3))) as memory:
        domain = await memory.places.domain(DomainRef(DomainKind.DM, "console", "ada"), zone, clock.now())
        view = memory.view(domain)
        here = Corner(memory, clock, domain, view, await view.sessions.get(SessionRef("console", "dm"), "dm"))
        for n, at in enumerate(moments):
            await here.say(f"word{n} fell", at=at)
        writer = Writing()
        await climbed(here, writer)
        told: dict[str, str] = {}
        for one in await here.view.digests.statements("era"):
            for message in (await here.view.digests.receipts([one]))[one.key]:
                assert told.setdefault(message.text, one.period) == one.period, "in one month only"
                assert one.period == month(message.said_at, zone)
        said = Counter(month(at, zone) for at in moments)
        assert len(told) == sum(min(n, PARAGRAPHS) for n in said.values()), (
            "every message is in a month, as many as one has paragraphs"
        )


class Writing(Teller):
    """Tells all of a month."""

    async def write(self, task: Task) -> list[Entry]:
        """Copy everything."""
        return copied(task) if task.kind == "era" else await super().write(task)


async def test_what_is_told_of_another_month_belongs_to_that_one(tmp_path: Path) -> None:
    broke = "Ada broke an arm on 3 October 2025"
    async with at_home(tmp_path, habits=PAIRS) as here:
        for day, text in ((3, "the boat was bought"), (30, "it leaks")):
            await here.say(text, at=on(2025, 10, day))
        await climbed(here, Teller())
        told = await here.say(broke, at=on(2025, 12, 1))
        await here.say("Ada marries on 5 June 2031", at=on(2025, 12, 1, 13))
        writer = Teller()
        await climbed(here, writer)
        october = (await months(here))["2025-10"]
        assert set(october) == {"the boat was bought", "it leaks", broke} and "2031-06" not in await months(here)
        again = Teller()
        assert await climbed(here, again) == 0 and again.asked("era") == []
        (came,) = [one for one in await above(here.view, "how was my October?", 2) if one.text == broke][:1]
        assert came.period == "2025-10"
        await here.view.forget_message(told.id)
        await climbed(here, Teller())
        assert set((await months(here))["2025-10"]) == {"the boat was bought", "it leaks"}
        assert await unsound(here) == []


@pytest.mark.parametrize("embedded", [True, False])
async def test_a_month_that_is_asked_for_comes_before_what_else_matches(tmp_path: Path, embedded: bool) -> None:
    async with at_home(tmp_path, embedder=BagOfWords() if embedded else None, habits=PAIRS) as here:
        for month_, text in ((8, "September plans: we sail"), (9, "we picked apples"), (10, "how September was: great")):
            await here.say(text, at=on(2025, month_, 5))
            await here.say(f"and more of month {month_}", at=on(2025, month_, 6))
        await climbed(here, Teller())
        await here.view.embed()
        came = await here.view.recall.at_once("How was my September?", RecallLimits(9, 3, 2), (), "")
        assert {one.period for one in came.eras} == {"2025-09"}
        assert month(came.gists[0].digest.first_at, "UTC") == "2025-09"
        assert [month(hit.exchange.said_at, "UTC") for hit in came.hits][:2] == ["2025-09"] * 2
