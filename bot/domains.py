"""Who may know: from a place and a person to the domain that is written and those that may be read.

Decided on every turn, from what holds now; what is not known for sure is not read.
"""

from collections.abc import Sequence

from adapters.base import Person, Place, Reach, thread_of
from bot.config import Settings
from bot.errors import LyraError
from memory.core import Memory
from memory.ports import Clock
from memory.types import Domain, DomainKind, DomainRef, Session, SessionRef
from memory.view import View


class Domains:
    """Makes views for places, from the configuration's people and live facts."""

    def __init__(self, memory: Memory, settings: Settings, clock: Clock, time_zone: str) -> None:
        self._memory = memory
        self._clock = clock
        self._time_zone = time_zone
        self._fixed = bool(settings.time_zone)
        self._people = [
            [(platform, account) for platform in ("console", "discord", "matrix") for account in getattr(someone, platform)]
            for someone in settings.people.values()
        ]

    async def view(self, place: Place, person: Person) -> View:
        """Return memory as the readers of this place may know it now."""
        home = await self._home(place, person)
        return self._memory.view(home, await self._also(place, person))

    async def view_of(self, platform: str, account: str) -> View:
        """Return memory as the one person of an account may know it."""
        person = Person(platform, account, account)
        return await self.view(Place(platform, account, account, Reach.DIRECT), person)

    async def session(self, view: View, place: Place) -> Session:
        """Return the session of a place, named after it."""
        return await view.session(SessionRef(place.platform, place.key), place.thread or place.name)

    async def thread(self, view: View, name: str) -> str:
        """Return the thread of a terminal's conversation by the name people call it; a new one is called like its thread."""
        known = {session.name: session for session in await view.sessions()}
        return thread_of(known[name].ref.place) if name in known else name

    async def _home(self, place: Place, person: Person) -> Domain:
        if place.reach is not Reach.DIRECT:
            raise LyraError(f"{place.platform} places that more than one person reads are not known here.")
        ref = DomainRef(DomainKind.DM, person.platform, person.id)
        domain = await self._memory.places.domain(ref, self._time_zone, self._clock.now())
        if self._fixed and domain.time_zone != self._time_zone:
            return await self._memory.places.tell_times_in(domain, self._time_zone)
        return domain

    async def _also(self, place: Place, person: Person) -> Sequence[Domain]:
        if place.reach is not Reach.DIRECT:
            return ()
        accounts = [other for group in self._people if (person.platform, person.id) in group for other in group]
        found = [
            await self._memory.places.find_domain(DomainRef(DomainKind.DM, platform, account))
            for platform, account in accounts
            if (platform, account) != (person.platform, person.id)
        ]
        return [domain for domain in found if domain is not None]
