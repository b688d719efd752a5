"""A chat platform and a model that a test controls: it hands messages over, and decides when answers begin and end."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.base import Adapter, Sending
from adapters.errors import SendFailed
from adapters.events import Circle, Message, Person, Place, Reach, conversation_of
from adapters.listener import Listener
from adapters.message_parts import Contents
from bot.app import App, open_app
from bot.models.port import ChatMessage as Said
from bot.models.port import Toolbox
from bot.talk import Talk, talking
from tests.kits.roomless import Roomless
from tests.kits.words_alone import words_alone

ADA = Person("platform", "1", "ada")
TOWN = Place("platform", "town", "town", Reach.PUBLIC, server="home", circle=Circle(Reach.PUBLIC, "home"))
"""A place that many read."""


class Platform(Adapter):
    """A chat platform that keeps what is sent to it."""

    platform = "platform"
    prefix = "/"
    introduces = False

    def __init__(self) -> None:
        self.sent: list[Sending] = []
        self.refusals = 0
        self.retry_after: float | None = None
        self.arrival = asyncio.Event()
        self.broken_files = False
        self.knows_readers = True
        self.read = asyncio.Event()
        """Set when a broken file was to be read."""

    async def read_attachments(self, message: Message) -> Sequence[Contents]:
        if self.broken_files and message.attachments:
            self.read.set()
            raise ValueError("what is in a file")
        return ()

    async def run(self, listener: Listener) -> None:
        raise AssertionError("these tests hand messages over themselves")

    async def send(self, sending: Sending) -> str:
        if self.refusals:
            self.refusals -= 1
            raise SendFailed("the platform is away", retry_after=self.retry_after)
        self.sent.append(sending)
        self.arrival.set()
        return f"remote-{len(self.sent)}"

    async def locate_key(self, key: str) -> Place | None:
        return TOWN if key == TOWN.key else conversation_of(self.platform, key)

    async def locate(self, place: Place) -> Place | None:
        return await super().locate(place) if self.knows_readers else None

    async def arrived(self, text: str) -> None:
        """Wait until an answer is there."""
        while text not in self.texts:
            self.arrival.clear()
            await self.arrival.wait()

    @property
    def texts(self) -> list[str]:
        return [sending.text for sending in self.sent]


class Thinking(Roomless):
    """A model that says what it was asked, after it was allowed to."""

    name = "thinking"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.begun = asyncio.Event()
        self.most_at_once = 0
        self._at_once = 0
        self.allowed: dict[str, asyncio.Event] = {}
        self.fails: Exception | None = None
        self.fails_at = ""
        """The word of the questions at which it fails, '' for all."""

    async def stream(self, messages: Sequence[Said], toolbox: Toolbox | None = None) -> AsyncGenerator[str, None]:
        question = messages[-1]["content"].rpartition("\n\n")[2]
        self.asked.append(question)
        self.begun.set()
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            for word, gate in self.allowed.items():
                if word in question:
                    await gate.wait()
        finally:
            self._at_once -= 1
        if self.fails and self.fails_at in question:
            raise self.fails
        yield f"You said: {question}"

    async def asks(self, *words: str) -> None:
        """Wait until it was asked everything that has these words."""
        while not all(any(word in question for question in self.asked) for word in words):
            self.begun.clear()
            await self.begun.wait()

    async def close(self) -> None:
        pass


@asynccontextmanager
async def platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, config: str = ""
) -> AsyncIterator[tuple[App, Talk, Platform, Thinking]]:
    """Put Lyra together with a platform and a model of the tests'."""
    (tmp_path / "lyra.toml").write_text(words_alone(config))
    monkeypatch.setenv("LYRA_HOME", str(tmp_path))
    async with open_app() as app:
        here, model = Platform(), Thinking()
        app.models.chat = model
        async with talking(app, {"platform": here}) as talk:
            yield app, talk, here, model


def saying(app: App) -> Callable[..., Message]:
    """Return a maker of messages, each with an id of its own and said now."""
    count = iter(range(1, 1000))

    def say(text: str, channel: str = "dm", ident: str = "", ago: int = 0, by: Person = ADA) -> Message:
        place = TOWN if channel == TOWN.channel else Place("platform", channel, channel, Reach.DIRECT)
        return Message(ident or f"id-{next(count)}", place, by, text, app.base.clock.now() - ago)

    return say
