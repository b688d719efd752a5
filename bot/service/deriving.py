"""What derives from memory, loaded when something is derived: who only asks does not wait for it."""

from typing import TYPE_CHECKING

from bot.imports import imported
from memory.core import Memory

if TYPE_CHECKING:
    from memory.deriving import Deriving


def deriving(memory: Memory) -> "Deriving":
    """Return what makes digests of a memory, what stands above them, banks and dreams."""
    made: Deriving = imported("memory.deriving:Deriving")(memory)
    return made
