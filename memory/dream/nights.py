"""Which night it is: one for each date of a place's own calendar, whatever its clocks do.

A night begins at a time of the day. Where the clocks skip that time it begins as long after the jump as it lies behind it;
where they show it twice, it begins at the first. A date that a place skipped has none.
"""

from datetime import date, datetime, time, timedelta

from memory.text.times import instant, local, zone

_FAR_ENOUGH = 4


def begins(day: date, time_zone: str, at: time) -> int:
    """Return the instant at which the night of a date begins."""
    return instant(datetime.combine(day, at, zone(time_zone)))


def last(now: int, time_zone: str, at: time) -> date:
    """Return the date of the newest night that has begun."""
    tomorrow = local(now, time_zone).date() + timedelta(days=1)
    # Where a date went back over midnight, tomorrow's night may have begun.
    days = (tomorrow - timedelta(days=back) for back in range(_FAR_ENOUGH + 1))
    return next(day for day in days if begins(day, time_zone, at) <= now)


def due(now: int, time_zone: str, at: time, done: str, since: int) -> str:
    """Return the date, as 2026-11-20, of the night to be dreamt, '' where there is none.

    `done` is the newest that was dreamt, '' for none; nights that began before `since` are nobody's. Of several that were
    missed the newest stands for all.
    """
    night = last(now, time_zone, at)
    if begins(night, time_zone, at) < since:
        return ""
    return night.isoformat() if night.isoformat() > done else ""
