"""A question while its times are being understood."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from memory.index.when.codes import Code
from memory.index.when.elements import ELEMENT, ELEMENTS
from memory.index.when.expressions import Expression, alone
from memory.index.when.tokens import Tokens

ANY = "(?:UNDERSTOOD | [MONTH YEAR SEASON FEAST QUARTER WEEKDAY SHORT_WEEKDAY SHORT_DATE])=*"
"""Whatever names a time, by itself or in company."""

Handler = Callable[["Parse", re.Match[str]], Expression | None]


@dataclass(slots=True)
class Parse:
    """The codes of a question, in which what was understood is Z, with an = for every word more.

    A # means no time, a blank is part of the result; so each place in the codes stays the place of a word. `pieces` has the
    meaning of each Z, `found` where the parts of the result stand.
    """

    tokens: Tokens
    codes: str
    pieces: dict[int, Expression] = field(default_factory=dict)
    found: list[tuple[int, int, Expression]] = field(default_factory=list)

    @classmethod
    def of(cls, tokens: Tokens) -> "Parse":
        """Return a question with those times understood that need no company."""
        reading = cls(tokens, tokens.codes)
        for m in ELEMENT.finditer(tokens.codes):
            assert m.lastgroup is not None
            piece = ELEMENTS[m.lastgroup][1](tokens, m.start(), m.end())
            if piece is None:
                reading._mark(m.start(), m.end(), Code.NO_TIME, Code.NO_TIME)
            else:
                reading.pieces[m.start()] = piece
                # A weekday with a part of the day still needs a word that tells it from "my Monday morning routine".
                reading._mark(m.start(), m.end(), Code.WEEKDAY if m.lastgroup == "weekday" else Code.UNDERSTOOD)
        return reading

    def piece(self, at: int) -> Expression | None:
        """Return what stands at a place: what was understood there, or the meaning of the one word."""
        return self.pieces.get(at) or alone(self.tokens, at)

    def join(self, pattern: re.Pattern[str], handler: Handler) -> None:
        """Put in place of each match what it means together; leave those that mean nothing together."""
        for m in pattern.finditer(self.codes):
            if piece := handler(self, m):
                self.pieces[m.start()] = piece
                self._mark(m.start(), m.end(), Code.UNDERSTOOD)

    def take(self, pattern: re.Pattern[str], handler: Handler) -> None:
        """Take what matches mean into the result."""
        for m in pattern.finditer(self.codes):
            if piece := handler(self, m):
                self.found.append((m.start(), m.end(), piece))
                self._mark(m.start(), m.end(), Code.TAKEN, Code.TAKEN)

    def _mark(self, start: int, end: int, first: str, more: str = Code.MORE) -> None:
        self.codes = self.codes[:start] + first + more * (end - start - 1) + self.codes[end:]
