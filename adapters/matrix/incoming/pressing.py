"""Signs under a thought of hers: whoever reacts with one of them calls the command that it stands for."""

from adapters.events import Asked, Message
from adapters.matrix.incoming.event import Seen
from adapters.matrix.outgoing.contents import REFLECTION
from adapters.matrix.rooms.room import Room

REACTION = "m.reaction"
SIGNS = {"❓": "reflection why", "🔉": "reflection less", "🗑️": "reflection delete"}
_PLAIN = "\ufe0f"


def pressed(room: Room, seen: Seen, target: Seen | None) -> Asked | None:
    """Return the command that a reaction calls; None where it is no such sign, or under something else."""
    signs = {sign.rstrip(_PLAIN): command for sign, command in SIGNS.items()}
    command = signs.get(seen.reacts[1].rstrip(_PLAIN))
    if command is None or target is None or target.sender != room.me or target.content.get(REFLECTION) is not True:
        return None
    place, her = room.place(target.thread), room.person(target.sender)
    # Which thought it is suffices: what it says may be shown by memory alone, where its readers may know it.
    thought = Message(target.id, place, her, "", target.at)
    return Asked(seen.id, place, room.person(seen.sender), seen.at, command, {}, answers=target.id, private=False, target=thought)
