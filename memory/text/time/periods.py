"""The calendar of the bank: a conversation lies in a day, a day in an ISO week, a week in the month of its Thursday.

A period is a key: '2026-03-03', '2026-W10', '2026-03'. That of a conversation begins with the local time at which it began
and ends with what tells it from others of that minute, so that keys of one rung are in order of time. Which period lies in
which follows from the keys alone: what was noted once stays in its day, whatever zone its times are told in later.
"""

from collections.abc import Iterable
from datetime import date, timedelta

from memory.text.time.times import local

CONVERSATION, DAY, WEEK, MONTH = RUNGS = ("conversation", "day", "week", "month")
_THURSDAY = 4


def conversation(began_at: int, time_zone: str, session: str, position: int) -> str:
    """Return the key of a conversation: when it began, the session's public id, and its number there."""
    return f"{local(began_at, time_zone).isoformat(timespec='minutes')[:16]}/{session}/{position}"


def day(at: int, time_zone: str) -> str:
    """Return the local day of an instant."""
    return local(at, time_zone).date().isoformat()


def week(of: date) -> str:
    """Return the ISO week of a date; its year is that of the week's Thursday."""
    year, number, _ = of.isocalendar()
    return f"{year:04}-W{number:02}"


def rung(period: str) -> str:
    """Return which rung a period is of."""
    if "T" in period:
        return CONVERSATION
    if "W" in period:
        return WEEK
    return DAY if len(period) == len("2026-03-03") else MONTH


def shown(period: str) -> str:
    """Return a period as people and models see it: of a conversation, when it began."""
    return period.partition("/")[0]


def above(period: str) -> str:
    """Return the period of the next rung that a period lies in; '' for a month, which is the last."""
    match rung(period):
        case "conversation":
            return period[: len("2026-03-03")]
        case "day":
            return week(date.fromisoformat(period))
        case "week":
            return _in_week(period, _THURSDAY).isoformat()[: len("2026-03")]
    return ""


def upward(period: str) -> list[str]:
    """Return a period and those that it lies in, the lowest first."""
    found = [period]
    while higher := above(found[-1]):
        found.append(higher)
    return found


def days(period: str) -> tuple[date, date]:
    """Return the first and the last day of a period. A month of the bank begins on a Monday and ends on a Sunday."""
    match rung(period):
        case "week":
            return _in_week(period, 1), _in_week(period, 7)
        case "month":
            weeks = below(period)
            return _in_week(weeks[0], 1), _in_week(weeks[-1], 7)
    only = date.fromisoformat(period[: len("2026-03-03")])
    return only, only


def below(period: str) -> list[str]:
    """Return the days of a week, or the weeks of a month, in order; [] for what is not made of periods with known keys."""
    match rung(period):
        case "week":
            return [_in_week(period, number).isoformat() for number in range(1, 8)]
        case "month":
            first = date.fromisoformat(f"{period}-01")
            starts = (first + timedelta(days=7 * n) for n in range(-1, 6))
            return _distinct(week(start) for start in starts if above(week(start)) == period)
    return []


def older_than(period: str, age: int, today: date) -> bool:
    """Say whether all of a period lies more than `age` days back."""
    return days(period)[1] < today - timedelta(days=age)


def _in_week(period: str, number: int) -> date:
    year, _, name = period.partition("-W")
    return date.fromisocalendar(int(year), int(name), number)


def _distinct(keys: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(keys))
