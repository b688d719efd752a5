"""Which language is read just now: that of one task, never of the whole process."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module

ENGLISH = "en"
LANGUAGES: Mapping[str, str] = {ENGLISH: "english", "de": "german"}
"""The languages that there are sentences in, by their codes, and what they are called in English."""

_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_read: ContextVar[str] = ContextVar("language", default=ENGLISH)


def current() -> str:
    """Return the code of the language that is read just now."""
    return _read.get()


def read_in(code: str) -> None:
    """Have this language be read from now on, in this task and in those that it starts."""
    _read.set(code)


@contextmanager
def reading(code: str) -> Iterator[None]:
    """Have a language be read within the block, '' for the one that is read already; whoever runs beside it keeps theirs."""
    before = _read.set(code or _read.get())
    try:
        yield
    finally:
        _read.reset(before)


def known(name: str) -> str:
    """Return the code of a language that is given as de, de-AT, de_DE.UTF-8 or German; '' where there are no sentences in it."""
    short = name.strip().casefold().replace("_", "-").split(".")[0].split("-")[0]
    return next((code for code, called in LANGUAGES.items() if short in (code, called)), "")


def called(code: str) -> str:
    """Return what a language calls itself: Deutsch."""
    name: str = import_module("babel").Locale(code).display_name
    return name


def of_environment(variables: Mapping[str, str]) -> str:
    """Return the code of the language that an environment asks for, English where it names none that there is."""
    asked = next((variables[name] for name in _VARIABLES if variables.get(name)), "")
    return known(asked) or ENGLISH
