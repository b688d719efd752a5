"""Answers that count without an end: "1, 2, 3, 4, …", or lines that differ in nothing but their number."""

import re

_NUMBER = re.compile(r"\d{1,6}(?=\D[\s\S])")
_ENDS_IN_DIGITS = re.compile(r"\d{1,6}\D?$")
_AFTER_NUMBER = re.compile(r"[.)][^\S\n]")
_LETTER = re.compile(r"[^\W\d_]")
_BARE_SHOWN, _BARE_MOST = 20, 200
_SAME_SHOWN, _SAME_MOST = 3, 1_000
_MOST_ITEMS = 1_000


class Uncounted:
    """A text that comes in pieces, up to where it begins to count without an end.

    Two hundred numbers in a row with nothing between them are shown up to the twentieth, a thousand lines that are the same but for
    their number up to the third, and a numbered list ends after a thousand items. What may become such a row is held until it is known.
    """

    def __init__(self) -> None:
        self.ended = False
        self._text = ""
        self._given = 0
        self._at = 0
        self._last: tuple[int, int] | None = None
        self._gap: str | None = None
        self._starts: list[int] = []
        self._item = 0

    def feed(self, piece: str) -> str:
        """Take a piece, and return what can be shown by now."""
        if self.ended:
            return ""
        self._text += piece
        for number in _NUMBER.finditer(self._text, self._at):
            self._at = number.end()
            self._follow(int(number.group()), number.start(), number.end())
            if self.ended:
                return self._give(self._end())
        counts = len(self._starts) >= self._shown[0] or self._item >= _MOST_ITEMS
        digits = _ENDS_IN_DIGITS.search(self._text, max(self._at, len(self._text) - 7)) if counts else None
        return self._give(min(self._end(), digits.start() if digits else len(self._text)))

    def rest(self) -> str:
        """Return what was held at the end of the text: all of it, unless it counted on."""
        return "" if self.ended else self._give(len(self._text))

    @property
    def _shown(self) -> tuple[int, int]:
        same = self._gap is not None and _LETTER.search(self._gap)
        return (_SAME_SHOWN, _SAME_MOST) if same else (_BARE_SHOWN, _BARE_MOST)

    def _follow(self, number: int, start: int, end: int) -> None:
        gap = self._text[self._last[1] : start] if self._last else ""
        if self._last and number == self._last[0] + 1 and self._gap in (None, gap):
            self._gap = gap
            self._starts.append(start)
        else:
            self._gap, self._starts = None, [start]
        self._last = (number, end)
        line = self._text.rfind("\n", 0, start) + 1
        if not self._text[line:start].strip() and _AFTER_NUMBER.match(self._text, end):
            self._item = self._item + 1 if number == self._item + 1 else 1 if number == 1 else 0
        self.ended = len(self._starts) >= self._shown[1] or self._item > _MOST_ITEMS

    def _end(self) -> int:
        shown, _ = self._shown
        if self._item > _MOST_ITEMS:
            return self._starts[-1]
        if len(self._starts) <= shown:
            return len(self._text)
        return self._starts[shown]

    def _give(self, end: int) -> str:
        given, self._given = self._given, max(self._given, end)
        return self._text[given : self._given]
