"""What was said last in channels, as the gateway told it, so that it need not be asked for again before every answer.

It is held in memory alone: 32 messages of each of the 500 channels where something was said last. Whatever may have been missed
empties it; what was removed or changed is removed or changed here as it is heard.
"""

from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import discord

_MOST = 32
_MOST_CHANNELS = 500
_MOST_EDITS = 5_000


@dataclass
class _Said:
    """The last messages of a channel, by their ids; `whole` says that there are no others. A thread has its channel as `parent`."""

    server: int
    parent: int | None
    messages: dict[int, discord.Message] = field(default_factory=dict)
    whole: bool = False


class RecentMessages:
    """The last messages of channels, without a gap; `changes` counts what was removed, changed or let go."""

    def __init__(self) -> None:
        self._channels: OrderedDict[int, _Said] = OrderedDict()
        self.changes = 0

    def hear(self, message: discord.Message) -> None:
        """Take in a message of a server."""
        if message.guild is None:
            return
        said = self._channels.setdefault(message.channel.id, _Said(message.guild.id, getattr(message.channel, "parent_id", None)))
        self._channels.move_to_end(message.channel.id)
        said.messages[message.id] = message
        if len(said.messages) > _MOST:
            del said.messages[min(said.messages)]
            said.whole = False
        if len(self._channels) > _MOST_CHANNELS:
            self._channels.popitem(last=False)

    def before(self, channel: int, message: int, n: int) -> list[discord.Message] | None:
        """Return the n messages before one, newest first; None where not all of them are here."""
        said = self._channels.get(channel)
        if said is None:
            return None
        ids = sorted((id for id in said.messages if id < message), reverse=True)
        return [said.messages[id] for id in ids[:n]] if said.whole or len(ids) >= n else None

    def fill(self, channel: int, history: Sequence[discord.Message], changes: int, *, whole: bool) -> None:
        """Put what a channel's history shows behind what was heard there, unless anything changed since there were so many
        `changes`, when it was asked for. `whole` says that there is nothing before.
        """
        said = self._channels.get(channel)
        if said is not None and changes == self.changes:
            said.messages = {**{one.id: one for one in history}, **said.messages}
            said.whole = whole

    def change(self, message: discord.Message) -> None:
        """Take in a message as it was changed."""
        self.changes += 1
        said = self._channels.get(message.channel.id)
        if said is not None and message.id in said.messages:
            said.messages[message.id] = message

    def remove(self, channel: int, messages: Collection[int]) -> None:
        """Let messages go that were removed."""
        self.changes += 1
        said = self._channels.get(channel)
        if said is not None:
            said.messages = {id: one for id, one in said.messages.items() if id not in messages}

    def drop(self, channel: int) -> None:
        """Let a channel go of which something may have been missed, with its threads."""
        self._drop({number for number, said in self._channels.items() if channel in (number, said.parent)})

    def drop_server(self, server: int) -> None:
        """Let all channels of a server go."""
        self._drop({number for number, said in self._channels.items() if said.server == server})

    def clear(self) -> None:
        """Let everything go."""
        self._drop(set(self._channels))

    def _drop(self, channels: Collection[int]) -> None:
        self.changes += 1
        for channel in channels:
            del self._channels[channel]


class RecentEdits:
    """When messages were last edited, by their ids: of the 5,000 that were edited last.

    Discord tells an edit again whenever it shows the message in another way.
    """

    def __init__(self) -> None:
        self._last: OrderedDict[int, int] = OrderedDict()

    def note(self, message: int, at: int) -> bool:
        """Note when a message was edited; return whether that is news."""
        if self._last.get(message) == at:
            return False
        self._last[message] = at
        if len(self._last) > _MOST_EDITS:
            self._last.popitem(last=False)
        return True
