"""Moving to another time zone: what was said before is told as it was, what comes then in the new one."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.text.time.times import instant, iso, local
from memory.text.time.zones import current, moved
from memory.types import MINUTE, DomainKind, DomainRef, SessionRef
from tests.kits.memory_kit import HOUR, START, at_home, said, utc
from tests.kits.size import examples

MOVED = moved("Europe/Vienna", START, "America/New_York", last_said=START - HOUR)


def test_before_is_told_as_it_was_and_after_in_the_new_zone() -> None:
    assert current(MOVED) == "America/New_York"
    assert iso(START - MINUTE, MOVED) == "2026-03-03T12:59:00+01:00"
    assert iso(START, MOVED) == "2026-03-03T07:00:00-05:00"


def test_an_hour_that_is_lived_twice_is_told_for_certain() -> None:
    assert iso(START + HOUR // 2, MOVED) == "2026-03-03T07:30:00-05:00"
    assert instant(local(START + HOUR // 2, MOVED)) == START + HOUR // 2


@settings(max_examples=examples(50))
@given(st.integers(0, 4_000_000_000))
def test_every_instant_comes_back_from_how_it_is_told(seconds: int) -> None:
    at = seconds * 1_000_000
    assert instant(local(at, MOVED)) == at == instant(datetime.fromisoformat(iso(at, MOVED)).astimezone(UTC))


def test_what_a_wrong_clock_dates_outside_the_calendar_is_told_as_its_nearest_day() -> None:
    for at, zone, day in (
        (253_402_300_799_000_000, "Asia/Tokyo", "9999-12-30"),
        (253_402_300_799_000_000, "UTC", "9999-12-31"),
        (2**62, "UTC", "9999-12-30"),
        (-(2**62), MOVED, "0001-01-02"),
    ):
        assert iso(at, zone).startswith(day)


@pytest.mark.parametrize(
    ("home", "away", "before", "landed", "after", "today", "yesterday"),
    [
        ("Europe/Vienna", "America/New_York", "22:00", "23:30", "+1 00:00", ["ate", "walked"], []),
        ("America/New_York", "Europe/Vienna", "+1 00:00", "+1 03:00", "+1 08:00", ["walked"], ["ate"]),
    ],
    ids=["an evening lived twice", "a night skipped"],
)
async def test_a_day_that_a_journey_lengthens_or_shortens_holds_what_was_said_on_it(
    tmp_path: Path, home: str, away: str, before: str, landed: str, after: str, today: list[str], yesterday: list[str]
) -> None:
    def at(told: str) -> int:
        return utc(f"2026-11-{10 if told[0] == '+' else 9:02}T{told[-5:]}:00")

    async with at_home(tmp_path) as here:
        domain = await here.memory.places.domain(DomainRef(DomainKind.DM, "console", "traveller"), home, START)
        session = await here.memory.view(domain).sessions.get(SessionRef("console", "dm"), "dm")
        await here.memory.view(domain).say(session, [said("ate", "m1", at(before))])
        view = here.memory.view(await here.memory.places.move(domain, away, at(landed)))
        await view.say(session, [said("walked", "m2", at(after))])
        here.clock.at = at(after) + MINUTE
        for question, told in (("what did I do today?", today), ("what did I do yesterday?", yesterday)):
            assert [hit.exchange.text for hit in await view.recall.messages(question, 5)] == told


def test_a_zone_in_which_nothing_was_said_leaves_no_trace() -> None:
    there = moved(MOVED, START + HOUR, "Asia/Tokyo", last_said=START - MINUTE)
    assert iso(START - MINUTE, there).endswith("+01:00") and iso(START, there).endswith("+09:00")
    assert "New_York" not in there
    assert moved(MOVED, START + HOUR, "Europe/Vienna", last_said=START - MINUTE) == "Europe/Vienna"
    assert "New_York" in moved(MOVED, START + HOUR, "Europe/Vienna", last_said=START + MINUTE)


async def test_months_and_questions_about_days_are_of_the_zone_in_which_it_was_said(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        before = await here.say("The ferry was late.")
        home = await here.memory.places.move(here.domain, "Pacific/Kiritimati", here.clock.now() + MINUTE)
        here.clock.forward(2 * MINUTE)
        view = here.memory.view(home)
        assert iso(before.said_at, view.home.time_zone).endswith("+00:00")
        assert iso(here.clock.now(), view.home.time_zone).endswith("+14:00")
        hits = await view.recall.messages("what about the ferry on 3 March?", 5)
        assert [hit.exchange.text for hit in hits] == ["The ferry was late."]
