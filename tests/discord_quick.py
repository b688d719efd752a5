"""Lyra awake on the loopback Discord as in tests/discord_home.py, with a clock of its own: pauses take no time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adapters.discord.adapter import Access, Discord
from bot.app import App, opened, talking
from bot.notes import KeptNotes
from tests.discord_home import Awake
from tests.discord_kit import Clock
from tests.fakes.discord import Channel, DiscordServer, Message
from tests.fakes.openai_server import OpenAIServer


@asynccontextmanager
async def quick(
    server: DiscordServer,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: OpenAIServer,
    *,
    clock: Clock | None = None,
    config: str = "",
    streaming: bool = False,
    kind: type[Discord] = Discord,
    **pace: Any,
) -> AsyncIterator[Awake]:
    """Wake Lyra in a home for the block; `kind` is an adapter that lacks a guard, in a test of that guard."""
    home.mkdir(exist_ok=True)
    (home / "lyra.toml").write_text(
        f'chat = "main"\n{config}\n[models.main]\nbase_url = "{model.base_url}"\nmodel = "fake-model"\n'
        f'[discord]\ntoken_env = "DISCORD_TOKEN"\nstreaming = {"true" if streaming else "false"}\n'
    )
    for name, value in {"LYRA_HOME": str(home), "DISCORD_TOKEN": server.token, "OLLAMA_HOST": "127.0.0.1:1"}.items():
        monkeypatch.setenv(name, value)
    async with AsyncExitStack() as stack:
        app = await stack.enter_async_context(opened())
        adapter = _adapter(app, server, clock or Clock(), kind, pace)
        talk = await stack.enter_async_context(talking(app, {"discord": adapter}))
        listener = talk.listeners["discord"]
        running = asyncio.create_task(adapter.run(listener))
        try:
            async with asyncio.timeout(10):
                await listener.connected.wait()
            yield Awake(app, talk, adapter, model)
            await talk.mailboxes.drain(5)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


def _adapter(app: App, server: DiscordServer, clock: Clock, kind: type[Discord], pace: dict[str, Any]) -> Discord:
    access = Access(server.token, server.api_url, server.gateway_url)
    notes = KeptNotes(app.memory.places, Discord.platform)
    return kind(access, notes, partial(app.preferences.gate, Discord.platform), clock.now, pace=clock.pace(**pace))


def answers_to(server: DiscordServer, question: Message) -> list[str]:
    """Return what answers a message on Discord now, as people read it."""
    return [one.content for one in server.world.by_bot(question.channel) if one.reply_to == question.id]


async def answered(server: DiscordServer, *questions: Message) -> None:
    """Wait until each of these messages has an answer."""
    pulse = server.pulse
    await pulse.until(lambda: all(answers_to(server, one) for one in questions), "an answer to every question")


async def greeted(server: DiscordServer, place: Channel, name: str = "ada") -> None:
    """Say hello at a place, so that the introduction is over; what was said until now is counted no more."""
    hello = await server.person(name).says(place, f"{server.mention} hello")
    await answered(server, hello)


async def settled(lyra: Awake, server: DiscordServer, clock: Clock | None = None) -> None:
    """Let minutes pass until nothing waits to be answered or sent any more."""
    journal = lyra.app.memory.journal
    async with asyncio.timeout(20):
        while await journal.waiting("discord") or await journal.unfinished("discord"):
            if clock:
                await clock.pause(60)
                server.faults.forgive()
            await lyra.talk.tick()
            await asyncio.sleep(0.02)
