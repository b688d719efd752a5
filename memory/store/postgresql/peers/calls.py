"""Calls between processes by NOTIFY: after the commit, in a transaction of their own, several together.

Inside a transaction that writes, a NOTIFY has everybody who commits wait for everybody else. Nothing rests on a call: where one is
lost, with its connection or its process, the others find what it told of when they look the next time.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterator

from memory.errors import MemoryFailure
from memory.store.peers import EVERYTHING, Heard

CHANNEL = "lyra"
_TOGETHER_SECONDS = 0.005
_MOST_BYTES = 7_000
"""A server takes 8,000 a call."""


class PeerCalls:
    """What this process calls, and who is told what others call."""

    def __init__(self, own: str, send: Callable[[str], Awaitable[None]]) -> None:
        self._own = own
        self._send = send
        self._waiting: set[str] = set()
        self._sending: asyncio.Task[None] | None = None
        self._listeners: list[Heard] = []

    def call(self, words: Collection[str]) -> None:
        """Call words soon."""
        self._waiting.update(words)
        if self._waiting and (self._sending is None or self._sending.done()):
            self._sending = asyncio.create_task(self._call())

    def listen(self, heard: Heard) -> None:
        """Tell what others call."""
        self._listeners.append(heard)

    def hear(self, payload: str) -> None:
        """Tell everybody who listens what was called, unless it was from here; '' says that something may have been missed."""
        caller, *words = payload.split("\n") if payload else ("", EVERYTHING)
        if caller != self._own:
            for heard in self._listeners:
                heard(words)

    async def close(self) -> None:
        """Send what waits, and call nothing any more."""
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
