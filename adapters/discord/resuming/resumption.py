"""Where a new process stands between the session that it resumes and what Discord still has to tell of it.

On the connection to the gateway that the library uses, RESUME goes out in the place of the library's IDENTIFY. The library is told
what it would have been told then, READY and its servers, as they were when the session was left; from there on it hears Discord,
which replays what happened since. So the library needs to know nothing of any of this.
"""

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import discord
import yarl

from adapters.discord.resuming import payloads
from adapters.discord.resuming.session import GatewaySession, SavedSession

_DISPATCH, _IDENTIFY, _RESUME = 0, 2, 6
_ANSWERED_WITHIN = 3.0
"""How many seconds Discord waits for the first answer to a call."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SessionReplay:
    """The session to resume, the frames of what was known, and what to call once the library has taken in the last of them."""

    session: str = field(repr=False)
    sequence: int
    frames: Iterator[str] = field(repr=False)
    told: Callable[[], None]


def resume_frame(token: str, session: str, sequence: int) -> str:
    """Return the frame that resumes a session behind the event with a number."""
    return json.dumps({"op": _RESUME, "d": {"token": token, "session_id": session, "seq": sequence}})


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
            data = resume_frame(frame["d"]["token"], self._telling.session, self._telling.sequence)
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


class Resumption:
    """At most one session to resume, by the first connection that can.

    While `replaying`, the library knows what was true when the session was left: nothing may be decided by it. `over` is set
    except during that time. `proven` says that the replay leaves nothing to be read in histories.
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
        """Have a client's next connection resume the session; `told` is called once the client knows what was known then.

        `is_behind` says whether it waits to be told what happened meanwhile.
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

        # The library has no other place to hand it a connection. Should it stop asking here, each start begins a session.
        client.http.ws_connect = connect_to  # type: ignore[method-assign]

    @property
    def is_due(self) -> bool:
        """Whether the next connection resumes a session, as far as is known."""
        return self._left is not None and self._left.session.is_fresh(self._now())

    def _take_up(self, session: GatewaySession) -> None:
        self._left, self._takes_over = None, True
        self._known = frozenset(session.known)
        self.proven = session.whole

    def begin(self) -> bool:
        """Say whether the session is resumed by the connection that identifies just now; a new one is begun if not."""
        takes_over, self._takes_over = self._takes_over, False
        if takes_over:
            self.restored = self.replaying = self._is_fed = True
            self.over.clear()
        elif self.replaying or self._left:
            log.info("The session on Discord from before is over; Lyra begins a new one.")
        self._left = None
        return takes_over

    def connected(self) -> None:
        """Note that the library was told of a session: of the one from before, or of a new one, in which nothing is older."""
        if self._is_fed:
            self._is_fed = False
            return
        self.restored = self.replaying = False
        self._known = frozenset()
        self.over.set()

    def replayed(self) -> None:
        """Note that Discord told everything that happened meanwhile."""
        log.info("The session on Discord from before goes on." if self.replaying else "The connection to Discord is back.")
        self.replaying = False
        self.over.set()

    async def is_lost(self, call: discord.Interaction) -> bool:
        """Wait for the end of a replay; say whether a call that it told of was made so long ago that its caller was told it failed."""
        if not self.replaying:
            return False
        await self.over.wait()
        return self._now() / 1_000_000 - call.created_at.timestamp() > _ANSWERED_WITHIN

    def doubt(self) -> None:
        """Note that something may have happened that the replay does not tell."""
        self.proven = False

    def see(self, guild: int) -> bool:
        """Say whether a server was available when the session was left; if not, nobody told what happened there."""
        if guild not in self._known:
            self.doubt()
        return guild in self._known


def _frames(client: discord.Client, left: SavedSession) -> Iterator[str]:
    """Yield what the gateway would tell at the beginning of this session."""
    session = left.session
    told = payloads.ready(client, session.id, session.url, [*session.known, *session.away])
    yield _frame("READY", session, json.dumps(told))
    for server in left.servers:
        yield _frame("GUILD_CREATE", session, server)


def _frame(event: str, session: GatewaySession, data: str) -> str:
    # What is told anew has no number of its own: the replay goes on after the last one.
    return f'{{"op": {_DISPATCH}, "t": "{event}", "s": {session.sequence}, "d": {data}}}'
