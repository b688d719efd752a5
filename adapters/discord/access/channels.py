"""Finds places again, as they are now."""

import discord

from adapters.discord.access import readers
from adapters.discord.client import Client
from adapters.discord.failures import TROUBLE
from adapters.discord.whole import whole
from adapters.errors import PlaceGone
from adapters.events import Place, split_key

_LEFT = "Lyra is not in that server any more; invite her again to talk to her there."
_GONE = "That channel or thread is gone; talk to Lyra in another one."
_HIDDEN = "Lyra does not see that channel any more; give her the permission to view it."


async def locate(client: Client | None, key: str, gate: readers.Gate) -> Place | None:
    """Return a place with those who can read it now; None where that is not known now. Raises PlaceGone."""
    server, parent, thread = split_key(key)
    if not server:
        return readers.direct(parent)
    if client is None or not client.live:
        return None
    guild = client.get_guild(int(server))
    if guild is None:
        raise PlaceGone(_LEFT)
    if guild.unavailable:
        return None
    channel: discord.abc.GuildChannel | discord.Thread | None = guild.get_channel_or_thread(int(thread or parent))
    if channel is None and not thread:
        raise PlaceGone(_GONE)
    channel = channel or await _archived(client, int(thread))
    # Meanwhile the connection may have been lost.
    if channel is None or not client.live:
        return None
    if not _sees(guild.me, channel):
        raise PlaceGone(_HIDDEN)
    return readers.place(channel, gate)


async def _archived(client: Client, thread: int) -> discord.Thread | None:
    """Ask for a thread that is not among the active ones."""
    try:
        found = await whole(client.fetch_channel(thread))
    except (discord.NotFound, discord.Forbidden):
        raise PlaceGone(_GONE) from None
    except (*TROUBLE, discord.InvalidData):
        return None
    return found if isinstance(found, discord.Thread) else None


def _sees(me: discord.Member, channel: discord.abc.GuildChannel | discord.Thread) -> bool:
    parent = channel.parent if isinstance(channel, discord.Thread) else channel
    return parent is None or parent.permissions_for(me).view_channel
