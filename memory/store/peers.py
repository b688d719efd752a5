"""The port to the processes that share one memory: a store on a server has it, a file has none."""

import asyncio
from collections.abc import Callable, Collection
from typing import Protocol

EVERYTHING = "*"
"""What is heard where anything may have been missed."""
WRITTEN = "domain "
"""What is called, with its key behind it, of a domain that was written."""
Heard = Callable[[Collection[str]], None]


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

    def call(self, *words: str) -> None:
        """Call words to the others, soon, together with what else is called meanwhile."""
        ...

    def listen(self, heard: Heard) -> None:
        """Have something told what the others call, or `EVERYTHING` where a call may have been missed."""
        ...
