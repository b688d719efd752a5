"""Which domains housekeeping has to look at: those that changed since, and those whose time has come."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from bot.service.log import carried_on
from memory.core import Memory
from memory.ports import Clock
from memory.types import MINUTE, Domain

_LEAST, _SPREAD = 20, 20
"""In minutes: a domain in which nothing happens is looked at after 20 to 40, not all of them at once."""


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

    async def taken(self) -> AsyncIterator[Domain]:
        """Yield the domains with anything in them to be looked at now, oldest first, without confidences.

        Each is left alone from then on until something changes there or may be due by time alone.
        """
        now, changes = self._clock.now(), await self._memory.changes()
        for domain in await self._memory.places.inhabited():
            seen = changes.get(domain.key, 0)
            if self._is_quiet(domain, seen, now):
                continue
            time_comes = self._clock.now() + (_LEAST + domain.key % _SPREAD) * MINUTE
            until = await carried_on(self._memory.quiet_until(domain, time_comes), "housekeeping")
            if until is not None:
                # Before it is looked at: what fails in the background meanwhile has it looked at again.
                self._looks[domain.key] = _Look(seen, self._clock.now(), until)
            yield domain

    def _is_quiet(self, domain: Domain, changes: int, now: int) -> bool:
        look = self._looks.get(domain.key)
        # A clock that was set back says nothing of how much time has passed.
        return look is not None and look.changes == changes and look.at <= now < look.until

    def look_again(self, domain: Domain) -> None:
        """Have a domain looked at next time."""
        self._looks.pop(domain.key, None)
