"""Instants and the calendar: microseconds UTC inside, a domain's time zone for people."""

import time
from datetime import UTC, datetime, timedelta

from memory.text.time.zones import zone

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_DAY, _LAST_DAY = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)

END = 253_402_300_800_000_000
"""The first instant of the year 10000, which is after everything that can be told."""


class SystemClock:
    """The system clock."""

    def now(self) -> int:
        """Return the current instant in microseconds UTC."""
        return time.time_ns() // 1_000


def local(instant: int, time_zone: str) -> datetime:
    """Return an instant as an aware local time; one outside the calendar becomes its first or last day."""
    try:
        return (_EPOCH + timedelta(microseconds=instant)).astimezone(zone(time_zone))
    except OverflowError:
        return (_FIRST_DAY if instant < 0 else _LAST_DAY).astimezone(zone(time_zone))


def instant(moment: datetime) -> int:
    """Return an aware time as microseconds UTC, exactly."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def month(at: int, time_zone: str) -> str:
    """Return the calendar month of an instant, as 2026-11."""
    return local(at, time_zone).strftime("%Y-%m")


def month_start(period: str, time_zone: str) -> int:
    """Return the instant at which a calendar month, as 2026-11, begins."""
    return instant(datetime(int(period[:4]), int(period[5:7]), 1, tzinfo=zone(time_zone)))


def months_within(start: int, end: int, time_zone: str, most: int) -> list[str]:
    """Return the calendar months, as 2026-11, that lie entirely between two instants: the first `most` of them."""
    first = local(start, time_zone)
    found: list[str] = []
    for number in range(first.year * 12 + first.month - 1, 9999 * 12):
        begins, ends = (instant(datetime(at // 12, at % 12 + 1, 1, tzinfo=zone(time_zone))) for at in (number, number + 1))
        if ends > end or len(found) == most:
            break
        found += [f"{number // 12:04}-{number % 12 + 1:02}"] * (begins >= start)
    return found


def iso(at: int, time_zone: str) -> str:
    """Return an instant as ISO 8601 with offset, with microseconds only where there are any."""
    return local(at, time_zone).isoformat()


def iso_minute(at: int, time_zone: str) -> str:
    """Return an instant as local time in ISO 8601, to the minute, as 2026-11-27T21:04."""
    return local(at, time_zone).replace(tzinfo=None).isoformat(timespec="minutes")
