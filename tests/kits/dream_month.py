"""A simulated month: one person talks by day, Lyra dreams, and thoughts of hers go out where a fake platform takes them."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from adapters.base import Sending
from adapters.events import Person
from bot.config.settings import Settings
from bot.conversation.answer_language import AnswerLanguage
from bot.conversation.domain_access import DomainAccess
from bot.conversation.preferences import Preferences
from bot.conversation.services import Services
from bot.delivery.composer import Composer
from bot.delivery.links import AllowList
from bot.delivery.outgoing import Outgoing
from bot.delivery.pending_sends import BlockedPlaces
from bot.dreams.dreaming import Dreams
from bot.dreams.reflection_posting import ReflectionPosting
from bot.rights.off_record import OffRecord
from bot.service.maintenance import Maintenance
from bot.service.priority import Priority
from memory.core import ConsolidationRules, Memory
from memory.errors import WriterFailed
from memory.journal.usage import Spent
from memory.ports import Entry, Task
from memory.text.time.times import instant, local
from memory.tiers.episodes import EpisodeRules
from memory.types import Domain, DomainKind, DomainRef, Exchange, Kind, NewExchange, Session, SessionRef
from memory.view.view import View
from tests.kits.adapter_kit import Silent
from tests.kits.long_talk import CopyingModel, CopyingModels
from tests.kits.memory_kit import HOUR, KEY, Clock, Ids, opened
from tests.kits.size import TORTURE

ZONE = "Europe/Vienna"
BEGIN = instant(datetime(2026, 3, 1, 6, tzinfo=UTC))
DAYS = 31
_MESSAGE = re.compile(r"^\[(m\d+)\] [^\n]*\n\| (.*)$", re.MULTILINE)
PER_HOUR = 10 if TORTURE else 4
MINDED = range(24) if TORTURE else (2, 3, 4, 10, 12, 19, 21, 22)
"""The hours after which housekeeping is looked at: around the night, while people talk, and in the quiet that follows."""


@dataclass
class Thinker(CopyingModel):
    """A model with a thought about all that is new, which it always wants to say; it has good days and bad ones."""

    clock: Clock = field(default_factory=Clock)
    order: list[tuple[int, str]] = field(default_factory=list)
    """The instant and the kind of each call."""

    async def write(self, task: Task) -> list[Entry]:
        """Write a digest."""
        self._called(task.kind)
        return await super().write(task)

    async def answer(self, system: str, user: str) -> str:
        """Think: on the 10th in prose, on the 11th in a broken object, else as asked."""
        self._called("thought")
        day = local(self.clock.now(), ZONE).day
        if day == 10:
            return "PROSE: I would love to post that everybody is wonderful."
        if day == 11:
            return '{"text": "BROKEN", "post": true, "cites": ["m1"'
        said = _MESSAGE.findall(user)
        words = " and ".join(text.split()[-1].rstrip(".") for _, text in said[:3])
        thought = {"text": f"What have {words} in common?", "cites": [label for label, _ in said[:3]]}
        return json.dumps({**thought, "post": True, "feeling": 0.4})

    def _called(self, kind: str) -> None:
        if local(self.clock.now(), ZONE).day == 12:
            raise WriterFailed("The model is down today.")
        self.calls[kind] += 1
        self.spent = Spent(self.spent.calls + 1, self.spent.tokens)
        self.order.append((self.clock.now(), kind))


class Square(Silent):
    """A platform that takes every part, and keeps when it did."""

    platform = "console"

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.sent: list[tuple[int, Sending]] = []

    async def send(self, sending: Sending) -> str:
        """Take a part."""
        self.sent.append((self._clock.now(), sending))
        return sending.key


@dataclass
class Month:
    """What the month needs, and what came of it."""

    memory: Memory
    clock: Clock
    domain: Domain
    view: View
    session: Session
    square: Square
    model: Thinker
    preferences: Preferences
    maintenance: Maintenance
    dreams: Dreams
    reflections: ReflectionPosting
    per_hour: int
    said: list[Exchange] = field(default_factory=list)
    outside: list[float] = field(default_factory=list)
    """Levels of drives that were not between 0 and 1."""

    async def hours(self, n: int) -> None:
        """Let so many hours pass: people talk from nine to twelve and from six to nine, housekeeping goes on all day."""
        for _ in range(n):
            hour = local(self.clock.now(), ZONE).hour
            if 9 <= hour < 12 or 18 <= hour < 21:
                await self.talk()
            self.clock.forward(HOUR - self.clock.now() % HOUR)
            if hour in MINDED:
                await self.minute()

    async def minute(self) -> None:
        """Do what `lyra run` does every minute."""
        await self.maintenance.tick()
        await self.dreams.tick()
        await self.reflections.tick()
        mind = (await self.view.self_state.now()).mind
        self.outside += [level for name in ("continuity", "coherence", "curiosity", "stability")
                         if not 0 <= (level := mind.drives[name]) <= 1]  # fmt: skip

    async def wants(self, *, thoughts: bool) -> None:
        """Turn reflections on or off."""
        await self.preferences.put(Person("console", "ada", ""), "reflections", "on" if thoughts else "off")

    async def talk(self) -> None:
        """Let Ada say some things within half an hour."""
        for _ in range(self.per_hour):
            n = len(self.said)
            self.clock.forward(HOUR // 20)
            when = local(self.clock.now(), ZONE)
            name = _name(n)
            text = f"On the {when.day}. we spoke of {name}, who keeps {_name(7 * n % 500).lower()} beside {_name(n)}."
            new = NewExchange(Kind.SAID, text, f"m{n}", self.clock.now(), "Ada")
            self.said += (await self.view.say(self.session, [new])).stored

    @property
    def thoughts(self) -> list[tuple[datetime, str]]:
        """When and with which words she said something unasked, in local time."""
        return [(local(at, ZONE), one.text) for at, one in self.square.sent if one.reflection]


def _name(n: int) -> str:
    """Return a name that does not come twice."""
    return "".join(chr(97 + byte % 26) for byte in blake2b(str(n).encode(), digest_size=7).digest()).capitalize()


@asynccontextmanager
async def month(folder: Path, per_hour: int = PER_HOUR) -> AsyncIterator[Month]:
    """Begin the month in a fresh memory; Ada says so many things in each hour in which she talks."""
    settings, clock, ids = Settings(), Clock(BEGIN), Ids()
    habits = ConsolidationRules(EpisodeRules(settings.summarize_after, settings.episode_idle_minutes, settings.episode_least))
    async with opened(folder / "lyra.db", KEY, clock=clock, habits=habits) as memory:
        domain = await memory.places.domain(DomainRef(DomainKind.DM, "console", "ada"), ZONE, clock.now())
        view = memory.view(domain)
        session = await view.sessions.get(SessionRef("console", json.dumps(["", "ada", "main"])), "main")
        model, priority, square = Thinker(clock=clock), Priority(), Square(clock)
        models, adapters = CopyingModels(settings, memory, model), {"console": square}
        preferences = Preferences(memory.settings, {}, memory.places.account_scope)
        domains = DomainAccess(memory, settings, preferences, clock, ZONE)
        outgoing = Outgoing(memory.journal, domains, adapters, Composer(adapters, ids, AllowList([])), BlockedPlaces(clock, 0))
        maintenance = Maintenance(memory, models, settings, clock, priority)
        services = Services(
            memory, domains, preferences, models, maintenance, outgoing, settings, clock, OffRecord(),
            AnswerLanguage(preferences, domains),
        )  # fmt: skip
        yield Month(
            memory, clock, domain, view, session, square, model, preferences, maintenance,
            Dreams(memory, models, settings, clock, priority), ReflectionPosting(services, adapters), per_hour,
        )  # fmt: skip
