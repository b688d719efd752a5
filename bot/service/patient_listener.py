"""Outages of the database that a platform's adapter does not notice: what it tells and notes is tried again until it is stored.

If the process ended instead, what somebody says alone with her for the first time would be lost: it is told once, and no history
that she knows of has it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from adapters.command_table import CommandSpec
from adapters.events import Event, MenuCall, Message
from adapters.listener import Listener, Notes
from bot.conversation.listening import NO_CURSORS
from bot.service.log import log
from memory.errors import DatabaseAway, DatabaseBusy, DiskFull
from memory.store.cancellation import end_if_asked

_PAUSE_SECONDS = 0.5
_Given = TypeVar("_Given")


class PatientListener:
    """Passes everything on to another listener, and again while the database is busy, out of reach or without room."""

    def __init__(self, platform: str, listener: Listener, hurried: asyncio.Event) -> None:
        """Prepare to pass on what this platform tells, until there is a hurry to end."""
        self._listener = listener
        self._tried = _Attempts(platform, hurried).made

    @property
    def table(self) -> Mapping[str, CommandSpec]:
        return self._listener.table

    async def ready(self) -> None:
        await self._tried(self._listener.ready)

    async def missed(self, prefix: Sequence[str] = ()) -> None:
        await self._tried(partial(self._listener.missed, prefix))

    async def cursors(self) -> Mapping[str, str]:
        return await self._tried(self._listener.cursors)

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] = NO_CURSORS) -> Awaitable[None]:
        """Pass on events and cursors; calls of a menu only once, since whoever called is told that it failed."""
        hear = partial(self._listener.hear, events, cursors)
        if events and all(isinstance(event, MenuCall) for event in events):
            return await hear()
        return await self._tried(hear)

    async def keep(self, ahead: Message) -> None:
        await self._tried(partial(self._listener.keep, ahead))

    async def suggest(self, asked: MenuCall, parameter: str, typed: str) -> Sequence[str]:
        """Return suggestions, or none, at once."""
        return await self._listener.suggest(asked, parameter, typed)


class PatientNotes:
    """The notes of an adapter, which wait for a database that is busy, out of reach or without room."""

    def __init__(self, platform: str, notes: Notes, hurried: asyncio.Event) -> None:
        """Prepare to read and store the notes of this platform, until there is a hurry to end."""
        self._notes = notes
        self._tried = _Attempts(platform, hurried).made

    async def get(self, name: str) -> Any:
        return await self._tried(partial(self._notes.get, name))

    async def put(self, name: str, value: Any) -> None:
        await self._tried(partial(self._notes.put, name, value))


class _Attempts:
    """The attempts to have something of a platform stored; an outage is logged once, however many wait."""

    def __init__(self, platform: str, hurried: asyncio.Event) -> None:
        self._platform = platform
        self._hurried = hurried
        self._is_reported = False

    async def made(self, work: Callable[[], Awaitable[_Given]]) -> _Given:
        """Return what comes of some work, done again until the database takes it."""
        while True:
            try:
                given = await work()
            except (DatabaseBusy, DiskFull) as error:
                end_if_asked()
                if self._hurried.is_set() and isinstance(error, DatabaseAway | DiskFull):
                    # The end of the process must not be held up by what cannot be stored.
                    raise
                if not self._is_reported:
                    log.warning("platform.waits", platform=self._platform, why=str(error))
                self._is_reported = True
            else:
                self._is_reported = False
                return given
            await asyncio.sleep(_PAUSE_SECONDS)
