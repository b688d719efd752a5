"""ChatGPT's export, `conversations.json`: every conversation with its real dates and all its branches.

A conversation is a tree, because answers can be regenerated and questions edited. The path shown last becomes the session named
by the title; what is unique to a branch becomes a session of its own. Where the file contradicts itself, `parent` decides. Nothing
recurses, because a conversation may be a chain of any length.
"""

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import BinaryIO

from localization.sentences import Sentence, lazy, marked
from memory.text.sanitize import clean
from memory.transfer.message import MAX_LINE, BadConversation, FileUnusable, Incoming, Role, UnreadableMessage, from_seconds
from memory.transfer.pieces import DamagedFile, MalformedExport, conversations

Node = Mapping[str, object]
Parents = dict[str, str | None]
Faults = dict[str, None]  # reasons in the order they were met, each once
Children = dict[str | None, dict[str, None]]  # roots are the children of None
_ROLES: Mapping[object, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
# What the model thinks, reads and looks up, and the profile sent with every question: nobody said it.
_UNSAID = (
    *("thoughts", "reasoning_recap", "execution_output", "system_error", "user_editable_context"),
    *("model_editable_context", "tether_browsing_display", "tether_quote", "sonic_webpage"),
)
_CAPTIONS = {"image_asset_pointer": "[image]", "video_container_asset_pointer": "[video]"}


def read_chatgpt(stream: BinaryIO) -> Iterator[Incoming | BadConversation]:
    """Read an export conversation by conversation: an array, an object with "conversations", or a single conversation.

    `line` is the number of the conversation in the file. If the file is truncated or damaged, the conversations before that are
    kept and a BadConversation comes last. Raises FileUnusable if no conversation could be read, unless the file is empty.
    """
    number, readable = 0, False
    try:
        for number, value in enumerate(conversations(stream), 1):
            readable = readable or _mapping(value) is not None
            yield from _read_conversation(number, value)
    except DamagedFile as broken:
        if not readable:
            raise FileUnusable("no ChatGPT conversation could be read: {reason}", reason=broken) from broken
        yield BadConversation(broken.number, broken.sentence)
    if number and not readable:
        raise FileUnusable("this is not ChatGPT's conversations.json: no conversation in it has messages")


def _mapping(value: object) -> Mapping[str, object] | None:
    mapping = value.get("mapping") if isinstance(value, dict) else None
    return mapping if isinstance(mapping, dict) else None


def _read_conversation(number: int, value: object) -> Iterator[Incoming | BadConversation]:
    mapping = _mapping(value)
    if mapping is None or not isinstance(value, dict):
        reason = value.reason if isinstance(value, MalformedExport) else lazy("has no messages")
        yield BadConversation(number, lazy("conversation {number} {reason}", number=number, reason=reason))
        return
    conversation = _Conversation(number, value, mapping)
    yield from conversation.messages()
    if conversation.faults:
        reasons = reduce(_listed_with, map(Sentence, conversation.faults))
        yield BadConversation(number, lazy("conversation {number}: {reason}", number=number, reason=reasons))


def _listed_with(some: Sentence, one: Sentence) -> Sentence:
    return lazy("{some}, {one}", some=some, one=one)


class _Conversation:
    """One conversation being converted to messages; `faults` grows as they are read."""

    def __init__(self, number: int, fields: Mapping[str, object], mapping: Mapping[str, object]) -> None:
        self.faults: Faults = {}
        self._number = number
        self._nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)}
        if len(self._nodes) < len(mapping):
            self.faults[marked("a node is not an object")] = None
        self._parents = _parents(self._nodes, _claims(self._nodes, self.faults), self.faults)
        _cut_circles(self._parents, self.faults)
        self._paths = list(_paths(self._ends(fields.get("current_node")), self._parents))
        self._title = " ".join(_string(fields.get("title")).split()) or "Untitled"
        self._id = _string(fields.get("conversation_id")) or _string(fields.get("id"))
        self._began = self._instant(fields.get("create_time"))
        self._times: dict[str, int | None] = {}

    def _ends(self, current: object) -> list[str]:
        """Return the last nodes of all paths, that of the path shown last before the others."""
        children = _children(self._nodes, self._parents, self.faults)
        ends = list(_ends(children))
        if isinstance(current, str) and current in self._nodes:
            ends.insert(0, current)
        elif current is not None:
            self.faults[marked("its current message is not there")] = None
        if ends and ends[0] != current:
            ends.insert(0, _newest(next(iter(children[None])), children))
        return ends

    def messages(self) -> Iterator[Incoming]:
        """Yield the path shown last, then what is unique to each branch; branches without text are skipped."""
        branch = 1
        for position, path in enumerate(self._paths):
            session, place = self._title, ""
            if position:
                session, place = f"{self._title} (branch {branch + 1})", f"#{clean(path[0])}"
            own = list(self._along(path, session, place))
            branch += bool(position and own)
            yield from own

    def _along(self, path: tuple[str, ...], session: str, place: str) -> Iterator[Incoming]:
        for node in path:
            message = self._nodes[node].get("message")
            if message is not None and not isinstance(message, dict):
                self.faults["a message is not an object"] = None
            said = message if isinstance(message, dict) else {}
            self._times[node] = self._time(node, said)
            try:
                found = _role_and_text(said) if said else None
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
        parent = self._parents[node]
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


def _role_and_text(message: Mapping[str, object]) -> tuple[Role, str] | None:
    """Return the role and text of a message, or None if nobody said it to anybody."""
    author, content = message.get("author"), message.get("content")
    if not isinstance(author, dict) or not isinstance(content, dict | None):
        raise UnreadableMessage("a message's author or content has the wrong type")
    spoken_to = message.get("recipient")
    if author.get("role") == "tool" or content is None or _hidden(message) or spoken_to not in (None, "all"):
        return None
    role = _ROLES.get(_string(author.get("role")))
    if role is None:
        raise UnreadableMessage("a message's author is none of user, assistant, system, tool")
    text = clean(_text(content))
    if len(text.encode()) > MAX_LINE:
        raise UnreadableMessage("a message is longer than 1 MiB")
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
        raise UnreadableMessage("a message's parts have the wrong type")
    return "\n".join(text for part in parts if (text := _part_text(part)))


def _part_text(part: object) -> str:
    """Return the text of a part: text, a caption for media, the transcript of speech."""
    if part is None or isinstance(part, str):
        return part or ""
    if not isinstance(part, dict):
        raise UnreadableMessage("a message's parts have the wrong type")
    kind = part.get("content_type")
    return _CAPTIONS.get(kind, "") if isinstance(kind, str) and kind in _CAPTIONS else _string(part.get("text"))


def _string(value: object) -> str:
    return clean(value) if isinstance(value, str) else ""


def _claims(nodes: Mapping[str, Node], faults: Faults) -> dict[str, str]:
    """Return for each child the first node that lists it."""
    claims: dict[str, str] = {}
    for key, node in nodes.items():
        for child in _listed(node, faults):
            if child in nodes:
                claims.setdefault(child, key)
            else:
                faults[marked("a message that should follow is not there")] = None
    return claims


def _listed(node: Node, faults: Faults) -> list[str]:
    listed = node.get("children")
    if listed is None:
        return []
    if not isinstance(listed, list) or not all(isinstance(child, str) for child in listed):
        faults[marked("a list of following messages has the wrong type")] = None
        return [child for child in listed if isinstance(child, str)] if isinstance(listed, list) else []
    return listed


def _parents(nodes: Mapping[str, Node], claims: Mapping[str, str], faults: Faults) -> Parents:
    parents: Parents = {}
    for key, node in nodes.items():
        parent = node.get("parent", claims.get(key))
        if parent is not None and (not isinstance(parent, str) or parent not in nodes):
            faults[marked("the message before one is not there")] = None
            parent = claims.get(key)
        parents[key] = parent
    return parents


def _cut_circles(parents: Parents, faults: Faults) -> None:
    """Make the first node met in every cycle a root."""
    done: set[str] = set()
    for start in parents:
        trail: dict[str, None] = {}
        node: str | None = start
        while node is not None and node not in done and node not in trail:
            trail[node] = None
            node = parents[node]
        if node is not None and node in trail:
            faults[marked("its messages follow each other in a circle")] = None
            parents[node] = None
        done.update(trail)


def _children(nodes: Mapping[str, Node], parents: Parents, faults: Faults) -> Children:
    """Return the children of each node: first in the order the parent lists them, then in the order of the file."""
    children: Children = {key: {} for key in (None, *parents)}
    for key, node in nodes.items():
        for child in _listed(node, faults):
            if parents.get(child) == key:
                children[key][child] = None
            elif child in nodes:
                faults[marked("two messages disagree on which comes first")] = None
    for key, parent in parents.items():
        children[parent].setdefault(key)
    return children


def _ends(children: Children) -> Iterator[str]:
    """Yield the last node of every branch, older branches first."""
    waiting = list(reversed(children[None]))
    while waiting:
        node = waiting.pop()
        if not children[node]:
            yield node
        waiting.extend(reversed(children[node]))


def _newest(node: str, children: Children) -> str:
    while children[node]:
        node = next(reversed(children[node]))
    return node


def _paths(ends: list[str], parents: Parents) -> Iterator[tuple[str, ...]]:
    used: set[str] = set()
    for end in ends:
        path: list[str] = []
        node: str | None = end
        while node is not None and node not in used:
            path.append(node)
            used.add(node)
            node = parents[node]
        if path:
            yield tuple(reversed(path))
