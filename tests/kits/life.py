"""A life that was imported, and questions to it: the set under tests/sets/life, asked in one conversation at one instant."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.console.console import Console, Origin
from adapters.events import Person
from bot.app import App, consolidation_rules, key_of, open_app
from bot.conversation.domain_access import DomainAccess
from bot.talk import talking
from memory.core import Memory, Ports
from memory.text.time.times import instant
from tests.kits.lyra_kit import Home

SET = Path(__file__).parents[1] / "sets" / "life"
WHO = "Ines"
NOW = instant(datetime(2026, 3, 15, 18, tzinfo=UTC))
_ADMITS = ("nothing about", "nichts über", "nada sobre")


@dataclass(frozen=True)
class Everyday:
    """A question of the set, what a good answer holds, in order or not, and what it lacks."""

    kind: str
    question: str
    holds: list[str]
    lacks: list[str]
    in_order: bool

    def good(self, answer: str) -> bool:
        """Say whether a person would want this answer."""
        said = answer.casefold()
        places = [said.find(wanted.casefold()) for wanted in self.holds]
        return (
            -1 not in places
            and (not self.in_order or places == sorted(places))
            and not any(unwanted.casefold() in said for unwanted in self.lacks)
            and any(admits in said for admits in _ADMITS) is (self.kind == "never said")
        )


@dataclass(frozen=True)
class StandingClock:
    """A clock that stands still."""

    at: int

    def now(self) -> int:
        """The instant, in microseconds UTC."""
        return self.at


class _Sheet:
    """A screen on which questions are asked one after the other, and answers written down."""

    prefix = ""
    refused = 0
    reads_ahead = False

    def __init__(self, questions: Sequence[str]) -> None:
        self._left = list(questions)
        self.answers: list[str] = []

    async def read(self, question: str = "") -> str | None:
        if not self._left:
            return None
        self.answers.append("")
        return self._left.pop(0)

    def set_commands(self, prefix: str, table: object) -> None:
        pass

    def show(self, text: str) -> None:
        pass

    def write(self, text: str) -> None:
        self.answers[-1] += f"{text}\n"

    def note(self, text: str) -> None:
        pass


def questions(name: str = "questions.jsonl") -> list[Everyday]:
    """Return the questions of a file of the set."""
    return [Everyday(**json.loads(line)) for line in (SET / name).read_text("utf-8").splitlines()]


def imported(folder: Path, config: str = "", messages: Path = SET / "messages.jsonl") -> Home:
    """Return a home into which the life was imported, or other messages."""
    home = Home(folder, f'time_zone = "UTC"\n{config}')
    done = home.lyra("import", "--as", WHO, str(messages))
    assert done.code == 0, done.err
    return home


@asynccontextmanager
async def awake(home: Home, monkeypatch: pytest.MonkeyPatch, now: int = NOW) -> AsyncIterator[App]:
    """Open what a home keeps, at the instant of the questions."""
    for name, value in home.environment().items():
        monkeypatch.setenv(name, value)
    async with open_app() as app:
        base = replace(app.base, clock=StandingClock(now))
        key, _, _ = key_of(base.environment, base.settings, new=False)
        ports = Ports(base.clock, base.ids, app.embedder_choice.embedder)
        async with await Memory.open(base.environment.db_path, key, ports, consolidation_rules(base.settings)) as memory:
            domains = DomainAccess(memory, base.settings, app.preferences, base.clock, base.time_zone)
            yield replace(app, base=base, memory=memory, domains=domains)


async def answers(app: App, asked: Sequence[str]) -> list[str]:
    """Ask in a new conversation at the terminal; return what is answered."""
    sheet = _Sheet(asked)
    console = Console(sheet, Person("console", WHO, WHO), "questions", Origin(app.base.ids.new, app.base.clock.now))
    async with talking(app, {"console": console}) as talk:
        await console.run(talk.listeners["console"])
    return [answer.strip() for answer in sheet.answers]
