"""What a request wants a message to be, checked where Discord's description does not say enough."""

import itertools
import mimetypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tests.fakes.discord.calls import EMPTY_MESSAGE, INVALID_FORM, Call, Refusal
from tests.fakes.discord.hub import Hub
from tests.fakes.discord.things import Attachment, Flag, Json, Message

LONGEST = 2000
MOST_EMBEDS, LONGEST_EMBEDS = 10, 6000
_LONGEST_OF = {"title": 256, "description": 4096, "footer": 2048}
_PARTS = ("content", "embeds", "components", "allowed_mentions")


@dataclass(frozen=True)
class Draft:
    """The parts of a message that a request names, and the files it brings."""

    parts: dict[str, Any]
    flags: int
    files: list[Attachment]
    attachments: list[Json] | None


def draft(hub: Hub, call: Call, body: Json) -> Draft:
    """Read a request's message. Raises Refusal when it is too long."""
    parts = {key: body[key] for key in _PARTS if key in body}
    parts = {key: value if value is not None else _nothing(key) for key, value in parts.items()}
    if "components" in parts:
        parts["components"] = _numbered(parts["components"], itertools.count(1))
    if len(parts.get("content", "")) > LONGEST:
        raise Refusal(*INVALID_FORM, wrong=f"content: {len(parts['content'])} characters, max {LONGEST}")
    written = sum(map(_written, parts.get("embeds", ())))
    if len(parts.get("embeds", ())) > MOST_EMBEDS or written > LONGEST_EMBEDS:
        raise Refusal(*INVALID_FORM, wrong=f"embeds: {len(parts['embeds'])} with {written} characters")
    named = {str(one["id"]): one for one in body.get("attachments") or ()}
    files = []
    for file in call.files:
        about = named.get(file.field.removeprefix("files[").removesuffix("]"), {})
        name = about.get("filename") or file.name
        files.append(hub.world.file(name, file.data, mimetypes.guess_type(name)[0], about.get("description")))
    return Draft(parts, body.get("flags") or 0, files, body.get("attachments"))


def _written(embed: Json) -> int:
    """Return how many characters an embed has. Raises Refusal where one of its parts has too many."""
    parts = {"title": embed.get("title"), "description": embed.get("description"), "footer": embed.get("footer", {}).get("text")}
    lengths = {name: len(text or "") for name, text in parts.items()}
    for name, length in lengths.items():
        if length > _LONGEST_OF[name]:
            raise Refusal(*INVALID_FORM, wrong=f"embed {name}: {length} characters, max {_LONGEST_OF[name]}")
    return sum(lengths.values())


def refuse_empty(message: Message) -> None:
    """Refuse a message without anything to read."""
    if message.flags & Flag.COMPONENTS_V2 and (message.content or message.embeds):
        raise Refusal(*INVALID_FORM, wrong="content or embeds beside components of the second version")
    if not (
        message.content.strip() or message.embeds or message.attachments or message.components or message.flags & Flag.LOADING
    ):
        raise Refusal(*EMPTY_MESSAGE, wrong="an empty message")


def _nothing(key: str) -> Any:
    return {"content": "", "allowed_mentions": None}.get(key, [])


def _numbered(components: list[Json], numbers: Iterator[int]) -> list[Json]:
    """The components as Discord gives them back: each with a number, and without what was left empty."""
    rows = []
    for one in components:
        row = {"id": next(numbers)} | {key: value for key, value in one.items() if value is not None}
        rows.append(row | ({"components": _numbered(row["components"], numbers)} if "components" in row else {}))
    return rows
