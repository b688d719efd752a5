"""The sentences and clauses of a text, in any language."""

import re

from memory.text.lazy_patterns import lazy_pattern
from memory.text.quotations import ENDINGS, one_line

# Each begins with the one character before it: a set of first characters is what is searched for fastest.
_MARK = lazy_pattern(
    r"""[.!?…\n。！？؟।॥"„“「](?:
      (?<=[.!?…])(?<![.!?…]{2}) [.!?…]*+ ["'”’»)\]*_]*+ (?=\s|$)
    | (?<=\n) \n*+
    | (?<=[。！？؟।॥]) [。！？؟।॥]*+ [”」』）)]*+
    # A quotation within a sentence is passed over as a whole.
    | (?P<quotation>
        (?<=["„“])(?<=[\w,;:(]\s.) [^"„“”\n]{1,700} ["“”](?!\w)
      | (?<=["„“])(?<!\w.) [^"„“”\n]{1,700} ["“”](?=\s[a-zà-ÿ])
      | (?<=「) [^「」\n]{1,700} 」
      )
    )""",
    re.VERBOSE,
)
_CLOSING = "\"'”’»“」』）)]*_"
_ABBREVIATIONS = frozenset("mr. mrs. ms. dr. prof. st. vs. approx. nr. ca. bzw.".split())
_MAY_END = frozenset("a.m. p.m. etc. usw.".split())
"""Abbreviations that end a sentence unless a small letter follows."""
_INITIALS = lazy_pattern(r"(?!i\.$)(?:[^\W\d]\.)+")
_NUMBER = lazy_pattern(r"(?:\d{1,2}\.)?\d{1,2}\.")
_BEFORE_ORDINALS = frozenset("am im der dem den des vom zum bis seit die das".split())
_MONTH = lazy_pattern(r"(?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b")
_BETWEEN_CLAUSES = lazy_pattern(r"[,;:](?:\s+|$)|\s-+\s|[–—](?!\d)|[、，；：،؛]|\b(?:and|but|und|aber|sondern|y|pero|et|mais)\b")


def sentences(text: str) -> list[str]:
    """Split a text into its sentences, each on one line; a quotation within a sentence is not split."""
    found, start = list[str](), 0
    for mark in _MARK.finditer(text):
        end = mark.end()
        if mark[0][0] == "\n" or not _goes_on(text, start, mark):
            found.append(text[start:end])
            start = end
    found.append(text[start:])
    return [line for line in map(one_line, found) if line]


def clauses(text: str) -> list[str]:
    """Split the sentences of a text at commas, colons, dashes, and words for "and" and "but"."""
    return [part for one in sentences(text) for part in map(str.strip, _BETWEEN_CLAUSES.split(one)) if part]


def _goes_on(text: str, start: int, mark: re.Match[str]) -> bool:
    """Return whether the sentence that begins at `start` goes on after a mark, or a quotation, that may end it."""
    said, end = mark[0], mark.end()
    after = text[end : end + 12]
    following = after.lstrip()
    if said == ".":
        return _is_inner_stop(text[start:end], following)
    if mark["quotation"] and not (after[:1].strip() == "" and said.rstrip(_CLOSING).endswith(ENDINGS)):
        return True
    return said[-1] in _CLOSING and following[:1].islower()


def _is_inner_stop(said: str, following: str) -> bool:
    """Return whether the full stop at the end of what was said is of an abbreviation, or of the number of a day or an item."""
    words = said[-24:].lower().split()
    word = words[-1].lstrip('("„“')
    if word in _MAY_END:
        return following[:1].islower()
    if word in _ABBREVIATIONS or _INITIALS.fullmatch(word):
        return True
    if not _NUMBER.fullmatch(word):
        return False
    if following[:1].islower() or following[:1].isdigit() or _MONTH.match(following):
        return True
    is_ordinal = not _BEFORE_ORDINALS.isdisjoint(words[-2:-1]) and words[-3:-1] != ["i", "am"]
    return is_ordinal or not said[: -len(word)].strip("#*- \n\t")
