"""Lyra awake on the loopback Discord while things go wrong: what was answered, and whether all is settled."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.discord import Channel, DiscordServer, Message
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.kits.discord_home import Awake, awake
from tests.kits.discord_kit import Clock


@asynccontextmanager
async def quick(
    server: DiscordServer,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
    model: OpenAIServer,
    *,
    streaming: bool = False,
    **changes: Any,
) -> AsyncIterator[Awake]:
    """Wake Lyra in a home for the block; `changes` are as in `awake`."""
    discord = f"streaming = {'true' if streaming else 'false'}"
    async with awake(server, home, monkeypatch, model=model, discord=discord, **changes) as lyra:
        yield lyra


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
    async with asyncio.timeout(PATIENCE):
        # In this order: what an answer finishes waits, from the same instant on, to be sent.
        while await journal.unfinished("discord") or await journal.waiting("discord"):
            if clock:
                # In one step: nobody sends between the end of a limit and the minute that ends it.
                server.faults.forgive()
                await clock.pause(60)
            await lyra.talk.tick()
            await asyncio.sleep(0.02)
