"""Quotations: somebody's words on one line, with who said them and when."""

import re
from contextlib import suppress
from datetime import date

from localization.current_language import ENGLISH, reading
from localization.formatting import day

ENDINGS = tuple(".!?…。！？")
"""What ends a sentence."""
_DOUBLE = re.compile(r'["“”„‟″]')


def one_line(text: str) -> str:
    """Collapse all white space in a text to single spaces."""
    return " ".join(text.split())


def quoted(text: str) -> str:
    """Return text in double quotes on one line; double quotes within it become single typographic ones."""
    line = one_line(text)
    return '"' + _DOUBLE.sub(lambda m: "‘" if m.start() == 0 or line[m.start() - 1] in " ([-—" else "’", line) + '"'


def closed(sentence: str) -> str:
    """Return a sentence that ends in a quote, with a full stop unless the quote ends with its own."""
    return sentence if sentence[-2:-1] in ENDINGS else sentence + "."


def named(speaker: str) -> str:
    """Return a speaker's name on one line, "someone" if there is none."""
    return one_line(speaker) or "someone"


def introduction(speaker: str, said_at: str) -> str:
    """Return what introduces a quotation, with the day of an ISO 8601 instant if it has one: On 20 November 2026 Ada said: ."""
    on = english_day(said_at)
    return f"On {on} {named(speaker)} said: " if on else f"{named(speaker)} said: "


def english_day(said_at: str) -> str:
    """Return the day of an ISO 8601 instant: 3 March 2026; '' if it has none."""
    with suppress(ValueError), reading(ENGLISH):
        return day(date.fromisoformat(said_at[:10]))
    return ""
