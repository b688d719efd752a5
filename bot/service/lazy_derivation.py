"""Lazy loading of derivation, so that commands that only read do not wait for its imports."""

from typing import TYPE_CHECKING

from bot.imports import imported
from memory.core import Memory

if TYPE_CHECKING:
    from memory.deriving import Deriving


def deriving(memory: Memory) -> "Deriving":
    """Return the derivation of a memory: digests, the tiers above them, banks and dreams."""
    made: Deriving = imported("memory.deriving:Deriving")(memory)
    return made
