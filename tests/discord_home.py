"""Lyra awake on the loopback Discord, in this process: the real adapter, the real memory, a model server over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from adapters.base import Adapter
from bot.app import App, Talk, opened, talking
from bot.platforms import platforms
from memory.types import DomainKind, DomainRef
from memory.view import View
from tests.fakes.discord import DiscordServer, Guild
from tests.fakes.openai_behaviours import Answerer, Request
from tests.fakes.openai_server import OpenAIServer


@dataclass(frozen=True)
class Awake:
    """Lyra, listening."""

    app: App
    talk: Talk
    adapter: Adapter
    model: OpenAIServer | None

    async def view(self, kind: DomainKind, native_id: object) -> View:
        """Return the memory of one domain."""
        domain = await self.app.memory.places.find_domain(DomainRef(kind, "discord", str(native_id)))
        assert domain is not None, f"nothing was kept for {kind} {native_id}"
        return self.app.memory.view(domain)

    async def kept(self, kind: DomainKind, native_id: object) -> list[str]:
        """Return every text that one domain holds, in the order it was kept."""
        view = await self.view(kind, native_id)
        return [message.text async for _, message in view.messages()]

    @property
    def chats(self) -> list[Request]:
        """What the model was asked, so far."""
        assert self.model is not None
        return [request for request in self.model.requests if request.path.endswith("/chat/completions")]

    async def heard(self) -> None:
        """Wait until everything that was accepted is answered."""
        await (await self.talk.mailboxes.recover("discord"))


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
async def awake(
    server: DiscordServer,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    model: OpenAIServer | None = None,
    config: str = "",
    discord: str = "streaming = false",
) -> AsyncIterator[Awake]:
    """Wake Lyra in a home and let her listen to a server; `model` is what she chats with, the offline voice without one."""
    chat = f'chat = "main"\n{config}\n[models.main]\nbase_url = "{model.base_url}"\nmodel = "fake-model"\n' if model else config
    home.mkdir(exist_ok=True)
    (home / "lyra.toml").write_text(
        f'{chat}\n[discord]\ntoken_env = "DISCORD_TOKEN"\napi_url = "{server.api_url}"\n'
        f'gateway_url = "{server.gateway_url}"\n{discord}\n'
    )
    for name, value in {"LYRA_HOME": str(home), "DISCORD_TOKEN": server.token, "OLLAMA_HOST": "127.0.0.1:1"}.items():
        monkeypatch.setenv(name, value)
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(opened())
        adapters = platforms(app)
        talk = await stack.enter_async_context(talking(app, adapters))
        listener = talk.listeners["discord"]
        running = asyncio.create_task(adapters["discord"].run(listener))
        connected = asyncio.create_task(listener.connected.wait())
        try:
            await asyncio.wait({running, connected}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                running.result()
            yield Awake(app, talk, adapters["discord"], model)
            await talk.mailboxes.drain(20)
        finally:
            for task in (running, connected):
                task.cancel()
            await asyncio.gather(running, connected, return_exceptions=True)


@asynccontextmanager
async def model_server(default: Answerer = answer) -> AsyncIterator[OpenAIServer]:
    """Run a model server for the block."""
    async with OpenAIServer(default) as server:
        yield server


def sound(server: DiscordServer) -> None:
    """Assert that every request was Discord's own, and every answer of the loopback server as well."""
    assert server.violations == []
    assert server.own_faults == []


def text_of(messages: list[Any]) -> list[str]:
    """Return the texts of messages."""
    return [message.content for message in messages]


def server_of(guild: Guild) -> tuple[DomainKind, int]:
    """Return how the domain of a guild's public places is found."""
    return DomainKind.SERVER, guild.id
