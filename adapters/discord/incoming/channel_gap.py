"""What is missing of one channel, and what is a channel here."""

from dataclasses import dataclass

import discord

Listed = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
Readable = Listed | discord.DMChannel


@dataclass(slots=True)
class Gap:
    """What is to be read of one channel: everything after a message, and before another where that is not 0.

    A `hidden` one does not show its history.
    """

    stream: str
    channel: Readable | None
    after: int
    hidden: bool = False
    read: int = 0
    before: int = 0


def is_final(trouble: Exception) -> bool:
    """Return whether asking again cannot help."""
    if isinstance(trouble, discord.HTTPException):
        return trouble.status < 500 and trouble.status != 429
    return isinstance(trouble, discord.InvalidData)


def channels_of(guild: discord.Guild) -> list[Listed]:
    """Return the channels and threads of a server where things are said."""
    return [*guild.text_channels, *guild.voice_channels, *guild.stage_channels, *guild.threads]
