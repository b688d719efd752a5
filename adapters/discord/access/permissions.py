"""What a person can read now, according to Discord's API; anything uncertain counts as unreadable."""

from collections.abc import Collection

import discord

from adapters.discord.access import readers
from adapters.discord.access.readers import parent_of, reads_history
from adapters.discord.failures import UNKNOWN_MEMBER, UNKNOWN_USER, UNSURE
from adapters.discord.incoming.convert import PLATFORM
from adapters.discord.limits import Limits
from adapters.events import Circle, Person, Reach
from adapters.task_groups import shielded

_MOST_ASKED = 50


class Permissions:
    """Asks about one person, and only once per server."""

    def __init__(self, client: discord.Client, limits: Limits, gate: readers.Gate, person: Person) -> None:
        self._client = client
        self._limits = limits
        self._gate = gate
        self._person = person
        self._members: dict[int, discord.Member | None] = {}

    async def circles(self, circles: Collection[Circle], spoken: Collection[Circle] = ()) -> set[Circle]:
        """Return which of these servers, channels and private threads the person can read.

        What was said in a channel before it was opened to everyone is only of those who certainly could read it then: they have
        `spoken` there.
        """
        if self._person.platform != PLATFORM or not self._person.id.isdecimal():
            return set()
        return {one for one in circles if await self._is_within(one, spoken)}

    async def belongs(self, circles: Collection[Circle]) -> bool | None:
        """Return whether the person is in one of these servers, or has one of these roles there; None if that is uncertain."""
        if not self._person.id.isdecimal():
            return False
        found = {await self._is_of(one) for one in circles}
        return True if True in found else None if None in found else False

    async def _is_of(self, circle: Circle) -> bool | None:
        server, _, role = circle.id.partition("/")
        guild = self._client.get_guild(int(server)) if server.isdecimal() else None
        if guild is None:
            return False
        if guild.unavailable:
            return None
        try:
            member = await self._fetch(guild)
        except UNSURE as error:
            return False if _is_nobody(error) else None
        return role in ("", str(guild.id)) or any(str(one.id) == role for one in member.roles)

    async def shares(self) -> bool:
        """Return whether the person shares a server with Lyra; only the first fifty are checked."""
        if not self._person.id.isdecimal():
            return False
        guilds = self._client.guilds[:_MOST_ASKED]
        if any(guild.get_member(int(self._person.id)) for guild in guilds):
            return True
        for guild in guilds:
            if await self.member(guild) is not None:
                return True
        return False

    async def reads(self, channel: object) -> bool:
        """Return whether the person can read a channel with its history."""
        if isinstance(channel, discord.DMChannel):
            return [str(one.id) for one in channel.recipients] == [self._person.id]
        if not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return False
        member, parent = await self.member(channel.guild), parent_of(channel)
        if member is None or parent is None or not reads_history(member, parent):
            return False
        return not _is_hidden(channel, parent.permissions_for(member)) or await self._has_joined(channel.id) is True

    async def is_shut_out(self, channel: object) -> bool:
        """Return whether the person certainly cannot see a channel."""
        if not isinstance(channel, discord.abc.GuildChannel | discord.Thread) or not self._person.id.isdecimal():
            return False
        parent = parent_of(channel)
        if channel.guild.unavailable or parent is None:
            return False
        try:
            member = await self._fetch(channel.guild)
        except UNSURE as error:
            return _is_nobody(error)
        rights = parent.permissions_for(member)
        if not rights.view_channel:
            return True
        return _is_hidden(channel, rights) and await self._has_joined(channel.id) is False

    async def manages(self, server: str) -> bool | None:
        """Return whether the person may manage a server; None where Lyra is not in it."""
        guild = self._client.get_guild(int(server))
        if guild is None:
            return None
        member = await self.member(guild)
        return member is not None and member.guild_permissions.manage_guild

    async def _is_within(self, circle: Circle, spoken: Collection[Circle]) -> bool:
        server, gated, role = circle.id.partition("/")
        if not server.isdecimal():
            return False
        match circle.reach:
            case Reach.PUBLIC:
                guild = self._client.get_guild(int(server))
                return guild is not None and await self._holds(guild, role if gated else self._gate(server))
            case Reach.RESTRICTED:
                return not gated and await self._reads_channel(circle, spoken)
        return False

    async def _holds(self, guild: discord.Guild, role: str) -> bool:
        member = await self.member(guild)
        return member is not None and (role in ("", str(guild.id)) or any(str(one.id) == role for one in member.roles))

    async def _reads_channel(self, circle: Circle, spoken: Collection[Circle]) -> bool:
        number = int(circle.id)
        found: object = self._client.get_channel(number)
        if found is None:
            try:
                self._limits.require()
                found = await shielded(self._client.fetch_channel(number))
            except UNSURE:
                return False
        if not isinstance(found, discord.abc.GuildChannel | discord.Thread) or readers.is_age_restricted(found):
            return False
        is_as_it_was = readers.place(found, self._gate).circle == circle
        return (is_as_it_was or circle in spoken) and await self.reads(found)

    async def member(self, guild: discord.Guild) -> discord.Member | None:
        """Return the person as a member of a server, None if that is uncertain."""
        if guild.id not in self._members:
            self._members[guild.id] = await self._fetched(guild)
        return self._members[guild.id]

    async def _fetched(self, guild: discord.Guild) -> discord.Member | None:
        if guild.unavailable:
            return None
        try:
            member = await self._fetch(guild)
        except UNSURE:
            return None
        return None if member.flags.guest else member

    async def _fetch(self, guild: discord.Guild) -> discord.Member:
        self._limits.require()
        return await shielded(guild.fetch_member(int(self._person.id)))

    async def _has_joined(self, thread: int) -> bool | None:
        """Return whether the person is a member of a thread, None if that is uncertain."""
        try:
            self._limits.require()
            await shielded(self._client.http.get_thread_member(thread, int(self._person.id)))
        except UNSURE as error:
            return False if _is_nobody(error) else None
        return True


def _is_hidden(channel: discord.abc.GuildChannel | discord.Thread, rights: discord.Permissions) -> bool:
    """Return whether only its members see a thread: a private one, for somebody who does not manage threads."""
    return isinstance(channel, discord.Thread) and channel.is_private() and not rights.manage_threads


def _is_nobody(error: Exception) -> bool:
    return isinstance(error, discord.NotFound) and error.code in (UNKNOWN_MEMBER, UNKNOWN_USER)
