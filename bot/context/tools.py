"""The tools a model may call while it answers: their definitions, the parsing of calls, and the rendering of results.

Calls are untrusted: one that cannot be parsed gets a sentence as its result. Results are rendered like all recalled items, each
message with a receipt by which it can be opened.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from bot.context import layers
from bot.context.time_windows import parse_window
from bot.errors import BadInput
from bot.models.port import ChatMessage, Tool, ToolCall
from memory.index.when.days import EARLIEST, LATEST
from memory.index.when.values import Window
from memory.text.budget import tokens
from memory.text.display_names import LYRA
from memory.text.prompt_lines import QUOTED, REPLY, Frame, prompt_line
from memory.text.sanitize import clean
from memory.types import Exchange

_A_DAY = "like 2026-03-04"
TOOLS = (
    Tool(
        "recall",
        "Look up messages that you remember beyond those you see here. Each comes with a receipt.",
        {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "what to look for, in a few words"},
                "from": {"type": "string", "description": f"the first day, {_A_DAY}"},
                "to": {"type": "string", "description": "the last day"},
                "speaker": {"type": "string", "description": "whose messages alone"},
            },
            "required": ["query"],
        },
    ),
    Tool(
        "open",
        "Show a message with what was said around it.",
        {"type": "object", "properties": {"receipt": {"type": "string"}}, "required": ["receipt"]},
    ),
)
COST = sum(tokens(json.dumps([tool.name, tool.description, tool.parameters])) for tool in TOOLS)
"""The tokens that offering the tools adds to a prompt."""
NOTHING = "Nothing is kept about that."
UNKNOWN_RECEIPT = "There is no message with that receipt; recall it first."

_TITLE = "What you looked up:"
_MOST_CHARACTERS = 4_000
_MOST_OF_OPENED = 600
_MOST_OF_A_CALL = 200
_ID = 26
_ASKER = frozenset(("i", "me", "myself", "user", "the user", "human"))
_HER = frozenset(("you", "yourself", "assistant", "lyra"))
_MOST_SAID = 200
_BEGUN = "Your answer has begun like this; go on from there:"


@dataclass(frozen=True, slots=True)
class Lookup:
    """A search: the query, and the window and speaker it is limited to, if given."""

    query: str
    within: Window | None
    speaker: str


@dataclass(frozen=True, slots=True)
class Opening:
    """A request to show a message in its context, by its receipt."""

    receipt: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call: lines or a sentence, and the messages shown."""

    text: str
    shown: Sequence[Exchange] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """One round: what a model said, its calls, and their results."""

    said: str
    calls: Sequence[ToolCall]
    returned: Sequence[ToolResult]


def parse_call(call: ToolCall, asker: str, now: int, time_zone: str) -> Lookup | Opening:
    """Parse a call made while answering `asker`. Raises BadInput, with a sentence for the model."""
    if call.name not in (tool.name for tool in TOOLS):
        raise BadInput("There is no such tool; there are recall and open.")
    arguments = _arguments(call)
    if call.name == "open":
        receipt = arguments.get("receipt", "").casefold().removeprefix("receipt").strip(" #:.\"'[]()")
        if not receipt:
            raise BadInput('Say which message to open, by its receipt: {"receipt": "…"}.')
        return Opening(receipt)
    query, speaker = arguments.get("query", ""), _speaker_name(arguments.get("speaker", ""), asker)
    within = _window(arguments.get("from", ""), arguments.get("to", ""), now, time_zone)
    if not (query or within or speaker):
        raise BadInput('Say what to look for in "query", or which days in "from" and "to".')
    return Lookup(query, within, speaker)


def repeatable_call(call: ToolCall, number: int) -> ToolCall:
    """Return a call as it may be repeated in a prompt: with a unique id, a known tool, and valid JSON arguments."""
    try:
        arguments = json.dumps(_arguments(call), ensure_ascii=False)
    except BadInput:
        arguments = "{}"
    name = call.name if call.name in (tool.name for tool in TOOLS) else TOOLS[0].name
    # Mistral's templates accept ids of nine alphanumeric characters only; some endpoints repeat the same id in every answer.
    return ToolCall(f"lookup{number:03}", name, arguments if tokens(arguments) <= _MOST_OF_A_CALL else "{}")


class Receipts:
    """The receipts of the messages shown to a turn's model: r1, r2 and so on.

    They depend on what was shown alone: an item's id also depends on what a platform counts elsewhere.
    """

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def next(self, message: Exchange) -> str:
        """Return a message's receipt, or the one it gets once it is shown."""
        return self._given.get(message.id) or f"r{len(self._given) + 1}"

    def assign(self, message: Exchange) -> None:
        """Assign a receipt to a message that was shown."""
        self._given[message.id] = self.next(message)

    def id(self, receipt: str) -> str:
        """Return the id of a receipt, or a full id, as people see them, unchanged; '' for neither."""
        known = next((id for id, given in self._given.items() if given == receipt), "")
        return known or (receipt if len(receipt) == _ID else "")


def render_results(
    messages: Sequence[Exchange],
    most: int,
    time_zone: str,
    receipts: Receipts,
    opened: int | None = None,
    notes: Mapping[int, str] = MappingProxyType({}),
) -> ToolResult:
    """Render messages, given most important first, in chronological order: as many as fit into `most` tokens.

    The one with the key `opened` is shown at greater length. `notes` tells by key what is to be known of a message.
    """
    lines: dict[int, tuple[Exchange, str]] = {}
    remaining = most - tokens(_TITLE)
    for one in messages:
        length = min(remaining // 2, _MOST_OF_OPENED) if one.key == opened else None
        line = layers.message(one, time_zone, receipt=receipts.next(one), note=notes.get(one.key, ""), most=length).text
        if tokens(line) + 1 <= remaining:
            lines[one.key] = (one, line)
            receipts.assign(one)
            remaining -= tokens(line) + 1
    if not lines:
        return ToolResult("There is no room left to show any of it." if messages else NOTHING)
    ordered = sorted(lines.values(), key=lambda shown: (shown[0].said_at, shown[0].key))
    return ToolResult("\n".join([_TITLE, *(line for _, line in ordered)]), [one for one, _ in ordered])


def _arguments(call: ToolCall) -> dict[str, str]:
    """Return the arguments of a call that are known, as text. Raises BadInput."""
    if len(call.arguments) > _MOST_CHARACTERS:
        raise BadInput("The arguments are too long.")
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        raise BadInput('The arguments have to be a JSON object, like {"query": "…"}.')
    read = {key: clean(value).strip() for key, value in arguments.items() if isinstance(value, str)}
    known = [name for tool in TOOLS for name in tool.parameters["properties"]]  # type: ignore[attr-defined]
    wrong = next((key for key, value in arguments.items() if key in known and value is not None and key not in read), None)
    if wrong:
        raise BadInput(f'"{wrong}" has to be a text.')
    return {key: value for key, value in read.items() if key in known and value}


def _speaker_name(speaker: str, asker: str) -> str:
    called = speaker.casefold()
    return asker if called in _ASKER else LYRA if called in _HER else speaker


def _window(first: str, last: str, now: int, time_zone: str) -> Window | None:
    if not (first or last):
        return None
    begins = _days("from", first, now, time_zone).start if first else EARLIEST
    ends = _days("to", last, now, time_zone).end if last else LATEST
    if begins >= ends:
        raise BadInput('"from" comes after "to".')
    return Window(begins, ends)


def _days(key: str, text: str, now: int, time_zone: str) -> Window:
    """Return the window of a day, month or year, or of a time in words. Raises BadInput."""
    found = parse_window(text, now, time_zone)
    if found is None:
        raise BadInput(f'"{key}" is no day; write it {_A_DAY}.')
    return found


def round_messages(one: Round) -> list[ChatMessage]:
    """Return a round as messages: the model's text and calls, and their results."""
    spoken = ChatMessage(role="assistant", content=_spoken(one.said, REPLY), calls=one.calls)
    got = zip(one.calls, one.returned, strict=True)
    return [spoken, *(ChatMessage(role="tool", content=returned.text, answers=call.id) for call, returned in got)]


def recalled_text(rounds: Sequence[Round]) -> list[str]:
    """Return the results as texts among the recalled items, with what the model said in between."""
    found = [returned.text for one in rounds for returned in one.returned if returned.shown]
    spoken = "\n".join(_spoken(one.said, QUOTED) for one in rounds if one.said)
    return [*dict.fromkeys(found), *([f"{_BEGUN}\n{spoken}"] if spoken else [])]


def _spoken(text: str, frame: Frame) -> str:
    return prompt_line(text, frame, speaker=LYRA, most=_MOST_SAID) if text else ""


def cost(message: ChatMessage) -> int:
    """Return the tokens of a message, including its tool calls."""
    return (
        tokens(message["content"]) + sum(tokens(call.arguments) + tokens(call.name) + 1 for call in message.get("calls", ())) + 1
    )
