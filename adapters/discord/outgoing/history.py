"""What a channel's history says of parts whose fate is unknown."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import discord

from adapters.base import Sending

MARK = "-# (this may be a repeat)\n"
"""Stands before a part that nobody can say of whether it arrived before."""

_MOST = 500
_SLACK = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Look:
    """The id of the own message that was looked for, '' where it was not seen; `sure` says that all of the history was read."""

    found: str = ""
    sure: bool = True


async def arrived(channel: discord.PartialMessageable, me: int, sending: Sending) -> Look:
    """Look for a part as it was to be sent, with its whole text."""
    return await _look(channel, sending, lambda one: one.author.id == me and _says(one, sending) and _belongs(one, sending))


async def shown(channel: discord.PartialMessageable, me: int, sending: Sending) -> Look:
    """Look for what answers the same message as a first part, whatever it says: the last such one."""
    return await _look(channel, sending, lambda one: one.author.id == me and _told(one) == sending.answers)


async def _look(channel: discord.PartialMessageable, sending: Sending, fits: Callable[[discord.Message], bool]) -> Look:
    after, found, read = _start(sending), "", 0
    if not after:
        return Look(sure=False)
    async for message in channel.history(limit=_MOST, after=discord.Object(after), oldest_first=True):
        read += 1
        if fits(message):
            found = str(message.id)
    if found:
        return Look(found)
    return Look(sure=read < _MOST if read else await _readable(channel, after))


def _start(sending: Sending) -> int:
    if sending.answers.isdecimal():
        return int(sending.answers)
    # `since` is told by another clock than Discord's.
    return sending.since and discord.utils.time_snowflake(datetime.fromtimestamp(sending.since / 1_000_000, UTC) - _SLACK)


async def _readable(channel: discord.PartialMessageable, message: int) -> bool:
    # Without the right to read it a history is empty, while a single message is refused.
    try:
        await channel.fetch_message(message)
    except discord.NotFound:
        return True
    except discord.Forbidden:
        return False
    return True


def _says(message: discord.Message, sending: Sending) -> bool:
    # Discord trims what is sent.
    said = (message.embeds[0].description or "" if message.embeds else "") if sending.reflection else message.content
    return said.removeprefix(MARK).strip() == sending.text.strip()


def _belongs(message: discord.Message, sending: Sending) -> bool:
    if not sending.answers.isdecimal():
        return True
    return _told(message) in (("", sending.answers) if sending.first else ("",))


def _told(message: discord.Message) -> str:
    reference = message.reference
    return str(reference.message_id) if reference is not None and reference.message_id is not None else ""
