"""Timing of a connection. Tests bring their own."""

from dataclasses import dataclass

from adapters.pace import Patience


@dataclass(frozen=True, slots=True)
class Pace(Patience):
    """Waits, in seconds.

    `poll` is the long-poll timeout of a sync, `stale` how long after the last answer places count as unknown, `keys` how
    long to wait for the key to a message.
    """

    poll: float = 30.0
    stale: float = 90.0
    keys: float = 20.0
