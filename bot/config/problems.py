"""Wording of invalid configuration values: pydantic reports them in English and in its own terms."""

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any, get_args

from pydantic import BaseModel

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


def problem(found: Any, settings: type[BaseModel]) -> str:
    """Return where in the file, whose keys are those of `settings`, a value is wrong, and how, from one of pydantic's errors."""
    where = ".".join(str(step) for step in found["loc"])
    if found["type"] == "extra_forbidden":
        return _('unknown key "{where}"', where=where) + _instead(found["loc"], settings)
    return f'"{where}": {wrong(found)}' if where else wrong(found)


def _instead(loc: tuple[Any, ...], settings: type[BaseModel]) -> str:
    """Return a hint at what an unknown key may have meant: a key of its section, or the same key elsewhere."""
    key = str(loc[-1])
    if near := difflib.get_close_matches(key, _keys_of_section(loc, settings), 1):
        return _(' (did you mean "{near}"?)', near=near[0])
    if key in settings.model_fields and key not in _sections(settings):
        return _(' ("{key}" stands at the top of the file, before the first section)', key=key)
    places = [name for name, section in _sections(settings).items() if key in section.model_fields]
    return _(' ("{key}" stands in [{section}])', key=key, section=places[0]) if len(places) == 1 else ""


def _keys_of_section(loc: tuple[Any, ...], settings: type[BaseModel]) -> list[str]:
    section = settings
    for step in loc[:-1]:
        # The name of a model or a person leads to no other section.
        if step in section.model_fields:
            section = _section(section.model_fields[step].annotation) or section
    return list(section.model_fields)


def _sections(settings: type[BaseModel]) -> dict[str, type[BaseModel]]:
    found = {name: _section(field.annotation) for name, field in settings.model_fields.items()}
    return {name: section for name, section in found.items() if section}


def _section(annotation: Any) -> type[BaseModel] | None:
    """Return the section that a key holds, alone or under names; None for a value."""
    kinds = (annotation, *get_args(annotation))
    return next((one for one in kinds if isinstance(one, type) and issubclass(one, BaseModel)), None)
