"""Shows that an answer is being made."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord

from adapters.discord.failures import TROUBLE
from adapters.discord.limits import Limits
from adapters.errors import SendFailed

_LASTS = 8.0
"""Discord shows it for ten seconds."""

_under_way: set[asyncio.Task[None]] = set()


@asynccontextmanager
async def thinking(client: discord.Client, limits: Limits, channel: int) -> AsyncIterator[None]:
    """Type in a channel while this lasts. What goes wrong with it disturbs nobody."""
    done = asyncio.Event()
    # It ends by itself after its last request: one that is cancelled can stop all others.
    task = asyncio.create_task(_type(client.get_partial_messageable(channel), limits, done))
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)
    try:
        yield
    finally:
        done.set()


async def _type(channel: discord.PartialMessageable, limits: Limits, done: asyncio.Event) -> None:
    try:
        while not done.is_set():
            limits.require()
            await channel.typing()
            try:
                async with asyncio.timeout(_LASTS):
                    await done.wait()
            except TimeoutError:
                continue
    except (*TROUBLE, SendFailed, RuntimeError):
        # A closed client raises RuntimeError.
        return
