"""Days, ISO weeks and the months of the bank: each moment lies in exactly one of each, wherever people live."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.text.time import periods
from memory.text.time.times import instant, local
from tests.kits.memory_kit import HOUR
from tests.kits.size import examples
from tests.kits.tabled import tabled

ZONES = [
    *("UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "America/Sao_Paulo", "Pacific/Kiritimati"),
    *("Pacific/Apia", "Pacific/Pago_Pago", "Asia/Kathmandu", "Asia/Gaza", "Australia/Lord_Howe", "Africa/Casablanca"),
]
few = settings(max_examples=examples(75))
dates = st.dates(date(1970, 2, 1), date(2199, 12, 1))
moments = st.integers(0, 7_000_000_000).map(lambda seconds: seconds * 1_000_000)


def held(period: str) -> list[date]:
    """Return the dates of a period."""
    first, last = periods.days(period)
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


@pytest.mark.parametrize(("day", "week", "month"), tabled("periods", "weeks"))
def test_a_day_lies_in_its_iso_week_and_that_in_the_month_of_its_thursday(day: str, week: str, month: str) -> None:
    assert periods.upward(day) == [day, week, month]
    assert [periods.rung(period) for period in periods.upward(day)] == ["day", "week", "month"]
    assert periods.above(month) == ""


@few
@given(dates)
@example(date(2020, 12, 31))
@example(date(2021, 1, 1))
def test_rungs_partition_time_without_overlap_or_hole(day: date) -> None:
    only, week, month = periods.upward(day.isoformat())
    assert held(only) == [day]
    for period in (week, month):
        assert day in held(period)
        first, last = periods.days(period)
        before, behind = first - timedelta(days=1), last + timedelta(days=1)
        for neighbour in (before, behind):
            assert period not in periods.upward(neighbour.isoformat()), "what is outside lies in another"
        inner = periods.below(period)
        assert [one for part in inner for one in held(part)] == held(period), "the parts are the whole, in order, each once"
        assert {periods.above(part) for part in inner} == {period}
    assert len(periods.below(week)) == 7 and len(periods.below(month)) in (4, 5)
    assert periods.below(only) == []


@few
@given(moments, st.sampled_from(ZONES), st.integers(0, 99))
def test_a_conversation_lies_in_the_day_on_which_it_began_where_people_live(at: int, zone: str, position: int) -> None:
    period = periods.conversation(at, zone, "abc", position)
    assert periods.rung(period) == "conversation"
    assert periods.above(period) == local(at, zone).date().isoformat()
    assert periods.days(period) == periods.days(local(at, zone).date().isoformat())
    assert periods.period_label(period) == local(at, zone).isoformat()[:16]


@pytest.mark.parametrize("zone", ZONES)
def test_through_a_year_of_changing_clocks_each_hour_lies_in_one_day_of_one_week_of_one_month(zone: str) -> None:
    start = instant(datetime(2010, 12, 20, tzinfo=ZoneInfo("UTC")))
    seen: dict[str, list[int]] = {}
    for hour in range(400 * 24):
        seen.setdefault(local(start + hour * HOUR, zone).date().isoformat(), []).append(hour)
    assert sum(len(hours) for hours in seen.values()) == 400 * 24
    assert all(hours == list(range(hours[0], hours[-1] + 1)) for hours in seen.values())
    assert list(seen) == sorted(seen)
    assert {len(hours) for hours in list(seen.values())[1:-1]} <= {22, 23, 24, 25, 26}


def test_the_hour_that_comes_twice_lies_in_one_day_and_is_two_conversations() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    first, second = (instant(datetime(2026, 10, 25, 2, 30, fold=fold, tzinfo=berlin)) for fold in (0, 1))
    one, other = (periods.conversation(at, "Europe/Berlin", "abc", n) for n, at in enumerate((first, second)))
    assert second - first == HOUR and one != other
    assert periods.above(one) == periods.above(other) == "2026-10-25"


def test_every_zone_tells_every_moment_a_day() -> None:
    for zone in sorted(available_timezones()):
        for at in (0, 951_782_400_000_000, 1_772_539_200_000_000):
            assert abs(date.fromisoformat(local(at, zone).date().isoformat()) - local(at, "UTC").date()) <= timedelta(days=1)


@few
@given(dates, dates)
def test_keys_of_a_rung_are_in_order_of_time(one: date, other: date) -> None:
    for first, second in zip(periods.upward(one.isoformat()), periods.upward(other.isoformat()), strict=True):
        assert (first < second) == (periods.days(first) < periods.days(second))


@pytest.mark.parametrize(
    ("period", "age", "today", "old"),
    [
        ("2026-03-03", 1, "2026-03-04", False),
        ("2026-03-03", 1, "2026-03-05", True),
        ("2026-W10", 7, "2026-03-15", False),
        ("2026-W10", 7, "2026-03-16", True),
        ("2026-03", 30, "2026-04-28", False),
        ("2026-03", 30, "2026-04-29", True),
    ],
)
def test_a_period_is_old_when_all_of_it_lies_further_back(period: str, age: int, today: str, old: bool) -> None:
    assert periods.older_than(period, age, date.fromisoformat(today)) is old
