"""What was said at a time, in its order, as this view may know it; quiet months stand between others."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.forget.gone import ForgottenScope, add
from memory.index.when.values import Window
from memory.text.time.times import instant, local, month, months_within
from memory.types import Kind, NewExchange
from tests.flow.test_views import two
from tests.kits.ladder_kit import PAIRS, Teller, climbed
from tests.kits.memory_kit import DAY, HOUR, START, Corner, among, aside, at_home, utc

EVER = Window(0, START + 999 * DAY)


async def told(here: Corner, window: Window = EVER, k: int = 9, speaker: str = "") -> list[str]:
    """Return the texts of a time, of a speaker's alone if one is given."""
    hits = await (here.view.recall.lookup("", k, window, speaker, "") if speaker else here.view.recall.during(window, k))
    return [hit.exchange.text for hit in hits]


async def test_what_was_said_at_a_time_comes_in_its_order(tmp_path: Path) -> None:
    async with among(tmp_path) as here:
        for hour, line in enumerate(("Ana: later", "Bob: now", "Lyra: a reply", "Ana: first", "Ana: before")):
            await aside(here, line, at=START - hour * HOUR, place="dm")
        window = Window(START - 3 * HOUR, START + 1)
        assert await told(here, window) == ["first", "now", "later"]
        assert await told(here, window, speaker="ana") == ["first", "later"]
        assert await told(here, window, speaker="Zoe") == []
        (hit,) = await here.view.recall.during(Window(START - HOUR, START), 9)
        assert (hit.before and hit.before.text, hit.after and hit.after.text) == ("a reply", "later")


async def test_of_much_some_from_all_over_it_is_told(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for n in range(100):
            await here.say(str(n))
        assert await told(here, k=5) == ["0", "25", "50", "74", "99"]


async def test_nothing_is_told_of_elsewhere_or_of_what_is_gone(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        ada, bob = await two(here)
        assert await told(ada) == ["Ada's parrot is green"]
        beside = here.memory.view(ada.domain, [bob.domain])
        assert len(await beside.recall.during(EVER, 9)) == 2, "what may be read is"
        async with here.memory.db.transaction() as tx:
            await add(tx, ada.domain, ForgottenScope(), here.clock.now())
        assert await told(ada) == []


async def test_the_months_of_a_time_are_those_that_lie_wholly_in_it(tmp_path: Path) -> None:
    async with at_home(tmp_path, habits=PAIRS) as here:
        for day, text in (("2025-03-04", "it snows"), ("2025-05-02", "the boat was bought"), ("2025-05-20", "it leaks")):
            await here.say(text, at=utc(day))
        await climbed(here, Teller())

        async def paragraphs(start: str, end: str) -> list[str]:
            return [one.text for one in await here.view.digests.months(Window(utc(start), utc(end)))]

        assert await paragraphs("2025-05-01", "2025-06-01") == ["the boat was bought", "it leaks"]
        assert await paragraphs("2025-03-01", "2025-06-01") == ["it snows", "the boat was bought", "it leaks"]
        assert await paragraphs("2025-05-02", "2025-07-01") == []


@given(
    st.integers(0, 4_000_000_000_000_000),
    st.integers(0, 400 * DAY),
    st.sampled_from(["UTC", "Europe/Berlin", "Pacific/Auckland"]),
)
def test_months_within_a_time_are_counted_by_the_calendar(start: int, length: int, zone: str) -> None:
    found = months_within(start, start + length, zone, 99)
    days = {local(at, zone).replace(hour=0, minute=0, second=0, microsecond=0) for at in range(start, start + length, DAY)}
    firsts = {day for day in days if day.day == 1 and start <= instant(day)}
    ended = {month(instant(day), zone) for day in firsts if day.month != local(start + length, zone).month or length > 60 * DAY}
    assert found == sorted(found)
    assert set(found) <= {month(instant(day), zone) for day in firsts}
    assert ended - set(found) <= {month(start + length, zone)}


FAR = ["1970-01", "2025-11", "2025-12", "2026-01", "2026-02", "9999-12"]


@pytest.mark.parametrize(
    ("said", "months"),
    [
        ([], []),
        ([(2026, 3)], ["2026-03"]),
        ([(2025, 11), (2026, 2)], FAR[1:5]),
        ([(1970, 1), (2025, 11), (2026, 2), (9999, 12)], FAR),
    ],
)
async def test_quiet_months_stand_between_others_and_a_date_far_off_opens_none(
    tmp_path: Path, said: list[tuple[int, int]], months: list[str]
) -> None:
    async with at_home(tmp_path) as here:
        new = [
            NewExchange(Kind.SAID, "tea", f"m{n}", utc(f"{year}-{month:02}-10"), "ada") for n, (year, month) in enumerate(said)
        ]
        await here.view.say(here.session, new)
        found = await here.view.calendar.months()
        assert [one.period for one in found] == months[::-1]
        assert sum(one.messages for one in found) == len(said)


async def test_the_longest_silence_that_is_shown_is_two_years(tmp_path: Path) -> None:
    async with at_home(tmp_path) as here:
        for n, (year, month) in enumerate(((2020, 1), (2022, 2), (2024, 4))):
            await here.view.say(here.session, [NewExchange(Kind.SAID, "tea", f"m{n}", utc(f"{year}-{month:02}-10"), "ada")])
        assert len(await here.view.calendar.months()) == 1 + 24 + 1 + 1
