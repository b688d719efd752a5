"""Which domains housekeeping has to look at: those that changed since, and those whose time has come."""

from dataclasses import dataclass
from typing import NamedTuple

from memory.core import Memory
from memory.ports import Clock
from memory.types import MINUTE, Domain

_LEAST, _SPREAD = 20, 20
"""In minutes: a domain in which nothing happens is looked at after 20 to 40, not all of them at once."""


class DueDomain(NamedTuple):
    """A domain, and how many changes it had seen when it was found to be due."""

    domain: Domain
    changes: int


@dataclass(frozen=True, slots=True)
class _Look:
    changes: int
    at: int
    until: int


class DueDomains:
    """What this process knows of the domains from its last look at each."""

    def __init__(self, memory: Memory, clock: Clock) -> None:
        self._memory = memory
        self._clock = clock
        self._looks: dict[int, _Look] = {}

    async def due(self) -> list[DueDomain]:
        """Return the domains with anything in them to be looked at now, oldest first, without confidences."""
        now, changes = self._clock.now(), await self._memory.changes()
        return [
            DueDomain(domain, changes.get(domain.key, 0))
            for domain in await self._memory.places.inhabited()
            if not self._is_quiet(domain, changes.get(domain.key, 0), now)
        ]

    def _is_quiet(self, domain: Domain, changes: int, now: int) -> bool:
        look = self._looks.get(domain.key)
        # A clock that was set back says nothing of how much time has passed.
        return look is not None and look.changes == changes and look.at <= now < look.until

    async def quiet_until(self, domain: Domain) -> int | None:
        """Return until when a domain may be left alone as it is now; None if it may not."""
        return await self._memory.quiet_until(domain, self._clock.now() + (_LEAST + domain.key % _SPREAD) * MINUTE)

    def leave(self, due: DueDomain, until: int) -> None:
        """Leave a domain alone until an instant, unless it changes from what it was when it was due."""
        self._looks[due.domain.key] = _Look(due.changes, self._clock.now(), until)

    def look_again(self, domain: Domain) -> None:
        """Have a domain looked at next time."""
        self._looks.pop(domain.key, None)
