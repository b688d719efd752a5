"""Loads what takes time and only some need, when they need it."""

from importlib import import_module
from typing import Any


def imported(name: str) -> Any:
    """Return a module, or what it defines, given as "module" or "module:name". Raises ImportError."""
    module, _, defined = name.partition(":")
    found = import_module(module)
    return getattr(found, defined) if defined else found
