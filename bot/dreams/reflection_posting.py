"""Posting reflections: whether, where and when a thought may be posted, and then once.

A thought waits until its place allows it: an admin, or the person of a DM, turned reflections on; it is not within quiet hours;
the daily maximum is not reached; nobody is in mid-conversation; consolidation is caught up; and the curiosity drive crossed the
place's threshold. A thought that waited too long is not posted.
"""

from collections.abc import Mapping
from datetime import time

from adapters.base import Adapter
from adapters.command_table import Action
from adapters.errors import PlaceGone, PlatformFailure
from adapters.events import Person, Place
from bot.conversation.services import Services
from bot.delivery.composer import REFLECTION
from bot.delivery.links import written_urls
from bot.service.log import log
from localization.current_language import reading
from localization.sentences import _, lazy
from memory.errors import MemoryFailure
from memory.text.time.times import instant, local
from memory.types import MINUTE, Domain, DomainKind, Session
from memory.view.thoughts import PostableThought
from memory.view.view import View

ACTIONS = (
    (lazy("Why this?"), "reflection why"),
    (lazy("Less of this"), "reflection less"),
    (lazy("Delete"), "reflection delete"),
)
NAME = "reflections"
_LATEST = 48 * 60 * MINUTE
_AHEAD = 60 * MINUTE
_LINKS = 3


class ReflectionPosting:
    """Posts waiting thoughts through the connected adapters."""

    def __init__(self, services: Services, adapters: Mapping[str, Adapter]) -> None:
        self._services = services
        self._adapters = adapters
        self._rules = services.settings.dream

    async def tick(self) -> None:
        """Post what may be posted now, one domain at a time."""
        for domain in await self._services.memory.with_waiting_thoughts():
            try:
                await self.say(domain)
            except (MemoryFailure, PlatformFailure) as error:
                log.info("reflection.later", why=type(error).__name__)

    async def say(self, domain: Domain, *, at_hand: bool = False) -> bool:
        """Post the newest thought of a domain if all conditions hold; return whether it was posted.

        If the person is `at_hand`, quiet hours and the start of a conversation do not matter.
        """
        view = self._services.memory.view(domain)
        thought = await self._newest(view)
        if thought is None or not await self._may(view, thought, at_hand=at_hand):
            return False
        found = await self._place(view)
        if found is None:
            return False
        session, place = found
        if not self._adapters[place.platform].holds(place.key):
            return False
        who = self._reader(place, view.home)
        with reading(await (self._services.languages.to(place, who) if who else self._services.languages.among(place, view))):
            return await self._post(view, thought, session, place)

    async def _post(self, view: View, thought: PostableThought, session: Session, place: Place) -> bool:
        adapter = self._adapters[place.platform]
        text, links = _with_links(thought, adapter)
        said_there = await written_urls(placed.exchange for placed in thought.said)
        actions = [Action(str(label), command, thought.statement.id) for label, command in ACTIONS]
        parts = await self._services.outgoing.composer.parts(
            place.platform, text, links=said_there | links, actions=actions, form=REFLECTION
        )
        if await view.thoughts.post(session, thought, thought.statement.text, parts) is None:
            return False
        await self._services.outgoing.flush(place.platform, place.key, parts)
        log.info("reflection.said", platform=place.platform)
        return True

    async def _newest(self, view: View) -> PostableThought | None:
        """Return the newest waiting thought, and drop those that are too old or no longer valid."""
        waiting = await view.thoughts.waiting()
        fresh: list[PostableThought] = []
        for thought in waiting:
            if self._services.clock.now() - thought.statement.made_at > _LATEST or await view.thoughts.is_outdated(thought):
                await view.thoughts.stop_waiting(thought)
                continue
            fresh.append(thought)
        return fresh[0] if fresh else None

    async def _may(self, view: View, thought: PostableThought, *, at_hand: bool) -> bool:
        now = self._services.clock.now()
        local_time = local(now, view.home.time_zone)
        midnight = instant(local_time.replace(hour=0, minute=0, second=0, microsecond=0))
        if await view.thoughts.posted_since(midnight) >= self._rules.reflections_per_day:
            return False
        stability = (await view.self_state.now()).mind.drives.stability
        if stability < self._rules.stability or thought.level < await view.thoughts.bar():
            return False
        if at_hand:
            return True
        since = now - await view.sessions.last_heard()
        # What is dated further ahead was heard while the clock was wrong.
        is_talking = -_AHEAD <= since < self._rules.settle_minutes * MINUTE
        return not in_quiet_hours(local_time.time(), self._rules.quiet) and not is_talking

    async def _place(self, view: View) -> tuple[Session, Place] | None:
        """Return the most recently used place at home that is reachable and opted into reflections."""
        for session in await view.sessions.all():
            adapter = self._adapters.get(session.ref.platform)
            if adapter is None or not adapter.at_hand(session.ref.place):
                continue
            try:
                place = await adapter.locate_key(session.ref.place)
            except PlaceGone:
                continue
            if (
                place
                and await self._services.domains.has_same_readers(place, view.home.key)
                and await self._services.preferences.on(self._reader(place, view.home) or place, NAME)
            ):
                return session, place
        return None

    def _reader(self, place: Place, home: Domain) -> Person | None:
        if not place.is_private:
            return None
        return Person(place.platform, home.ref.native_id if home.ref.kind is DomainKind.DM else place.alone, "")


def in_quiet_hours(now: time, hours: str) -> bool:
    """Return whether a time of day is within quiet hours, written like 22:00-08:00; '' for none."""
    if not hours:
        return False
    begin, end = (time.fromisoformat(one) for one in hours.split("-"))
    return begin <= now < end if begin <= end else now >= begin or now < end


def _with_links(thought: PostableThought, adapter: Adapter) -> tuple[str, frozenset[str]]:
    links = [
        link
        for placed in thought.said
        if placed.platform == adapter.platform and (link := adapter.link(placed.place, placed.exchange.source_id))
    ]
    text = thought.statement.text
    if links:
        text += "\n" + _("From: {links}", links=" ".join(links[-_LINKS:]))
    return text, frozenset(links)
