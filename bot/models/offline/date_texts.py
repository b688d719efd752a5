"""Dates and times as Lyra writes them, independent of the machine's locale: 3 March 2026, 21:04."""

from datetime import UTC, date, datetime, tzinfo
from zoneinfo import ZoneInfoNotFoundError

from memory.text.time.times import local
from memory.text.time.zones import zone

MONTHS = (
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


def written(day: date) -> str:
    """Return a date in full: 3 March 2026."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def day_of(iso: str) -> str:
    """Return the date of a local ISO 8601 string in full, '' if it has none."""
    try:
        return written(date.fromisoformat(iso[:10]))
    except ValueError:
        return ""


def local_time(instant: int, time_zone: str) -> datetime:
    """Return an instant (microseconds UTC) in a time zone; an unknown zone counts as UTC."""
    return local(instant, known_zone(time_zone))


def known_zone(name: str) -> str:
    """Return the name of a time zone, UTC for an unknown one."""
    return getattr(_zone(name), "key", "UTC")


def _zone(name: str) -> tzinfo:
    try:
        return zone(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder in the zone database
        return UTC
