"""What disappeared while nobody could tell of it: servers that Lyra is not in any more, channels and threads that are gone."""

from collections.abc import Collection, Sequence

import discord

from adapters.discord.client import Client
from adapters.discord.failures import TROUBLE, UNKNOWN_CHANNEL
from adapters.discord.limits import Limits
from adapters.discord.whole import whole
from adapters.errors import SendFailed
from adapters.events import Vanished, split_key


async def vanished(client: Client, limits: Limits, places: Collection[str]) -> Sequence[Vanished]:
    """Return what of these places is gone for sure; of a gone server only that.

    A channel that is missing from its server's list is asked for by itself; an outage or a refusal is no disappearance.
    """
    found: dict[tuple[str, ...], Vanished] = {}
    for place in places:
        server, channel, thread = split_key(place)
        known = any((server, channel, thread)[: len(prefix)] == prefix for prefix in found)
        if server and not known and (event := await _looked_for(client, limits, server, channel, thread)):
            found[event.prefix] = event
    return list(found.values())


async def _looked_for(client: Client, limits: Limits, server: str, channel: str, thread: str) -> Vanished | None:
    if not client.live:
        return None
    guild = client.get_guild(int(server))
    if guild is None:
        return client.gone((server,))
    if guild.unavailable:
        return None
    if guild.get_channel(int(channel)) is None:
        return client.gone((server, channel)) if await _is_unknown(client, limits, int(channel)) else None
    if thread and guild.get_thread(int(thread)) is None and await _is_unknown(client, limits, int(thread)):
        return client.gone((server, channel, thread))
    return None


async def _is_unknown(client: Client, limits: Limits, channel: int) -> bool:
    try:
        limits.require()
        await whole(client.fetch_channel(channel))
    except discord.NotFound as error:
        return error.code == UNKNOWN_CHANNEL
    except (*TROUBLE, discord.InvalidData, SendFailed):
        pass
    return False
