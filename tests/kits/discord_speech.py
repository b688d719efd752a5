"""Discord's sender and interactions under test: a real client at a loopback Discord, without the rest of Lyra."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import discord

from adapters.base import Sending
from adapters.command_table import AnswerAudience, Call, CommandSpec, Parameter, Reply
from adapters.discord.access.channels import ThreadStarts
from adapters.discord.connection import Pace
from adapters.discord.interactions.interaction_handler import InteractionHandler
from adapters.discord.interactions.menu import sync
from adapters.discord.outgoing.posts import Posts
from adapters.discord.outgoing.sending import Sender
from adapters.errors import SendFailed
from adapters.events import Event, MenuCall, Message
from adapters.posting import PostedKeys
from tests.fakes.discord import Channel, DiscordServer, Right, running
from tests.fakes.pulse import Pulse
from tests.kits.adapter_kit import Clock, Notebook, SendingDesk

_numbers = itertools.count(1)


class Ears:
    """A listener that keeps what it hears. `hold` keeps back the commit, `fails` makes it fail."""

    def __init__(self, *specs: CommandSpec) -> None:
        self.table: Mapping[str, CommandSpec] = {spec.name: spec for spec in specs}
        self.heard: list[MenuCall] = []
        self.typed: list[tuple[str, str, Mapping[str, Any]]] = []
        self.suggestions: Callable[[], Awaitable[Sequence[str]]] = self._nothing
        self.hold = asyncio.Event()
        self.hold.set()
        self.fails = False
        self.answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.pulse = Pulse()

    async def ready(self) -> None:
        """Nothing waits for the connection here."""

    async def missed(self, prefix: Sequence[str] = ()) -> None:
        """Nothing is stored here."""

    async def cursors(self) -> Mapping[str, str]:
        """Nothing was heard before."""
        return {}

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] | None = None) -> Awaitable[None]:
        """Keep the events."""
        self.heard += [event for event in events if isinstance(event, MenuCall)]
        self.pulse.beat()
        await self.hold.wait()
        if self.fails:
            raise OSError("the disk is full")
        return self.answered

    async def keep(self, ahead: Message) -> None:
        raise NotImplementedError  # only terminals read ahead

    async def suggest(self, asked: MenuCall, parameter: str, typed: str) -> Sequence[str]:
        """Give what the test suggests."""
        self.typed.append((parameter, typed, asked.arguments))
        return await self.suggestions()

    async def asked(self, number: int = 1) -> MenuCall:
        """Wait for that many calls, and give the last of them."""
        await self.pulse.until(lambda: len(self.heard) >= number, f"call {number}")
        return self.heard[number - 1]

    async def _nothing(self) -> Sequence[str]:
        return ()


class Mouth(discord.Client):
    """A client that hands interactions to the calls and keeps what they fail with."""

    def __init__(self) -> None:
        intents = discord.Intents.default()
        intents.message_content = True
        super().__init__(intents=intents, guild_ready_timeout=0.05)
        self.calls: InteractionHandler | None = None
        self.failed: list[str] = []
        self.pulse = Pulse()

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        """Hand it on."""
        if self.calls:
            await self.calls.on(interaction)

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        """Remember the failure."""
        self.failed.append(event_method)
        self.pulse.beat()

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Wait for nothing."""


@dataclass
class Desk(SendingDesk):
    """What a test speaks through."""

    client: Mouth
    sender: Sender
    calls: InteractionHandler
    ears: Ears
    clock: Clock

    async def insists_until_sent(self, sending: Sending) -> str:
        """Send a part again and again until it is sent."""
        while True:
            try:
                return await self.sender.send(sending)
            except SendFailed as failed:
                if failed.final:
                    raise
            sending = replace(sending, unsure=True)

    async def answers(self, asked: MenuCall, text: str, **more: Any) -> str:
        """Answer a call."""
        return await self.sender.send(part(asked.place.key, text, answers=asked.answers, **more))


@dataclass
class Setting:
    """How the desk is set up where a test wants it otherwise."""

    specs: tuple[CommandSpec, ...] = ()
    pace: Pace = field(default_factory=Pace)
    seconds: float = 60.0
    posts: type[Posts] = Posts
    sender: type[Sender] = Sender


def posts(client: discord.Client, clock: Clock, kind: type[Posts] = Posts) -> Posts:
    """Return what says things in channels."""
    return kind(client, clock, ThreadStarts(Notebook()), PostedKeys("discord"))


@asynccontextmanager
async def desk(server: DiscordServer, setting: Setting | None = None) -> AsyncIterator[Desk]:
    """Connect, and give what speaks; in the end everything asked of the server must have been Discord's."""
    chosen, client, clock = setting or Setting(), Mouth(), Clock()
    ears = Ears(*chosen.specs)
    async with running(server, client):
        await client.wait_until_ready()
        sender = chosen.sender(client, lambda: None, clock, seconds=chosen.seconds, posts=posts(client, clock, chosen.posts))
        if chosen.specs:
            await sync(client, ears.table, Notebook())
        client.calls = InteractionHandler(client, ears, lambda server: "", chosen.pace, clock, lambda asked: asked)
        yield Desk(client, sender, client.calls, ears, clock)
        if not ears.answered.done():
            ears.answered.set_result(None)
    left = list(sender._under_way.values())
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


def part(place: str | Channel, text: str, **more: Any) -> Sending:
    """Return a part for a place, under a key of its own."""
    usual: dict[str, Any] = {"key": f"{next(_numbers):032x}", "operation": "send", "answers": "", "unsure": False}
    return Sending(place=place if isinstance(place, str) else key_of(place), text=text, **usual | more)


def closed(server: DiscordServer, place: Channel) -> None:
    """Let nobody read a channel's history."""
    assert place.guild
    server.acts.overwrite(place, place.guild.roles[place.guild.id], deny=Right.READ_MESSAGE_HISTORY)


def key_of(place: Channel) -> str:
    """Return the key of a channel, thread or DM as a place."""
    server = str(place.guild.id) if place.guild else ""
    if place.is_thread and place.parent:
        return json.dumps([server, str(place.parent.id), str(place.id)])
    return json.dumps([server, str(place.id), ""])


def spec(name: str, *parameters: Parameter, answer: AnswerAudience = AnswerAudience.PRIVATE, **more: Any) -> CommandSpec:
    """Return a command that nobody carries out."""
    return CommandSpec(name, f"what {name} does", _unused, parameters, answer=answer, **more)


async def _unused(call: Call) -> Reply:
    raise AssertionError("nobody runs commands here")
