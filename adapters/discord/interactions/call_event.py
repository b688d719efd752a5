"""A call as Lyra's own event: who asked for what, where, and where the answer goes."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import discord

from adapters.discord.access import readers
from adapters.discord.incoming import convert
from adapters.discord.interactions.address import Address
from adapters.discord.interactions.calling import Called
from adapters.events import Asked, Message, Place

_Speaking = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread | discord.DMChannel


def data_of(interaction: discord.Interaction) -> Mapping[str, Any]:
    """Return what was called, as Discord put it."""
    return cast("Mapping[str, Any]", interaction.data or {})


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


def asked(interaction: discord.Interaction, call: Called, place: Place, answers: Address | None) -> Asked:
    """Return a call as an event; without an address while somebody still types."""
    rights = interaction.permissions
    return Asked(
        str(interaction.id),
        place,
        convert.person(interaction.user),
        convert.said_at(interaction.id),
        call.spec.name,
        call.arguments,
        answers.text() if answers else "",
        private=call.private,
        admin=bool(place.server) and (rights.manage_guild or rights.administrator),
        target=_target(interaction, place),
    )


def address(interaction: discord.Interaction, call: Called, heard_at: int) -> Address:
    """Return where the answer to a call goes."""
    return Address(interaction.application_id, interaction.id, interaction.token, heard_at, call.private)


def _target(interaction: discord.Interaction, place: Place) -> Message | None:
    data, channel, me = data_of(interaction), interaction.channel, interaction.client.user
    raw = data.get("resolved", {}).get("messages", {}).get(data.get("target_id"))
    if raw is None or me is None or not isinstance(channel, _Speaking):
        return None
    return convert.message(discord.Message(state=interaction._state, channel=channel, data=raw), place, me)
