"""Time zones, and sequences of them: what was said before somebody moved keeps the zone in which it was said.

A zone is written as its IANA name; a sequence as "Europe/Vienna@1772539200000000 America/New_York": each past zone with the
instant, in microseconds UTC, until which it applies.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNTIL, _THEN = "@", " "


class Zones(tzinfo):
    """A sequence of zones, each but the last valid until an instant."""

    def __init__(self, before: list[tuple[datetime, ZoneInfo]], now: ZoneInfo) -> None:
        self._before = before
        self._now = now

    @property
    def key(self) -> str:
        """The zones as written."""
        past = (f"{zone.key}{_UNTIL}{(until - _EPOCH) // timedelta(microseconds=1)}" for until, zone in self._before)
        return _THEN.join([*past, self._now.key])

    def fromutc(self, moment: datetime) -> datetime:
        """Return an instant in the zone of that time, as an aware time of that zone, so that repeated hours are unambiguous."""
        instant = moment.replace(tzinfo=UTC)
        return instant.astimezone(next((zone for until, zone in self._before if instant < until), self._now))

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        """Return the UTC offset of a local time."""
        return self._at(moment).utcoffset(moment.replace(tzinfo=None)) if moment else None

    def dst(self, moment: datetime | None) -> timedelta | None:
        """Return the DST offset of a local time."""
        return self._at(moment).dst(moment.replace(tzinfo=None)) if moment else None

    def tzname(self, moment: datetime | None) -> str | None:
        """Return the zone's abbreviation at a local time."""
        return self._at(moment).tzname(moment.replace(tzinfo=None)) if moment else None

    def _at(self, moment: datetime) -> ZoneInfo:
        """Return the zone of a local time: of one that a move repeated or skipped the zone before it, with a fold the one after."""
        for (until, zone), then in zip(self._before, [*(zone for _, zone in self._before[1:]), self._now], strict=True):
            over, begun = (moment.replace(tzinfo=one) >= until for one in (zone, then))
            if not (over and begun) and not ((over or begun) and moment.fold):
                return zone
        return self._now


@lru_cache(maxsize=64)
def zone(name: str) -> ZoneInfo | Zones:
    """Return the zone or sequence of zones of this spelling. Raises ZoneInfoNotFoundError."""
    *before, now = name.split(_THEN)
    if not before:
        return ZoneInfo(now)
    return Zones([(_until(one), ZoneInfo(one.partition(_UNTIL)[0])) for one in before], ZoneInfo(now))


def _until(past: str) -> datetime:
    return _EPOCH + timedelta(microseconds=int(past.partition(_UNTIL)[2]))


def current(name: str) -> str:
    """Return the current zone, the last of a sequence."""
    return name.rpartition(_THEN)[2]


def moved(name: str, at: int, to: str, *, last_said: int) -> str:
    """Return a sequence of zones extended by another from an instant on.

    A zone in which nothing was said is dropped, judging by `last_said`, the instant of the last message.
    """
    before = name.split(_THEN)
    began = int(before[-2].partition(_UNTIL)[2]) if len(before) > 1 else None
    if began is None or last_said >= began:
        return f"{name}{_UNTIL}{at}{_THEN}{to}"
    *older, last, _ = before
    if last.partition(_UNTIL)[0] == to:
        return _THEN.join([*older, to])
    return _THEN.join([*older, last, to])
