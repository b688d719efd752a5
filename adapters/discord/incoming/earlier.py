"""What was said before a message, read from Discord and not kept."""

from collections.abc import Sequence

import discord

from adapters.discord.access.entitled import Entitled
from adapters.discord.access.readers import Gate
from adapters.discord.client import Client
from adapters.discord.failures import TROUBLE
from adapters.discord.incoming import convert
from adapters.discord.limits import Limits
from adapters.discord.whole import whole
from adapters.errors import SendFailed
from adapters.events import Person, Quote, split_key


async def earlier(
    client: Client, limits: Limits, gate: Gate, place: str, message: str, n: int, reader: Person | None
) -> Sequence[Quote]:
    """Return the n messages before one, oldest first; none where Lyra or the reader may not read them, or cannot now."""
    server, parent, thread = split_key(place)
    me = client.user
    try:
        limits.require()
        number = int(thread or parent)
        found = client.get_channel(number) or await whole(client.fetch_channel(number))
        if me is None or not isinstance(found, discord.abc.Messageable):
            return ()
        if server and not (client.live and reads(found)):
            return ()
        if reader is not None and not await Entitled(client, limits, gate, reader).reads(found):
            return ()
        said = await whole(_history(found, snowflake(message), n))
    except (*TROUBLE, discord.InvalidData, SendFailed):
        return ()
    quotes = [convert.quote(one, me) for one in reversed(said) if convert.spoken(one)]
    # Without the message content intent most of it is blank.
    return tuple(one for one in quotes if one.text)


def snowflake(source_id: str) -> int | None:
    """Return Discord's id in an id of Lyra's, as in `reply:123`; None where there is none."""
    last = source_id.rpartition(":")[2]
    return int(last) if last.isdecimal() else None


def reads(channel: object) -> bool:
    """Whether Lyra can read a channel of a server with its history, as far as is known now."""
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
        return False
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    if parent is None or channel.guild.unavailable:
        return False
    rights = parent.permissions_for(channel.guild.me)
    return rights.view_channel and rights.read_message_history


async def _history(channel: discord.abc.Messageable, before: int | None, n: int) -> list[discord.Message]:
    point = discord.Object(before) if before is not None else None
    return [one async for one in channel.history(limit=n, before=point)]
