"""Numbers as people write them."""

from importlib import import_module
from typing import Any

from localization import current_language

_LOCALES = {"en": "en_GB"}
"""English with days before months, and hours up to 24, as Lyra writes it."""
_GROUPED = 1000


def cldr(module: str) -> Any:
    """Return a module of Babel, loaded with its first use."""
    # Its package and `babel.core` import each other: a thread that began with a module of it would lock out one that began with it.
    import_module("babel")
    return import_module(f"babel.{module}")


def locale(language: str = "") -> str:
    """Return the CLDR locale of a language, by default of the current one."""
    code = language or current_language.current()
    return _LOCALES.get(code, code)


def number(n: float, language: str = "", digits: int = 0) -> str:
    """Format a number with grouped thousands, by default in the current language: 1,200 or 1.200."""
    # CLDR is slow to load, so it is used only where its result would differ.
    if isinstance(n, int) and abs(n) < _GROUPED:
        return str(n)
    if (language or current_language.current()) == current_language.ENGLISH:
        return f"{n:,.{digits}f}"
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    text: str = cldr("numbers").format_decimal(n, pattern, locale=locale(language))
    return text


def compact(n: float) -> str:
    """Format a large number briefly: 12K, or 12.000 in languages without a short form."""
    text: str = cldr("numbers").format_compact_decimal(n, locale=locale())
    return number(int(text)) if text.isdigit() else text


def signed(n: float, digits: int) -> str:
    """Format a number with its sign: +0.50 or +0,50."""
    return ("+" if n >= 0 else "") + number(float(n), digits=digits)
