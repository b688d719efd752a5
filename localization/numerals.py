"""Numbers as people write them."""

from importlib import import_module

from localization import languages

_LOCALES = {"en": "en_GB"}
"""Lyra's English tells days before months, and hours up to 24."""
_GROUPED = 1000


def locale(language: str = "") -> str:
    """Return the name under which CLDR has a language, by default the one that is read."""
    code = language or languages.current()
    return _LOCALES.get(code, code)


def number(n: float, language: str = "", digits: int = 0) -> str:
    """Return a number with its thousands in groups, in a language, by default the one that is read: 1,200 or 1.200."""
    # CLDR takes its time to load, and is asked only where it would say something else.
    if isinstance(n, int) and abs(n) < _GROUPED:
        return str(n)
    if (language or languages.current()) == languages.ENGLISH:
        return f"{n:,.{digits}f}"
    pattern = "#,##0" + ("." + "0" * digits if digits else "")
    said: str = import_module("babel.numbers").format_decimal(n, pattern, locale=locale(language))
    return said


def compact(n: float) -> str:
    """Return a large number in a few characters: 12K, or 12.000 where a language has no short word for it."""
    said: str = import_module("babel.numbers").format_compact_decimal(n, locale=locale())
    return number(int(said)) if said.isdigit() else said


def signed(n: float, digits: int, language: str = "") -> str:
    """Return a number with its sign: +0.50 or +0,50."""
    return ("+" if n >= 0 else "") + number(float(n), language, digits)
