"""Lyra goes on with a session on Discord after a restart: what was said meanwhile is answered once, by who may know what now."""

import asyncio
from typing import Any

import pytest

from adapters.discord.adapter import Discord
from bot.delivery.outgoing import READERS_CHANGED
from tests.fakes.discord import Message, Right, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.flow.test_discord_resuming_rights import Hasty
from tests.kits import discord_town
from tests.kits.awake import prompt
from tests.kits.discord_home import model_server, server_of
from tests.kits.discord_town import Town
from tests.kits.entered import entered_in_loop

town = discord_town.town
CODE = "the code of the safe is 7741"

model = entered_in_loop(model_server)


def answers(town: Town, question: Message) -> list[str]:
    """Return what was said in answer to a message."""
    return [one.content for one in town.server.world.said if one.reply_to == question.id]


def looks(town: Town) -> int:
    """Return how often a history was compared with what is kept, or read for what was missed."""
    return len([call for call in town.server.calls("list_messages") if call.asked("limit") == "100"])


async def test_what_was_said_and_taken_back_meanwhile_is_answered_once_and_gone(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model, resumes=True):
        gone = await town.says(town.ada, town.general, CODE)
        edited = await town.says(town.ada, town.general, "the door is green")
    await town.ada.deletes(gone)
    await town.ada.edits(edited, f"{town.server.mention} the door is blue")
    asked = await town.bob.says(town.general, f"{town.server.mention} which code has the safe, and what colour the door?")
    before = looks(town)
    async with town.lyra(model, resumes=True) as lyra:
        await town.answer(asked)
        assert "7741" not in prompt(lyra.chats[-1]) and "green" not in prompt(lyra.chats[-1])
        await lyra.rests()
        kept = "\n".join(await lyra.kept(*server_of(town.guild)))
        assert "7741" not in kept and "the door is blue" in kept and "green" not in kept
        await lyra.talk.history_comparison.through("discord")
    async with town.lyra(model, resumes=True):
        await town.says(town.bob, town.general, "good night")
    assert len(answers(town, asked)) == 1 and looks(town) == before
    assert len(town.server.gateway.identifies) == 1


async def test_what_is_known_only_to_some_now_is_not_told_to_who_asked_meanwhile(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model, resumes=True):
        await town.says(town.ada, town.staff, CODE)
    everyone = town.guild.roles[town.guild.id]
    town.server.acts.overwrite(town.staff, everyone, allow=Right.VIEW_CHANNEL)
    asked = await town.bob.says(town.staff, f"{town.server.mention} which code has the safe?")
    async with town.lyra(model, resumes=True) as lyra:
        await town.answer(asked)
        assert "7741" not in prompt(lyra.chats[-1])
        found = await town.asks(town.bob, town.staff, "recall", query="safe")
        assert " 7741" not in found.shown
    assert len(town.server.gateway.identifies) == 1


@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "the twin"])
async def test_what_waited_to_be_sent_is_sent_only_to_those_for_whom_it_was_made(
    town: Town, model: OpenAIServer, guarded: bool
) -> None:
    made: list[Discord] = []

    class Watched(Discord):
        client = Discord.client if guarded else Hasty

        def __init__(self, *args: Any, **named: Any) -> None:
            super().__init__(*args, **named)
            made.append(self)

    async with town.lyra(model, resumes=True) as lyra:
        town.server.faults.script("create_message", *[Status(503)] * 5)
        asked = await town.ada.says(town.staff, f"{town.server.mention} {CODE}")
        await town.server.pulse.until(lambda: refused(town), "an answer that Discord does not take")
        await lyra.rests()
    town.server.faults._script.clear()
    assert answers(town, asked) == []
    town.server.acts.overwrite(town.staff, town.guild.roles[town.guild.id], allow=Right.VIEW_CHANNEL)
    town.server.gateway.before_replay = asyncio.Event()

    async def release() -> None:
        async with asyncio.timeout(PATIENCE):
            while not made or made[0]._client is None or not made[0]._client.is_ready():
                await asyncio.sleep(0.01)
            while not guarded and not answers(town, asked):
                await asyncio.sleep(0.01)
        assert town.server.gateway.before_replay is not None
        town.server.gateway.before_replay.set()

    releasing = asyncio.create_task(release())
    async with town.lyra(model, resumes=True, kind=Watched) as lyra:
        await releasing
        await town.says(town.bob, town.staff, "good night")
        await lyra.talk.tick()
        rows = await lyra.app.memory.db.all(
            "SELECT state FROM outbox WHERE answers = :id AND item IS NOT NULL", {"id": str(asked.id)}
        )
    assert [row["state"] for row in rows] == ["cancelled" if guarded else "sent"]
    assert answers(town, asked) == ([str(READERS_CHANGED)] if guarded else [f"You said: ada: {CODE}"])


def refused(town: Town) -> list[Any]:
    """Return the posts that Discord did not take."""
    return [call for call in town.server.calls("create_message") if call.status == 503]
