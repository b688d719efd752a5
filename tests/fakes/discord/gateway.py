"""The gateway: the conversation on each connection, and what every session is told."""

import asyncio
import secrets
import time
from collections import deque
from typing import Any

from aiohttp import WSMsgType, web

from tests.fakes.discord import wire
from tests.fakes.discord.sessions import Intent, Line, Op, Payload, Session
from tests.fakes.discord.streams import encoder
from tests.fakes.discord.things import Json
from tests.fakes.discord.world import World
from tests.fakes.pulse import Pulse

_FRAMES_PER_MINUTE = 120


class Gateway:
    """Serves the gateway's connections, and tells every session what happens."""

    def __init__(self, world: World, pulse: Pulse, heartbeat: float = 41.25) -> None:
        self.world = world
        self.heartbeat = heartbeat
        self.url = ""
        self.sessions: dict[str, Session] = {}
        self.identifies: list[Json] = []
        """What every IDENTIFY said."""
        self.resumes: list[Json] = []
        """What every RESUME said, on which path it came, and whether the connection asked for compression, as one that stays does."""
        self.shards = 1
        """Into how many parts it advises to divide the servers."""
        self.budget = 1000
        """How many IDENTIFYs are left today."""
        self.compressions: list[str | None] = []
        self.heartbeats = 0
        self.invalid_next: list[bool] = []
        """For each of the next IDENTIFYs or RESUMEs: answer that the session is invalid, resumable or not."""
        self.unanswered = 0
        """How many of the next IDENTIFYs and RESUMEs are taken and never answered, though the heart is heard."""
        self.refuse = 0
        """How many of the next connections do not come about."""
        self.before_replay: asyncio.Event | None = None
        self.before_resumed: asyncio.Event | None = None
        """Where a test put one, a RESUME goes on only once that is set."""
        self.waiting = 0
        """How many RESUMEs had to wait for one."""
        self._pulse = pulse
        self._tasks: set[asyncio.Task[None]] = set()

    # What a test does

    def live(self) -> list[Session]:
        """The sessions that are connected now."""
        return [one for one in self.sessions.values() if one.line]

    def tell(self, event: str, payload: Payload, intent: Intent = Intent.NONE) -> None:
        """Tell every session that asked for such events."""
        for session in self.sessions.values():
            readable = Intent.CONTENT in session.intents and self.world.content_intent
            data = payload(readable)
            guild = data.get("id") if event in ("GUILD_CREATE", "GUILD_DELETE") else data.get("guild_id")
            if intent in session.intents and session.hears(int(guild) if guild else None):
                session.tell(event, data)

    def disconnect(self, code: int | None = None) -> None:
        """End every connection: with a close code, or without a word. The sessions stay, and are replayed on RESUME."""
        for session in self.live():
            line, session.line = session.line, None
            assert line is not None
            line.cut() if code is None else line.close(code)

    def reconnect(self) -> None:
        """Ask every client to come back (op 7)."""
        for session in self.live():
            assert session.line is not None
            session.line.send({"op": Op.RECONNECT, "d": None})
            session.line = None

    def invalidate(self, *, resumable: bool = False) -> None:
        """Tell every client that its session is invalid (op 9), and forget the sessions unless they are resumable."""
        for session in self.live():
            assert session.line is not None
            session.line.send({"op": Op.INVALID, "d": resumable})
            session.line = None
        if not resumable:
            self.forget()

    def forget(self) -> None:
        """Forget the sessions that nobody listens to: a RESUME then is answered with an invalid session."""
        self.sessions = {key: one for key, one in self.sessions.items() if one.line}

    def repeat(self) -> None:
        """Tell the last event once more, under a new number, as Discord may."""
        for session in self.live():
            last = session.log[-1]
            session.tell(last["t"], last["d"])

    # A connection

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection, from HELLO until it ends."""
        if self.refuse > 0:
            self.refuse -= 1
            return web.Response(status=503)
        socket = web.WebSocketResponse(compress=False, autoclose=True)
        await socket.prepare(request)
        asked = request.query.get("compress")
        self.compressions.append(asked)
        assert isinstance(request.transport, asyncio.Transport)
        line = Line(socket, request.transport, encoder(asked))
        writer = asyncio.create_task(line.write())
        self._tasks.add(writer)
        line.send({"op": Op.HELLO, "d": {"heartbeat_interval": int(self.heartbeat * 1000)}})
        try:
            await self._listen(socket, line, {"path": request.path, "stays": asked is not None})
        finally:
            for session in self.sessions.values():
                if session.line is line:
                    session.line = None
            # A connection that is lost cancels this: what waits for the end is told of it first.
            self._pulse.beat()
            writer.cancel()
            await asyncio.wait([writer])
            self._tasks.discard(writer)
        return socket

    async def _listen(self, socket: web.WebSocketResponse, line: Line, came: Json) -> None:
        heard: deque[float] = deque(maxlen=_FRAMES_PER_MINUTE)
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                continue
            now = time.monotonic()
            if len(heard) == heard.maxlen and now - heard[0] < 60:
                return line.close(4008)
            heard.append(now)
            frame = message.json()
            if frame["op"] in (Op.IDENTIFY, Op.RESUME) and self.unanswered > 0:
                self.unanswered -= 1
            elif frame["op"] == Op.RESUME:
                await self._resume(line, frame["d"] | came)
            else:
                self._take(line, frame["op"], frame.get("d"))
            self._pulse.beat()
        if socket.close_code in (1000, 1001):
            self.sessions = {key: one for key, one in self.sessions.items() if one.line is not line}
        return None

    def _take(self, line: Line, op: int, data: Any) -> None:
        known = next((one for one in self.sessions.values() if one.line is line), None)
        match op:
            case Op.HEARTBEAT:
                self.heartbeats += 1
                line.send({"op": Op.ACK, "d": None})
            case Op.IDENTIFY:
                line.close(4005) if known else self._identify(line, data)
            case _ if known is None:
                line.close(4003)
            case Op.MEMBERS:
                self._members(known, data)
            case Op.PRESENCE | Op.VOICE:
                pass
            case _:
                line.close(4001)

    def _identify(self, line: Line, data: Json) -> None:
        self.identifies.append(data)
        self.budget -= 1
        if data["token"] != self.world.token or self.budget < 0:
            return line.close(4004)
        intents = Intent(data["intents"])
        denied = Intent.PRESENCES | (Intent.NONE if self.world.content_intent else Intent.CONTENT)
        denied |= Intent.NONE if self.world.members_intent else Intent.MEMBERS
        if intents & denied:
            return line.close(4014)
        if self.invalid_next:
            return line.send({"op": Op.INVALID, "d": self.invalid_next.pop(0)})
        session = Session(secrets.token_hex(16), intents, line=line, shard=tuple(data.get("shard") or (0, 1)))
        self.sessions[session.id] = session
        self._ready(session)
        return None

    def _ready(self, session: Session) -> None:
        guilds = [one for one in self.world.guilds.values() if self.world.bot.id in one.members and session.hears(one.id)]
        application = {"id": str(self.world.application_id), "flags": self.world.application_flags}
        ready: Json = {"v": 10, "user": wire.me(self.world.bot), "session_id": session.id, "application": application}
        ready |= {
            "guilds": [{"id": str(one.id), "unavailable": True} for one in guilds],
            "shard": [*session.shard],
            "private_channels": [],
        }
        session.tell(
            "READY", ready | {"resume_gateway_url": self.url + "/resumed", "session_type": "normal", "relationships": []}
        )
        for guild in guilds:
            session.tell("GUILD_CREATE", wire.guild_created(self.world, guild, all_members=Intent.MEMBERS in session.intents))

    async def _resume(self, line: Line, data: Json) -> None:
        self.resumes.append(data)
        await self._wait_for(self.before_replay)
        session = self.sessions.get(data["session_id"])
        if data["token"] != self.world.token:
            return line.close(4004)
        if self.invalid_next or session is None:
            return line.send({"op": Op.INVALID, "d": self.invalid_next.pop(0) if self.invalid_next else False})
        if not isinstance(data["seq"], int) or data["seq"] > len(session.log):
            return line.close(4007)
        for frame in session.log[data["seq"] :]:
            line.send(frame)
        session.line = line
        await self._wait_for(self.before_resumed)
        if session.line is line:
            session.tell("RESUMED", {"_trace": []})
        return None

    async def _wait_for(self, go: asyncio.Event | None) -> None:
        if go is not None:
            self.waiting += 1
            self._pulse.beat()
            await go.wait()

    def _members(self, session: Session, data: Json) -> None:
        guild = self.world.guilds[int(data["guild_id"])]
        wanted = {int(one) for one in data.get("user_ids") or ()}
        members = [wire.member(one) for one in guild.members.values() if not wanted or one.user.id in wanted]
        chunk: Json = {"guild_id": str(guild.id), "members": members, "chunk_index": 0, "chunk_count": 1}
        session.tell("GUILD_MEMBERS_CHUNK", chunk | ({"nonce": data["nonce"]} if "nonce" in data else {}))
