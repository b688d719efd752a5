"""Reactions to what she says: one of her own signs calls the command it stands for."""

from adapters.command_table import OFFERS, plain
from adapters.events import MenuCall, Message
from adapters.matrix.incoming.event import RoomEvent
from adapters.matrix.outgoing.contents import REFLECTION, VERDICT
from adapters.matrix.rooms.room import Room

REACTION = "m.reaction"
SIGNS = {"❓": "reflection why", "🔉": "reflection less", "🗑️": "reflection delete"}
"""The signs under each of her thoughts."""
VERDICTS = {"✅": "yes", "❌": "no"}
"""The signs under the emoji of a verification, and what each says about them."""
_VERIFY = "verify"


def pressed(room: Room, event: RoomEvent, target: RoomEvent | None) -> MenuCall | None:
    """Return the command that a reaction calls; None for any other reaction, or one to another message."""
    if target is None or target.sender != room.me:
        return None
    asks, arguments = target.content.get(VERDICT) is True, dict[str, str | int | bool]()
    offered = VERDICTS if asks else SIGNS if target.content.get(REFLECTION) is True else OFFERS
    signs = {plain(sign): command for sign, command in offered.items()}
    command = signs.get(plain(event.reacts[1]))
    if command is None:
        return None
    if asks:
        command, arguments = _VERIFY, {"answer": command}
    place, her = room.place(target.thread), room.person(target.sender)
    # The id suffices: its text may only be shown by memory, where its readers may know it.
    pressed_on = Message(target.id, place, her, "", target.at)
    return MenuCall(
        event.id, place, room.person(event.sender), event.at, command, arguments, answers=target.id, private=False,
        target=pressed_on, quiet=offered is OFFERS,
    )  # fmt: skip
