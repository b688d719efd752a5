"""The state of a question while its times are parsed."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from memory.index.when.codes import Code
from memory.index.when.elements import ELEMENT, ELEMENTS
from memory.index.when.expressions import Expression, alone
from memory.index.when.tokens import TimeTokens

ANY = "(?:UNDERSTOOD | [MONTH YEAR SEASON FEAST QUARTER WEEKDAY SHORT_WEEKDAY SHORT_DATE])=*"
"""Anything that names a time, alone or in combination."""

Handler = Callable[["Parse", re.Match[str]], Expression | None]


@dataclass(slots=True)
class Parse:
    """The codes of a question, in which a parsed expression is a Z followed by an = for each further word.

    A # is not a time, a space is part of the result; so each position in the codes stays the position of a word. `pieces` maps
    the position of each Z to its expression, `found` holds the spans of the result.
    """

    tokens: TimeTokens
    codes: str
    pieces: dict[int, Expression] = field(default_factory=dict)
    found: list[tuple[int, int, Expression]] = field(default_factory=list)

    @classmethod
    def of(cls, tokens: TimeTokens) -> "Parse":
        """Return a parse with all self-contained expressions recognized."""
        reading = cls(tokens, tokens.codes)
        for m in ELEMENT.finditer(tokens.codes):
            assert m.lastgroup is not None
            piece = ELEMENTS[m.lastgroup][1](tokens, m.start(), m.end())
            if piece is None:
                reading._mark(m.start(), m.end(), Code.NO_TIME, Code.NO_TIME)
            else:
                reading.pieces[m.start()] = piece
                # A weekday with a part of the day still needs a word that sets it apart from "my Monday morning routine".
                reading._mark(m.start(), m.end(), Code.WEEKDAY if m.lastgroup == "weekday" else Code.UNDERSTOOD)
        return reading

    def piece(self, at: int) -> Expression | None:
        """Return the expression at a position: the parsed one, or the meaning of the single word."""
        return self.pieces.get(at) or alone(self.tokens, at)

    def join(self, pattern: re.Pattern[str], handler: Handler) -> None:
        """Replace each match by its combined expression; skip matches that the handler rejects."""
        for m in pattern.finditer(self.codes):
            if piece := handler(self, m):
                self.pieces[m.start()] = piece
                self._mark(m.start(), m.end(), Code.UNDERSTOOD)

    def take(self, pattern: re.Pattern[str], handler: Handler) -> None:
        """Move the expressions of all matches into the result."""
        for m in pattern.finditer(self.codes):
            if piece := handler(self, m):
                self.found.append((m.start(), m.end(), piece))
                self._mark(m.start(), m.end(), Code.TAKEN, Code.TAKEN)

    def _mark(self, start: int, end: int, first: str, more: str = Code.MORE) -> None:
        self.codes = self.codes[:start] + first + more * (end - start - 1) + self.codes[end:]
