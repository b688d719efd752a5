"""What the library knows of Discord, kept up by events. One that it cannot read ends its connection, for everybody and at each start anew.

So a message is read without what it cannot read, and an event that nothing here depends on is passed over. Any other that it
cannot read still ends the connection: what changes who may read a place, or takes something back, must not be missed.
"""

import logging
from collections.abc import Callable
from typing import Any

import discord
from discord.state import ConnectionState

UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What the library raises for data of a shape that it does not know."""

_WORDS = frozenset(
    "id channel_id guild_id author member content timestamp edited_timestamp tts mention_everyone mentions mention_roles pinned type"
    " flags webhook_id application_id nonce message_reference".split()
)
_KEPT = (_WORDS | {"attachments", "embeds"}, _WORDS | {"attachments"}, _WORDS)
_WITHOUT: dict[str, Any] = {"attachments": [], "embeds": [], "components": []}
_NEEDED = ("READY", "RESUMED", "GUILD_", "CHANNEL_", "THREAD_", "MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "USER_")

log = logging.getLogger(__name__)


class TolerantState(ConnectionState[Any]):
    """The library's own, for a client."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for event, parse in self.parsers.items():
            if not event.startswith(_NEEDED):
                self.parsers[event] = _passing_over(event, parse)

    def parse_message_create(self, data: Any) -> None:
        """Take in that something was said."""
        _read(super().parse_message_create, data)

    def parse_message_update(self, data: Any) -> None:
        """Take in that a message was changed."""
        _read(super().parse_message_update, data)

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
    """Hand the data of a message over, with less of it each time that it cannot be read. Raises one of UNREADABLE."""
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
