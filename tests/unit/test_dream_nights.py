"""Nights: one for each date of a place's own calendar, whatever its clocks do and however seldom anybody looks."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.dream import schedule
from memory.text.time.times import iso, local
from memory.types import SECOND
from tests.kits.memory_kit import DAY, HOUR, utc
from tests.kits.size import TORTURE, examples, few
from tests.kits.tabled import tabled

AT = time(3, 30)
ODD_HOURS = [time(0, 0), time(0, 30), time(1, 30), time(2, 0), time(2, 30), time(23, 30), time(23, 59)]
EPOCH = date(1970, 1, 1)
ZONES = sorted(available_timezones())
# Those whose clocks do something of their own, and one in six of the others; all of them under LYRA_TORTURE=1.
ODD = {"Pacific/Apia", "Australia/Lord_Howe", "Africa/Casablanca", "America/Caracas", "Asia/Pyongyang", "Pacific/Chatham"}
WALKED = ZONES if TORTURE else sorted({*ZONES[::18], *ODD})
DECADES = {2006: (utc("2006-01-01"), utc("2016-01-01")), 2026: (utc("2026-01-01"), utc("2036-01-01"))}


@dataclass(frozen=True, slots=True)
class Even:
    """A while in which clocks go on evenly, so far from UTC."""

    begins: int
    ends: int
    offset: int


def offset(zone: str, at: int) -> int:
    """Return how far a zone's clocks are from UTC."""
    return (local(at, zone).utcoffset() or timedelta()) // timedelta(microseconds=1)


def whiles(zone: str, first: int, last: int) -> Iterator[Even]:
    """Find each change of a zone's clocks, to the second."""
    begins, was = first, offset(zone, first)
    for before in range(first, last, 5 * DAY):
        after = min(before + 5 * DAY, last)
        is_now = offset(zone, after)
        if is_now == was:
            continue
        while after - before > SECOND:
            middle = (before + after) // (2 * SECOND) * SECOND
            before, after = (before, middle) if offset(zone, middle) == is_now else (middle, after)
        yield Even(begins, after, was)
        begins, was = after, is_now
    yield Even(begins, last, was)


@cache
def clocks(decade: int) -> list[tuple[str, tuple[Even, ...]]]:
    """Return every zone with its clocks of ten years; of those that show the same throughout, one is enough."""
    known = {zone: tuple(whiles(zone, *DECADES[decade])) for zone in WALKED}
    same = known if TORTURE else {evens: zone for zone, evens in reversed(known.items())}.values()
    return [(zone, known[zone]) for zone in same]


def calendar(evens: Sequence[Even], at: time, first: int, last: int) -> dict[str, int]:
    """Return the dates that clocks show, each with the instant at which its night has to begin, where that is in between."""
    shown: set[int] = set()
    for even in evens:
        begins, ends = max(even.begins, first - 2 * DAY), min(even.ends, last + 1)
        shown.update(range((begins + even.offset) // DAY, (ends + even.offset - 1) // DAY + 1))
    found: dict[str, int] = {}
    n = 0
    for day in sorted(shown):
        wall = day * DAY + (at.hour * 60 + at.minute) * 60 * SECOND
        while n < len(evens) - 1 and wall - evens[n].offset >= evens[n].ends:
            n += 1
        begins = wall - evens[n].offset
        if n and begins < evens[n].begins:
            begins = wall - evens[n - 1].offset
        if first <= begins <= last:
            found[(EPOCH + timedelta(days=day)).isoformat()] = begins
    return found


def around(evens: Sequence[Even], hours: int) -> Iterator[list[int]]:
    """Return the hours around each change of clocks."""
    return ([before.ends + n * HOUR for n in range(-hours, hours + 1)] for before, _ in pairwise(evens))


def dreamt(zone: str, at: time, ticks: Sequence[int]) -> dict[str, int]:
    """Look at each of these instants whether a night is due, and dream it; return when each was dreamt."""
    found: dict[str, int] = {}
    done = ""
    for now in ticks:
        night = schedule.due_night(now, zone, at, done, ticks[0])
        if night:
            assert night > done, f"{night} again in {zone}"
            found[night] = now
            done = night
    return found


@pytest.mark.parametrize("decade", few(sorted(DECADES, reverse=True)))
def test_for_ten_years_every_date_of_every_time_zone_has_its_one_night_at_its_hour(decade: int) -> None:
    first, last = DECADES[decade]
    for zone, evens in clocks(decade):
        ticks = sorted({*range(first, last, 23 * HOUR), *(tick for hours in around(evens, 26) for tick in hours)})
        nightly, expected = dreamt(zone, AT, ticks), calendar(evens, AT, first, ticks[-1])
        assert list(nightly) == list(expected), zone
        for night, now in nightly.items():
            assert now == ticks[bisect_left(ticks, expected[night])], f"{zone}: {night} was not dreamt when first somebody looked"


def changes() -> Iterator[tuple[str, Sequence[Even], list[int]]]:
    """Return the two days before and after each kind of change that each zone knows."""
    for zone, evens in clocks(2006):
        seen = set()
        for ticks, (before, after) in zip(around(evens, 48), pairwise(evens), strict=True):
            kind = (before.offset, after.offset, (before.ends + before.offset) % DAY)
            if kind not in seen or TORTURE:
                seen.add(kind)
                yield zone, evens, ticks


@pytest.mark.parametrize("at", ODD_HOURS, ids=str)
def test_a_night_at_the_hour_that_clocks_skip_or_show_twice_is_dreamt_once(at: time) -> None:
    for zone, evens, ticks in changes():
        nightly, expected = dreamt(zone, at, ticks), calendar(evens, at, ticks[0], ticks[-1])
        assert list(nightly) == list(expected), f"{zone} around {iso(ticks[48], zone)}"
        assert all(nightly[night] >= begins for night, begins in expected.items()), f"{zone}: before its hour"


def test_a_rule_that_goes_by_the_hour_alone_would_miss_some_nights_and_dream_others_twice() -> None:
    times: Counter[int] = Counter()
    for zone, evens, ticks in changes():
        rung = Counter(local(now, zone).date().isoformat() for now in ticks if local(now, zone).hour == AT.hour)
        times.update(rung[night] for night in calendar(evens, AT, ticks[0] + HOUR, ticks[-1] - HOUR))
    assert times[0] and times[2] and times[1] > times[0] + times[2], times


@pytest.mark.parametrize(("zone", "night", "at", "begins"), tabled("dreams", "nights"))
def test_a_night_begins_behind_the_hour_that_is_skipped_and_in_the_first_that_comes_twice(
    zone: str, night: str, at: str, begins: str
) -> None:
    assert iso(schedule.night_begins(date.fromisoformat(night), zone, time.fromisoformat(at)), zone) == begins


@pytest.mark.parametrize("at", [AT, *ODD_HOURS], ids=str)
def test_the_friday_that_samoa_skipped_has_no_night(at: time) -> None:
    first = utc("2011-12-28 12:00")
    nightly = dreamt("Pacific/Apia", at, range(first, first + 6 * DAY, HOUR // 4))
    assert [night for night in nightly if "2011-12-29" <= night <= "2012-01-01"] == ["2011-12-29", "2011-12-31", "2012-01-01"]


def test_of_the_nights_of_a_week_in_which_the_machine_was_off_one_is_caught_up() -> None:
    on, off = utc("2026-03-03 12:00"), utc("2026-03-25 22:00")
    ticks = [*range(on, on + 2 * DAY, HOUR), *range(off, off + 2 * DAY, HOUR)]
    nightly = dreamt("Europe/Vienna", AT, ticks)
    assert list(nightly) == ["2026-03-04", "2026-03-05", "2026-03-25", "2026-03-26", "2026-03-27"]
    assert nightly["2026-03-25"] == off, "at once"


def test_a_night_that_began_before_the_place_was_known_is_nobodys() -> None:
    began = utc("2026-03-03 03:30")
    assert schedule.due_night(began + HOUR, "UTC", AT, "", began + 1) == ""
    assert schedule.due_night(began + HOUR, "UTC", AT, "", began) == "2026-03-03"
    assert schedule.due_night(began + DAY, "UTC", AT, "", began + 1) == "2026-03-04"


Rule = Callable[[int, str, time, str, int], str]
Moves = Sequence[tuple[str, int]]


def by_another_date(now: int, zone: str, at: time, done: str, since: int) -> str:
    """Return the night of the present date wherever it is another than the last that was dreamt."""
    night = schedule.newest_night(now, zone, at).isoformat()
    return night if night != done else ""


def moving(moves: Moves, rule: Rule) -> list[str]:
    """Return the nights of a place whose time zone changes, each for so many hours."""
    found = [""]
    now = since = utc("2026-03-03 12:00")
    for zone, hours in moves:
        for _ in range(hours):
            night = rule(now, zone, AT, found[-1], since)
            found += [night] if night else []
            now += HOUR
    return found[1:]


def test_a_place_that_moves_west_or_east_never_dreams_a_date_twice() -> None:
    there = ("Pacific/Kiritimati", 48)
    moves: Moves = [there, ("Pacific/Honolulu", 48), there, ("Pacific/Pago_Pago", 24), ("UTC", 48)]
    assert moving(moves, schedule.due_night) == [f"2026-03-{day:02}" for day in range(4, 13)]
    naive = moving(moves, by_another_date)
    assert len(naive) > len(set(naive)), "the order of dates is what keeps it from that"


@settings(max_examples=examples(50))
@given(st.lists(st.tuples(st.sampled_from(ZONES), st.integers(1, 50)), min_size=2, max_size=8))
def test_wherever_a_place_moves_its_nights_ascend_and_never_fall_out_for_longer_than_a_move_explains(moves: Moves) -> None:
    nightly = [date.fromisoformat(night) for night in moving([*moves, ("UTC", 72)], schedule.due_night)]
    assert all(one < next_ for one, next_ in pairwise(nightly))
    assert all(next_ - one <= timedelta(days=3) for one, next_ in pairwise(nightly))
    assert len(nightly) >= 2, "and after three days at one place they are dreamt again"


@settings(max_examples=examples(80))
@given(st.integers(0, 130 * 365 * 24 * 60), st.sampled_from(ZONES), st.times(), st.integers(0, 4 * 24 * 60))
def test_at_any_moment_anywhere_the_newest_night_is_due_until_it_is_dreamt_and_then_no_more(
    minute: int, zone: str, at: time, later: int
) -> None:
    now = minute * 60 * SECOND
    night = schedule.due_night(now, zone, at, "", now - 4 * DAY)
    assert night and schedule.night_begins(date.fromisoformat(night), zone, at) <= now
    assert schedule.due_night(now, zone, at, night, 0) == ""
    after = schedule.due_night(now + later * 60 * SECOND, zone, at, night, 0)
    assert after == "" or after > night
    assert after or later < 2 * 24 * 60, "two days later there is another"
