"""Lazy imports of modules that are slow to load and not always needed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory.core import Memory
    from memory.deriving import Deriving


def imported(name: str) -> Any:
    """Import a module, or an attribute of one, given as "module" or "module:name". Raises ImportError."""
    module, _, defined = name.partition(":")
    found = import_module(module)
    return getattr(found, defined) if defined else found


def deriving(memory: "Memory") -> "Deriving":
    """Return what derives from a memory (digests, the tiers above them, banks, dreams), imported only now."""
    made: Deriving = imported("memory.deriving:Deriving")(memory)
    return made
