"""ChatGPT's export, `conversations.json`: every conversation with its real dates and all its branches.

A conversation is a tree, because answers can be regenerated and questions edited. The path shown last becomes the session named
by the title; what is unique to a branch becomes a session of its own.
"""

from collections.abc import Iterator, Mapping
from typing import BinaryIO

from localization.sentences import Sentence, lazy
from memory.text.storable import clean
from memory.transfer.message import MAX_LINE, BadLine, FileUnusable, Incoming, Role, UnreadableMessage, from_seconds
from memory.transfer.pieces import DamagedFile, MalformedExport, conversations
from memory.transfer.tree import Faults, Tree, grow

_ROLES: Mapping[object, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
# What the model thinks, reads and looks up, and the profile sent with every question: nobody said it.
_UNSAID = (
    *("thoughts", "reasoning_recap", "execution_output", "system_error", "user_editable_context"),
    *("model_editable_context", "tether_browsing_display", "tether_quote", "sonic_webpage"),
)
_CAPTIONS = {"image_asset_pointer": "[image]", "video_container_asset_pointer": "[video]"}


def read_chatgpt(stream: BinaryIO) -> Iterator[Incoming | BadLine]:
    """Read an export conversation by conversation: an array, an object with "conversations", or a single conversation.

    `line` is the number of the conversation in the file. If the file is truncated or damaged, the conversations before that are
    kept and a BadLine comes last. Raises FileUnusable if no conversation could be read, unless the file is empty.
    """
    number, readable = 0, False
    try:
        for number, value in enumerate(conversations(stream), 1):
            readable = readable or _mapping(value) is not None
            yield from _read(number, value)
    except DamagedFile as broken:
        if not readable:
            raise FileUnusable(lazy("no ChatGPT conversation could be read: {reason}", reason=broken)) from broken
        yield BadLine(broken.number, broken.sentence)
    if number and not readable:
        raise FileUnusable(lazy("this is not ChatGPT's conversations.json: no conversation in it has messages"))


def _mapping(value: object) -> Mapping[str, object] | None:
    mapping = value.get("mapping") if isinstance(value, dict) else None
    return mapping if isinstance(mapping, dict) else None


def _read(number: int, value: object) -> Iterator[Incoming | BadLine]:
    mapping = _mapping(value)
    if mapping is None or not isinstance(value, dict):
        reason = value.reason if isinstance(value, MalformedExport) else lazy("has no messages")
        yield BadLine(number, lazy("conversation {number} {reason}", number=number, reason=reason))
        return
    conversation = _Conversation(number, value, grow(mapping, value.get("current_node")))
    yield from conversation.messages()
    for fault in conversation.faults:
        yield BadLine(number, lazy("conversation {number}: {reason}", number=number, reason=Sentence(fault)))


class _Conversation:
    """One conversation being converted to messages; `faults` grows as they are read."""

    def __init__(self, number: int, fields: Mapping[str, object], tree: Tree) -> None:
        self.faults: Faults = dict.fromkeys(tree.faults)
        self._number = number
        self._tree = tree
        self._title = " ".join(_string(fields.get("title")).split()) or "Untitled"
        self._id = _string(fields.get("conversation_id")) or _string(fields.get("id"))
        self._began = self._instant(fields.get("create_time"))
        self._times: dict[str, int | None] = {}

    def messages(self) -> Iterator[Incoming]:
        """Yield the path shown last, then what is unique to each branch; branches without text are skipped."""
        branch = 1
        for position, path in enumerate(self._tree.paths):
            session, place = self._title, ""
            if position:
                session, place = f"{self._title} (branch {branch + 1})", f"#{clean(path[0])}"
            own = list(self._along(path, session, place))
            branch += bool(position and own)
            yield from own

    def _along(self, path: tuple[str, ...], session: str, place: str) -> Iterator[Incoming]:
        for node in path:
            message = self._tree.nodes[node].get("message")
            if message is not None and not isinstance(message, dict):
                self.faults["a message is not an object"] = None
            said = message if isinstance(message, dict) else {}
            self._times[node] = self._time(node, said)
            try:
                found = _said(said) if said else None
            except UnreadableMessage as refused:
                self.faults[str(refused)] = None
                continue
            if found:
                yield self._incoming(node, said, found, session, place)

    def _incoming(self, node: str, message: Mapping[str, object], said: tuple[Role, str], session: str, place: str) -> Incoming:
        role, content = said
        source_id = _string(message.get("id")) or clean(node)
        # An export without ids needs a key too: the id of its first message, which is unique, whereas titles are not.
        self._id = self._id or source_id
        speaker = "ChatGPT" if role == "assistant" else None
        place = f"chatgpt:{self._id}{place}"
        timed = self._instant(message.get("create_time")) is not None
        return Incoming(self._number, session, place, role, speaker, content, self._times[node], source_id, timed=timed)

    def _time(self, node: str, message: Mapping[str, object]) -> int | None:
        own = self._instant(message.get("create_time"))
        parent = self._tree.parents[node]
        # A path is read after the one it branches off, so the parent's time is known.
        return own if own is not None else self._began if parent is None else self._times[parent]

    def _instant(self, seconds: object) -> int | None:
        if seconds is None or seconds == 0:  # some exports write "unknown" as zero
            return None
        number = seconds if isinstance(seconds, int | float) and not isinstance(seconds, bool) else -1
        instant = from_seconds(number)
        if instant is None:
            self.faults["a create_time is not a time in seconds since 1970"] = None
        return instant


def _said(message: Mapping[str, object]) -> tuple[Role, str] | None:
    """Return the role and text of a message, or None if nobody said it to anybody."""
    author, content = message.get("author"), message.get("content")
    if not isinstance(author, dict) or not isinstance(content, dict | None):
        raise UnreadableMessage(lazy("a message's author or content has the wrong type"))
    spoken_to = message.get("recipient")
    if author.get("role") == "tool" or content is None or _hidden(message) or spoken_to not in (None, "all"):
        return None
    role = _ROLES.get(_string(author.get("role")))
    if role is None:
        raise UnreadableMessage(lazy("a message's author is none of user, assistant, system, tool"))
    text = clean(_text(content))
    if len(text.encode()) > MAX_LINE:
        raise UnreadableMessage(lazy("a message is longer than 1 MiB"))
    return (role, text) if text.strip() else None


def _hidden(message: Mapping[str, object]) -> bool:
    metadata = message.get("metadata")
    return isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation") is True


def _text(content: Mapping[str, object]) -> str:
    kind, parts = content.get("content_type"), content.get("parts")
    if kind in _UNSAID:
        return ""
    if parts is None:
        return _string(content.get("text"))
    if not isinstance(parts, list):
        raise UnreadableMessage(lazy("a message's parts have the wrong type"))
    return "\n".join(text for part in parts if (text := _part(part)))


def _part(part: object) -> str:
    """Return the text of a part: text, a caption for media, the transcript of speech."""
    if part is None or isinstance(part, str):
        return part or ""
    if not isinstance(part, dict):
        raise UnreadableMessage(lazy("a message's parts have the wrong type"))
    kind = part.get("content_type")
    return _CAPTIONS.get(kind, "") if isinstance(kind, str) and kind in _CAPTIONS else _string(part.get("text"))


def _string(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""
