"""Where a call was made, and what it is about: the place, or its person's own DM where Lyra is not."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import discord

from adapters.discord.access import readers
from adapters.discord.failures import TROUBLE
from adapters.discord.incoming import convert
from adapters.events import Message, Place


def data_of(interaction: discord.Interaction) -> Mapping[str, Any]:
    """Return what was called, as Discord put it."""
    data: Any = interaction.data
    return data or {}


def place_of(client: discord.Client, interaction: discord.Interaction, gate: Callable[[str], str]) -> Place | None:
    """Return where a call was made, None where it is not known who reads there."""
    channel = interaction.channel
    if interaction.guild_id is None:
        own = isinstance(channel, discord.DMChannel) and interaction.context.dm_channel
        return readers.place(channel, gate) if own and channel else None
    # The channel that comes with a call lacks its overwrites: only what the gateway told says who reads it.
    guild = client.get_guild(interaction.guild_id)
    if guild is None or guild.unavailable or channel is None:
        return None
    known = channel.parent if isinstance(channel, discord.Thread) else guild.get_channel(channel.id)
    return readers.place(channel, gate) if known is not None else None


async def own_place(interaction: discord.Interaction, gate: Callable[[str], str]) -> tuple[discord.DMChannel, Place] | None:
    """Return the DM of whoever calls, made if need be; None where there cannot be one."""
    with suppress(*TROUBLE):
        dm = await interaction.user.create_dm()
        place = readers.place(dm, gate)
        return (dm, place) if place else None
    return None


def own_words(interaction: discord.Interaction, dm: discord.DMChannel, place: Place) -> Message | None:
    """Return what whoever calls said themselves where Lyra is not, without anybody else's words; None for others' words."""
    data, me = data_of(interaction), interaction.client.user
    raw = data.get("resolved", {}).get("messages", {}).get(data.get("target_id"))
    if raw is None or me is None or raw["author"]["id"] != str(interaction.user.id):
        return None
    said = convert.message(discord.Message(state=interaction._state, channel=dm, data=raw), place, me)
    return replace(said, quoted=None, attachments=(), forwards=())
