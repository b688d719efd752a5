"""The people whom her account ignores: the homeserver tells her nothing of what they say, edit or take back."""

import logging
from collections.abc import Iterable

from nio import UnknownAccountDataEvent

from adapters.listener import Notes
from adapters.matrix.incoming.event import part

TYPE = "m.ignored_user_list"
_NOTE = "ignored"

log = logging.getLogger(__name__)


class IgnoredUsers:
    """The ignored people as last reported, across restarts."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._ids: set[str] = set()
        self._kept: set[str] = set()

    async def load(self) -> None:
        """Load what was saved."""
        self._ids = set(await self._notes.get(_NOTE) or ())
        self._kept = set(self._ids)

    def follow(self, account_data: Iterable[object]) -> bool:
        """Take over what a sync says of them; return whether she hears somebody again, of whom she may have missed something."""
        for event in account_data:
            if isinstance(event, UnknownAccountDataEvent) and event.type == TYPE:
                self._ids = set(part(event.content, "ignored_users"))
        if self._ids - self._kept:
            log.warning("Lyra's account ignores somebody on Matrix: she is not told what they take back until it does not.")
        return bool(self._kept - self._ids)

    async def settle(self) -> None:
        """Save changes."""
        if self._ids != self._kept:
            await self._notes.put(_NOTE, sorted(self._ids))
            self._kept = set(self._ids)
