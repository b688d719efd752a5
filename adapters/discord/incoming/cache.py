"""What is held in memory of Discord: discord.py's cache, tolerant of events that it cannot parse, and the last messages of channels.

Each event that cannot be parsed would end the connection, for everybody and at every start. Of a message and a server, only what
cannot be parsed is dropped, and an event that nothing here depends on is ignored. A server of which too little is left counts as
unavailable. Any other event that cannot be parsed still ends the connection: what changes who may read a place, or takes something
back, must not be missed.
"""

import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import discord
from discord.state import ConnectionState

from adapters.discord.incoming.convert import UNREADABLE
from adapters.recent import Recent

_CORE = frozenset("id channel_id guild_id author content timestamp type webhook_id application_id".split())
_WORDS = _CORE | frozenset(
    "member edited_timestamp tts mention_everyone mentions mention_roles pinned flags nonce message_reference".split()
)
_KEPT = (_WORDS | {"attachments", "embeds"}, _WORDS | {"attachments"}, _WORDS, _WORDS - {"message_reference"}, _CORE)
_WITHOUT: dict[str, Any] = {
    **{name: [] for name in ("attachments", "embeds", "components", "mentions", "mention_roles")},
    **dict.fromkeys(("tts", "pinned", "mention_everyone"), False),
    **{"edited_timestamp": None, "flags": 0},
}
_NEEDED = (
    *("READY", "RESUMED", "GUILD_CREATE", "GUILD_UPDATE", "GUILD_DELETE", "GUILD_ROLE_", "GUILD_MEMBER_", "USER_", "THREAD_"),
    *("CHANNEL_CREATE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE"),
)
_ADORNING = frozenset("emojis stickers voice_states presences stage_instances guild_scheduled_events soundboard_sounds".split())
_PLACES = ("channels", "threads")
_MOST = 32
_MOST_CHANNELS = 500

log = logging.getLogger(__name__)


class TolerantState(ConnectionState[Any]):
    """The ConnectionState of a client; see the module."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for event, parse in self.parsers.items():
            if not event.startswith(_NEEDED):
                self.parsers[event] = _passing_over(event, parse)

    def parse_message_create(self, data: Any) -> None:
        """Handle MESSAGE_CREATE, except in a group DM, which the library would take for a DM with the author."""
        if data.get("channel_type") == discord.ChannelType.group.value:
            return
        _read(super().parse_message_create, data)

    def parse_message_update(self, data: Any) -> None:
        """Handle MESSAGE_UPDATE."""
        _read(super().parse_message_update, data)

    def parse_guild_create(self, data: Any) -> None:
        """Handle GUILD_CREATE; the server counts as unavailable if too little of it can be parsed."""
        bare = {name: value for name, value in data.items() if name not in _ADORNING}
        for readable in (lambda: data, lambda: bare, lambda: self._with_readable_places(bare)):
            try:
                super().parse_guild_create(readable())
                return
            except UNREADABLE as error:
                log.warning("The server %s on Discord could not be read whole (%s).", data["id"], type(error).__name__)
        # Part of it may be in the cache by now, but not who can read what.
        guild = self._get_guild(int(data["id"])) or self._add_guild_from_data({"id": data["id"], "unavailable": True})  # type: ignore[typeddict-item]
        guild.unavailable = True
        log.error("The server %s on Discord cannot be read, and counts as out of order until it is told of again.", data["id"])

    def parse_guild_update(self, data: Any) -> None:
        """Handle GUILD_UPDATE."""
        super().parse_guild_update({name: value for name, value in data.items() if name not in _ADORNING})

    def _with_readable_places(self, data: Any) -> Any:
        alone = discord.Guild(data={"id": data["id"], "roles": data.get("roles", [])}, state=self)  # type: ignore[typeddict-item]

        def is_readable(name: str, place: Any) -> bool:
            try:
                alone._from_data({"id": data["id"], name: [place]})  # type: ignore[misc]
            except UNREADABLE:
                return False
            return True

        return data | {name: [one for one in data.get(name) or () if is_readable(name, one)] for name in _PLACES}

    def create_message(self, *, channel: Any, data: Any) -> discord.Message:
        """Return a message of a history. Raises discord.InvalidData for one that cannot be read at all."""
        found: list[discord.Message] = []
        create = super().create_message
        try:
            _read(lambda readable: found.append(create(channel=channel, data=readable)), data)
        except UNREADABLE as error:
            raise discord.InvalidData(f"a message that cannot be read ({type(error).__name__})") from None
        return found[0]


def _read(parse: Callable[[Any], None], data: Any) -> None:
    """Parse the data of a message, with less of it after each failure. Raises one of UNREADABLE."""
    try:
        return parse(data)
    except UNREADABLE as error:
        log.warning("A message on Discord could not be read whole (%s): its words are.", type(error).__name__)
        last: Exception = error
    for kept in _KEPT:
        try:
            return parse(_WITHOUT | {name: value for name, value in data.items() if name in kept})
        except UNREADABLE as error:
            last = error
    raise last


def _passing_over(event: str, parse: Callable[[Any], None]) -> Callable[[Any], None]:
    def parse_or_pass_over(data: Any) -> None:
        try:
            parse(data)
        except UNREADABLE as error:
            log.warning("Discord's %s could not be read (%s) and is passed over.", event, type(error).__name__)

    return parse_or_pass_over


@dataclass
class _Said:
    """The last messages of a channel, by id; `complete` means there are no earlier ones. A thread's `parent` is its channel."""

    server: int
    parent: int | None
    messages: dict[int, discord.Message] = field(default_factory=dict)
    complete: bool = False


class RecentMessages:
    """The last messages of channels, without gaps, so that they need not be requested before every answer.

    It has 32 messages of each of the 500 channels with the latest ones, and drops a channel in which something may have been
    missed. `changes` counts deletes, edits and drops.
    """

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
