"""Whose invitations Lyra accepts."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

from adapters.matrix.homeserver import Json
from adapters.matrix.incoming.event import part, word

Invites = str | frozenset[str]
"""'off', 'anyone', or the ids of those who may invite her."""


@dataclass(frozen=True, slots=True)
class Invite:
    """An invitation: who sent it, whether it is to a space, and the predecessor of its room, '' for none.

    A `quiet` one predates Lyra's first listening.
    """

    by: str
    space: bool
    replaces: str
    quiet: bool

    @classmethod
    def of(cls, state: Any, me: str, *, quiet: bool) -> Self | None:
        """Parse the invitation in a room's stripped state, None if it contains none."""
        events: Sequence[Json] = [one for one in state if isinstance(one, dict)] if isinstance(state, list) else []
        own = [one for one in events if one.get("type") == "m.room.member" and one.get("state_key") == me]
        by = next((word(one, "sender") for one in own if part(one, "content").get("membership") == "invite"), "")
        made = next((part(one, "content") for one in events if one.get("type") == "m.room.create"), {})
        replaces = word(part(made, "predecessor"), "room_id")
        return cls(by, made.get("type") == "m.space", replaces, quiet) if by else None

    def note(self) -> Json:
        """Serialize it for a note."""
        return asdict(self)

    def allowed(self, allowed: Invites, moved_from: str) -> bool:
        """Return whether to follow it. `moved_from` is the room that its room is known to replace."""
        if self.space:
            return False
        if moved_from and self.replaces == moved_from:
            return True
        return self.by in allowed if isinstance(allowed, frozenset) else allowed == "anyone"
