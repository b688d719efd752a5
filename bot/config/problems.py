"""Wording of invalid configuration values: pydantic reports them in English and in its own terms."""

import re
from collections.abc import Mapping
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any

from localization.sentences import Sentence, _, lazy, marked

_PATTERNS: Mapping[str, Sentence] = {
    "night": lazy("a time such as 03:30, or nothing for no night"),
    "quiet": lazy("two times such as 22:00-08:00, or nothing for no quiet hours"),
    "log_level": lazy("debug, info, warning or error"),
}
"""What a value that must match a pattern may be."""
_WHOLE, _NUMBER, _TRUTH = lazy("a whole number"), lazy("a number"), lazy("true or false")
_TEXT, _LIST, _SECTION = lazy("text in quotation marks"), lazy("a list in square brackets"), lazy("a section of its own")
_TYPES: Mapping[str, Sentence] = {
    "int_type": _WHOLE, "int_parsing": _WHOLE, "int_from_float": _WHOLE, "float_type": _NUMBER, "float_parsing": _NUMBER, "finite_number": lazy("a finite number"),
    "bool_type": _TRUTH, "bool_parsing": _TRUTH, "string_type": _TEXT, "list_type": _LIST, "dict_type": _SECTION,
    "model_type": _SECTION, "model_attributes_type": _SECTION,
}  # fmt: skip
_AT = re.compile(r"at line (?P<line>\d+), column (?P<column>\d+)")
_TWICE = re.compile(r"Cannot (?:overwrite|declare)")
_BOUNDS: Mapping[str, str] = {
    "ge": marked("at least {limit}"), "gt": marked("more than {limit}"), "le": marked("at most {limit}"), "lt": marked("less than {limit}"),
    "min_length": marked("no shorter than {limit}"), "max_length": marked("no longer than {limit}"),
}  # fmt: skip
"""What a value beyond its bounds should be."""


def not_toml(path: Path, text: str, error: TOMLDecodeError) -> Sentence:
    """Return what keeps a file from being TOML, and where; the parser gives the reason in English only."""
    at, reason = _AT.search(str(error)), str(error)
    if _TWICE.match(reason):
        line = at["line"] if at else text.rstrip().count("\n") + 1
        return lazy("{path} has a key or a section for the second time in line {line}.", path=path, line=line)
    if at:
        return lazy("{path} is not TOML in line {line}, at character {column}.", path=path, line=at["line"], column=at["column"])
    return lazy("{path} is not TOML: something is missing at its end.", path=path)


def wrong(found: Any) -> str:
    """Return what a value should be, from one of pydantic's errors."""
    kind, context = found["type"], found.get("ctx", {})
    if kind == "string_pattern_mismatch":
        return str(_PATTERNS[found["loc"][-1]])
    if kind == "missing":
        return _("is missing")
    if kind == "literal_error":
        return _("one of {values}", values=str(context["expected"]).replace("'", '"').replace(" or ", ", "))
    if kind in _TYPES:
        return str(_TYPES[kind])
    if bound := next((name for name in _BOUNDS if name in context), ""):
        return _(_BOUNDS[bound], limit=context[bound])
    # The sections' own messages are in the reader's language already.
    return str(found["msg"]).removeprefix("Value error, ")
