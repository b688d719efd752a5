"""The port to the processes sharing one memory; implemented by server stores, None for a file."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

EVERYTHING = "*"
"""The call that stands for any that may have been missed."""
WRITTEN = "domain "
"""The prefix, before a domain's key, of the call that the domain was written."""
Heard = Callable[[Collection[str]], None]


@dataclass(frozen=True, slots=True)
class Lease:
    """One of several units, held by this process until it ends; the fence is above every earlier holder's."""

    unit: int
    units: int
    fence: int


class Peers(Protocol):
    """This process among those that share a memory.

    Calls between them only save time: a process that misses one finds everything by polling.
    """

    @property
    def lapsed(self) -> asyncio.Event:
        """Set once other processes take over this one's work: nothing it writes is kept any more."""

    async def join(self, role: str) -> None:
        """Join in a role until the database is closed. Raises the errors of `Database`."""

    async def lease(self, name: str, units: int) -> Lease | None:
        """Lease one of `units` units of a name until this process ends; None if living processes hold all of them.

        All current holders share one number of units: a process that asks for another number leases one of theirs.
        """

    async def slot(self, name: str, a_second: float) -> float:
        """Reserve the next of `a_second` turns per second shared by all processes; return the seconds until then."""

    def call(self, *words: str) -> None:
        """Send calls to the other processes soon, batched with other pending ones."""

    def listen(self, heard: Heard) -> None:
        """Add a handler of others' calls; it gets `EVERYTHING` when a call may have been missed."""
