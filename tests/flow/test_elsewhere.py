"""What one process hears at a place that another holds: it is committed there, the holder is told, and answers once, in order."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import discord
import pytest

from adapters.discord.adapter import Discord
from adapters.discord.resuming.session_position import SessionPosition
from bot import talk as conversing
from bot.conversation.listening import Listening
from memory.store.postgresql.peers.processes import Processes
from tests.fakes.discord import DiscordServer
from tests.fakes.openai_server import OpenAIServer
from tests.kits import fresh
from tests.kits.discord_home import Awake, awake, model_server, sound, text_of
from tests.kits.discord_quick import answers_to


class Beside(SessionPosition):
    """Of two processes one would have no session of its own; here both have one, and neither takes over the other's."""

    async def begin(self, client: discord.Client, learn: Callable[..., Awaitable[None]]) -> None:
        """Look nowhere."""


class Doubled(Discord):
    """A Discord to which she is connected twice."""

    position = Beside


_on_server = fresh.kept_on_server


@asynccontextmanager
async def both(
    server: DiscordServer, home: Path, monkeypatch: pytest.MonkeyPatch, model: OpenAIServer
) -> AsyncIterator[tuple[Awake, Awake]]:
    """Wake her in two processes' manner: one that hears everything, and one that holds every place and hears nothing."""
    async with AsyncExitStack() as stack:
        hears, holds = [
            await stack.enter_async_context(awake(server, home, monkeypatch, model=model, kind=Doubled)) for _ in range(2)
        ]
        for one in (hears, holds):
            one.adapter.stand_by()
            assert await one.app.memory.db.reserve(beside=True)
            assert one.app.memory.db.peers is not None
            await one.app.memory.db.peers.join("platform")
        holds.adapter.take(0, 1)
        listener = holds.talk.listeners["discord"]

        async def deaf(events: object, cursors: object = None) -> object:
            return await Listening.hear(listener, [])

        monkeypatch.setattr(listener, "hear", deaf)
        yield hears, holds


@pytest.mark.parametrize("called", [True, False], ids=["told", "nobody tells"])
async def test_what_is_heard_elsewhere_is_answered_once_by_who_holds_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, called: bool
) -> None:
    if called:
        # By itself it would look far too late for this test.
        monkeypatch.setattr(conversing, "_POLL_SECONDS", 3600)
    else:
        monkeypatch.setattr(conversing, "_POLL_SECONDS", 0.2)
        monkeypatch.setattr(Processes, "call", lambda self, *words: None)
    async with DiscordServer() as server, model_server() as model:
        general = server.world.channel(server.world.guild("Home"), "general")
        async with both(server, tmp_path / "home", monkeypatch, model) as (hears, holds):
            asked = []
            for n in range(3):
                asked.append(await server.person(f"person{n}").says(general, f"{server.mention} question {n}"))
            await server.pulse.until(lambda: all(answers_to(server, one) for one in asked), "an answer to each")
            assert hears.talk.mailboxes.waiting == 0
            await holds.heard()
            assert [len(answers_to(server, one)) for one in asked] == [1, 1, 1]
            assert len(holds.chats) == 3
        sound(server)


async def test_what_another_process_queues_is_sent_by_who_holds_the_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with DiscordServer() as server, model_server() as model:
        guild = server.world.guild("Home")
        general = server.world.channel(guild, "general")
        async with both(server, tmp_path / "home", monkeypatch, model) as (hears, _):
            place = await hears.adapter.locate_key(json.dumps([str(guild.id), str(general.id), ""]))
            assert place is not None
            view, session = await hears.app.domains.view_and_session(place)
            parts = await hears.talk.outgoing.composer.parts("discord", "A word of mine.", links=frozenset())
            await view.notices.queue(session, parts, [], "")
            assert await hears.talk.outgoing.flush("discord", place.key, parts) == ""
            await server.pulse.until(lambda: "A word of mine." in text_of(server.world.by_bot()), "what was queued")
        sound(server)
