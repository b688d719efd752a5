"""What an answer had in view, as a file carries it: messages by their conversation and id, and digests by what they were made from.

The words of digests are in no file. What they were made from is, so that an answer that had one in view is found when a message
beneath it is forgotten.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_LONGEST = 1 << 19
"""In characters: half of what a line of a file may have."""

MessageIds = Mapping[str, tuple[str, ...]]
"""Ids of messages by the name of their conversation, as `session` and `id` of their lines have them."""


@dataclass(frozen=True, slots=True)
class SeenItems:
    """Messages, and digests by ids that hold within a file."""

    messages: MessageIds = field(default_factory=dict)
    digests: tuple[str, ...] = ()

    def and_(self, more: "SeenItems") -> "SeenItems":
        """Return these items along with others."""
        messages = {
            name: (*self.messages.get(name, ()), *more.messages.get(name, ())) for name in {**self.messages, **more.messages}
        }
        return SeenItems(messages, (*self.digests, *more.digests))


@dataclass(frozen=True, slots=True)
class SeenRecord:
    """What an answer had in view; which messages it answers and which it cites are among them.

    `made_from` tells what the digests in view were made from that no earlier line told: of one that was heard again, the rest.
    """

    items: SeenItems
    cited: MessageIds = field(default_factory=dict)
    answered: MessageIds = field(default_factory=dict)
    made_from: Mapping[str, SeenItems] = field(default_factory=dict)

    def named(self) -> Iterator[tuple[str, str]]:
        """Yield the conversation and id of each message it names."""
        for ids in (self.cited, self.answered, *(items.messages for items in (self.items, *self.made_from.values()))):
            yield from ((session, id_) for session, some in ids.items() for id_ in some)

    def fields(self) -> dict[str, object] | None:
        """Return it as a value for JSON; None if a line could not hold it."""
        found = _fields(self.items)
        found |= {name: ids for name, ids in (("cited", self.cited), ("answered", self.answered)) if ids}
        if self.made_from:
            found["made_from"] = {digest: _fields(items) for digest, items in self.made_from.items()}
        return found if len(json.dumps(found)) <= _LONGEST else None


def _fields(items: SeenItems) -> dict[str, object]:
    return {name: value for name, value in (("messages", items.messages), ("digests", items.digests)) if value}


def read_seen(value: object) -> SeenRecord | None:
    """Read it from JSON; None if there is none, or anything of it cannot be read: then nothing is known of that view."""
    try:
        return _record(value) if isinstance(value, dict) else None
    except _UnreadableRecord:
        return None


class _UnreadableRecord(Exception):
    """A value of another shape."""


def _record(value: Mapping[str, object]) -> SeenRecord:
    made_from = _mapping(value.get("made_from"))
    return SeenRecord(
        _items(value),
        _ids(value.get("cited")),
        _ids(value.get("answered")),
        {digest: _items(_mapping(items)) for digest, items in made_from.items()},
    )


def _items(value: Mapping[str, object]) -> SeenItems:
    return SeenItems(_ids(value.get("messages")), _texts(value.get("digests")))


def _ids(value: object) -> MessageIds:
    return {session: _texts(ids) for session, ids in _mapping(value).items()}


def _mapping(value: object) -> Mapping[str, object]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise _UnreadableRecord
    return value


def _texts(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise _UnreadableRecord
    return tuple(value)
