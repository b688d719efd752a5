"""What Lyra puts into her messages."""

from collections.abc import Iterable

from adapters.matrix.homeserver import Json
from adapters.matrix.outgoing.html import html

PART = "lyra.part"
"""Where the key of a part stands in its message, for nobody but Lyra to look at."""
REFLECTION = "lyra.reflection"
"""Says that a message is a thought of hers."""
FILE_NAME = "message.txt"

_FORMAT = "org.matrix.custom.html"
_LONGEST_FALLBACK = 500
_CHANGED = "I changed this message."
_IN_A_FILE = "This is too long for one message; it is in the file."


def words(text: str, *, notice: bool, mentions: Iterable[str]) -> Json:
    """Return Markdown as a message that notifies these people and nobody else, whatever names the text holds."""
    people = list(mentions)
    content: Json = {
        "msgtype": "m.notice" if notice else "m.text",
        "body": text,
        "m.mentions": {"user_ids": people} if people else {},
    }
    if shown := html(text):
        content |= {"format": _FORMAT, "formatted_body": shown}
    return content


def unformatted(content: Json) -> Json:
    """Return a message without its HTML."""
    return {name: value for name, value in content.items() if name not in ("format", "formatted_body")}


def has_code(content: Json) -> bool:
    """Say whether a message has code in it: as plain text it would be none, and its links would be live."""
    return "<code" in content.get("formatted_body", "")


def file(content: Json, source: Json, size: int) -> Json:
    """Return a message whose words are in a text file of so many bytes; `source` says where that is."""
    said = {
        "msgtype": "m.file",
        "body": _IN_A_FILE,
        "filename": FILE_NAME,
        "info": {"mimetype": "text/plain", "size": size},
    }
    return unformatted(content) | said | source


def placed(content: Json, *, thread: str, answers: str) -> Json:
    """Return a message with its place: in the thread of a root, as the answer to a message, both, or neither."""
    relation: Json = {"m.in_reply_to": {"event_id": answers}} if answers else {}
    if thread:
        relation = {
            "rel_type": "m.thread",
            "event_id": thread,
            "is_falling_back": True,
            "m.in_reply_to": {"event_id": answers or thread},
        }
    return content | ({"m.relates_to": relation} if relation else {})


def reaction(target: str, key: str) -> Json:
    """Return a reaction to a message."""
    return {"m.relates_to": {"rel_type": "m.annotation", "event_id": target, "key": key}}


def edit(target: str, content: Json) -> Json:
    """Return what replaces a message's content, and notifies nobody again."""
    body = content["body"]
    if len(body) > _LONGEST_FALLBACK or has_code(content):
        body = _CHANGED
    return {
        "msgtype": content["msgtype"],
        # Only clients that know no edits show it, as plain text; it must not take the room of the new words.
        "body": f"* {body}",
        "m.mentions": {},
        "m.new_content": content,
        "m.relates_to": {"rel_type": "m.replace", "event_id": target},
    } | {name: content[name] for name in ("url", "file", "filename", "info") if name in content}
