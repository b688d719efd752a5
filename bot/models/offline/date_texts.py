"""Dates and times as Lyra writes them, the same on every machine: 3 March 2026, 21:04."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def written(day: date) -> str:
    """Return a date in full: 3 March 2026."""
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def day_of(local: str) -> str:
    """Return the written date of a local ISO 8601 string, empty where it holds none."""
    try:
        return written(date.fromisoformat(local[:10]))
    except ValueError:
        return ""


def moment(said_at: int, now: int, time_zone: str) -> str:
    """Return when something was said as seen from now: today at 21:04, yesterday at 09:10, on 3 March 2026 at 21:04.

    Both instants are microseconds UTC. An unknown time zone counts as UTC.
    """
    zone = _zone(time_zone)
    then, today = _local(said_at, zone), _local(now, zone).date()
    day = {today: "today", today - timedelta(days=1): "yesterday"}.get(then.date(), f"on {written(then)}")
    return f"{day} at {then:%H:%M}"


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: a name that is a folder of the zone database
        return UTC


def _local(instant: int, zone: tzinfo) -> datetime:
    return (_EPOCH + timedelta(microseconds=instant)).astimezone(zone)
