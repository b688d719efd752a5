"""The roles of a prompt's messages, for models whose chat template refuses some orders of them."""

import re
from collections.abc import Sequence

from bot.models.endpoints.backend_facts import ALTERNATING, SYSTEMLESS
from bot.models.endpoints.context_size import LOOKED_AT
from bot.models.port import ChatMessage

_OF_ROLES = re.compile(
    r"\broles?\b[^.]{0,40}\b(?:must|should|need to|have to)\b[^.]{0,60}\balternat|\bmust alternate between|\bshould alternate with"
    r"|\bsuccessive (?:user|assistant)|\bfirst message must be|\bstart with a user"
)
_OF_SYSTEM = re.compile(
    r"\b(?:system|developer)\b[^.]{0,40}\b(?:not (?:supported|enabled|allowed)|unsupported)|\bsupport(?:s|ed)? [^.]{0,20}\bsystem role"
    r"|\bonly user(?:,| and) assistant\b"
)


def required(body: object) -> str:
    """Return the order of roles that a refusal asks for, "" if it is about something else."""
    text = str(body)[:LOOKED_AT].lower()
    return SYSTEMLESS if _OF_SYSTEM.search(text) else ALTERNATING if _OF_ROLES.search(text) else ""


def ordered(messages: Sequence[ChatMessage], order: object) -> list[ChatMessage]:
    """Return a prompt in an order of roles, unchanged for none: neighbours of one role joined, a person's message first.

    Calls of tools and their results stay messages of their own.
    """
    if order not in (ALTERNATING, SYSTEMLESS):
        return list(messages)
    found: list[ChatMessage] = []
    for message in messages:
        one = message.copy()
        if one["role"] == "system" and order == SYSTEMLESS:
            one["role"] = "user"
        if one["role"] == "assistant" and not any(before["role"] == "user" for before in found):
            found.append(ChatMessage(role="user", content="…"))
        last = found[-1] if found else None
        if last and last["role"] == one["role"] != "tool" and not (last.get("calls") or one.get("calls")):
            last["content"] = f"{last['content']}\n\n{one['content']}"
            if images := [*last.get("images", ()), *one.get("images", ())]:
                last["images"] = images
        else:
            found.append(one)
    return found
