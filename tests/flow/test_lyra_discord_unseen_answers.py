"""An answer that has to go before anybody saw it: what was asked is answered once more, from what is there by then."""

import asyncio
from pathlib import Path

import pytest

from tests.fakes.discord import DiscordServer, Held
from tests.fakes.discord.things import Channel, Message
from tests.fakes.openai_behaviours import Request
from tests.flow.test_lyra_discord_changes import answers_to, caught_up
from tests.kits.discord_home import awake, prompt, question
from tests.kits.discord_knowing import Thoughtful
from tests.kits.entered import entered_in_loop

FACT = "my locker number is 7741"
ASKED = "what is my locker number?"
CANARY = "7741"


def answer(request: Request) -> str:
    """Repeat the question, with the number if the prompt has it."""
    known = f" {CANARY}" if CANARY in prompt(request) and FACT not in question(request) else ""
    return f"On {question(request)}:{known}"


model = entered_in_loop(lambda: Thoughtful(answer))


async def told(server: DiscordServer) -> tuple[Channel, Message]:
    """Tell the fact in a DM, and return both once it is answered."""
    room = await server.person("ada").opens_dm()
    await caught_up(server)
    fact = await server.person("ada").says(room, FACT)
    await server.pulse.until(lambda: answers_to(server, fact), "an answer")
    return room, fact


async def standing(server: DiscordServer, said: Message, text: str) -> None:
    """Wait until one answer to a message stands, which is this one."""
    await server.pulse.until(lambda: [one.content for one in answers_to(server, said)] == [text], f"{text} alone")


async def test_a_question_is_edited_while_its_answer_goes_out(
    server: DiscordServer, model: Thoughtful, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as lyra:
        room, _ = await told(server)
        await lyra.rests()
        server.faults.script("create_message", slow := Held())
        asked = await server.person("ada").says(room, ASKED)
        await asyncio.wait_for(slow.reached.wait(), 20)
        await server.person("ada").edits(asked, "what is my bike lock?")
        await caught_up(server)
        slow.go.set()
        await standing(server, asked, "On what is my bike lock?: 7741")
        await lyra.rests()
        given = len(model.requests)
        await lyra.talk.tick()
        await lyra.rests()
        assert len(model.requests) == given, "and once only"


async def test_what_an_answer_holds_is_deleted_while_it_goes_out(
    server: DiscordServer, model: Thoughtful, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as lyra:
        room, fact = await told(server)
        await lyra.rests()
        server.faults.script("create_message", slow := Held())
        asked = await server.person("ada").says(room, ASKED)
        await asyncio.wait_for(slow.reached.wait(), 20)
        await server.person("ada").deletes(fact)
        await caught_up(server)
        slow.go.set()
        await standing(server, asked, f"On {ASKED}:")


async def test_an_answer_that_was_seen_is_not_given_again(
    server: DiscordServer, model: Thoughtful, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as lyra:
        room, fact = await told(server)
        asked = await server.person("ada").says(room, ASKED)
        await standing(server, asked, f"On {ASKED}: {CANARY}")
        await lyra.rests()
        before = len(model.requests)
        await server.person("ada").deletes(fact)
        await caught_up(server)
        await lyra.talk.tick()
        await lyra.rests()
        asks = [one for one in model.requests[before:] if question(one) == ASKED]
        assert asks == [], "what was seen is not answered again unasked"
