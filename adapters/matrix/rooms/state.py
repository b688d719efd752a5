"""What a room is made of: its state events, and what they say."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import part, word

INSIDE = ("join", "invite")
"""The memberships of those who are in a room or may come in."""

TOMBSTONE = "m.room.tombstone"
_INVITED = "invite"
_OPEN = ("shared", "world_readable")
_BEYOND_NUMBERS = 12
"""From this version of rooms on, who made a room has more power than any number."""
_STATE = 50
_RULERS = 50


class State:
    """The state of one room at one point of its history."""

    def __init__(self, events: Iterable[Json] = ()) -> None:
        self._events: dict[tuple[str, str], Json] = {}
        self._inside: dict[str, None] = {}
        for event in events:
            self.apply(event)

    # How it comes to be

    def copy(self) -> "State":
        """Return the same state, to be moved on by itself."""
        other = State()
        other._events, other._inside = dict(self._events), dict(self._inside)
        return other

    def apply(self, event: Json) -> None:
        """Go on to after an event."""
        self._set(event["type"], event["state_key"], event)

    def undo(self, event: Json) -> None:
        """Go back to before an event that was applied. What the homeserver does not say of before is taken for not there."""
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
        """Whether what stands took the place of an event."""
        now = self._events.get((event["type"], event["state_key"]))
        return word(part(now, "unsigned"), "replaces_state") == str(event["event_id"])

    # Who is there

    @property
    def inside(self) -> list[str]:
        """Who is in the room or invited to it, in the order in which they came."""
        return list(self._inside)

    @property
    def joined(self) -> set[str]:
        """Who is in the room, without those who are only invited."""
        return {user for user in self._inside if self.membership(user) == "join"}

    def membership(self, user: str) -> str:
        """Return join, invite, leave, ban or knock; '' for who was never there."""
        return word(self.content("m.room.member", user), "membership")

    def reads(self, user: str) -> bool:
        """Whether someone can read what is said now, be it once they follow their invitation."""
        membership = self.membership(user)
        return membership == "join" or (membership == "invite" and self._visibility != "joined")

    def count_ever(self, user: str) -> int:
        """Return how many beside this one are or were there or invited, those who were invited by an address among them."""
        known = {key for kind, key in self._events if kind == "m.room.member"}
        return self.asked_by_address + sum(self.membership(one) not in ("", "knock") for one in known - {user})

    @property
    def asked_by_address(self) -> int:
        """How many were ever invited by an e-mail address or the like: nobody can say who they are."""
        return sum(kind == "m.room.third_party_invite" for kind, _ in self._events)

    def shown_name(self, user: str) -> str:
        """Return what someone is called here, '' where that is not said."""
        return word(self.content("m.room.member", user), "displayname")

    # What it is

    @property
    def is_whole(self) -> bool:
        """Whether this is the room's whole state: of a room that Lyra left, the homeserver may tell only what changed last."""
        return ("m.room.create", "") in self._events

    @property
    def title(self) -> str:
        """What the room was named, '' where it has no name."""
        return word(self.content("m.room.name"), "name") or word(self.content("m.room.canonical_alias"), "alias")

    @property
    def is_encrypted(self) -> bool:
        """Whether what is said there has to be encrypted."""
        return ("m.room.encryption", "") in self._events

    def is_private(self, me: str) -> bool:
        """Whether one person alone was ever there beside this one, and nobody else could come in or read."""
        return self.count_ever(me) <= 1 and self.is_by_invitation and not self.is_world_readable

    @property
    def is_space(self) -> bool:
        """Whether it holds rooms, and nobody talks there."""
        return word(self.content("m.room.create"), "type") == "m.space"

    @property
    def opens_history(self) -> bool:
        """Whether who comes later can read what is said now."""
        return self._visibility in _OPEN

    @property
    def is_world_readable(self) -> bool:
        """Whether who never comes can read what is said now."""
        return self._visibility == "world_readable"

    @property
    def join_rules(self) -> Json:
        """Who can come in without an invitation, as the room has it; without a word of it, nobody."""
        return self.content("m.room.join_rules") if ("m.room.join_rules", "") in self._events else {"join_rule": _INVITED}

    @property
    def is_by_invitation(self) -> bool:
        """Whether nobody can come in without an invitation."""
        return self.join_rules.get("join_rule") == _INVITED

    @property
    def is_public(self) -> bool:
        """Whether anybody can come in."""
        return self.join_rules.get("join_rule") == "public"

    @property
    def _visibility(self) -> object:
        return self.content("m.room.history_visibility").get("history_visibility", "shared")

    @property
    def predecessor(self) -> str:
        """The room that this one replaces, '' for none."""
        return word(part(self.content("m.room.create"), "predecessor"), "room_id")

    @property
    def replaced(self) -> bool:
        """Whether another room took its place."""
        return bool(self.content(TOMBSTONE))

    @property
    def successor(self) -> str:
        """The room that is said to have taken its place, '' for none."""
        return word(self.content(TOMBSTONE), "replacement_room")

    @property
    def is_rightly_replaced(self) -> bool:
        """Whether who said so may send all who are here to another room."""
        return self.may_replace(word(self._events.get((TOMBSTONE, "")), "sender"))

    # Who may do what

    @property
    def rulers(self) -> list[str]:
        """Those who are there and may change what the room is; the first few where that is nearly everybody."""
        named = self._inside if self.rules("") else sorted({*part(self._levels, "users"), *self._creators})
        return sorted(islice((one for one in named if self.membership(one) == "join" and self.rules(one)), _RULERS))

    def rules(self, user: str) -> bool:
        """Whether someone may change what the room is."""
        return self._power(user) >= max(_STATE, _number(self._levels.get("state_default"), _STATE))

    def may_send(self, user: str, kind: str) -> bool:
        """Whether someone who is there may say something of a kind of event."""
        levels = self._levels
        level = _number(part(levels, "events").get(kind), _number(levels.get("events_default"), 0))
        return self._power(user) >= level

    def may_replace(self, user: str) -> bool:
        """Whether someone may send all who are here to another room. An ordinary member never may, whatever the room says."""
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
        """Return what a part of the state says, {} where it is not set."""
        return part(self._events.get((kind, key)), "content")


def _number(value: Any, otherwise: int) -> int:
    """Return a power level; old rooms have them as text, too."""
    if isinstance(value, str) and value.strip().lstrip("-").isdecimal():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
