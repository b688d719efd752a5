"""Timing of the connection. Tests bring their own."""

from dataclasses import dataclass

from adapters.pace import Patience


@dataclass(frozen=True, slots=True)
class Pace(Patience):
    """Waits, in seconds.

    `ready` is how long the last server may be late after a start; `patience` is how long a lost connection may take to come
    back before a new one is made.
    """

    ready: float = 2.0
    patience: float = 180.0
