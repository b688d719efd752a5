"""Calls of tools that a model writes into its answer: its server reads none, and people are not to read them either."""

import re
from collections.abc import Collection

_TAGS = ("<tool_call>", "[tool_calls]", "<function=", "<|python_tag|>", "<|tool_call|>")
_TAG = re.compile(rf"^[ \t]*(?:{'|'.join(re.escape(tag) for tag in _TAGS)})", re.IGNORECASE | re.MULTILINE)
_OBJECT = re.compile(r"\s*(?:```(?:json)?\s*)?\[?\s*\{")
_MOST = 600
"""A call names its tool within so many characters."""


class WrittenCall(Exception):
    """A model wrote a call of a tool as text."""


class WithoutCalls:
    """An answer that comes in pieces, of which nothing is given that may be a call of one of these tools."""

    def __init__(self, names: Collection[str]) -> None:
        several = "|".join(re.escape(name) for name in names)
        self._call = re.compile(rf'"(?:name|function|tool|tool_name)"\s*:\s*"(?:{several})"|<function=(?:{several})\b')
        self._plain = re.compile(rf"\s*(?:{several})\(\s*(?:\w+\s*=|\{{|\"|\))")
        self._starts = tuple(f"{name}(" for name in names)
        self._held = ""
        self._begun = False
        self._at_line = True

    def feed(self, piece: str) -> str:
        """Take a piece, and return what is no call. Raises WrittenCall."""
        self._held += piece
        at = self._suspected()
        if at is None:
            return self._give(len(self._held))
        if self._call.search(self._held, at) or (not self._begun and self._plain.match(self._held)):
            raise WrittenCall
        return self._give(len(self._held) if len(self._held) - at > _MOST else at)

    def rest(self) -> str:
        """Return what was held at the end."""
        return self._give(len(self._held))

    def _suspected(self) -> int | None:
        """Return where what is held may begin a call."""
        text = self._held
        if not self._begun and (_OBJECT.match(text) or _starts(text, (*self._starts, "```json", "[{"))):
            return 0
        first = 0 if self._at_line else text.find("\n") + 1 or len(text)
        if tag := _TAG.search(text, first):
            return tag.start()
        line = max(first, text.rfind("\n") + 1)
        return line if _starts(text[line:], _TAGS) else None

    def _give(self, end: int) -> str:
        given, self._held = self._held[:end], self._held[end:]
        if given:
            self._begun = self._begun or bool(given.strip())
            line = given.rpartition("\n")
            self._at_line = not line[2].strip() and (self._at_line or bool(line[1]))
        return given


def _starts(text: str, wholes: Collection[str]) -> bool:
    """Say whether a text, which is not empty, may go on to be one of these, or is."""
    bare = text.lstrip(" \t\n").lower()
    return bool(bare) and any(one.startswith(bare) or bare.startswith(one) for one in wholes)
