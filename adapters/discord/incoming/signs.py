"""Signs under what she says: whoever reacts with one of them calls the command that it stands for, and takes some of them back."""

import discord

from adapters.discord.incoming import convert
from adapters.events import Asked, Message, Person, Place
from adapters.signs import OFFERS, TAKEN_BACK, plain


def pressed(payload: discord.RawReactionActionEvent, place: Place, me: int, who: discord.User | None, at: int) -> Asked | None:
    """Return the command that a reaction at a place calls, or the removal of one; None where it is no such sign, or under something else.

    `who` is whoever reacts, where they are known and no member here; `at` is now, in microseconds UTC.
    """
    added = payload.event_type == "REACTION_ADD"
    command = (OFFERS if added else TAKEN_BACK).get(plain(payload.emoji.name or ""))
    # Of one that is removed Discord does not say whose message it stood under.
    if command is None or payload.user_id == me or (added and payload.message_author_id != me):
        return None
    member = payload.member
    if member is not None and member.bot:
        return None
    known = member or who
    person = convert.person(known) if known else Person(convert.PLATFORM, str(payload.user_id), "")
    rights = member.guild_permissions if member else discord.Permissions.none()
    hers = Message(str(payload.message_id), place, Person(convert.PLATFORM, str(me), ""), "", convert.said_at(payload.message_id))
    return Asked(
        f"{payload.event_type}:{payload.message_id}:{payload.user_id}:{command}:{at}", place, person, at, command, {}, "",
        private=False, admin=rights.manage_guild or rights.administrator, target=hers, quiet=True,
    )  # fmt: skip
