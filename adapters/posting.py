"""Outgoing parts: their dispatch to the operations on a platform's posts, and the keys of what was posted."""

import logging
import time
from typing import Protocol

from adapters.base import Sending
from adapters.recent import Recent
from localization.sentences import lazy

_MOST_KEYS = 1_000
REPEAT = lazy("(this may be a repeat)")
"""Precedes a part that may have arrived before."""

log = logging.getLogger(__name__)


class Posts(Protocol):
    """The posts of one platform. Each method returns the id of the message that shows the part."""

    async def send(self, sending: Sending) -> str:
        """Post a message, unless it is there already."""

    async def edit(self, sending: Sending) -> str:
        """Replace the text of a message; post it if that message is gone."""

    async def delete(self, sending: Sending) -> str:
        """Delete a message, if it still exists."""

    async def offer(self, sending: Sending) -> str:
        """Show buttons under a message whose text stays; a message that is gone offers nothing."""

    async def unname(self, sending: Sending) -> str:
        """Remove the name of a thread that Lyra opened, if it still exists."""


async def put(posts: Posts, sending: Sending) -> str:
    """Perform a part's operation, and return the id of its message."""
    others = {"edit": posts.edit, "delete": posts.delete, "offer": posts.offer, "unname": posts.unname}
    return await others.get(sending.operation, posts.send)(sending)


class PostedKeys:
    """The keys of what one connection to a platform posted: another copy of Lyra with her account posts under others."""

    def __init__(self, platform: str) -> None:
        self._platform = platform
        self._began = time.time_ns() // 1_000
        self._keys: Recent[str, None] = Recent(_MOST_KEYS)
        self._told = False

    def add(self, key: str) -> None:
        """Record the key of a post, before it is sent."""
        self._keys[key] = None

    def see(self, key: str, at: int) -> None:
        """Warn, once, of a post of her account from after the beginning (`at`, microseconds UTC) that has another key; '' is none."""
        if self._told or not key or key in self._keys or at < self._began:
            return
        self._told = True
        log.warning(
            "Another program posts as Lyra on %s, with her account. If it is a copy of her, everybody is answered twice.",
            self._platform.capitalize(),
        )
