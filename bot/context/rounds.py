"""Rendering of tool rounds in a prompt: as tool messages, or as text for a model without tools."""

from collections.abc import Sequence

from bot.context.tools import Round
from bot.models.port import ChatMessage
from memory.text.budget import tokens
from memory.text.display_names import LYRA
from memory.text.prompt_lines import QUOTED, REPLY, Frame, prompt_line

_MOST_SAID = 200
_BEGUN = "Your answer has begun like this; go on from there:"


def exchanged(one: Round) -> list[ChatMessage]:
    """Return a round as messages: the model's text and calls, and their results."""
    said = ChatMessage(role="assistant", content=_spoken(one.said, REPLY), calls=one.calls)
    got = zip(one.calls, one.returned, strict=True)
    return [said, *(ChatMessage(role="tool", content=returned.text, answers=call.id) for call, returned in got)]


def recalled_text(rounds: Sequence[Round]) -> list[str]:
    """Return the results as texts among the recalled items, with what the model said in between."""
    found = [returned.text for one in rounds for returned in one.returned if returned.shown]
    said = "\n".join(_spoken(one.said, QUOTED) for one in rounds if one.said)
    return [*dict.fromkeys(found), *([f"{_BEGUN}\n{said}"] if said else [])]


def _spoken(text: str, frame: Frame) -> str:
    return prompt_line(text, frame, speaker=LYRA, most=_MOST_SAID) if text else ""


def cost(message: ChatMessage) -> int:
    """Return the tokens of a message, including its tool calls."""
    return (
        tokens(message["content"]) + sum(tokens(call.arguments) + tokens(call.name) + 1 for call in message.get("calls", ())) + 1
    )
