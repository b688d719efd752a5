"""A client's session, which outlives its connections, and one connection of it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag

from aiohttp import web

from tests.fakes.discord.streams import Encoder
from tests.fakes.discord.things import Json


class Op(IntEnum):
    """What a frame is about."""

    DISPATCH = 0
    HEARTBEAT = 1
    IDENTIFY = 2
    PRESENCE = 3
    VOICE = 4
    RESUME = 6
    RECONNECT = 7
    MEMBERS = 8
    INVALID = 9
    HELLO = 10
    ACK = 11


class Intent(IntFlag):
    """What a session wants to hear of."""

    NONE = 0
    GUILDS = 1 << 0
    MEMBERS = 1 << 1
    PRESENCES = 1 << 8
    MESSAGES = 1 << 9
    REACTIONS = 1 << 10
    TYPING = 1 << 11
    DM = 1 << 12
    DM_REACTIONS = 1 << 13
    DM_TYPING = 1 << 14
    CONTENT = 1 << 15


Payload = Callable[[bool], Json]
"""Makes an event's data; told whether the session may read texts."""


@dataclass
class Session:
    """What a client resumes: everything it was told, in order."""

    id: str
    intents: Intent
    log: list[Json] = field(default_factory=list)
    line: "Line | None" = None
    shard: tuple[int, int] = (0, 1)
    """Which of how many parts of the servers it is told of; what is said alone with the bot is the first one's."""

    def hears(self, guild: int | None) -> bool:
        """Say whether it is told of a server, or of what is said alone with the bot."""
        number, of = self.shard
        return (0 if guild is None else (guild >> 22) % of) == number

    def tell(self, event: str, data: Json) -> None:
        """Write an event down, and send it if somebody listens now."""
        frame = {"op": Op.DISPATCH, "t": event, "s": len(self.log) + 1, "d": data}
        self.log.append(frame)
        if self.line:
            self.line.send(frame)


class Line:
    """One connection. Frames leave in the order they were given, from one task."""

    def __init__(self, socket: web.WebSocketResponse, transport: asyncio.Transport, encode: Encoder) -> None:
        self._socket = socket
        self._transport = transport
        self._encode = encode
        self._queue: asyncio.Queue[Json | int] = asyncio.Queue()

    def send(self, frame: Json) -> None:
        """Send a frame after those before it."""
        self._queue.put_nowait(frame)

    def close(self, code: int) -> None:
        """Close the connection with a code, after the frames before it."""
        self._queue.put_nowait(code)

    def cut(self) -> None:
        """Lose the connection at once, and what was still to be sent."""
        self._transport.abort()

    async def write(self) -> None:
        """Send what is queued until the connection ends."""
        while True:
            item = await self._queue.get()
            if isinstance(item, int):
                await self._socket.close(code=item)
                return
            data = self._encode(item)
            try:
                await (self._socket.send_str(data) if isinstance(data, str) else self._socket.send_bytes(data))
            except ConnectionError:
                return
