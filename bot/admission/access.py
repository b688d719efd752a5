"""Access: whom the configuration names, allows or blocks."""

from collections.abc import Collection, Mapping

from adapters.base import Adapter
from adapters.events import Circle, Person, Place
from bot.commands.being import owned
from bot.config.crowd import accounts, circles
from bot.config.settings import Settings
from memory.ports import Clock
from memory.types import MINUTE

_LASTS = 5 * MINUTE
"""How long a platform's answer is cached, since asking takes requests."""
_MOST_KEPT = 10_000


class Access:
    """Decides whether somebody may use Lyra at a place. The operator and everybody named in [people] may."""

    def __init__(self, settings: Settings, adapters: Mapping[str, Adapter], clock: Clock) -> None:
        section = settings.access
        self._strangers = section.strangers
        self._adapters = adapters
        self._clock = clock
        self._own = settings.accounts
        self._allowed, self._blocked = accounts(section.allow), accounts(section.block)
        self._within, self._without = circles(section.allow), circles(section.block)
        self._known: dict[tuple[str, str, str], tuple[int, bool]] = {}

    async def admits(self, person: Person, place: Place) -> bool:
        """Return whether a person may use Lyra at a place; if the platform cannot be asked, only if that is certain."""
        if is_own(person, self._own):
            return True
        who = (person.platform, person.id)
        if who in self._blocked or _is_of(place, self._without) or await self._belongs(person, "block"):
            return False
        if self._allowed or self._within:
            return who in self._allowed or _is_of(place, self._within) or await self._belongs(person, "allow")
        return not place.is_private or self._strangers == "on" or await self._knows(person)

    def shuts_out(self, place: Place) -> bool:
        """Return whether nobody may use Lyra at a place."""
        return not owned(place.platform) and _is_of(place, self._without)

    async def _knows(self, person: Person) -> bool:
        if self._strangers == "off":
            return False
        return await self._asked(person, "shares", set())

    async def _belongs(self, person: Person, which: str) -> bool:
        named = self._within if which == "allow" else self._without
        here = {circle for platform, circle in named if platform == person.platform}
        return bool(here) and await self._asked(person, which, here)

    async def _asked(self, person: Person, what: str, named: set[Circle]) -> bool:
        """Ask a platform about a person, or return its cached answer."""
        key, now = (what, person.platform, person.id), self._clock.now()
        until, answer = self._known.get(key, (0, False))
        if now >= until:
            adapter = self._adapters[person.platform]
            answer = bool(await adapter.readable(person, named)) if named else await adapter.shares(person)
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[key] = now + _LASTS, answer
        return answer


def is_own(person: Person, accounts: Collection[tuple[str, str]]) -> bool:
    """Return whether somebody is the operator, or has an account named in the configuration."""
    return owned(person.platform) or (person.platform, person.id) in accounts


def _is_of(place: Place, named: frozenset[tuple[str, Circle]]) -> bool:
    return any(platform == place.platform and circle.id in (place.server, place.channel) for platform, circle in named)
