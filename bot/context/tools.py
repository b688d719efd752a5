"""What a model may look up while it answers: the tools, what it writes to them, and how what they return reads.

Nothing that a model writes is believed: what cannot be read is answered with a sentence. What is returned reads like
everything that is recalled, with a receipt at each message by which it can be opened.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from bot.context import layers
from bot.context.spans import told
from bot.errors import BadInput
from bot.models.port import Tool, ToolCall
from memory.index.when.days import EARLIEST, LATEST
from memory.index.when.values import Window
from memory.text.budget import tokens
from memory.text.display_names import LYRA
from memory.text.storable import clean
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
"""The tokens of a prompt that offering them takes."""
NOTHING = "Nothing is kept about that."

_TITLE = "What you looked up:"
_MOST_CHARACTERS = 4_000
_MOST_OF_OPENED = 600
_MOST_OF_A_CALL = 200
_ID = 26
_ASKER = frozenset(("i", "me", "myself", "user", "the user", "human"))
_HER = frozenset(("you", "yourself", "assistant", "lyra"))


@dataclass(frozen=True, slots=True)
class Lookup:
    """What is to be found: words, and of which time and speaker alone, where that is told."""

    query: str
    within: Window | None
    speaker: str


@dataclass(frozen=True, slots=True)
class Opening:
    """A message that is to be shown with what was said around it, by its receipt."""

    receipt: str


@dataclass(frozen=True, slots=True)
class Returned:
    """What a call gets: lines or a sentence, and the messages that stand there."""

    text: str
    shown: Sequence[Exchange] = ()


@dataclass(frozen=True, slots=True)
class Round:
    """What a model said, which calls it made then, and what each of them got."""

    said: str
    calls: Sequence[ToolCall]
    returned: Sequence[Returned]


def wanted(call: ToolCall, asker: str, now: int, time_zone: str) -> Lookup | Opening:
    """Read a call of whoever `asker` is called here. Raises BadInput, in a sentence for the model."""
    if call.name not in (tool.name for tool in TOOLS):
        raise BadInput("There is no such tool; there are recall and open.")
    given = _arguments(call)
    if call.name == "open":
        receipt = given.get("receipt", "").casefold().removeprefix("receipt").strip(" #:.\"'[]()")
        if not receipt:
            raise BadInput('Say which message to open, by its receipt: {"receipt": "…"}.')
        return Opening(receipt)
    query, speaker = given.get("query", ""), _named(given.get("speaker", ""), asker)
    within = _window(given.get("from", ""), given.get("to", ""), now, time_zone)
    if not (query or within or speaker):
        raise BadInput('Say what to look for in "query", or which days in "from" and "to".')
    return Lookup(query, within, speaker)


def repeated(call: ToolCall, number: int) -> ToolCall:
    """Return a call as it may stand in a prompt: with an id that no other has, a tool's name, and arguments that are JSON."""
    try:
        arguments = json.dumps(_arguments(call), ensure_ascii=False)
    except BadInput:
        arguments = "{}"
    name = call.name if call.name in (tool.name for tool in TOOLS) else TOOLS[0].name
    # Mistral's templates take ids of nine letters and digits alone; some endpoints give the same one again in every answer.
    return ToolCall(f"lookup{number:03}", name, arguments if tokens(arguments) <= _MOST_OF_A_CALL else "{}")


class Receipts:
    """By what the messages that a turn's model was shown can be opened: r1, r2 and so on.

    They are told from what was shown alone: an id would tell them apart by what a platform counts elsewhere.
    """

    def __init__(self) -> None:
        self._given: dict[str, str] = {}

    def next(self, message: Exchange) -> str:
        """Return the receipt of a message; one that has none gets this once it is shown."""
        return self._given.get(message.id) or f"r{len(self._given) + 1}"

    def give(self, message: Exchange) -> None:
        """Note that a message was shown."""
        self._given[message.id] = self.next(message)

    def id(self, receipt: str) -> str:
        """Return the id that a receipt stands for; a whole id, as people see them, stands for itself. '' for neither."""
        known = next((id for id, given in self._given.items() if given == receipt), "")
        return known or (receipt if len(receipt) == _ID else "")


def returned(messages: Sequence[Exchange], most: int, time_zone: str, receipts: Receipts, opened: int | None = None) -> Returned:
    """Return messages, the most important first, as they are read, oldest first: as many as fit into so many tokens.

    The one of the key `opened` is shown at greater length.
    """
    lines: dict[int, tuple[Exchange, str]] = {}
    left = most - tokens(_TITLE)
    for one in messages:
        length = min(left // 2, _MOST_OF_OPENED) if one.key == opened else None
        line = layers.message(one, time_zone, receipt=receipts.next(one), most=length).text
        if tokens(line) + 1 <= left:
            lines[one.key] = (one, line)
            receipts.give(one)
            left -= tokens(line) + 1
    if not lines:
        return Returned("There is no room left to show any of it." if messages else NOTHING)
    ordered = sorted(lines.values(), key=lambda shown: (shown[0].said_at, shown[0].key))
    return Returned("\n".join([_TITLE, *(line for _, line in ordered)]), [one for one, _ in ordered])


def _arguments(call: ToolCall) -> dict[str, str]:
    """Return the arguments that were given, each a text."""
    if len(call.arguments) > _MOST_CHARACTERS:
        raise BadInput("The arguments are too long.")
    try:
        given = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise BadInput('The arguments have to be a JSON object, like {"query": "…"}.')
    read = {key: clean(value).strip() for key, value in given.items() if isinstance(value, str)}
    known = [name for tool in TOOLS for name in tool.parameters["properties"]]  # type: ignore[attr-defined]
    wrong = next((key for key, value in given.items() if key in known and value is not None and key not in read), None)
    if wrong:
        raise BadInput(f'"{wrong}" has to be a text.')
    return {key: value for key, value in read.items() if key in known and value}


def _named(speaker: str, asker: str) -> str:
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
    """Return the time that is told as a day, a month or a year, or in words."""
    found = told(text, now, time_zone)
    if found is None:
        raise BadInput(f'"{key}" is no day; write it {_A_DAY}.')
    return found
