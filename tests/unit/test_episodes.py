"""Episodes: every message falls into exactly one, by count, by silence, or at the end of a month where people live."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.core import ConsolidationRules
from memory.deriving import Deriving
from memory.text.time.times import instant, month
from memory.tiers.episodes import EpisodeCut, EpisodeRules, MessageMark, cut
from memory.types import MINUTE
from tests.kits.memory_kit import DAY, HOUR, START, Writer, at_home, said
from tests.kits.size import examples

ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
]
RULES = EpisodeRules(count=5, idle_minutes=60, least=3)
few = settings(max_examples=examples(40))


def marks(*minutes: int) -> list[MessageMark]:
    """Return messages said so many minutes after the start."""
    return [MessageMark(at, START + minute * MINUTE) for at, minute in enumerate(minutes, start=1)]


def shape(cuts: list[EpisodeCut]) -> list[tuple[int, str]]:
    """Return how long each episode is and what closed it."""
    return [(len(c.marks), c.closed_by) for c in cuts]


def local(text: str, zone: str, fold: int = 0) -> int:
    """Return the instant of a local time."""
    return instant(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold))


@pytest.mark.parametrize(
    ("minutes", "now", "closed"),
    [
        ((), 0, []),
        ((0, 1, 2), 3, []),
        ((0, 1, 2, 3, 4), 4, [(5, "count")]),
        ((0, 1, 2, 3, 4, 5), 5, [(5, "count")]),
        (tuple(range(10)), 9, [(5, "count"), (5, "count")]),
        ((0, 1, 2), 61, []),
        ((0, 1, 2), 62, [(3, "idle")]),
        ((0, 1), 10_000, []),
        ((0, 1, 2, 62), 63, [(3, "idle")]),
        ((0, 1, 2, 61), 63, []),
        ((0, 1, 500, 501), 502, []),
        ((0, 1, 500, 501), 561, [(4, "idle")]),
    ],
)
def test_an_episode_closes_by_count_or_silence(minutes: tuple[int, ...], now: int, closed: list[tuple[int, str]]) -> None:
    assert shape(cut(marks(*minutes), RULES, "UTC", START + now * MINUTE)) == closed


@pytest.mark.parametrize("minutes", [(0,), (0, 1), (0, 1, 2, 3, 4, 5, 6)])
def test_asked_to_everything_is_closed(minutes: tuple[int, ...]) -> None:
    cuts = cut(marks(*minutes), RULES, "UTC", START + minutes[-1] * MINUTE, asked=True)
    assert [mark for c in cuts for mark in c.marks] == marks(*minutes)
    assert cuts[-1].closed_by == "asked"


@pytest.mark.parametrize(
    ("zone", "before", "after"),
    [
        ("UTC", "2026-03-31T23:59:59", "2026-04-01T00:00:00"),
        ("Pacific/Kiritimati", "2026-03-31T23:59:59", "2026-04-01T00:00:01"),
        ("Pacific/Pago_Pago", "2026-03-31T23:59:59", "2026-04-01T00:00:01"),
        ("Europe/Berlin", "2026-10-31T23:59:00", "2026-11-01T00:00:30"),
        ("America/New_York", "2026-10-31T23:30:00", "2026-11-01T01:30:00"),
        ("Europe/Berlin", "2025-12-31T23:59:00", "2026-01-01T00:00:00"),
    ],
)
def test_the_end_of_a_month_closes_even_a_single_message_where_the_people_are(zone: str, before: str, after: str) -> None:
    first, second = local(before, zone), local(after, zone)
    cuts = cut([MessageMark(1, first), MessageMark(2, second)], RULES, zone, second)
    assert [(c.month, c.closed_by, len(c.marks)) for c in cuts] == [(before[:7], "month", 1)]
    assert cut([MessageMark(1, first)], RULES, zone, second) == cuts
    assert cut([MessageMark(1, first)], RULES, zone, first) == []


def test_the_same_talk_ends_its_month_elsewhere_at_another_time() -> None:
    talk = [MessageMark(1, local("2026-03-31T09:30:00", "UTC")), MessageMark(2, local("2026-03-31T10:30:00", "UTC"))]
    assert shape(cut(talk, RULES, "Pacific/Kiritimati", talk[-1].said_at)) == [(1, "month")]
    assert shape(cut(talk, RULES, "UTC", talk[-1].said_at)) == []


def test_the_hour_that_comes_twice_and_the_hour_that_never_comes_end_nothing() -> None:
    twice = [MessageMark(at, local("2026-11-01T01:30:00", "America/New_York", fold)) for at, fold in enumerate((0, 1))]
    assert cut(twice, RULES, "America/New_York", twice[-1].said_at) == []
    gap = [
        MessageMark(1, local("2026-03-29T01:59:00", "Europe/Berlin")),
        MessageMark(2, local("2026-03-29T03:00:00", "Europe/Berlin")),
    ]
    assert gap[1].said_at - gap[0].said_at == MINUTE
    assert cut(gap, RULES, "Europe/Berlin", gap[-1].said_at) == []


gaps = st.lists(st.sampled_from([0, 1, 10, 59, 60, 61, 24 * 60, 10 * 24 * 60, 31 * 24 * 60]), max_size=60)
rules = st.builds(EpisodeRules, st.integers(1, 8), st.integers(1, 120), st.integers(1, 6))


def talk(minutes: list[int]) -> list[MessageMark]:
    """Return messages with these gaps between them."""
    at = START
    out = []
    for item, gap in enumerate(minutes):
        at += gap * MINUTE
        out.append(MessageMark(item, at))
    return out


def keeps_the_rules(cuts: list[EpisodeCut], some: list[MessageMark], kept: EpisodeRules, zone: str) -> None:
    """Check that episodes are one piece after the other, none too long, each in one month, none of them closed too early."""
    flat = [mark for c in cuts for mark in c.marks]
    assert flat == some[: len(flat)], "no hole, no overlap, in order"
    for c in cuts:
        assert 1 <= len(c.marks) <= kept.count
        assert {month(mark.said_at, zone) for mark in c.marks} == {c.month}
        assert c.closed_by != "count" or len(c.marks) == kept.count
        assert c.closed_by != "idle" or len(c.marks) >= kept.least


@few
@given(gaps, rules, st.sampled_from(ZONES), st.integers(0, 3 * 24 * 60), st.booleans())
def test_episodes_share_no_message_leave_none_out_and_keep_the_rules(
    minutes: list[int], kept: EpisodeRules, zone: str, later: int, asked: bool
) -> None:
    some = talk(minutes)
    now = (some[-1].said_at if some else START) + later * MINUTE
    cuts = cut(some, kept, zone, now, asked=asked)
    keeps_the_rules(cuts, some, kept, zone)
    if asked:
        assert sum(len(c.marks) for c in cuts) == len(some)
    for c in cuts:
        if c.closed_by == "idle":
            rest = [mark.said_at for mark in some if mark.item > c.marks[-1].item]
            assert min(rest, default=now) - c.marks[-1].said_at >= kept.idle_minutes * MINUTE, "there was no silence"


@few
@given(gaps, rules, st.sampled_from(ZONES), st.integers(0, 3 * 24 * 60))
def test_cutting_again_changes_nothing(minutes: list[int], kept: EpisodeRules, zone: str, later: int) -> None:
    some = talk(minutes)
    now = (some[-1].said_at if some else START) + later * MINUTE
    done = sum(len(c.marks) for c in cut(some, kept, zone, now))
    assert cut(some[done:], kept, zone, now) == []


@few
@given(gaps, rules, st.sampled_from(ZONES), st.data())
def test_cutting_as_they_come_and_cutting_all_at_once_give_the_same(
    minutes: list[int], kept: EpisodeRules, zone: str, data: st.DataObject
) -> None:
    some = talk(minutes)
    first = data.draw(st.integers(0, len(some)))
    now = some[-1].said_at if some else START
    early = cut(some[:first], kept, zone, some[first - 1].said_at if first else START)
    rest = some[sum(len(c.marks) for c in early) :]
    both = early + cut(rest, kept, zone, now)
    assert both == cut(some, kept, zone, now)
    keeps_the_rules(both, some, kept, zone)


@pytest.mark.parametrize(("gap", "n"), [(MINUTE, 1_010), (MINUTE, 1_003), (DAY, 520)])
async def test_a_long_import_is_cut_as_if_it_had_come_message_by_message(tmp_path: Path, gap: int, n: int) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(EpisodeRules(count=20, idle_minutes=360, least=4))) as here:
        start = START - 4_000 * DAY
        messages = [said(f"message {at}", f"i{at}", start + at * gap) for at in range(n)]
        for at in range(0, n, 500):
            await here.view.say(here.session, messages[at : at + 500])
        consolidator = Deriving(here.memory).consolidator(here.domain, writer := Writer(), writer)
        await consolidator.close_episodes(here.session)
        rows = await here.memory.db.all("SELECT first_at, last_at, closed_by FROM episodes ORDER BY position")
        at_once = cut(
            [MessageMark(at, m.said_at) for at, m in enumerate(messages)], EpisodeRules(20, 360, 4), "UTC", here.clock.now()
        )
        assert [(r["first_at"], r["last_at"], r["closed_by"]) for r in rows] == [
            (c.marks[0].said_at, c.marks[-1].said_at, c.closed_by) for c in at_once
        ]
        assert await consolidator.close_episodes(here.session) == 0, "a second time there is nothing to close"


async def test_late_messages_make_episodes_of_their_own_and_closed_ones_stay(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=ConsolidationRules(RULES)) as here:
        for n in range(5):
            await here.say(f"now {n}")
        consolidator = Deriving(here.memory).consolidator(here.domain, Writer(), Writer())
        assert await consolidator.close_episodes(here.session) == 1
        late = START - 2 * HOUR
        await here.view.say(here.session, [said(f"late {n}", f"l{n}", late + n) for n in range(3)])
        assert await consolidator.close_episodes(here.session) == 1
        rows = await here.memory.db.all(
            "SELECT e.text, p.position FROM exchanges e JOIN episodes p ON p.id = e.episode ORDER BY e.item"
        )
        assert [(row["text"][:3], row["position"]) for row in rows] == [("now", 0)] * 5 + [("lat", 1)] * 3
