"""Receipts that a model invents: what stands before the lines of its prompt, written before lines of its own."""

import re

_ISO = r"\d{4}-\d\d-\d\dT\d\d:\d\d[\d:.+Z-]*"
_DAY = r"(?:[^\W\d]+, )?\d{1,2} [^\W\d]+ \d{4} \d\d:\d\d"
_MARKS = r"(?:[|>]+\s*)*"
# [m1] 2026-11-20T21:04+01:00 · Ada |, and 20 November 2026 21:04, Ada:
_SOURCE = rf"(?:\[[^][\n]*\]\s*)?{_ISO}\s*(?:·[^|:\n]{{1,40}}(?:[|:]|$))?"
_QUOTED = rf"{_DAY}, [^|:\n]{{1,40}}:"
_OF_A_DIGEST = re.compile(rf"^{_MARKS}(?:(?:{_SOURCE}|{_QUOTED})\s*)*")
_LABEL = r"\[[a-gm-s]\d{1,3}\](?!\(|:)"
_OF_AN_ANSWER = re.compile(rf"^(?:{_MARKS}(?:{_SOURCE.removesuffix('?')}|{_QUOTED}|{_LABEL})[^\S\n]*)+")
# What such a receipt can have begun as, while its line is not whole yet.
_BEGUN = re.compile(rf"^[^\S\n]*{_MARKS}(?:\[[^][\n]*\]?[^\S\n]*)?(?:[^\W\d]+,? ?)?(?:\d{{1,4}}(?:[- ][^\n]{{0,70}})?)?$")


def unmarked(line: str) -> str:
    """Return a line of a digest without receipts and marks before it."""
    return _OF_A_DIGEST.sub("", line)


class WithoutReceipts:
    """An answer that comes in pieces, without receipts before its lines. What could be one is held until it is known."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = False

    def feed(self, piece: str) -> str:
        """Take a piece, and return what can be shown by now."""
        shown = ""
        for part in piece.splitlines(keepends=True):
            ends = part.endswith("\n")
            if self._inside:
                shown += part
            else:
                self._held += part
                shown += self._known(whole=ends)
            self._inside = self._inside and not ends
        return shown

    def rest(self) -> str:
        """Return what was held at the end of the answer."""
        return self._known(whole=True)

    def _known(self, *, whole: bool) -> str:
        if not whole and not self._held[:1].isalpha() and _BEGUN.match(self._held):
            return ""
        known, self._held, self._inside = _OF_AN_ANSWER.sub("", self._held), "", True
        return known
