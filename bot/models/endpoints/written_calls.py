"""Filter for tool calls that a model writes as text, as its template has them, where the server does not read them."""

import re
from collections.abc import Collection

from memory.text.generated.stream_filters import StreamFilter

# What opens a call in the templates of Qwen, GLM, Mistral, Llama, Phi, Granite, Gemma, DeepSeek, Kimi, MiniMax, Command and others.
_TAGS = (
    "<tool_call", "[tool_calls]", "<function=", "<function name=", "<function_call", "<start_function_call", "<invoke name=", "<minimax:tool_call",
    "<|python_tag|>", "<|python_start|>", "<|tool_call", "<|start_action|>", "<｜tool", "<｜dsml｜", "functools[", "```tool_c",
    "<tools>",
)  # fmt: skip
_TAG = re.compile(rf"^[ \t]*(?:{'|'.join(re.escape(tag) for tag in _TAGS)})", re.IGNORECASE | re.MULTILINE)
_NO_CALL = re.compile(r"\s*<tools>\s*</tools>", re.IGNORECASE)
"""What a template has around its list of tools, with none in it."""
_OBJECT = re.compile(r"\s*+(?:```(?:json)?\s*+)?(?:\[\s*+)?\{")
_ANY_CALL = re.compile(
    rf'{_OBJECT.pattern}\s*"(?:name|function|tool|tool_name)"\s*:\s*"[\w.:-]+"\s*,\s*"(?:arguments|parameters|args)"\s*:\s*\{{'
)
"""An answer that begins like the call of any tool, also of one that was never offered; asked without tools, it may be meant."""
_FENCE = "```"
_MOST = 600
"""A call names its tool within this many characters."""


class WrittenCall(Exception):
    """A model wrote a tool call as text."""


class WithoutCalls(StreamFilter):
    """A streaming filter that holds back what may be a call of one of these tools, and raises WrittenCall where it is one."""

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        several = "|".join(re.escape(name) for name in names)
        self._object = re.compile(rf'"(?:name|function|tool|tool_name)"\s*:\s*"(?:{several})"')
        self._tagged = re.compile(rf'\b(?:{several})\b|"(?:name|function|tool|tool_name)"\s*:')
        self._plain = re.compile(rf"\s*\[?(?:{several})\(\s*(?:\w+\s*=|\{{|\"|\))")
        self._starts = tuple(f"{lead}{name}(" for name in names for lead in ("", "["))
        self._begun = False
        self._at_line = True
        self._fences = 0

    def _known(self, *, final: bool) -> str:
        at = None if final else self._suspected()
        if at is None:
            return self._give(len(self._held))
        if _NO_CALL.match(self._held, at) or (self._tagged if _TAG.match(self._held, at) else self._object).search(
            self._held, at
        ):
            raise WrittenCall
        if not self._begun and (self._plain.match(self._held) or _ANY_CALL.match(self._held)):
            raise WrittenCall
        return self._give(len(self._held) if len(self._held) - at > _MOST else at)

    def _suspected(self) -> int | None:
        """Return the position in the held text at which a call may begin, or None."""
        text = self._held
        if not self._begun and (_OBJECT.match(text) or _starts(text, (*self._starts, "```json", "[{"))):
            return 0
        first = 0 if self._at_line else text.find("\n") + 1 or len(text)
        tags = (tag.start() for tag in _TAG.finditer(text, first) if not self._is_code(tag.start()))
        if (at := next(tags, None)) is not None:
            return at
        line = max(first, text.rfind("\n") + 1)
        return line if _starts(text[line:], _TAGS) and not self._is_code(line) else None

    def _is_code(self, at: int) -> bool:
        """Return whether a position in the held text is inside a code block, where calls are only quoted."""
        return (self._fences + self._held.count(_FENCE, 0, at)) % 2 == 1

    def _give(self, end: int) -> str:
        given, self._held = self._held[:end], self._held[end:]
        if given:
            self._begun = self._begun or bool(given.strip())
            self._fences += given.count(_FENCE)
            line = given.rpartition("\n")
            self._at_line = not line[2].strip() and (self._at_line or bool(line[1]))
        return given


def _starts(text: str, wholes: Collection[str]) -> bool:
    """Return whether a non-empty text is one of these, or the beginning of one."""
    bare = text.lstrip(" \t\n").lower()
    return bool(bare) and any(one.startswith(bare) or bare.startswith(one) for one in wholes)
