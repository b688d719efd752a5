"""Answers without an end: where a model runs in circles or begins another turn by itself, a text ends before that."""

import re

import numpy as np

_END = re.compile(r"\n|[.!?…。！？][\"'”’»)]*(?=\s|$)")
_ENDED = re.compile(rf"(?:{_END.pattern})\s*$")
# What ends a turn, or begins one, in the templates of chat models.
_TOKEN = re.compile(
    r"(?:</?\|(?:im_(?:end|start)|eot_id|eom_id|end|end_of_text|endoftext|start_header_id|user|assistant|system)\|>"
    r"|<(?:end|start)_of_turn>|</s>)\Z"
)
_LONGEST_TOKEN = 20
_LONGEST = 600
_TIMES = 2
_FEW, _LEAST_OF_FEW = 12, 120


class Unlooped:
    """A text that comes in pieces, up to where it runs in circles, or to a token that ends a turn.

    What is said three times in a row, of up to 600 characters, is said without end: it stays once, and the rest is dropped.
    Less than a dozen characters have to come back for longer. What may repeat something is held until it is known which it is.
    In a block of code such a token is one that is told of.
    """

    def __init__(self) -> None:
        self._text = ""
        self._given = 0
        self._sentence = 0
        self._token = -1
        # How many characters up to here are the same as those so many places before, by that distance.
        self._runs = np.zeros(_LONGEST + 1, dtype=np.int64)
        self._tail = np.zeros(_LONGEST, dtype=np.uint32)
        distances = np.arange(_LONGEST + 1)
        self._most = np.maximum(_TIMES * distances, _TIMES * _FEW)
        self._distance = 0

    @property
    def ended(self) -> bool:
        """Whether nothing more is wanted."""
        return self._distance > 0 or self._token >= 0

    def feed(self, piece: str) -> str:
        """Take a piece, and return what can be shown by now."""
        for character in piece:
            if self.ended:
                break
            self._text += character
            self._follow(ord(character))
            if character == ">" and (found := _TOKEN.search(self._text, max(0, len(self._text) - _LONGEST_TOKEN))):
                self._token = -1 if self._text.count("```") % 2 else found.start()
            elif character == "\n" or (character == " " and _ENDED.search(self._text[-4:])):
                self._sentence = len(self._text)
        return self._give(self._end())

    def rest(self) -> str:
        """Return what was held at the end of the text: all of it, unless it ended in a loop."""
        return "" if self.ended else self._give(len(self._text))

    def _follow(self, code: int) -> None:
        tail, runs = self._tail, self._runs
        # The tail holds the latest first, so that its places are distances.
        runs[1:] = np.where(tail == code, runs[1:] + 1, 0)
        tail[1:] = tail[:-1]
        tail[0] = code
        found = runs[1:] >= self._most[1:]
        if found.any():
            # What comes back at a distance does so at every multiple of it.
            distance = int((runs[1:] >= runs[1 + int(found.argmax())]).argmax()) + 1
            if distance >= _FEW or runs[distance] >= _LEAST_OF_FEW:
                self._distance = distance

    def _end(self) -> int:
        """Return up to where the text can be shown by now."""
        if self._token >= 0:
            return self._token
        if self._distance:
            return self._begun()
        length, run = len(self._text), int(self._runs.max())
        if run < _FEW and run < length - self._sentence:
            run = 0
        opened = self._text.rfind("<", max(0, length - _LONGEST_TOKEN))
        return min(length - run, opened if opened >= 0 and ">" not in self._text[opened:] else length)

    def _begun(self) -> int:
        """Return where the loop begins to repeat itself, at the end of a sentence if there is one in it."""
        at = len(self._text) - int(self._runs[self._distance])
        if _ENDED.search(self._text[max(0, at - 4) : at]):
            return at
        end = _END.search(self._text, at, at + self._distance)
        return end.end() if end else at

    def _give(self, end: int) -> str:
        given, self._given = self._given, max(self._given, end)
        return self._text[given : self._given]
