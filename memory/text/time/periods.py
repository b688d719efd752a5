"""The bank's calendar: a conversation belongs to a day, a day to an ISO week, a week to the month of its Thursday.

A period is identified by a key: '2026-03-03', '2026-W10', '2026-03'. A conversation's key starts with the local time at which
it began and ends with what distinguishes it from others of that minute, so that the keys of a rung sort by time. Containment
follows from the keys alone: an entry stays in its day even if the time zone changes later.
"""

from datetime import date, timedelta

from memory.text.time.times import local

CONVERSATION, DAY, WEEK, MONTH = RUNGS = ("conversation", "day", "week", "month")
_THURSDAY = 4


def conversation(began_at: int, time_zone: str, session: str, position: int) -> str:
    """Return the key of a conversation: its start, the session's public id, and its number in the session."""
    return f"{local(began_at, time_zone).isoformat(timespec='minutes')[:16]}/{session}/{position}"


def week(of: date) -> str:
    """Return the ISO week of a date; its year is that of the week's Thursday."""
    year, number, _ = of.isocalendar()
    return f"{year:04}-W{number:02}"


def rung(period: str) -> str:
    """Return the rung of a period."""
    if "T" in period:
        return CONVERSATION
    if "W" in period:
        return WEEK
    return DAY if len(period) == len("2026-03-03") else MONTH


def period_label(period: str) -> str:
    """Return a period as shown to people and models: for a conversation, its start."""
    return period.partition("/")[0]


def above(period: str) -> str:
    """Return the period one rung up that contains a period; '' for a month, which is the last."""
    match rung(period):
        case "conversation":
            return period[: len("2026-03-03")]
        case "day":
            return week(date.fromisoformat(period))
        case "week":
            return _in_week(period, _THURSDAY).isoformat()[: len("2026-03")]
    return ""


def upward(period: str) -> list[str]:
    """Return a period followed by the periods that contain it, smallest first."""
    found = [period]
    while higher := above(found[-1]):
        found.append(higher)
    return found


def days(period: str) -> tuple[date, date]:
    """Return the first and last day of a period. A month of the bank begins on a Monday and ends on a Sunday."""
    match rung(period):
        case "week":
            return _in_week(period, 1), _in_week(period, 7)
        case "month":
            weeks = below(period)
            return _in_week(weeks[0], 1), _in_week(weeks[-1], 7)
    only = date.fromisoformat(period[: len("2026-03-03")])
    return only, only


def below(period: str) -> list[str]:
    """Return the days of a week, or the weeks of a month, in order; [] for other periods, whose parts have no known keys."""
    match rung(period):
        case "week":
            return [_in_week(period, number).isoformat() for number in range(1, 8)]
        case "month":
            first = date.fromisoformat(f"{period}-01")
            starts = (first + timedelta(days=7 * n) for n in range(-1, 6))
            return list(dict.fromkeys(week(start) for start in starts if above(week(start)) == period))
    return []


def older_than(period: str, age: int, today: date) -> bool:
    """Return whether all of a period lies more than `age` days back."""
    return days(period)[1] < today - timedelta(days=age)


def _in_week(period: str, number: int) -> date:
    year, _, name = period.partition("-W")
    return date.fromisocalendar(int(year), int(name), number)
