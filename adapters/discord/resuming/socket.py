"""A connection to the gateway, as the library uses it, on which a session may be resumed while the library begins one.

The library identifies, and RESUME goes out in its place. It is told what it would have been told then, READY and its servers, as
they were when the session was left; from there on it hears Discord, which replays what happened since. So the library needs to
know nothing of any of this.
"""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import aiohttp

_IDENTIFY, _RESUME = 2, 6


@dataclass(frozen=True, slots=True)
class SessionReplay:
    """The session to resume, the frames of what was known, and what to call once the library has taken in the last of them."""

    session: str = field(repr=False)
    sequence: int
    frames: Iterator[str] = field(repr=False)
    told: Callable[[], None]


class Socket:
    """A websocket. While somebody is behind, each frame is handled before the next is read: a replay tells of hours in a moment."""

    def __init__(
        self, socket: aiohttp.ClientWebSocketResponse, is_behind: Callable[[], bool], earlier: SessionReplay | None = None
    ) -> None:
        """Wrap a connection; without an earlier session, one is begun or resumed as the library says."""
        self._socket = socket
        self._is_behind = is_behind
        self._earlier = earlier
        self._telling: SessionReplay | None = None

    def __getattr__(self, name: str) -> Any:
        """Be the connection in everything else."""
        return getattr(self._socket, name)

    async def send_str(self, data: str, compress: int | None = None) -> None:
        """Send a frame: RESUME in the place of IDENTIFY."""
        if self._earlier is not None and (frame := json.loads(data))["op"] == _IDENTIFY:
            self._telling, self._earlier = self._earlier, None
            resume = {"token": frame["d"]["token"], "session_id": self._telling.session, "seq": self._telling.sequence}
            data = json.dumps({"op": _RESUME, "d": resume})
        await self._socket.send_str(data, compress)

    async def receive(self, *within: Any, **named: Any) -> aiohttp.WSMessage:
        """Return the next frame: what was known first, then what Discord says."""
        if self._is_behind():
            # The handlers of the frame before look at what the library knows now.
            await asyncio.sleep(0)
        if self._telling is not None:
            if (frame := next(self._telling.frames, None)) is not None:
                return aiohttp.WSMessage(aiohttp.WSMsgType.TEXT, frame, None)
            told, self._telling = self._telling.told, None
            told()
        return await self._socket.receive(*within, **named)
