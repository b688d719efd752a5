"""A gateway session as it is saved, and its resumption by the next process, invisibly for discord.py.

On the library's connection, RESUME is sent instead of its IDENTIFY. The library then receives READY and its servers as they were when the
session was left, and after that Discord's replay of what happened since.
"""

import asyncio
import json
import logging
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Self

import aiohttp
import discord
import yarl

from adapters.discord.resuming import payloads

MOST_SECONDS = 300.0
"""How old a session may be to be resumed. Discord keeps one for "a few minutes", and one that it refuses costs five seconds."""

_FORMAT = 1
_DISPATCH, _IDENTIFY, _RESUME = 0, 2, 6
_ANSWERED_WITHIN = 3.0
"""How long, in seconds, Discord waits for the first response to an interaction."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SessionTerms:
    """What a session is bound to: the token, the intents, the shard and the number of shards."""

    token: str = field(repr=False)
    intents: int
    shard: int
    shards: int

    @property
    def marks(self) -> Mapping[str, Any]:
        """The terms as they are saved, with a hash of the token."""
        return {**asdict(self), "token": sha256(self.token.encode()).hexdigest()}


@dataclass(frozen=True, slots=True)
class GatewaySession:
    """A session that was left: its id, URL and last event number, and its servers.

    `whole` means that no history was left to be read. `known` are the ids of the servers that were available, `away` those of the
    others. `left_at` is in microseconds UTC. `mark` is also in the notes.
    """

    id: str = field(repr=False)
    url: str
    sequence: int
    left_at: int
    mark: str
    whole: bool
    known: Sequence[int]
    away: Sequence[int]

    def is_fresh(self, now: int) -> bool:
        """Return whether Discord may still have it."""
        return 0 <= now - self.left_at <= MOST_SECONDS * 1_000_000


@dataclass(frozen=True, slots=True)
class SavedSession:
    """A session with the GUILD_CREATE payloads of its servers as JSON, in the order of `known`."""

    session: GatewaySession
    servers: Sequence[str] = field(repr=False)

    @classmethod
    def opened(cls, kept: bytes, terms: SessionTerms) -> Self:
        """Unpack a session. Raises ValueError with the reason if it is damaged or has other terms."""
        try:
            *servers, last = zlib.decompress(kept).decode("ascii").split("\n")
            told = json.loads(last)
            if told["format"] != _FORMAT:
                raise ValueError("another version kept it")
            if changed := [name for name, mark in terms.marks.items() if told["terms"].get(name) != mark]:
                raise ValueError(f"it is for {' and '.join(f'other {name}' for name in changed)}")
            session = GatewaySession(**told["session"])
        except (zlib.error, LookupError, TypeError, AttributeError, json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ValueError("it is damaged") from error
        if len(servers) != len(session.known):
            raise ValueError("it is damaged")
        return cls(session, servers)


class Packing:
    """Packs a session server by server: all at once would double the memory."""

    def __init__(self) -> None:
        self._zlib = zlib.compressobj(1)
        self._pieces: list[bytes] = []

    def add(self, server: Mapping[str, Any]) -> None:
        """Add the next available server."""
        self._put(f"{json.dumps(server)}\n")

    def packed(self, session: GatewaySession, terms: SessionTerms) -> bytes:
        """Return the packed session with its terms."""
        self._put(json.dumps({"format": _FORMAT, "terms": terms.marks, "session": asdict(session)}))
        return b"".join((*self._pieces, self._zlib.flush()))

    def _put(self, text: str) -> None:
        self._pieces.append(self._zlib.compress(text.encode("ascii")))


@dataclass(frozen=True, slots=True)
class SessionReplay:
    """The session to resume, the frames of its saved state, and a callback for when the library has processed them."""

    session: str = field(repr=False)
    sequence: int
    frames: Iterator[str] = field(repr=False)
    told: Callable[[], None]


def resume_frame(token: str, session: str, sequence: int) -> str:
    """Return the frame that resumes a session after an event number."""
    return json.dumps({"op": _RESUME, "d": {"token": token, "session_id": session, "seq": sequence}})


class Socket:
    """A websocket. During a replay, which delivers hours within a moment, each frame is handled before the next is read."""

    def __init__(
        self, socket: aiohttp.ClientWebSocketResponse, is_behind: Callable[[], bool], earlier: SessionReplay | None = None
    ) -> None:
        """Wrap a connection; without an earlier session, the library decides whether one is begun or resumed."""
        self._socket = socket
        self._is_behind = is_behind
        self._earlier = earlier
        self._telling: SessionReplay | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._socket, name)

    async def send_str(self, data: str, compress: int | None = None) -> None:
        """Send a frame, RESUME instead of IDENTIFY."""
        if self._earlier is not None and (frame := json.loads(data))["op"] == _IDENTIFY:
            self._telling, self._earlier = self._earlier, None
            data = resume_frame(frame["d"]["token"], self._telling.session, self._telling.sequence)
        await self._socket.send_str(data, compress)

    async def receive(self, *within: Any, **named: Any) -> aiohttp.WSMessage:
        """Return the next frame: first those of the saved state, then Discord's."""
        if self._is_behind():
            # The handlers of the previous frame must see the library's state before this one.
            await asyncio.sleep(0)
        if self._telling is not None:
            if (frame := next(self._telling.frames, None)) is not None:
                return aiohttp.WSMessage(aiohttp.WSMsgType.TEXT, frame, None)
            told, self._telling = self._telling.told, None
            told()
        return await self._socket.receive(*within, **named)


class Resumption:
    """The resumption of at most one session, by the first connection that can.

    While `replaying`, the library's state is that of when the session was left, and must not be relied on. `over` is set except
    during that time. `proven` means that after the replay no histories need to be read.
    """

    def __init__(self, left: SavedSession | None, now: Callable[[], int]) -> None:
        self._left = left
        self._now = now
        self._takes_over = self._is_fed = False
        self._known: frozenset[int] = frozenset()
        self.restored = self.replaying = self.proven = False
        self.over = asyncio.Event()
        self.over.set()

    def attach(self, client: discord.Client, told: Callable[[], None], is_behind: Callable[[], bool]) -> None:
        """Let a client's next connection resume the session; `told` is called once the client has the saved state.

        `is_behind` returns whether the client still waits for the replay.
        """
        self._is_fed = False
        self.connected()
        connect = client.http.ws_connect

        async def connect_to(url: str, *, compress: int = 0) -> Any:
            left = self._left if self.is_due else None
            if left is None:
                return Socket(await connect(url, compress=compress), is_behind)
            session = left.session
            where = yarl.URL(session.url).with_query(yarl.URL(url).query)
            socket = await connect(str(where), compress=compress)
            self._take_up(session)
            return Socket(socket, is_behind, SessionReplay(session.id, session.sequence, _frames(client, left), told))

        # discord.py has no other hook for this. If it stopped calling it, every start would begin a new session.
        client.http.ws_connect = connect_to  # type: ignore[method-assign]

    @property
    def is_due(self) -> bool:
        """Whether the next connection will try to resume a session."""
        return self._left is not None and self._left.session.is_fresh(self._now())

    def _take_up(self, session: GatewaySession) -> None:
        self._left, self._takes_over = None, True
        self._known = frozenset(session.known)
        self.proven = session.whole

    def begin(self) -> bool:
        """Return whether the connection that identifies now resumes the session; otherwise it begins a new one."""
        takes_over, self._takes_over = self._takes_over, False
        if takes_over:
            self.restored = self.replaying = self._is_fed = True
            self.over.clear()
        elif self.replaying or self._left:
            log.info("The session on Discord from before is over; Lyra begins a new one.")
        self._left = None
        return takes_over

    def connected(self) -> None:
        """Record that the library received READY, of the saved session or of a new one."""
        if self._is_fed:
            self._is_fed = False
            return
        self.restored = self.replaying = False
        self._known = frozenset()
        self.over.set()

    def replayed(self) -> None:
        """Record the end of the replay."""
        log.info("The session on Discord from before goes on." if self.replaying else "The connection to Discord is back.")
        self.replaying = False
        self.over.set()

    async def is_lost(self, call: discord.Interaction) -> bool:
        """Wait for the end of a replay; return whether a replayed interaction has expired, so that its caller was told it failed."""
        if not self.replaying:
            return False
        await self.over.wait()
        return self._now() / 1_000_000 - call.created_at.timestamp() > _ANSWERED_WITHIN

    def doubt(self) -> None:
        """Record that the replay may be incomplete, so that histories have to be read."""
        self.proven = False

    def see(self, guild: int) -> bool:
        """Return whether a server was available when the session was left; if not, the replay is incomplete."""
        if guild not in self._known:
            self.doubt()
        return guild in self._known


def _frames(client: discord.Client, left: SavedSession) -> Iterator[str]:
    """Yield the frames with which the gateway would begin this session."""
    session = left.session
    told = payloads.ready(client, session.id, session.url, [*session.known, *session.away])
    yield _frame("READY", session, json.dumps(told))
    for server in left.servers:
        yield _frame("GUILD_CREATE", session, server)


def _frame(event: str, session: GatewaySession, data: str) -> str:
    # These frames have no numbers of their own: the replay continues after the last one.
    return f'{{"op": {_DISPATCH}, "t": "{event}", "s": {session.sequence}, "d": {data}}}'
