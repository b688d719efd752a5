"""Special tokens of chat templates that get into an answer, where a server renders another template than the model's."""

import re

_ROLE = r"(?:assistant|model|lyra)"
_BARS = r"(?:im_(?:end|start|sep|user|system)|eo[ts](?:_id)?|eom(?:_id)?|end|return|call|end_?of_?(?:text|turn|prompt)"
_SIGN = r"[^\w\s,;:<>/|#=-]"
# The role of the next turn, of which the tokens around it were not decoded: right behind the end of a sentence, and a line's end.
_BEHIND = rf"(?:(?<={_SIGN})|(?<={_SIGN}\n))(?<!\d\.)"
_BARE_ROLES = ("assistant", "user")
END = re.compile(
    rf"(?:</?\|{_BARS}|(?:start|end)_header_id|header_(?:start|end)|(?:start|end)_of_(?:role|turn_token)|user|assistant|system|observation)\|>"
    rf"|<｜(?:end▁of▁sentence|user|assistant)｜>|<(?:end|start)_of_turn>|<\|turn>|<turn\|>|</s>|<eos>|<end_of_utterance>|\[/?inst\]|\[\|end_?of_?turn\|\]|{_BEHIND}(?-i:{'|'.join(_BARE_ROLES)})\n)\Z",
    re.IGNORECASE,
)
"""A token that ends a turn or begins another, at the end of a text."""
LONGEST_END = 24
_BEGUN_ROLE = "|".join(role[:length] for role in _BARE_ROLES for length in range(1, len(role) + 1))
_MAY_BE_END = re.compile(
    rf"(?:{_BEHIND}(?-i:{_BEGUN_ROLE})|<[^\s<>]{{0,{LONGEST_END}}}|\[/?i?n?s?t?|\[\|[a-z_]{{0,12}}\|?)\Z",
    re.IGNORECASE,
)

_OPENING_ROLES = ("assistant", "model")
_HEADER = re.compile(
    rf"\s*(?:(?:(?-i:{'|'.join(_OPENING_ROLES)})[^\S\n]*\n|<s>|<bos>|\[gmask\]|<sop>|\[/inst\]|<\|(?:begin_?of_?text|start_?of_?text|assistant|im_sep|(?:start_of_turn|chatbot)_token)\|>"
    rf"|<｜(?:begin▁of▁sentence|assistant)｜>|\[\|assistant\|\]|<\|im_assistant\|>{_ROLE}?<\|im_middle\|>"
    rf"|<\|start_header_id\|>\s*{_ROLE}\s*<\|end_header_id\|>|<\|header_start\|>\s*{_ROLE}\s*<\|header_end\|>"
    rf"|<\|start_of_role\|>\s*{_ROLE}\s*<\|end_of_role\|>|(?:<\|im_start\|>|<start_of_turn>|<\|turn>|<\|start\|>)(?:{_ROLE}\b|(?=\s)))\s*)+",
    re.IGNORECASE,
)
_LONGEST_HEADER = 60
_MOST_BLANKS = 60
"""Nothing behind more blanks is a header: some models write blanks without end, which have to be seen to be cut off."""


def may_end_at(text: str) -> int:
    """Return where a token that ends the turn may be beginning at the end of a text; the text's length for nowhere."""
    found = _MAY_BE_END.search(text, max(0, len(text) - LONGEST_END))
    return found.start() if found else len(text)


class WithoutHeader:
    """A streaming filter that drops the tokens by which a model opens its own turn, from the beginning of an answer."""

    def __init__(self) -> None:
        self._held = ""
        self._open = False

    @property
    def _blanks(self) -> int:
        return len(self._held) - len(self._held.lstrip())

    def feed(self, piece: str) -> str:
        """Add a piece and return the text that is known to follow."""
        if self._open:
            return piece
        self._held += piece
        begun = self._held.lstrip()
        may_follow = not begun or (begun[0] in "<[" and len(begun) < _LONGEST_HEADER)
        may_follow = may_follow or any(role.startswith(begun) for role in _OPENING_ROLES)
        return "" if may_follow and self._blanks < _MOST_BLANKS else self.rest()

    def rest(self) -> str:
        """Return what was held back."""
        header = _HEADER.match(self._held) if self._blanks < _MOST_BLANKS else None
        held, self._held, self._open = self._held[header.end() if header else 0 :], "", True
        return held
