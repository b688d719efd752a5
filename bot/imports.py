"""Lazy imports of modules that are slow to load and not always needed."""

from importlib import import_module
from typing import Any


def imported(name: str) -> Any:
    """Import a module, or an attribute of one, given as "module" or "module:name". Raises ImportError."""
    module, _, defined = name.partition(":")
    found = import_module(module)
    return getattr(found, defined) if defined else found
