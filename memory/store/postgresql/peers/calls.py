"""Calls between processes by NOTIFY, batched, each in a transaction of its own after the commit.

A NOTIFY within a writing transaction would serialize all commits. Nothing depends on a call: if one is lost, the others find
the change when they next poll.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator

from memory.errors import MemoryFailure
from memory.store.peers import EVERYTHING, Heard

CHANNEL = "lyra"
_TOGETHER_SECONDS = 0.005
_MOST_BYTES = 7_000
"""The server accepts less than 8,000 bytes per notification."""


class PeerCalls:
    """Sends the calls of this process, and passes on those of others."""

    def __init__(self, own: str, send: Callable[[str], Awaitable[None]]) -> None:
        self._own = own
        self._send = send
        self._waiting: set[str] = set()
        self._sending: asyncio.Task[None] | None = None
        self._listeners: list[Heard] = []

    def call(self, words: Collection[str]) -> None:
        """Send words soon."""
        self._waiting.update(words)
        if self._waiting and (self._sending is None or self._sending.done()):
            self._sending = asyncio.create_task(self._call())

    def listen(self, heard: Heard) -> None:
        """Add a listener for others' calls."""
        self._listeners.append(heard)

    def hear(self, payload: str) -> None:
        """Pass a payload to all listeners, unless this process sent it; '' means that calls may have been missed."""
        caller, *words = payload.split("\n") if payload else ("", EVERYTHING)
        if caller != self._own:
            for heard in self._listeners:
                heard(words)

    async def close(self) -> None:
        """Send what is waiting, and stop."""
        if self._sending is not None:
            await asyncio.gather(self._sending, return_exceptions=True)

    async def _call(self) -> None:
        while self._waiting:
            await asyncio.sleep(_TOGETHER_SECONDS)
            words, self._waiting = sorted(self._waiting), set()
            for payload in _payloads(self._own, words):
                try:
                    await self._send(payload)
                except MemoryFailure:
                    return


def _payloads(own: str, words: Collection[str]) -> Iterator[str]:
    payload = own
    for word in words:
        if len(payload.encode()) + len(word.encode()) >= _MOST_BYTES:
            yield payload
            payload = own
        payload += f"\n{word}"
    yield payload
