"""A connection on which a session is resumed, while the library begins one.

The library identifies, and RESUME goes out in its place. It is told what it would have been told then, READY and its servers, as
they were when the session was left; from there on it hears Discord, which replays what happened since. So the library needs to
know nothing of any of this.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import aiohttp

_IDENTIFY, _RESUME = 2, 6
Frames = Iterator[str]


class ResumingSocket:
    """A websocket as discord.py uses it."""

    def __init__(
        self, socket: aiohttp.ClientWebSocketResponse, session: str, sequence: int, frames: Frames, told: Callable[[], None]
    ) -> None:
        """Resume a session; `told` is called once the library has taken in the last of the frames."""
        self._socket = socket
        self._session = session
        self._sequence = sequence
        self._frames = frames
        self._told = told
        self._resumed = self._is_told = False

    def __getattr__(self, name: str) -> Any:
        """Be the connection in everything else."""
        return getattr(self._socket, name)

    async def send_str(self, data: str, compress: int | None = None) -> None:
        """Send a frame: RESUME in the place of IDENTIFY."""
        if not self._resumed and (frame := json.loads(data))["op"] == _IDENTIFY:
            self._resumed = True
            resume = {"token": frame["d"]["token"], "session_id": self._session, "seq": self._sequence}
            data = json.dumps({"op": _RESUME, "d": resume})
        await self._socket.send_str(data, compress)

    async def receive(self, *within: Any, **named: Any) -> aiohttp.WSMessage:
        """Return the next frame: what was known first, then what Discord says."""
        if self._resumed and not self._is_told:
            # Many servers are many frames, and nobody else waits for all of them.
            await asyncio.sleep(0)
            if (frame := next(self._frames, None)) is not None:
                return aiohttp.WSMessage(aiohttp.WSMsgType.TEXT, frame, None)
            self._is_told = True
            self._told()
        return await self._socket.receive(*within, **named)
