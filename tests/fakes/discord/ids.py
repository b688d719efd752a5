"""Ids that tell when a thing was made, and never repeat."""

import time
from datetime import UTC, datetime

_EPOCH = 1_420_070_400_000


class Ids:
    """Makes snowflakes. Without a time given, each is greater than all before it."""

    def __init__(self) -> None:
        self._last = 0
        self._serial = 0

    def next(self, at: datetime | None = None) -> int:
        """The next id; with a time, one that was made then."""
        self._serial += 1
        if at is not None:
            return ((int(at.timestamp() * 1000) - _EPOCH) << 22) | (self._serial & 0x3FFFFF)
        self._last = max(self._last + 1, (int(time.time() * 1000) - _EPOCH) << 22)
        return self._last

    def of_shard(self, shard: int, shards: int) -> int:
        """The next id of a server that is on one of so many shards."""
        number = self.next()
        while (number >> 22) % shards != shard:
            number += 1 << 22
        self._last = number
        return number


def made_at(number: int) -> datetime:
    """When the thing with that id was made."""
    return datetime.fromtimestamp(((number >> 22) + _EPOCH) / 1000, UTC)
