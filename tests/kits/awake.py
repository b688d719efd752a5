"""Lyra awake in this process on one platform: the real adapter, the real memory, a model server over HTTP."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from adapters.base import Adapter
from bot.app import App, open_app
from bot.talk import Talk, talking
from memory.types import DomainKind, DomainRef
from memory.view.view import View
from tests.fakes.openai_behaviours import Answerer, Request
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.kits.fresh import fresh, stored
from tests.kits.memory_kit import KEY
from tests.kits.words_alone import words_alone


@dataclass(frozen=True)
class Awake:
    """Lyra, listening."""

    app: App
    talk: Talk
    adapter: Adapter
    model: OpenAIServer | None

    async def view(self, kind: DomainKind, native_id: object, epoch: int = 0) -> View:
        """Return the memory of one domain."""
        domain = await self.app.memory.places.find_domain(DomainRef(kind, self.adapter.platform, str(native_id), epoch))
        assert domain is not None, f"nothing was kept for {kind} {native_id}"
        return self.app.memory.view(domain)

    async def kept(self, kind: DomainKind, native_id: object, epoch: int = 0) -> list[str]:
        """Return every text that one domain holds, in the order it was kept."""
        view = await self.view(kind, native_id, epoch)
        return [message.text async for _, message in view.messages.all()]

    @property
    def chats(self) -> list[Request]:
        """What the model was asked, so far."""
        assert self.model is not None
        return [request for request in self.model.requests if request.path.endswith("/chat/completions")]

    async def dreams(self) -> None:
        """Let her do in every domain all that she does while nobody talks, to its end."""
        await self.app.maintenance.tick()
        for domain in await self.app.memory.places.domains():
            await self.app.dreams.dream(domain, forced=True)
        # A bank takes up what a pass has closed at the next tick, or after the next word that is said anywhere in the domain.
        await self.app.maintenance.tick()
        # The vectors that a pass asks for are made in the background, and what is found next depends on them.
        await self.app.maintenance.drain(PATIENCE)

    async def heard(self) -> None:
        """Wait until everything that was accepted is answered, and what was left was tried once more."""
        # What is being answered just now is not taken up, and would not be waited for.
        await self._answered()
        await (await self.talk.mailboxes.recover(self.adapter.platform))

    async def _answered(self) -> None:
        while self.talk.mailboxes.waiting:
            await asyncio.sleep(0.01)

    async def rests(self) -> None:
        """Wait until everything that was accepted is answered, and what an answer has her do in the background is done.

        An answer is seen before she knows that it was sent: what she tidies after it would meet what happens next. `heard` looks
        at the journal, where it is dealt with by then.
        """
        await self._answered()
        await self.app.maintenance.drain(PATIENCE)


def answer(request: Request) -> str:
    """Answer with what was asked, so that a test sees which question was answered."""
    return "You said: " + question(request)


def question(request: Request) -> str:
    """Return the words of the last message of a prompt that are the question."""
    return str(request.body["messages"][-1]["content"]).rpartition("\n\n")[2]


def prompt(request: Request) -> str:
    """Return everything a model was given."""
    return "\n".join(str(message["content"]) for message in request.body["messages"])


@asynccontextmanager
async def model_server(default: Answerer = answer) -> AsyncIterator[OpenAIServer]:
    """Run a model server for the block."""
    async with OpenAIServer(default) as server:
        yield server


def configured(model: OpenAIServer | None, config: str, section: str) -> str:
    """Return the text of a configuration: `model` is what she chats with, her offline voice speaks without one."""
    if model is None:
        return f"{config}\n{section}\n"
    # Answers are held while others are asked for: a real server nearby would be asked for one after the other.
    # What it holds is said, so that no start asks it in the six ways in which servers tell.
    main = f'[models.main]\nbase_url = "{model.base_url}"\nmodel = "fake-model"\nparallel = 64\ncontext = 1_000_000\n'
    return f'chat = "main"\n{config}\n{main}\n{section}\n'


@asynccontextmanager
async def woken(
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    toml: str,
    make: Callable[[App], Adapter],
    *,
    changed: Callable[[App], App] = lambda app: app,
    model: OpenAIServer | None = None,
    secrets: dict[str, str] | None = None,
    beside: Callable[[App], Adapter] | None = None,
) -> AsyncIterator[Awake]:
    """Wake Lyra in a home for the block, with the adapter that `make` makes, and wait until she is connected.

    `changed` may switch off one of her guards; `beside` makes a second adapter.
    """
    home.mkdir(exist_ok=True)
    (home / "lyra.toml").write_text(stored(words_alone(toml), home / "lyra.db"))
    for name, value in {"LYRA_HOME": str(home), "OLLAMA_HOST": "127.0.0.1:1", **(secrets or {})}.items():
        monkeypatch.setenv(name, value)
    if not (home / "key").exists():
        (home / "key").write_text(KEY.hex())
        await fresh(home / "lyra.db", KEY)
    async with AsyncExitStack() as stack:
        app = changed(await stack.enter_async_context(open_app()))
        adapter = make(app)
        adapters = {one.platform: one for one in (adapter, *([beside(app)] if beside else ()))}
        talk = await stack.enter_async_context(talking(app, adapters))
        running = [asyncio.create_task(one.run(talk.listeners[one.platform])) for one in adapters.values()]
        # A page connects to nothing.
        far = [platform for platform in adapters if platform != "console"]
        connected = asyncio.gather(*(talk.listeners[platform].connected.wait() for platform in far))
        try:
            await asyncio.wait({*running, connected}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
            for one in running:
                if one.done():
                    one.result()
            assert connected.done(), "she does not connect"
            yield Awake(app, talk, adapter, model)
            await talk.mailboxes.drain(PATIENCE)
        finally:
            for task in (*running, connected):
                task.cancel()
            await asyncio.gather(*running, connected, return_exceptions=True)
