"""What tests of dreams share: a chat model with scripted answers, and short ways to talk for days and to dream."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from memory.deriving import Deriving
from memory.dream.dreamer import Dreamer
from memory.dream.report import Report, Step
from memory.ports import ChatModel, Entry, Task
from memory.ports import Writer as AnyWriter
from tests.kits.fresh import tables
from tests.kits.ladder_kit import Teller
from tests.kits.memory_kit import DAY, Corner, Writer

NO_THOUGHT = '{"text": ""}'
Answer = str | Exception | Callable[[str], str]
Interruption = Callable[[], Awaitable[object]]
_READ = re.compile(r"^\[(\w+)\] [^\n]*\n\| ([^\n]*)", re.MULTILINE)
_TALK = (
    ("Ada painted the kitchen wall", "Kiki sowed carrots and beans"),
    ("the boat lost its rudder", "Bob mended an old bicycle"),
    ("our neighbour keeps honey bees", "Zoe plays violin at weddings"),
    ("a letter came from Lisbon", "nobody watered those tomatoes"),
)


@dataclass
class Muse:
    """Thinks what is written down for it, from the first answer to the last, and nothing after that.

    It remembers every prompt, and does what is to happen while it is asked first.
    """

    answers: list[Answer] = field(default_factory=list)
    name: str = "muse"
    prompts: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    meanwhile: Interruption | None = None

    async def answer(self, system: str, user: str) -> str:
        """Give the next answer, or fail with it."""
        self.prompts.append(f"{system}\n{user}")
        self.log.append("thought")
        if self.meanwhile:
            await self.meanwhile()
        answer = self.answers.pop(0) if self.answers else NO_THOUGHT
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, str) else answer(user)


@dataclass
class Scribe(Teller):
    """Answers like a good model, first doing what is to happen meanwhile, until it has answered so often; then it fails.

    It logs what it was asked for beside the muse.
    """

    log: list[str] = field(default_factory=list)
    meanwhile: dict[str, Interruption] = field(default_factory=dict)
    lasts: int = 0
    failure: Exception | None = None

    async def write(self, task: Task) -> list[Entry]:
        """Answer from what is read, or fail."""
        if self.failure and len(self.tasks) >= self.lasts:
            raise self.failure
        self.log.append(task.kind)
        if task.kind in self.meanwhile:
            await self.meanwhile.pop(task.kind)()
        return await super().write(task)


@dataclass
class Begins:
    """Stands where CancelledAt has its task: begins other work at that wait instead of cancelling."""

    work: Callable[[], Awaitable[object]]
    begun: "asyncio.Future[object] | None" = None

    def cancel(self) -> None:
        """Begin."""
        self.begun = asyncio.ensure_future(self.work())


def thinking(text: str, *cites: str, post: object = True, feeling: object = 0.0) -> str:
    """Return a thought as a model answers it."""
    return json.dumps({"text": text, "cites": list(cites), "post": post, "feeling": feeling})


def wondering(user: str) -> str:
    """Answer with a thought that rests on the first two messages of a prompt."""
    (one, first), (other, second) = told(user)[:2]
    return thinking(f"I wonder whether {first} because {second}", one, other)


def told(prompt: str) -> list[tuple[str, str]]:
    """Return what a prompt tells: each label with the first line of its text."""
    return _READ.findall(prompt)


def extractive() -> Writer:
    """Return a writer that copies sentences and is no model."""
    return Writer("extractive", extractive=True)


def dreamer(here: Corner, writer: AnyWriter | None = None, chat_model: ChatModel | None = None) -> Dreamer:
    """Return what dreams a corner; without a writer there is no model."""
    return Deriving(here.memory).dreamer(here.domain, writer or extractive(), extractive(), chat_model)


async def dreamt(here: Corner, writer: AnyWriter | None = None, chat_model: ChatModel | None = None) -> Report:
    """Dream one pass, in which acts what is past its threshold."""
    return await dreamer(here, writer, chat_model).dream()


async def forced(here: Corner, writer: AnyWriter | None = None, chat_model: ChatModel | None = None) -> Report:
    """Dream one pass in which every drive acts."""
    return await dreamer(here, writer, chat_model).dream(forced=True)


def step(report: Report, drive: str) -> Step:
    """Return what a pass did about one drive."""
    (one,) = (one for one in report.steps if one.drive == drive)
    return one


async def days(here: Corner, n: int = 4, *, mark: str = "") -> None:
    """Talk a little on each of n days of last month, every message with a mark, and let a week pass."""
    here.clock.at -= (n + 7) * DAY
    for talk in _TALK[:n]:
        for text in talk:
            await here.say(f"{text} {mark}".strip())
        here.clock.forward(DAY)
    here.clock.forward(7 * DAY)


async def reflections(here: Corner) -> list[tuple[str, str]]:
    """Return her thoughts, the oldest first, each with what becomes of it."""
    rows = await here.memory.db.all(
        "SELECT s.text, r.state FROM reflections r JOIN statements s ON s.item = r.item WHERE r.domain = :d ORDER BY r.item",
        {"d": here.domain.key},
    )
    return [(row["text"], row["state"]) for row in rows]


async def refused(here: Corner, tier: str = "reflection") -> list[str]:
    """Return the answers about a tier that could not be used."""
    rows = await here.memory.db.all(
        "SELECT answer FROM refusals WHERE domain = :d AND tier = :tier AND answer <> ''", {"d": here.domain.key, "tier": tier}
    )
    return [row["answer"] for row in rows]


async def everything(here: Corner) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table, but for the signs of life of processes on a server, which come by themselves."""
    return {
        name: sorted((tuple(one) for one in await here.memory.db.all(f"SELECT * FROM {name}")), key=repr)
        for name in await tables(here.memory.db)
        if name != "processes"
    }


async def holding(here: Corner, word: str) -> list[str]:
    """Return the tables that hold a word anywhere."""
    return [name for name, rows in (await everything(here)).items() if any(word in repr(row) for row in rows)]
