"""Reactions to what she says: adding or removing one of her signs calls the command it stands for."""

import discord

from adapters.discord.incoming import convert
from adapters.events import Asked, Message, Person, Place
from adapters.signs import OFFERS, TAKEN_BACK, plain


def pressed(payload: discord.RawReactionActionEvent, place: Place, me: int, who: discord.User | None, at: int) -> Asked | None:
    """Return the command that adding or removing a reaction calls; None for any other reaction, or under others' messages.

    `who` is the person reacting, if known and not a member here; `at` is now, in microseconds UTC.
    """
    added = payload.event_type == "REACTION_ADD"
    command = (OFFERS if added else TAKEN_BACK).get(plain(payload.emoji.name or ""))
    # For a removed one Discord does not tell the message's author.
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
