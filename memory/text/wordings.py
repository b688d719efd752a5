"""Wordings kept in data files: regular expressions, in which the name of a part in braces stands for that part."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_PART = re.compile(r"\{([A-Z_]+)\}")


@cache
def read_wordings(module: str, **given: str) -> Mapping[str, Any]:
    """Return the contents of the TOML file beside the file of a module, with all parts filled in, in keys as well.

    Its table "parts", if there is one, names the parts besides those that are given. One may name earlier ones; one that lists words by
    their meanings stands for all of these words.
    """
    listed = tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))
    parts = dict(given)
    for part, said in listed.get("parts", {}).items():
        parts[part] = "|".join(" ".join(said.values()).split()) if isinstance(said, dict) else _filled(said, parts)
    return {key: _filled(value, parts) for key, value in listed.items()}


def any_of(said: Mapping[str, str]) -> str:
    """Return the wordings of some languages as alternatives of one regular expression."""
    return "|".join(said.values())


def _filled(value: Any, parts: Mapping[str, str]) -> Any:
    match value:
        case dict():
            return {_filled(key, parts): _filled(one, parts) for key, one in value.items()}
        case list():
            return [_filled(one, parts) for one in value]
        case str():
            return _PART.sub(lambda found: parts[found[1]], value)
    return value
