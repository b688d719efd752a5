"""What a connection posts, and what another program posts that has the same token: a copy of Lyra answers everybody twice."""

import logging

import discord

from adapters.recent import Recent

_MOST = 1_000

log = logging.getLogger(__name__)


class PostedNonces:
    """The nonces of what one connection posted."""

    def __init__(self) -> None:
        self._began = discord.utils.time_snowflake(discord.utils.utcnow())
        self._nonces: Recent[str, None] = Recent(_MOST)
        self._told = False

    def add(self, nonce: str) -> None:
        """Record the nonce of a post, before it is sent."""
        self._nonces[nonce] = None

    def see(self, message: discord.Message) -> None:
        """Warn, once, of a message of her account that another program posted since the connection began."""
        nonce = "" if message.nonce is None else str(message.nonce)
        if self._told or not nonce or nonce in self._nonces or message.id < self._began:
            return
        self._told = True
        log.warning(
            "Another program posts as Lyra on Discord, with her token. If it is a copy of her, everybody is answered twice."
        )
