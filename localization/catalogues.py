"""The catalogues: compiled translations beside this file, each read once, when its language is."""

import gettext
from functools import cache
from pathlib import Path

LOCALE = Path(__file__).parent / "locale"
DOMAIN = "lyra"
VOICE = "voice"
"""The sentences of the offline voice, which speaks more languages than the program."""


@cache
def catalogue(language: str, domain: str = DOMAIN) -> gettext.NullTranslations:
    """Return the translations into a language, by its code; English, as it stands in the code, where there are none."""
    return gettext.translation(domain, LOCALE, [language], fallback=True)
