"""What came through the gateway, in the order it came."""

from dataclasses import dataclass
from enum import Enum, auto

import discord

from adapters.events import Event


class ConnectionChange(Enum):
    """What became of the gateway's session: a new one began, it is complete, it was lost, it goes on."""

    BEGUN = auto()
    COMPLETE = auto()
    LOST = auto()
    RESUMED = auto()


@dataclass(frozen=True, slots=True)
class GatewayEvent:
    """An event, and how far it moves its stream; without an event the stream moves alone.

    `lost` is the channel of an event that came from where the cache does not reach, `direct` the DM in which somebody spoke
    to her or called a command.
    """

    event: Event | None
    stream: str = ""
    position: int = 0
    lost: int = 0
    direct: discord.DMChannel | None = None


@dataclass(frozen=True, slots=True)
class Unheard:
    """A channel or thread is hidden from her from now on, or was until now; `prefix` is what the keys of its places begin with.

    `seen_again` is a channel that she sees again.
    """

    prefix: tuple[str, ...]
    seen_again: discord.abc.GuildChannel | None = None
