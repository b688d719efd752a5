"""Compiled translations beside this file, loaded once when their language is first read."""

import gettext
from functools import cache
from pathlib import Path

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "lyra"
VOICE = "voice"
"""The catalogue of the offline voice, which speaks more languages than the program."""


@cache
def catalogue(language: str, domain: str = DOMAIN) -> gettext.NullTranslations:
    """Return the translations for a language code; without any, the English of the code."""
    return gettext.translation(domain, LOCALE, [language], fallback=True)
