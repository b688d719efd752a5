"""A platform's clock, as far as its answers tell it.

What people say has the platform's time. Where this machine's clock is ahead by an hour, as after it was set to local time, all of that
would seem an hour old.
"""

import time
from email.utils import parsedate_to_datetime

_SECOND = 1_000_000
_LEAST = 120 * _SECOND
"""Less than this is no difference: a Date has whole seconds, and an answer takes a while."""
_STEADY = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""A clock that nobody sets, and that goes on while the machine sleeps, where the system has one."""


class PlatformClock:
    """The clock of a platform, by the Date of its newest answer (RFC 9110, section 6.6.1). Times are microseconds UTC."""

    def __init__(self) -> None:
        self._noted: tuple[int, int] | None = None

    def note(self, date: str | None) -> None:
        """Take in the Date of an answer; one that is missing or cannot be read changes nothing."""
        try:
            instant = parsedate_to_datetime(date or "").timestamp()
        except (ValueError, OverflowError):
            return
        self._noted = (int(instant * _SECOND), _elapsed())

    def time_of(self, now: int) -> int:
        """Return the platform's time while this machine's clock says `now`: the same, where they hardly differ or none is known."""
        if self._noted is None:
            return now
        told, then = self._noted
        there = told + _elapsed() - then
        return there if abs(now - there) >= _LEAST else now


def _elapsed() -> int:
    return time.clock_gettime_ns(_STEADY) // 1000
