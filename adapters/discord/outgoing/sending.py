"""The exit to Discord: each part once, to a channel or as the answer to a call."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import discord

from adapters.base import Sending
from adapters.discord.failures import TROUBLE, failure
from adapters.discord.interactions.address import read_address
from adapters.discord.interactions.answers import Answers, TooLate
from adapters.discord.outgoing.posts import Posts
from adapters.errors import SendFailed

_NOT_CONNECTED = "Discord is not connected; what waits is sent as soon as it can be."

_Key = tuple[str, str]


class Sender:
    """Sends parts. `require` raises SendFailed while sending is forbidden; `seconds` is the longest that a caller waits;
    `posts` says things in channels.

    A request that takes longer is not cut off: inside discord.py that can stop every later one for good, and it may still
    arrive. The next attempt under the same key waits for it instead of sending a second time.
    """

    def __init__(
        self,
        client: discord.Client,
        require: Callable[[], None],
        now: Callable[[], int],
        *,
        seconds: float = 60.0,
        posts: Posts | None = None,
    ) -> None:
        self._client = client
        self._require = require
        self._seconds = seconds
        self._posts = posts or Posts(client, now)
        self._answers = Answers(client, now)
        self._under_way: dict[_Key, asyncio.Task[str]] = {}

    async def send(self, sending: Sending) -> str:
        """Send a part and return Discord's id of it. Raises SendFailed."""
        self._require()
        if self._client.user is None or self._client.is_closed():
            raise SendFailed(_NOT_CONNECTED)
        key = (sending.key, sending.operation)
        task = self._under_way.get(key) or self._begin(key, sending)
        await asyncio.wait({task}, timeout=self._seconds)
        if not task.done():
            raise SendFailed("Discord has not answered in time; what waits is sent as soon as it can be.")
        return task.result()

    async def close(self) -> None:
        """Give up what is still under way, once the client is closed."""
        tasks = list(self._under_way.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _begin(self, key: _Key, sending: Sending) -> asyncio.Task[str]:
        task = asyncio.create_task(self._sent(sending))
        self._under_way[key] = task
        task.add_done_callback(lambda done: self._end(key, done))
        return task

    def _end(self, key: _Key, task: asyncio.Task[str]) -> None:
        del self._under_way[key]
        if not task.cancelled():
            task.exception()  # Taken, also where nobody waits for it any more.

    async def _sent(self, sending: Sending) -> str:
        # Nothing of the library's error is kept with ours: it can hold the address with its token.
        try:
            return await self._route(sending)
        except TROUBLE as error:
            raise failure(error) from None
        except RuntimeError:
            if not self._client.is_closed():
                raise
            raise SendFailed(_NOT_CONNECTED) from None

    async def _route(self, sending: Sending) -> str:
        address = read_address(sending.answers)
        if address is None:
            return await self._post(sending)
        try:
            return await self._answers.send(address, sending)
        except TooLate:
            if address.private:
                raise SendFailed("The private answer came too late for Discord; ask again.", final=True) from None
        # The promise that the answer may have filled is older than the part.
        return await self._post(replace(sending, answers="", since=min(sending.since, address.heard_at)))

    async def _post(self, sending: Sending) -> str:
        match sending.operation:
            case "edit":
                return await self._posts.edit(sending)
            case "delete":
                return await self._posts.delete(sending)
        return await self._posts.send(sending)
