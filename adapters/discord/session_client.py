"""A client's gateway session: what comes through it, its beginning, loss and resumption, and whether the cache is up to date."""

import asyncio
import logging
import sys
from collections.abc import Callable, Container, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import discord
from discord.gateway import DiscordWebSocket

from adapters.discord.access.administrators import Administrators
from adapters.discord.access.readers import Visibility
from adapters.discord.connection import ClientOptions, ConnectionLoss
from adapters.discord.incoming.cache import RecentMessages, TolerantState
from adapters.discord.incoming.convert import UNREADABLE
from adapters.discord.limits import Limits
from adapters.discord.resuming.resumption import Resumption
from adapters.events import Event

log = logging.getLogger(__name__)


class ConnectionChange(Enum):
    """Changes of the gateway session: a new one began, it is complete, it was lost, it was resumed.

    Between processes: the one of an earlier process was resumed and nothing is missing, this one is left to the next.
    """

    BEGUN = auto()
    COMPLETE = auto()
    LOST = auto()
    RESUMED = auto()
    TAKEN_UP = auto()
    LEFT = auto()


@dataclass(frozen=True, slots=True)
class GatewayEvent:
    """An event and the stream position it brings; without an event only the position moves.

    `uncached_channel` is the channel of an event if the cache does not hold it, 0 if it does. `dm` is the DM in which somebody
    spoke to her or called a command.
    """

    event: Event | None
    stream: str = ""
    position: int = 0
    uncached_channel: int = 0
    dm: discord.DMChannel | None = None


@dataclass(frozen=True, slots=True)
class VisibilityChange:
    """A channel or thread is hidden from her from now on, or was until now; `prefix` is the prefix of its places' keys.

    `visible_again` is the channel, if it has become visible again.
    """

    prefix: tuple[str, ...]
    visible_again: discord.abc.GuildChannel | None = None


class SessionClient(discord.Client):
    """A client that tracks its session. `queue` holds the events, in order.

    Ids above `session_start` are later than the beginning of the session.
    """

    waiting_handlers: Container[str] = frozenset({"on_interaction"})

    def __init__(self, settings: ClientOptions, limits: Limits, administrators: Administrators, resumption: Resumption) -> None:
        super().__init__(**settings.arguments(), http_trace=limits.trace())
        self.queue: asyncio.Queue[GatewayEvent | ConnectionChange | VisibilityChange | discord.Guild] = asyncio.Queue()
        self.session_start = 0
        self.connection_loss = ConnectionLoss(settings.pace.patience)
        self.administrators = administrators
        self.recent_messages = RecentMessages()
        self._settings = settings
        self._limits = limits
        self._visibility = Visibility()
        self._known = self._complete = self._away = False
        self._resumption = resumption
        resumption.attach(self, self._remember_visibility, lambda: not self.live)

    def _get_state(self, **options: Any) -> TolerantState:
        # discord.py has no other hook for this. If it stopped calling it, unreadable events would end connections again.
        return TolerantState(dispatch=self.dispatch, handlers=self._handlers, hooks=self._hooks, http=self.http, **options)

    async def fetch_channel(self, channel_id: int, /) -> Any:
        """Fetch a channel or thread. Raises discord.py's errors; InvalidData if it cannot be read."""
        try:
            return await super().fetch_channel(channel_id)
        except UNREADABLE as error:
            raise discord.InvalidData(f"a channel that cannot be read ({type(error).__name__})") from None

    @property
    def live(self) -> bool:
        """Whether the cache is up to date: the session is complete, and its connection is not lost."""
        return self._complete and not self._away

    @property
    def sequence(self) -> int | None:
        """The number of the session's last event; None before the first."""
        socket: DiscordWebSocket | None = self.ws
        return socket.sequence if socket is not None else None

    @property
    def tells_dms(self) -> bool:
        """Whether this shard receives DMs."""
        return not self.shard_id

    @property
    def is_restored(self) -> bool:
        """Whether the session was begun by an earlier process."""
        return self._resumption.restored

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait for and count a session start, unless an earlier session is resumed. Raises StartsSpent."""
        if not self._resumption.begin():
            await self._limits.start(initial=initial)
        # Discord may take this and never answer it, on a connection that is otherwise alive.
        self.connection_loss.begin()

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Log that an event could not be handled, without its content."""
        kind = sys.exc_info()[0]
        log.error("Discord's %s could not be handled: %s.", event_method.removeprefix("on_"), kind.__name__ if kind else "?")

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        """Dispatch an event unless the client is closed: the library may still be waiting for the last server then."""
        if self.loop is not discord.utils.MISSING:
            super().dispatch(event, *args, **kwargs)

    def _schedule_event(self, coro: Callable[..., Coroutine[Any, Any, Any]], event_name: str, *args: Any, **kwargs: Any) -> Any:
        """Handle an event at once, unless its handler waits for something.

        In a task of its own it would run after later events: what was said in a channel that is opened right afterwards would count as
        said to everybody. In a replay the two events may be minutes apart.
        """
        if event_name in self.waiting_handlers:
            return super()._schedule_event(coro, event_name, *args, **kwargs)
        handling = self._run_event(coro, event_name, *args, **kwargs)
        with suppress(StopIteration):
            handling.send(None)
            raise AssertionError(f"{event_name} waits for something")
        return None

    async def on_connect(self) -> None:
        """Handle READY: a new session began; its servers are not known yet."""
        self.session_start = discord.utils.time_snowflake(discord.utils.utcnow())
        self.recent_messages.clear()
        self._resumption.connected()
        self._known = self._complete = self._away = False
        self.queue.put_nowait(ConnectionChange.BEGUN)

    async def on_ready(self) -> None:
        """Handle the completion of the server list; of a resumed session, as it was when it was left."""
        self._known = True
        self._complete_if_known()

    async def on_resumed(self) -> None:
        """Handle RESUMED: missed events have been replayed."""
        self._away = False
        self._resumption.replayed()
        if not self._complete:
            self._complete_if_known()
            return
        self.connection_loss.end()
        self.queue.put_nowait(ConnectionChange.RESUMED)

    def _complete_if_known(self) -> None:
        if self._away or self._resumption.replaying or not self._known:
            return
        self.administrators.learn(self.guilds)
        self._remember_visibility()
        self._complete = True
        self.connection_loss.end()
        taken_up = self._resumption.restored and self._resumption.proven
        self.queue.put_nowait(ConnectionChange.TAKEN_UP if taken_up else ConnectionChange.COMPLETE)

    def _remember_visibility(self) -> None:
        for guild in self.guilds:
            self._visibility.changed(guild)

    async def on_disconnect(self) -> None:
        """Handle the loss of the connection: the cache may be outdated from now on."""
        self._away = True
        self.connection_loss.begin()
        self.queue.put_nowait(ConnectionChange.LOST)

    async def on_guild_available(self, guild: discord.Guild) -> None:
        """Handle a server that became available late or again."""
        self._resumption.see(guild.id)
        self.recent_messages.drop_server(guild.id)
        self.administrators.learn([guild])
        self.queue.put_nowait(guild)

    async def on_guild_unavailable(self, guild: discord.Guild) -> None:
        """Handle an outage of a server, during which its events are not reported."""
        self._resumption.doubt()
