"""The months of a memory: quiet ones stand between others, and a date far off opens no thousand of them."""

from pathlib import Path

import pytest

from memory.types import Kind, NewExchange
from tests.kits.memory_kit import at_home, utc

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
