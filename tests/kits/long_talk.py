"""One conversation that goes on for years, over the real memory and housekeeping, with a writer that copies its sources."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.config.settings import Settings
from bot.context.prompt import Prompt, draft_prompt, finish_prompt
from bot.context.prompt_messages import PromptQuestion
from bot.context.turn_retrieval import recall_items, standing_layers
from bot.dreams.dreaming import Dreams
from bot.models.chains import Models
from bot.models.port import Model
from bot.service.maintenance import Maintenance
from bot.service.priority import Priority
from memory.core import ConsolidationRules, Memory
from memory.errors import WriterFailed
from memory.index.hits import Recalled
from memory.journal.usage import Spent
from memory.ports import Entry, Source, Task
from memory.text.budget import tokens
from memory.tiers.episodes import EpisodeRules
from memory.types import MINUTE, Domain, DomainKind, DomainRef, Exchange, Kind, NewExchange, Session, SessionRef
from memory.view.view import Answer, View
from tests.kits.memory_kit import DAY, KEY, Clock, Corner, opened

PERSONA = "You are Lyra, a companion who remembers."
EPISODE = 20
_TOPICS = "garden boat choir kitchen piano bicycle library harbour mountain market orchard workshop".split()
_PEOPLE = "Noah Iris Mara Jonas Lena Emil Clara Oskar Nora Paul Ruth Felix".split()
_DEEDS = "repaired painted sold measured cleaned bought drew planned lost found borrowed finished".split()
_LINES = {"gist": 6, "merge": 8, "profile": 6, "era": 5, "narrative": 6, "self": 4, "conversation": 3, "bank": 4}


@dataclass
class CopyingModel:
    """Writes digests as a model does, in whole sentences that it takes from all over what it reads; it remembers every call."""

    name: str = "model:scripted"
    extractive: bool = False
    calls: Counter[str] = field(default_factory=Counter)
    spent: Spent = Spent()

    async def answer(self, system: str, user: str) -> str:
        """Have no thought."""
        self.calls["thought"] += 1
        return '{"text": "", "cites": [], "post": false, "feeling": 0}'

    async def write(self, task: Task) -> list[Entry]:
        """Return as many lines as a model would write, each copied from one of the sources."""
        self.calls[task.kind] += 1
        new = [source for source in task.sources if source.speaker != "Lyra" and not source.label.startswith("f")]
        return [Entry(_told(source), (source.label,)) for source in _spread(new or task.sources, _LINES[task.kind])]


class Unsteady(CopyingModel):
    """A writer that fails as often as it is told to."""

    failing = 0

    async def write(self, task: Task) -> list[Entry]:
        """Fail, or copy."""
        if self.failing:
            self.failing -= 1
            raise WriterFailed("No model answers.")
        return await super().write(task)


def _told(source: Source) -> str:
    return " ".join((f"{source.speaker} said: {source.text}" if source.speaker else source.text).splitlines())


def _spread(sources: Sequence[Source], n: int) -> list[Source]:
    """Return n sources from the last one back, evenly spread, in their order."""
    return [sources[-1 - at * len(sources) // n] for at in range(min(n, len(sources)))][::-1]


class CopyingModels(Models):
    """Models of which only the writer of digests is asked."""

    def __init__(self, settings: Settings, memory: Memory, written: CopyingModel) -> None:
        super().__init__(settings, memory.settings, _no_backend, Clock())
        self._written = written

    @property
    def writer(self) -> CopyingModel:
        """The writer that copies."""
        return self._written

    def unasked(self, *_: object, **__: object) -> Any:
        """Return the writer that copies; nothing limits it."""
        return self._written


def _no_backend(*_: object) -> Model:
    raise AssertionError("no backend is configured")


@dataclass(frozen=True)
class Asked:
    """A turn: where it is, and what was said."""

    view: View
    session: Session
    questions: Sequence[Exchange]


async def request(here: Corner, asked: Exchange) -> Prompt:
    """Return what a model would be given for a message."""
    turn, settings = Asked(here.view, here.session, [asked]), Settings()
    begun = draft_prompt("P", await standing_layers(turn, settings), PromptQuestion([asked]), here.clock.now(), "UTC", 6000)
    return finish_prompt(begun, await recall_items(turn, settings, begun.in_view, begun.since))


@dataclass
class LongTalk:
    """The conversation; it has `per_day` messages on every day of so many (`every`)."""

    memory: Memory
    clock: Clock
    domain: Domain
    view: View
    session: Session
    maintenance: Maintenance
    dreams: Dreams
    model: CopyingModel
    settings: Settings
    per_day: int
    every: int
    said: int = 0
    planted: str = ""
    """What stands at the end of every message."""
    who: str = "Ada"

    async def go_on(self, exchanges: int) -> None:
        """Say so many more messages, with housekeeping after every episode."""
        for _ in range(0, exchanges, EPISODE):
            await self.view.say(self.session, [self._next() for _ in range(EPISODE)])
            await self.look_after()

    async def look_after(self) -> None:
        """Do what is done after a turn, and while nobody talks."""
        self.maintenance.poke(self.domain, self.session)
        await self.maintenance.drain()
        await self.dreams.tick()

    async def turn(self, text: str = "") -> Prompt:
        """Ask something, and have it answered; return the prompt."""
        said = self._next()
        kept = await self.view.say(
            self.session, [NewExchange(said.kind, text or said.text, said.source_id, said.said_at, self.who)]
        )
        turn, budget = Asked(self.view, self.session, kept.stored), self.settings.context_tokens
        there = await standing_layers(turn, self.settings)
        begun = draft_prompt(PERSONA, there, PromptQuestion(kept.stored), self.clock.now(), self.domain.time_zone, budget)
        prompt = finish_prompt(begun, await recall_items(turn, self.settings, begun.in_view, begun.since))
        answer = self._next()
        await self.view.answer(self.session, Answer(answer, prompt.sources(answer.text), (), (), kept.stored))
        if self.said % EPISODE == 0:
            await self.look_after()
        return prompt

    async def comes_up(self, text: str) -> Recalled:
        """Return what comes up for a question, nothing else being in view."""
        asked = [(await self.view.messages.window(self.session, 1))[-1]._replace(text=text)]
        return await recall_items(Asked(self.view, self.session, asked), self.settings, (), self.clock.now())

    def _next(self) -> NewExchange:
        n = self.said
        self.said += 1
        self.clock.forward(MINUTE if self.said % self.per_day else self.every * DAY - self.per_day * MINUTE)
        topic, who, deed = _TOPICS[n // 7 % 12], _PEOPLE[n // 2 % 12], _DEEDS[n // 3 % 12]
        if n % 2:
            text = f"So {who} {deed} number {n} at the {topic}; that is good to hear, tell me how it went on with {who} later.{self.planted}"
            return NewExchange(Kind.REPLY, text, f"r{n}", self.clock.now(), "Lyra", "assistant")
        text = f"{who} {deed} item {n} for the {topic} together with me, and it took us {n % 50 + 2} minutes.{self.planted}"
        return NewExchange(Kind.SAID, text, f"m{n}", self.clock.now(), self.who)


@asynccontextmanager
async def long_talk(
    folder: Path,
    settings: Settings | None = None,
    per_day: int = 60,
    every: int = 1,
    kind: DomainKind = DomainKind.DM,
    model: CopyingModel | None = None,
    planted: str = "",
    who: str = "Ada",
    place: str = "main",
) -> AsyncIterator[LongTalk]:
    """Begin a conversation in a fresh memory."""
    settings, clock = settings or Settings(), Clock()
    habits = ConsolidationRules(EpisodeRules(settings.summarize_after, settings.episode_idle_minutes, settings.episode_least))
    async with opened(folder / "lyra.db", KEY, clock=clock, habits=habits) as memory:
        domain = await memory.places.domain(DomainRef(kind, "console", "ada"), "Europe/Vienna", clock.now())
        view = memory.view(domain)
        session = await view.sessions.get(SessionRef("console", "main"), place)
        model = model or CopyingModel()
        models, priority = CopyingModels(settings, memory, model), Priority()
        maintenance, dreams = (
            Maintenance(memory, models, settings, clock, priority),
            Dreams(memory, models, settings, clock, priority),
        )
        yield LongTalk(
            memory, clock, domain, view, session, maintenance, dreams, model, settings, per_day, every, planted=planted, who=who
        )


def size(prompt: Prompt) -> int:
    """Return how many tokens a prompt has."""
    return sum(tokens(message["content"]) for message in prompt.messages)


def cached(earlier: Prompt, later: Prompt) -> float:
    """Return the share of a prompt's bytes that a provider's cache holds after the one before."""
    before, now = _bytes(earlier), _bytes(later)
    common = next(
        (at for at, (one, other) in enumerate(zip(before, now, strict=False)) if one != other), min(len(before), len(now))
    )
    return common / len(now)


def _bytes(prompt: Prompt) -> bytes:
    return "".join(f"<{message['role']}>{message['content']}" for message in prompt.messages).encode()
