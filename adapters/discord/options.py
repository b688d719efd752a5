"""What a connection is made with."""

from dataclasses import dataclass

from adapters.discord.access.readers import Gate
from adapters.discord.pace import Pace


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """What a client is made with: may it read all messages, the bots it listens to, who is everyone of a server, and which of
    how many shards it is.
    """

    content: bool
    bots: frozenset[str]
    gate: Gate
    pace: Pace
    shard: int = 0
    shards: int = 1
