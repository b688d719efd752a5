"""Who administers her servers, as far as Discord tells unasked: the owners, and people seen with the right to manage.

Kept across restarts, so that it is still known if a server disappears while she is away.
"""

from collections.abc import Iterable
from typing import Any

import discord

from adapters.discord.incoming.convert import PLATFORM
from adapters.display import line
from adapters.events import Vanished
from adapters.listener import NotedValues

_MOST = 50
"""How many managers to note per server; those seen last are kept."""


class Administrators(NotedValues[dict[str, Any]]):
    """The administrators and names of servers, by server id."""

    note = "servers"

    def learn(self, guilds: Iterable[discord.Guild]) -> None:
        """Record the names and owners of available servers."""
        for guild in guilds:
            if not guild.unavailable:
                self._set(str(guild.id), name=line(guild.name, 100), owner=str(guild.owner_id or ""))

    def see(self, who: object) -> None:
        """Record whether somebody who spoke, or called a command, may manage the server."""
        if not isinstance(who, discord.Member) or who.bot:
            return
        server, person = str(who.guild.id), str(who.id)
        others = [one for one in self._accounts(server)["managers"] if one != person]
        manages = [person] if who.guild_permissions.manage_guild else []
        if manages != [one for one in self._accounts(server)["managers"] if one == person]:
            self._set(server, managers=[*others, *manages][-_MOST:])

    def accounts(self, server: str) -> tuple[str, ...]:
        """Return the accounts that administer a server, as last known."""
        known = self._accounts(server)
        return tuple(dict.fromkeys(one for one in (known["owner"], *known["managers"]) if one))

    def name(self, server: str) -> str:
        """Return a server's last known name, '' if unknown."""
        return str(self._accounts(server)["name"])

    def gone(self, prefix: tuple[str, ...], name: str = "") -> Vanished:
        """Return that a server, channel or thread is gone, with those who administered it; a server under its last known name."""
        called = self.name(prefix[0]) if len(prefix) == 1 else name
        return Vanished(PLATFORM, prefix, called, self.accounts(prefix[0]))

    def _accounts(self, server: str) -> dict[str, Any]:
        return self._values.get(server) or {"name": "", "owner": "", "managers": []}

    def _set(self, server: str, **values: Any) -> None:
        known = {**self._accounts(server), **values}
        if known != self._values.get(server):
            self._values[server] = known
            self._changed = True
