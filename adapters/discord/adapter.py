"""Discord as a platform."""

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress

import discord

from adapters.base import Adapter, Presence, Sending
from adapters.command_table import CardLimits, Surface
from adapters.discord import connection
from adapters.discord.access import readers
from adapters.discord.access.administrators import Administrators
from adapters.discord.access.audiences import Audiences
from adapters.discord.access.channels import ThreadStarts, locate, opened, private, vanished
from adapters.discord.access.permissions import Permissions
from adapters.discord.client import Client
from adapters.discord.connection import AccountAccess, ClientOptions, Disconnected, Pace, ShardNotes
from adapters.discord.incoming.backfill import Backfill
from adapters.discord.incoming.convert import PLATFORM, names
from adapters.discord.incoming.files import Files
from adapters.discord.incoming.hearing import Hearing
from adapters.discord.incoming.history import Presences, earlier, snowflake
from adapters.discord.interactions import menu
from adapters.discord.interactions.call_parsing import read_address
from adapters.discord.interactions.interaction_handler import InteractionHandler
from adapters.discord.limits import Limits, StartsSpent, Turn
from adapters.discord.outgoing.posts import Posts
from adapters.discord.outgoing.sending import AWAY, Sender, thinking
from adapters.discord.resuming.resumption import Resumption
from adapters.discord.resuming.session_position import SealedStorage, SessionHandover, SessionPosition
from adapters.errors import PlaceGone, PlatformFailure, SendFailed
from adapters.events import Circle, Message, Person, Place, Reach, Vanished, split_key
from adapters.listener import Listener, Notes
from adapters.message_parts import Contents, Quote
from adapters.task_groups import until_one_ends
from localization.sentences import _, lazy

__all__ = ["AccountAccess", "Discord"]

_SWITCH = lazy("switch on Message Content Intent in the Developer Portal under Bot to let me read my threads whole")
_SETTING = lazy("message_content is off in the configuration")
_PACE = Pace()

log = logging.getLogger(__name__)


class Discord(Adapter):
    """One bot account. `gate` gives the id of the role that is everyone of a server, '' for @everyone."""

    platform = PLATFORM
    most_characters = 2000
    card_limits = CardLimits(cards=10, units=6000, title=256, text=4096, note=2048)
    most_bytes = 8 << 20
    edit_seconds = 1.5
    opens_threads = True
    limits: type[Limits] = Limits
    gaps: type[Backfill] = Backfill
    hearing: type[Hearing] = Hearing
    audiences: type[Audiences] = Audiences
    presences: type[Presences] = Presences
    position: type[SessionPosition] = SessionPosition
    client: type[Client] = Client

    def __init__(
        self, access: AccountAccess, notes: Notes, gate: readers.Gate, now: Callable[[], int], *, pace: Pace = _PACE, turn: Turn | None = None,
        vault: SealedStorage | None = None,
    ) -> None:  # fmt: skip
        """Create without connecting; `turn` paces all connected processes, and the `vault` keeps the session for the next process."""
        self._access, self._turn, self._notes = access, turn, notes
        self._gate, self._now, self._pace = gate, now, pace
        own = ShardNotes(notes, self)
        self._limits = self.limits(notes, now, pace.pause, own)
        self.platform_clock = self._limits.platform_clock
        self._files = Files(pace.files)
        self._administrators = Administrators(own)
        self._audiences = self.audiences(own)
        self._handover = SessionHandover(vault, own, now)
        self._position = self.position(own, now)
        self._starts = ThreadStarts(own)
        self._content, self._shards = access.message_content, 0
        self._client: Client | None = None
        self._sender: Sender | None = None
        self._calls: InteractionHandler | None = None
        self._gaps: Backfill | None = None

    # Connected

    async def connections(self) -> int:
        """Return the number of shards; Discord is asked for it once. Raises PlatformFailure if it does not answer."""
        if not self._shards:
            self._shards = await connection.advised(self._access) if self._access.shards == "auto" else self._access.shards
        return self._shards

    def holds(self, place: str) -> bool:
        """Return whether a place belongs to this shard; DMs belong to the first."""
        server, _, _ = split_key(place)
        return (int(server) >> 22) % self.units == self.unit if server else self.unit == 0

    async def run(self, listener: Listener) -> None:
        self._limits.turn, self._limits.sharers = self._turn if self.divided else None, self.units
        for noted in (self._limits, self._administrators, self._audiences, self._starts):
            await noted.load()
        resumption = Resumption(await self._handover.take(self._options.terms(self._access.token)), self._now)

        async def connect() -> None:
            try:
                await self._connect(listener, resumption)
            except discord.PrivilegedIntentsRequired:
                asked, self._content = self._content, False
                log.warning("%s", self.describe())
                if asked:
                    # At once, but never twice: the next one, if there is one, waits like any other end.
                    await connect()
            except (Disconnected, StartsSpent) as ended:
                log.warning("The connection to Discord ended (%s); Lyra connects again.", ended)
                await self._limits.hold()

        with connection.pointed_at(self._access):
            try:
                await self._pace.through_failures(connect)
            finally:
                await self._limits.save()

    async def _connect(self, listener: Listener, resumption: Resumption) -> None:
        """Run one connection, from login to its end. If it is cancelled, the session is left to the next process."""

        async def prepare(client: Client) -> None:
            await self._limits.ask(client, wait=not resumption.is_due)
            try:
                await menu.sync(client, listener.table, self._notes)
            except PlatformFailure as failure:
                log.warning("%s", failure)
            # Before the login nothing can be asked.
            self._client, self._calls, self._gaps = client, calls, gaps
            posts = Posts(client, self._now, self._starts, client.posted)
            self._sender = Sender(client, self._limits.require, self._now, posts)

        client = self.client(self._options, self._limits, self._files, self._administrators, resumption, prepare)
        calls = InteractionHandler(client, listener, self._gate, self._pace, self._now, self._audiences.about)
        gaps = self.gaps(client, listener, self._notes, self._limits, self._pace)
        client.on_call = calls.on
        hearing = self.hearing(client, listener, gaps, self._gate, self._audiences, self._position)
        listening = asyncio.create_task(hearing.run())
        try:
            await until_one_ends(
                connection.stay(client, self._access.token), asyncio.shield(listening), client.connection_loss.too_long()
            )
        except asyncio.CancelledError:
            await self._handover.leave(client, hearing, listening, self._options.terms(self._access.token))
            raise
        finally:
            listening.cancel()
            self._client = self._sender = None
            await connection.close(client)
            await asyncio.gather(listening, return_exceptions=True)

    @property
    def _options(self) -> ClientOptions:
        return ClientOptions(self._content, self._access.bots, self._gate, self._pace, self.unit, self.units)

    def describe(self) -> str:
        """Return sentences on what can be read, and what to switch on to have more read."""
        silent = len(self._gaps.unreadable) if self._gaps else 0
        hidden = _("; channels that hide their history from me: {silent}", silent=silent) if silent else ""
        if self._content:
            return _("I read what is said where I can see it, and keep what is meant for me{hidden}.", hidden=hidden)
        why = _SWITCH if self._access.message_content else _SETTING
        return _("I read DMs, mentions and commands; {why}{hidden}.", why=why, hidden=hidden)

    # Places and what is said there

    async def locate(self, place: Place) -> Place | None:
        return await locate(self._client, place.key, self._gate) if place.server else place

    async def locate_key(self, key: str) -> Place | None:
        return await locate(self._client, key, self._gate)

    async def readable_circles(self, person: Person, circles: Collection[Circle], spoken: Collection[Circle] = ()) -> set[Circle]:
        """Return those servers, channels and private threads that a person can certainly read now, and what was said there before."""
        return await permissions.circles(circles, spoken) if (permissions := self._permissions(person)) else set()

    async def belongs(self, person: Person, circles: Collection[Circle]) -> bool | None:
        """Return whether a person is in one of these servers, or has one of these roles; None while disconnected."""
        return await permissions.belongs(circles) if (permissions := self._permissions(person)) else None

    async def has_place_in_common(self, person: Person) -> bool:
        """Return whether a person is certainly in a server with Lyra; of many servers only some are asked."""
        return (permissions := self._permissions(person)) is not None and await permissions.shares()

    async def non_readers(self, place: Place, accounts: Collection[str]) -> set[str]:
        """Return those accounts that cannot see a restricted channel or private thread now; all other places everyone sees."""
        if self._live is None or place.reach is not Reach.RESTRICTED:
            return set()
        channel = self._live.get_channel(int(place.thread or place.channel))
        asked = {one: self._permissions(Person(place.platform, one, "")) for one in accounts}
        return {one for one, permissions in asked.items() if permissions and await permissions.is_shut_out(channel)}

    async def is_reader(self, person: Person, place: Place) -> bool:
        """Return whether a person can see a place now; for a restricted one, Discord may be asked."""
        return person.id not in await self.non_readers(place, [person.id])

    async def member_names(self, place: Place, accounts: Collection[str]) -> Sequence[Person]:
        """Return the members of a server that are known here, and those of these accounts that are members."""
        guild = self._live.get_guild(int(place.server)) if self._live and place.server else None
        if guild is None:
            return ()
        asked = filter(None, [self._permissions(Person(place.platform, one, "")) for one in accounts])
        members = [*guild.members, *[one for permissions in asked if (one := await permissions.member(guild))]]
        return [one for member in members for one in names(member)]

    async def messages_before(self, place: str, message: str, n: int, reader: Person | None = None) -> Sequence[Quote]:
        """Return the n messages before one, oldest first; none if that is not allowed or impossible now."""
        if self._client is None:
            return ()
        asked = Permissions(self._client, self._limits, self._gate, reader) if reader else None
        found = await earlier(self._client, self._limits, self._starts, place, message, n, asked)
        if reader is not None:
            return found
        with suppress(PlaceGone):
            if here := await self.locate_key(place):
                return tuple(one for one in found if self._audiences.could_read(here, one.id))
        return ()

    async def read_attachments(self, message: Message) -> Sequence[Contents]:
        """Return what can be read of a message's files: texts up to 128 KiB and images up to 5 MiB, four of each."""
        return await self._files.read(self._client, message) if self._client else [Contents(one) for one in message.attachments]

    async def message_presences(self, place: str, ids: Sequence[str], *, patient: bool = False) -> Mapping[str, Presence]:
        if patient:
            await self._pace.pause(self._pace.look)
        return await self.presences(self._client, self._limits).look_up(place, ids) if self._client else {}

    async def vanished(self, places: Collection[str]) -> Sequence[Vanished]:
        return await vanished(self._client, self._limits, places) if self._client else ()

    async def administers_server(self, person: Person, server: str) -> bool | None:
        """Return whether a person may manage a server now, False if that is unknown; None if Lyra is not in it."""
        return await permissions.manages(server) if (permissions := self._permissions(person)) else False

    @property
    def _live(self) -> Client | None:
        """The client, if its cache is up to date; None while disconnected."""
        return self._client if self._client is not None and self._client.live else None

    def _permissions(self, person: Person) -> Permissions | None:
        """Return the permissions of a person; None while disconnected."""
        return Permissions(self._live, self._limits, self._gate, person) if self._live else None

    def server_name(self, server: str) -> str:
        return self._administrators.name(server)

    async def open_thread(self, place: Place, name: str) -> Place | None:
        return await opened(self._client, self._limits, place, name, self._gate)

    def thread_opened_at(self, place: Place) -> int:
        return self._starts.opened_at(self._client, place.server, place.thread) if self._client else 0

    def link(self, place: str, message: str) -> str:
        return self._starts.link(self._client, place, snowflake(message))

    # Answers

    async def send(self, sending: Sending) -> str:
        if self._sender is None:
            raise SendFailed(AWAY)
        sent = await self._sender.send(sending)
        await self._starts.settle()
        return sent

    def goes_apart(self, answers: str) -> bool:
        """Return whether this is answered under the token of a call, whatever she may do in its channel."""
        return read_address(answers) is not None

    async def unprompted_place(self, person: Person) -> Place | None:
        if (number := snowflake(person.id)) is None:
            return None
        if self._client is None:
            raise PlatformFailure(AWAY)
        return await private(self._client, number)

    def surface(self, event_id: str) -> Surface | None:
        return self._calls.surface(event_id) if self._calls else None

    def thinking(self, place: str) -> AbstractAsyncContextManager[None]:
        _, channel, thread = split_key(place)
        return thinking(self._client, self._limits, int(thread or channel)) if self._client else nullcontext()
