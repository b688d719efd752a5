"""Where a call was made, and what it is about: the place, or the caller's own DM where Lyra is absent."""

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
    """Return the raw data of a call."""
    data: Any = interaction.data
    return data or {}


def place_of(client: discord.Client, interaction: discord.Interaction, gate: Callable[[str], str]) -> Place | None:
    """Return where a call was made, None if it is unknown who reads there."""
    channel = interaction.channel
    if interaction.guild_id is None:
        own = isinstance(channel, discord.DMChannel) and interaction.context.dm_channel
        return readers.place(channel, gate) if own and channel else None
    # The channel in an interaction lacks its overwrites: only the gateway's tells who reads it.
    guild = client.get_guild(interaction.guild_id)
    if guild is None or guild.unavailable or channel is None:
        return None
    known = channel.parent if isinstance(channel, discord.Thread) else guild.get_channel(channel.id)
    return readers.place(channel, gate) if known is not None else None


async def own_place(interaction: discord.Interaction, gate: Callable[[str], str]) -> tuple[discord.DMChannel, Place] | None:
    """Return the caller's DM, created if need be; None if there cannot be one."""
    with suppress(*TROUBLE):
        dm = await interaction.user.create_dm()
        place = readers.place(dm, gate)
        return (dm, place) if place else None
    return None


def own_words(interaction: discord.Interaction, dm: discord.DMChannel, place: Place) -> Message | None:
    """Return what the caller said where Lyra is absent, without anybody else's words; None if another said it."""
    data, me = data_of(interaction), interaction.client.user
    raw = data.get("resolved", {}).get("messages", {}).get(data.get("target_id"))
    if raw is None or me is None or raw["author"]["id"] != str(interaction.user.id):
        return None
    said = convert.message(discord.Message(state=interaction._state, channel=dm, data=raw), place, me)
    return replace(said, quoted=None, attachments=(), forwards=())
