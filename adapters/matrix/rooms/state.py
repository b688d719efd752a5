"""A room's state events, and what they mean."""

import re
from collections.abc import Iterable
from itertools import islice
from typing import Any

from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import part, word

INSIDE = ("join", "invite")
"""The memberships of those who are in a room or may join it."""

TOMBSTONE = "m.room.tombstone"
_INVITED = "invite"
OPEN = ("shared", "world_readable")
"""The visibilities of a history that later members can read."""
_BEYOND_NUMBERS = 12
"""From this room version on, a room's creator has more power than any number."""
_STATE = 50
_RULERS = 50
_WRITTEN = re.compile(r"\s*[+-]?[0-9]{1,19}\s*")
"""A power level that is written as text."""


class State:
    """The state of one room at one point in its history."""

    def __init__(self, events: Iterable[Json] = ()) -> None:
        self._events: dict[tuple[str, str], Json] = {}
        self._inside: dict[str, None] = {}
        for event in events:
            self.apply(event)

    # Changes

    def copy(self) -> "State":
        """Return a copy that can be advanced on its own."""
        other = State()
        other._events, other._inside = dict(self._events), dict(self._inside)
        return other

    def apply(self, event: Json) -> None:
        """Advance past an event."""
        self._set(event["type"], event["state_key"], event)

    def undo(self, event: Json) -> None:
        """Go back to before an applied event. Without a former value from the homeserver, there was none."""
        before = part(event, "unsigned")
        was = {**event, "content": before.get("prev_content"), "sender": before.get("prev_sender", event["sender"])}
        self._set(event["type"], event["state_key"], was if isinstance(was["content"], dict) else None)

    def _set(self, kind: str, key: str, event: Json | None) -> None:
        if event is None:
            self._events.pop((kind, key), None)
        else:
            self._events[kind, key] = event
        if kind == "m.room.member":
            if self.membership(key) in INSIDE:
                self._inside.setdefault(key)
            else:
                self._inside.pop(key, None)

    def has_replaced(self, event: Json) -> bool:
        """Return whether the current state replaced an event."""
        now = self._events.get((event["type"], event["state_key"]))
        return word(part(now, "unsigned"), "replaces_state") == str(event["event_id"])

    # Members

    @property
    def inside(self) -> list[str]:
        """The members and invitees, in the order they came."""
        return list(self._inside)

    @property
    def joined(self) -> set[str]:
        """The members, without invitees."""
        return {user for user in self._inside if self.membership(user) == "join"}

    def membership(self, user: str) -> str:
        """Return join, invite, leave, ban or knock; '' if the user was never there."""
        return word(self.content("m.room.member", user), "membership")

    def reads(self, user: str) -> bool:
        """Return whether a user can read what is said now, possibly after accepting their invitation."""
        membership = self.membership(user)
        return membership == "join" or (membership == "invite" and self.visibility != "joined")

    def count_ever(self, user: str) -> int:
        """Return how many others are or were there or invited, including invitations by address."""
        known = {key for kind, key in self._events if kind == "m.room.member"}
        return self.asked_by_address + sum(self.membership(one) not in ("", "knock") for one in known - {user})

    @property
    def asked_by_address(self) -> int:
        """How many were ever invited by an e-mail address or the like: nobody can say who they are."""
        return sum(kind == "m.room.third_party_invite" for kind, _ in self._events)

    def shown_name(self, user: str) -> str:
        """Return a user's display name here, '' if they have none."""
        return word(self.content("m.room.member", user), "displayname")

    # Properties

    @property
    def is_complete(self) -> bool:
        """Whether this is the room's full state: of a room that Lyra left, the homeserver may only tell the last changes."""
        return ("m.room.create", "") in self._events

    @property
    def title(self) -> str:
        """The room's name, '' if it has none."""
        return word(self.content("m.room.name"), "name") or word(self.content("m.room.canonical_alias"), "alias")

    @property
    def is_encrypted(self) -> bool:
        """Whether messages have to be encrypted."""
        return ("m.room.encryption", "") in self._events

    def is_private(self, me: str) -> bool:
        """Return whether exactly one other person was ever there, and nobody else could join or read."""
        return self.count_ever(me) <= 1 and self.is_by_invitation and not self.is_world_readable

    @property
    def is_space(self) -> bool:
        """Whether it is a space, which contains rooms and no conversation."""
        return word(self.content("m.room.create"), "type") == "m.space"

    @property
    def opens_history(self) -> bool:
        """Whether later members can read what is said now."""
        return self.visibility in OPEN

    @property
    def is_world_readable(self) -> bool:
        """Whether non-members can read what is said now."""
        return self.visibility == "world_readable"

    @property
    def join_rules(self) -> Json:
        """The rules for joining without an invitation; if unset, nobody can."""
        return self.content("m.room.join_rules") if ("m.room.join_rules", "") in self._events else {"join_rule": _INVITED}

    @property
    def is_by_invitation(self) -> bool:
        """Whether nobody can join without an invitation."""
        return self.join_rules.get("join_rule") == _INVITED

    @property
    def is_public(self) -> bool:
        """Whether anybody can join."""
        return self.join_rules.get("join_rule") == "public"

    @property
    def visibility(self) -> str:
        """Who can read what is said now: joined, invited, shared or world_readable."""
        return visibility(self.content("m.room.history_visibility"))

    @property
    def predecessor(self) -> str:
        """The room that this one replaces, '' for none."""
        return word(part(self.content("m.room.create"), "predecessor"), "room_id")

    @property
    def replaced(self) -> bool:
        """Whether another room replaced it."""
        return bool(self.content(TOMBSTONE))

    @property
    def successor(self) -> str:
        """The room that is said to have replaced it, '' for none."""
        return word(self.content(TOMBSTONE), "replacement_room")

    @property
    def has_entitled_successor(self) -> bool:
        """Whether whoever announced the successor may move everybody here to another room."""
        return self.may_replace(word(self._events.get((TOMBSTONE, "")), "sender"))

    # Permissions

    @property
    def rulers(self) -> list[str]:
        """The members who may change the room; only the first few if nearly everybody may."""
        named = self._inside if self.rules("") else sorted({*part(self._levels, "users"), *self._creators})
        return sorted(islice((one for one in named if self.membership(one) == "join" and self.rules(one)), _RULERS))

    def rules(self, user: str) -> bool:
        """Return whether a user may change the room."""
        return self._power(user) >= max(_STATE, _number(self._levels.get("state_default"), _STATE))

    def may_send(self, user: str, kind: str) -> bool:
        """Return whether a member may send an event type."""
        levels = self._levels
        level = _number(part(levels, "events").get(kind), _number(levels.get("events_default"), 0))
        return self._power(user) >= level

    def may_replace(self, user: str) -> bool:
        """Return whether a user may move everybody here to another room. An ordinary member never may, whatever the room says."""
        level = _number(part(self._levels, "events").get(TOMBSTONE), _STATE)
        return self.rules(user) and self._power(user) >= level

    def _power(self, user: str) -> float:
        if user in self._creators and (self._version >= _BEYOND_NUMBERS or not self._levels):
            return float("inf")
        return _number(part(self._levels, "users").get(user), _number(self._levels.get("users_default"), 0))

    @property
    def _levels(self) -> Json:
        return self.content("m.room.power_levels")

    @property
    def _creators(self) -> set[str]:
        made = self._events.get(("m.room.create", ""), {})
        others = part(made, "content").get("additional_creators") if self._version >= _BEYOND_NUMBERS else None
        named = others if isinstance(others, list) else []
        return {word(made, "sender"), *(one for one in named if isinstance(one, str))}

    @property
    def _version(self) -> int:
        version = word(self.content("m.room.create"), "room_version")
        return int(version) if version.isdecimal() else 1

    def content(self, kind: str, key: str = "") -> Json:
        """Return the content of a state event, {} if it is not set."""
        return part(self._events.get((kind, key)), "content")


def visibility(content: Json) -> str:
    """Return what the content of a visibility event means: shared, where it says nothing that is specified."""
    found = word(content, "history_visibility")
    return found if found in (*OPEN, "invited", "joined") else "shared"


def _number(value: Any, otherwise: int) -> int:
    """Parse a power level; in old rooms it may be a string."""
    if isinstance(value, str) and _WRITTEN.fullmatch(value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
