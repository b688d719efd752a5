"""Tables of what is said and what it means: the sets under tests/sets/words, a file a subject, a table a test."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_SETS = Path(__file__).parents[1] / "sets" / "words"


@cache
def _of(subject: str) -> dict[str, Any]:
    return tomllib.loads((_SETS / f"{subject}.toml").read_text("utf-8"))


def tabled(subject: str, table: str) -> Any:
    """Return a table of a subject: its rows, its texts, or what it maps; a list in it is a tuple."""
    found = _of(subject)[table]
    return {name: _fixed(one) for name, one in found.items()} if isinstance(found, dict) else _fixed(found)


def _fixed(value: Any) -> Any:
    return tuple(map(_fixed, value)) if isinstance(value, list) else value
