"""The last messages of channels, from the gateway, so that they need not be requested before every answer.

Only in memory: 32 messages in each of the 500 channels with the latest messages. Dropped whenever something may have been
missed; deletes and edits are applied as they are heard.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import discord

from adapters.recent import Recent

_MOST = 32
_MOST_CHANNELS = 500


@dataclass
class _Said:
    """The last messages of a channel, by id; `complete` means there are no earlier ones. A thread's `parent` is its channel."""

    server: int
    parent: int | None
    messages: dict[int, discord.Message] = field(default_factory=dict)
    complete: bool = False


class RecentMessages:
    """The last messages of channels, without gaps; `changes` counts deletes, edits and drops."""

    def __init__(self) -> None:
        self._channels: Recent[int, _Said] = Recent(_MOST_CHANNELS)
        self.changes = 0

    def hear(self, message: discord.Message) -> None:
        """Add a message of a server."""
        if message.guild is None:
            return
        said = self._channels.get(message.channel.id) or _Said(message.guild.id, getattr(message.channel, "parent_id", None))
        self._channels[message.channel.id] = said
        said.messages[message.id] = message
        if len(said.messages) > _MOST:
            del said.messages[min(said.messages)]
            said.complete = False

    def before(self, channel: int, message: int, n: int) -> list[discord.Message] | None:
        """Return the n messages before one, newest first; None if not all of them are here."""
        said = self._channels.get(channel)
        if said is None:
            return None
        ids = sorted((id for id in said.messages if id < message), reverse=True)
        return [said.messages[id] for id in ids[:n]] if said.complete or len(ids) >= n else None

    def fill(self, channel: int, history: Sequence[discord.Message], changes: int, *, complete: bool) -> None:
        """Add a channel's history before what was heard there, unless `changes` has moved since the history was requested.

        `complete` means that there is nothing before it.
        """
        said = self._channels.get(channel)
        if said is not None and changes == self.changes:
            said.messages = {**{one.id: one for one in history}, **said.messages}
            said.complete = complete

    def change(self, message: discord.Message) -> None:
        """Replace a message that was edited."""
        self.changes += 1
        self._drop_threads([message.id])
        said = self._channels.get(message.channel.id)
        if said is not None and message.id in said.messages:
            said.messages[message.id] = message

    def remove(self, channel: int, messages: Collection[int]) -> None:
        """Remove deleted messages."""
        self.changes += 1
        self._drop_threads(messages)
        said = self._channels.get(channel)
        if said is not None:
            said.messages = {id: one for id, one in said.messages.items() if id not in messages}

    def drop(self, channel: int) -> None:
        """Drop a channel in which something may have been missed, and its threads."""
        self._drop({number for number, said in self._channels.items() if channel in (number, said.parent)})

    def drop_server(self, server: int) -> None:
        """Drop all channels of a server."""
        self._drop({number for number, said in self._channels.items() if said.server == server})

    def clear(self) -> None:
        """Drop everything."""
        self._drop(set(self._channels))

    def _drop_threads(self, messages: Collection[int]) -> None:
        """Drop the threads on these messages, which begin with a copy of them; Discord gives them the same ids."""
        for message in messages:
            self._channels.pop(message, None)

    def _drop(self, channels: Collection[int]) -> None:
        self.changes += 1
        for channel in channels:
            del self._channels[channel]
