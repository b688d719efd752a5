"""What came through the gateway, in order."""

from dataclasses import dataclass
from enum import Enum, auto

import discord

from adapters.events import Event


class ConnectionChange(Enum):
    """Changes of the gateway session: a new one began, it is complete, it was lost, it was resumed.

    Between processes: the one of an earlier process was resumed and nothing is missing, this one is left to the next.
    """

    BEGUN = auto()
    COMPLETE = auto()
    LOST = auto()
    RESUMED = auto()
    TAKEN_UP = auto()
    LEFT = auto()


@dataclass(frozen=True, slots=True)
class GatewayEvent:
    """An event and the stream position it brings; without an event only the position moves.

    `uncached_channel` is the channel of an event if the cache does not hold it, 0 if it does. `dm` is the DM in which somebody
    spoke to her or called a command.
    """

    event: Event | None
    stream: str = ""
    position: int = 0
    uncached_channel: int = 0
    dm: discord.DMChannel | None = None


@dataclass(frozen=True, slots=True)
class VisibilityChange:
    """A channel or thread is hidden from her from now on, or was until now; `prefix` is the prefix of its places' keys.

    `visible_again` is the channel, if it has become visible again.
    """

    prefix: tuple[str, ...]
    visible_again: discord.abc.GuildChannel | None = None
