"""Filters for endless output: loops, counting on and on, or special tokens that end or begin a turn.

Such tokens of chat templates get into an answer where a server renders another template than the model's.
"""

import re

from memory.text.generated.stream_filters import OpeningFilter, StreamFilter
from memory.text.lazy_patterns import lazy_pattern

_ROLE = r"(?:assistant|model|lyra)"
_BARS = r"(?:im_(?:end|start|sep|user|system)|eo[ts](?:_id)?|eom(?:_id)?|end|return|call|end_?of_?(?:text|turn|prompt)"
# The role of the next turn, where the tokens around it were not decoded. Llama's follows the sentence itself, ChatML's a line's end; as the
# latter is also how a list of such words begins, it counts only at the end of the answer.
_BEHIND = r"(?<=[.!?…。！？\u2600-\u27bf\ufe0f\U0001f300-\U0001faff])(?<!\d\.)"
_GLUED_ROLE, _LINE_ROLES = "assistant", ("\nassistant", "\nuser")
_MOST_BEHIND = 10
_LAST_ROLE = lazy_pattern(rf"{_BEHIND}(?:{'|'.join((_GLUED_ROLE, *_LINE_ROLES))})\s{{0,{_MOST_BEHIND}}}\Z")
_END_TOKEN = lazy_pattern(
    rf"(?:</?\|{_BARS}|(?:start|end)_header_id|header_(?:start|end)|(?:start|end)_of_(?:role|turn_token)|user|assistant|system|observation)\|>"
    rf"|<｜(?:end▁of▁sentence|user|assistant)｜>|<(?:end|start)_of_turn>|<\|turn>|<turn\|>|</s>|<eos>|<end_of_utterance>|\[/?inst\]|\[\|end_?of_?turn\|\]|{_BEHIND}(?-i:{_GLUED_ROLE})\n\n)\Z",
    re.IGNORECASE,
)
"""A token that ends a turn or begins another, at the end of a text."""
_LONGEST_END = 24
_BEGUN_ROLE = "|".join(role[:length] for role in (_GLUED_ROLE, *_LINE_ROLES) for length in range(1, len(role)))
_MAY_BE_END = lazy_pattern(
    rf"(?:{_BEHIND}(?-i:{_BEGUN_ROLE}|(?:{'|'.join((_GLUED_ROLE, *_LINE_ROLES))})\s{{0,{_MOST_BEHIND}}})|<[^\s<>]{{0,{_LONGEST_END}}}|\[/?i?n?s?t?|\[\|[a-z_]{{0,12}}\|?)\Z",
    re.IGNORECASE,
)

_OPENING_ROLES = ("assistant", "model")
_HEADER = lazy_pattern(
    rf"\s*(?:(?-i:{'|'.join(_OPENING_ROLES)})[^\S\n]*\n\s*(?=\S)|(?:(?:<s>|<bos>|\[gmask\]|<sop>|\[/inst\]|<\|(?:begin_?of_?text|start_?of_?text|assistant|im_sep|(?:start_of_turn|chatbot)_token)\|>"
    rf"|<｜(?:begin▁of▁sentence|assistant)｜>|\[\|assistant\|\]|<\|im_assistant\|>{_ROLE}?<\|im_middle\|>"
    rf"|<\|start_header_id\|>\s*{_ROLE}\s*<\|end_header_id\|>|<\|header_start\|>\s*{_ROLE}\s*<\|header_end\|>"
    rf"|<\|start_of_role\|>\s*{_ROLE}\s*<\|end_of_role\|>|(?:<\|im_start\|>|<start_of_turn>|<\|turn>|<\|start\|>)(?:{_ROLE}\b|(?=\s)))\s*)+)",
    re.IGNORECASE,
)
_LONGEST_HEADER = 60
_MOST_BLANKS = 60
"""Nothing behind more blanks is a header: some models write blanks without end, which have to be seen to be cut off."""


def _may_end_at(text: str) -> int:
    """Return where a token that ends the turn may be beginning at the end of a text; the text's length for nowhere."""
    found = _MAY_BE_END.search(text, max(0, len(text) - _LONGEST_END))
    return found.start() if found else len(text)


class _WithoutHeader(OpeningFilter):
    """A streaming filter that drops the tokens by which a model opens its own turn, from the beginning of an answer."""

    def __init__(self) -> None:
        super().__init__(is_open=False)

    def _known(self, *, final: bool) -> str:
        begun = self._held.lstrip()
        is_near = len(self._held) - len(begun) < _MOST_BLANKS
        may_follow = begun[:1] in ("<", "[") or any(role.startswith(begun.rstrip()) for role in _OPENING_ROLES)
        if may_follow and is_near and len(begun) < _LONGEST_HEADER and not final:
            return ""
        self._open = True
        header = _HEADER.match(self._held) if is_near else None
        return self._held[header.end() if header else 0 :]


_NUMBER = lazy_pattern(r"\d{1,6}(?=\D[\s\S])")
_ENDS_IN_DIGITS = lazy_pattern(r"\d{1,6}\D?$")
_UNREAD = 8
"""The end of a text that may belong to a number: its digits, and the two characters behind it."""
_AFTER_NUMBER = lazy_pattern(r"[.)][^\S\n]")
_LETTER = lazy_pattern(r"[^\W\d_]")
_BARE_SHOWN, _BARE_MOST = 20, 200
_SAME_SHOWN, _SAME_MOST = 3, 1_000
_MOST_ITEMS = 1_000


class Uncounted(StreamFilter):
    """A streaming filter that cuts a text off where it counts without end.

    Two hundred consecutive numbers with nothing between are cut after the twentieth, a thousand lines that differ only in their
    number after the third, and a numbered list after a thousand items. A sequence that may grow that long is held back.
    """

    def __init__(self) -> None:
        super().__init__()
        self._given = 0
        self._at = 0
        self._last: tuple[int, int] | None = None
        self._gap: str | None = None
        self._starts: list[int] = []
        self._item = 0

    def _known(self, *, final: bool) -> str:
        if final:
            return self._give(len(self._held))
        for number in _NUMBER.finditer(self._held, self._at):
            self._at = number.end()
            self._follow(int(number.group()), number.start(), number.end())
            if self.ended:
                return self._give(self._end())
        self._at = max(self._at, len(self._held) - _UNREAD)
        counts = len(self._starts) >= self._shown[0] or self._item >= _MOST_ITEMS
        digits = _ENDS_IN_DIGITS.search(self._held, max(self._at, len(self._held) - 7)) if counts else None
        return self._give(min(self._end(), digits.start() if digits else len(self._held)))

    @property
    def _shown(self) -> tuple[int, int]:
        same = self._gap is not None and _LETTER.search(self._gap)
        return (_SAME_SHOWN, _SAME_MOST) if same else (_BARE_SHOWN, _BARE_MOST)

    def _follow(self, number: int, start: int, end: int) -> None:
        gap = self._held[self._last[1] : start] if self._last else ""
        if self._last and number == self._last[0] + 1 and self._gap in (None, gap):
            self._gap = gap
            self._starts.append(start)
        else:
            self._gap, self._starts = None, [start]
        self._last = (number, end)
        line = self._held.rfind("\n", 0, start) + 1
        if not self._held[line:start].strip() and _AFTER_NUMBER.match(self._held, end):
            self._item = self._item + 1 if number == self._item + 1 else 1 if number == 1 else 0
        self.ended = len(self._starts) >= self._shown[1] or self._item > _MOST_ITEMS

    def _end(self) -> int:
        shown, _ = self._shown
        if self._item > _MOST_ITEMS:
            return self._starts[-1]
        if len(self._starts) <= shown:
            return len(self._held)
        return self._starts[shown]

    def _give(self, end: int) -> str:
        given, self._given = self._given, max(self._given, end)
        return self._held[given : self._given]


_END = lazy_pattern(r"\n|[.!?…。！？][\"'”’»)]*(?=\s|$)")
_ENDED = lazy_pattern(rf"(?:{_END.pattern})\s*$")
_LONGEST = 600
_TIMES = 2
_FEW, _LEAST_OF_FEW = 12, 120
_LEAST = _TIMES * _FEW
_SURE = 400
"""How many repeated characters are a loop for sure: fewer may be a refrain, rows of a table or a ruler, with more to come."""


class Unlooped:
    """A streaming filter that cuts a text off where it loops, or at a special token that ends a turn, and drops those that open it.

    A passage of up to 600 characters that occurs three times in a row counts as a loop if the text goes on with it for 400
    characters or ends with it: it is kept once, and the rest is dropped. One of less than a dozen characters has to repeat for
    longer. Possible repetitions are held back until it is certain. Within a code block a special token is only text.
    """

    def __init__(self) -> None:
        self._header = _WithoutHeader()
        self._text = ""
        self._read = 0
        self._given = 0
        self._sentence = 0
        self._token = -1
        # The length of the longest end of what was read that occurs before as well, at most 600 characters back; within a piece no less.
        self._repeated = 0
        # The length of the passage that what was read ends with, over and over; 0 if it does not.
        self._distance = 0
        self._looped = False

    @property
    def ended(self) -> bool:
        """Whether the text was cut off."""
        return self._looped or self._token >= 0

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that can be shown so far."""
        return self._known(self._header.feed(piece))

    def _known(self, piece: str) -> str:
        self._text += piece
        for character in piece:
            if self.ended:
                break
            self._read += 1
            self._follow()
            if character in ">]\n" and (found := _END_TOKEN.search(self._text, max(0, self._read - _LONGEST_END), self._read)):
                self._token = -1 if self._is_in_code() else found.start()
            elif character == "\n" or (character == " " and _ENDED.search(self._text[max(0, self._read - 4) : self._read])):
                self._sentence = self._read
        self._measure()
        return self._give(self._end())

    def flush(self) -> str:
        """Return what was held back, at the end of the text; nothing of a loop."""
        shown = self._known(self._header.flush())
        if self.ended:
            return shown
        if (role := _LAST_ROLE.search(self._text, max(0, self._read - _LONGEST_END))) and not self._is_in_code():
            self._token = role.start()
            return shown + self._give(self._token)
        self._looped = self._distance > 0
        return shown + self._give(self._begun() if self._looped else len(self._text))

    def _is_in_code(self) -> bool:
        return self._text.count("```", 0, self._read) % 2 == 1

    def _follow(self) -> None:
        # Another character lengthens a repetition by one at most, and a short one matters only at the end of a piece.
        self._repeated += 1
        if self._repeated >= _LEAST:
            self._measure()
        distance = self._nearest_loop() if self._repeated >= _LEAST else 0
        repeats = distance and (distance >= _FEW or self._repeats(_LEAST_OF_FEW, distance))
        self._distance = distance if repeats else 0
        self._looped = bool(repeats) and self._repeats(max(_TIMES * distance, _SURE), distance)

    def _measure(self) -> None:
        """Find how long a repetition is that may be shorter than it was followed for."""
        start, end = self._read - self._repeated, self._read
        while start < end and self._text.rfind(self._text[start:end], max(0, start - _LONGEST), end - 1) < 0:
            start += 1
        self._repeated = end - start

    def _nearest_loop(self) -> int:
        """Return the smallest distance at which the text occurs three times in a row, 0 if there is none."""
        start, distance = self._read - _LEAST, 1
        end = self._text[start : self._read]
        while (at := self._text.rfind(end, max(0, start - _LONGEST), self._read - distance)) >= 0:
            distance = start - at
            if self._repeats(max(_TIMES * distance, _LEAST), distance):
                return distance
            distance += 1
        return 0

    def _repeats(self, length: int, distance: int) -> bool:
        """Return whether the last `length` characters are those before, at a distance."""
        start = self._read - length
        return start >= distance and self._text[start : self._read] == self._text[start - distance : self._read - distance]

    def _end(self) -> int:
        """Return the position up to which the text can be shown."""
        if self._token >= 0:
            return self._token
        if self._looped:
            return self._begun()
        length, repeated = self._read, self._repeated
        if repeated < _FEW and repeated < length - self._sentence:
            repeated = 0
        return min(length - repeated, _may_end_at(self._text))

    def _begun(self) -> int:
        """Return where the loop's repetition begins, preferably at the end of a sentence."""
        at = self._read
        while at > self._distance and self._text[at - 1] == self._text[at - 1 - self._distance]:
            at -= 1
        if _ENDED.search(self._text[max(0, at - 4) : at]):
            return at
        end = _END.search(self._text, at, at + self._distance)
        return end.end() if end else at

    def _give(self, end: int) -> str:
        given, self._given = self._given, max(self._given, end)
        return self._text[given : self._given]
