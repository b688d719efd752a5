"""Tool calls of an answer, which come in fragments."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.models.port import ToolCall

OF_A_CALL = "extra_content"
"""The field of a call with what an endpoint may want back with it; all other extras belong to its message."""
_MOST_CALLS = 64
_MOST_OF_REASONING = 1 << 16
_LONGEST = 2_000
"""The longest arguments (characters) that are looked at before they end."""
_SURROGATE_OR_NUL = re.compile("[\ud800-\udfff\0]")


def text_of(value: object) -> str:
    """Return a text as it may be kept, '' for anything else."""
    return _SURROGATE_OR_NUL.sub("\ufffd", value) if isinstance(value, str) else ""


@dataclass
class _Call:
    """A tool call being received: at once, or its name first and its arguments bit by bit."""

    at: object
    name: str = ""
    id: str = ""
    arguments: list[str] = field(default_factory=list)
    extras: dict[str, object] = field(default_factory=dict)

    def is_complete_before(self, more: str) -> bool:
        """Return whether the arguments are a complete object, so that another one belongs to another call."""
        if not more.lstrip().startswith("{") or sum(map(len, self.arguments)) > _LONGEST:
            return False
        try:
            return bool(json.loads("".join(self.arguments)))
        except (ValueError, RecursionError):
            return False


class CallFragments:
    """The tool calls of one answer.

    Endpoints may not index them, or index all alike: then a new id means a new call, and so do arguments behind complete ones.
    """

    def __init__(self) -> None:
        self._made: list[_Call] = []
        self._reasoning: dict[str, list[object]] = {}

    def add(self, given: object, reasoning: Mapping[str, object]) -> int:
        """Add a chunk's fragments of calls, skipping invalid ones, and its reasoning; return the size of the calls in bytes."""
        for key, value in reasoning.items():
            parts = self._reasoning.setdefault(key, [])
            parts += (value if isinstance(value, list) else [value]) if len(parts) < _MOST_OF_REASONING else []
        size = 0
        for one in given if isinstance(given, list) else []:
            function = one.get("function") if isinstance(one, dict) else None
            if not isinstance(function, dict):
                continue
            id, name, arguments = text_of(one.get("id")), text_of(function.get("name")), function.get("arguments")
            more = json.dumps(arguments) if isinstance(arguments, dict) else text_of(arguments)
            size += len(more.encode()) + len(name.encode())
            call = self._call_for(one.get("index"), id, name, more)
            if call:
                call.id = call.id or id
                call.name = call.name or name
                # Some send an empty object first.
                if call.arguments == ["{}"] and more:
                    call.arguments.clear()
                call.arguments.append(more)
                if extra := one.get(OF_A_CALL):
                    call.extras[OF_A_CALL] = extra
        return size

    def calls(self) -> list[ToolCall]:
        """Return the calls in the order in which they began."""
        told = {
            key: "".join(map(text_of, parts)) if isinstance(parts[0], str) else parts for key, parts in self._reasoning.items()
        }
        return [ToolCall(one.id, one.name, "".join(one.arguments), {**told, **one.extras}) for one in self._made]

    def _call_for(self, at: object, id: str, name: str, more: str) -> _Call | None:
        """Return the call that a fragment continues, or a new one; None beyond the maximum."""
        for call in reversed(self._made):
            if call.at == at and (not id or not call.id or call.id == id) and (at is not None or not name):
                if (id and call.id == id) or not call.is_complete_before(more):
                    return call
                name = name or call.name
                break
        if len(self._made) == _MOST_CALLS:
            return None
        self._made.append(_Call(at, name))
        return self._made[-1]
