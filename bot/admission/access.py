"""Access: whom the configuration names, allows or blocks. Admission: which of their messages Lyra stores and answers."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from functools import partial

from adapters.base import Adapter
from adapters.events import Circle, Message, Person, Place
from bot.config.people_sections import accounts, circles
from bot.config.settings import Settings
from bot.conversation.people import is_operator
from bot.conversation.preferences import PAUSED, Chosen
from memory.ports import Clock
from memory.types import MINUTE

_LASTS = 5 * MINUTE
"""How long a platform's answer is cached, since asking takes requests."""
_MOST_KEPT = 10_000
_MOST_TO_MACHINES = 5
"""The maximum number of consecutive answers to bots at one place, without a person's message in between."""


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
        if who in self._blocked or _is_of(place, self._without) or await self._belongs(person, "block") is not False:
            return False
        if self._allowed or self._within:
            return who in self._allowed or _is_of(place, self._within) or bool(await self._belongs(person, "allow"))
        if not place.is_private or self._strangers == "on":
            return True
        has_place_in_common = self._adapters[person.platform].has_place_in_common
        return self._strangers == "mutual" and bool(await self._ask_platform(person, "shares", has_place_in_common))

    def shuts_out(self, place: Place) -> bool:
        """Return whether nobody may use Lyra at a place."""
        return not is_operator(place.platform) and _is_of(place, self._without)

    async def _belongs(self, person: Person, which: str) -> bool | None:
        named = self._within if which == "allow" else self._without
        here = {circle for platform, circle in named if platform == person.platform}
        if not here:
            return False
        return await self._ask_platform(person, which, partial(self._adapters[person.platform].belongs, circles=here))

    async def _ask_platform(self, person: Person, what: str, ask: Callable[[Person], Awaitable[bool | None]]) -> bool | None:
        """Ask a platform about a person, or return its cached answer; an uncertain one is not cached."""
        key, now = (what, person.platform, person.id), self._clock.now()
        until, cached = self._known.get(key, (0, False))
        # A later end was set by a clock that was ahead.
        if now < until <= now + _LASTS:
            return cached
        answer = await ask(person)
        if answer is not None:
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[key] = now + _LASTS, answer
        return answer


def is_own(person: Person, accounts: Collection[tuple[str, str]]) -> bool:
    """Return whether somebody is the operator, or has an account named in the configuration."""
    return is_operator(person.platform) or (person.platform, person.id) in accounts


def _is_of(place: Place, named: frozenset[tuple[str, Circle]]) -> bool:
    return any(platform == place.platform and circle.id in (place.server, place.channel) for platform, circle in named)


class Admission:
    """Checks every incoming message."""

    def __init__(self, most_to_machines: int = _MOST_TO_MACHINES) -> None:
        self._most = most_to_machines
        self._machines: dict[str, int] = {}

    def admit(self, message: Message, chosen: Chosen, *, command: bool = False, foreign: bool = False) -> Message | None:
        """Return a message as it is to be stored, `addressed` if it is to be answered; None if it is not for her.

        `chosen` are the settings of its person and place.

        A message off the record is marked as such, and is for her only if it is to be answered.

        A command is always for her, except from a bot; a `foreign` one is for another bot, even where everything is answered.
        """
        if chosen.is_off_record(message.place, message.person):
            message = replace(message, off_record=True)
        if not message.machine:
            self._machines.pop(message.place.key, None)
        if command and not message.machine:
            return message
        if chosen.on(message.person, PAUSED):
            return None
        if not message.place.is_private and not message.addressed:
            if not foreign and chosen.value(message.place, "answers") == "always":
                message = replace(message, addressed=True)
            elif message.off_record or not chosen.on(message.place, "listening"):
                return None
        if message.machine and message.addressed:
            answered = self._machines.get(message.place.key, 0)
            if answered >= self._most:
                return None
            self._machines[message.place.key] = answered + 1
        return message
