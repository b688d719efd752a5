"""The port to the processes that share one memory: a store on a server has it, a file has none."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

EVERYTHING = "*"
"""What is heard where anything may have been missed."""
WRITTEN = "domain "
"""What is called, with its key behind it, of a domain that was written."""
Heard = Callable[[Collection[str]], None]


@dataclass(frozen=True, slots=True)
class Lease:
    """One unit of several that is this process's until it ends; the fence is higher than that of whoever had it before."""

    unit: int
    units: int
    fence: int


class Peers(Protocol):
    """This process among those that share a memory.

    What they call to each other only saves time: whoever hears nothing finds everything by looking.
    """

    @property
    def lapsed(self) -> asyncio.Event:
        """Set once others go on with the work of this process: nothing that it writes is kept any more."""
        ...

    async def join(self, role: str) -> None:
        """Be one of them in a role from now on, until the database is closed. Raises the errors of `Database`."""
        ...

    async def lease(self, name: str, units: int) -> Lease | None:
        """Have one of so many units of a name until this process ends, where nobody living has all of them.

        Of those who hold some, all hold of as many: who asks for another number gets one of theirs.
        """
        ...

    async def slot(self, name: str, a_second: float) -> float:
        """Take the next of so many turns a second that all of them have together; return in how many seconds it is."""
        ...

    def call(self, *words: str) -> None:
        """Call words to the others, soon, together with what else is called meanwhile."""
        ...

    def listen(self, heard: Heard) -> None:
        """Have something told what the others call, or `EVERYTHING` where a call may have been missed."""
        ...
