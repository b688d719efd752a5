"""The current language, per task rather than per process."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module

ENGLISH = "en"
LANGUAGES: Mapping[str, str] = {ENGLISH: "english", "de": "german"}
"""The supported languages: code to English name."""

_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_read: ContextVar[str] = ContextVar("language", default=ENGLISH)


def current() -> str:
    """Return the code of the current language."""
    return _read.get()


def read_in(code: str) -> None:
    """Set the language of this task and of the tasks it starts."""
    _read.set(code)


@contextmanager
def reading(code: str) -> Iterator[None]:
    """Use a language within the block, or the current one for ''; concurrent tasks are not affected."""
    before = _read.set(code or _read.get())
    try:
        yield
    finally:
        _read.reset(before)


def language_code(name: str) -> str:
    """Return the code of a language given as de, de-AT, de_DE.UTF-8 or German; '' if unsupported."""
    short = name.strip().casefold().replace("_", "-").split(".")[0].split("-")[0]
    return next((code for code, called in LANGUAGES.items() if short in (code, called)), "")


def language_name(code: str) -> str:
    """Return a language's own name: Deutsch."""
    name: str = import_module("babel").Locale(code).display_name
    return name


def of_environment(variables: Mapping[str, str]) -> str:
    """Return the language code that the environment asks for, English if it names no supported one."""
    value = next((variables[name] for name in _VARIABLES if variables.get(name)), "")
    return language_code(value) or ENGLISH
