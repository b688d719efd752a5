"""The connection to Discord is lost while Lyra thinks: what was asked is answered once, whatever becomes of the session."""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from adapters.discord.adapter import Discord
from bot.conversation.answering.unanswered import LATE
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Guild
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.kits.discord_home import model_server, server_of
from tests.kits.discord_home import question as asked
from tests.kits.discord_quick import answered, answers_to, greeted, quick, settled
from tests.kits.entered import entered_in_loop

Loss = Callable[[DiscordServer], None]

model = entered_in_loop(lambda: model_server(lambda request: f"You said: {asked(request)}"))


def cut(server: DiscordServer) -> None:
    server.gateway.disconnect()


def asked_to_reconnect(server: DiscordServer) -> None:
    server.gateway.reconnect()


def invalid(server: DiscordServer) -> None:
    server.gateway.invalidate()


def invalid_for_a_moment(server: DiscordServer) -> None:
    server.gateway.invalidate(resumable=True)


def forgotten(server: DiscordServer) -> None:
    server.gateway.disconnect()
    server.gateway.forget()


LOSSES = {
    "cut": cut,
    "asked to reconnect": asked_to_reconnect,
    "invalid": invalid,
    "invalid for a moment": invalid_for_a_moment,
    "forgotten by the server": forgotten,
}


@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES.keys())
async def test_what_is_asked_before_and_meanwhile_is_answered_once(
    server: DiscordServer,
    general: Channel,
    home: Guild,
    model: OpenAIServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    lose: Loss,
) -> None:
    ada, bob = server.person("ada"), server.person("bob")
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await greeted(server, general)
        requests = len(model.requests)
        model.script(b.Drip("An answer in the making.", 0.05))
        before = await ada.says(general, f"{server.mention} before?")
        await model.heard(requests + 1)
        lose(server)
        meanwhile = await bob.says(general, f"{server.mention} meanwhile?")
        await server.connected()
        await answered(server, meanwhile)
        after = await ada.says(general, f"{server.mention} after?")
        await answered(server, after)
        await settled(lyra, server)
        kept = await lyra.kept(*server_of(home))
    assert answers_to(server, before) == ["An answer in the making."]
    assert answers_to(server, meanwhile) == ["You said: bob: meanwhile?"]
    assert answers_to(server, after) == ["You said: ada: after?"]
    assert [kept.count(text) for text in ("before?", "meanwhile?", "after?")] == [1, 1, 1]


async def test_an_answer_that_is_ready_while_nobody_is_connected_goes_out_afterwards(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(server, tmp_path, monkeypatch, model, patience=60.0) as lyra:
        await greeted(server, general)
        requests = len(model.requests)
        model.script(b.Drip("Ready while away.", 0.05))
        question = await server.person("ada").says(general, f"{server.mention} well?")
        await model.heard(requests + 1)
        server.gateway.refuse = 2
        server.gateway.disconnect()
        journal = lyra.app.memory.journal
        async with asyncio.timeout(PATIENCE):
            while not await journal.waiting("discord"):
                await asyncio.sleep(0.01)
        await server.connected()
        await settled(lyra, server)
    assert answers_to(server, question) == ["Ready while away."]


async def test_events_that_come_twice_are_answered_once(
    server: DiscordServer, general: Channel, home: Guild, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await greeted(server, general)
        question = await server.person("ada").says(general, f"{server.mention} twice?")
        for _ in range(3):
            server.gateway.repeat()
        later = await server.person("bob").says(general, f"{server.mention} and now?")
        await answered(server, later)
        await settled(lyra, server)
        assert (await lyra.kept(*server_of(home))).count("twice?") == 1
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await settled(lyra, server)
    assert answers_to(server, question) == ["You said: ada: twice?"]


async def test_a_turn_that_the_end_cut_off_is_taken_by_the_next_start(
    server: DiscordServer, general: Channel, home: Guild, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await greeted(server, general)
        requests = len(model.requests)
        model.script(b.Hang("An answer without end"))
        question = await server.person("ada").says(general, f"{server.mention} still there?")
        await model.heard(requests + 1)
        await lyra.talk.mailboxes.drain(0.05)
        late = await server.person("bob").says(general, f"{server.mention} too late?")
    assert answers_to(server, question) == []
    async with quick(server, tmp_path, monkeypatch, model) as lyra:
        await answered(server, question, late)
        await settled(lyra, server)
        assert (await lyra.kept(*server_of(home))).count("still there?") == 1
    assert answers_to(server, question) == ["You said: ada: still there?"]
    assert answers_to(server, late) == ["You said: bob: too late?"]


class Impatient(Discord):
    """Shows answers while they are made, ten times a second."""

    edit_seconds = 0.1


async def test_what_the_end_left_half_shown_becomes_the_whole_answer_of_the_next_start(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = server.person("ada")
    async with quick(server, tmp_path, monkeypatch, model, streaming=True, kind=Impatient) as lyra:
        await greeted(server, general)
        model.script(b.Hang("The beginning of an answer"))
        question = await ada.says(general, f"{server.mention} how?")
        await answered(server, question)
        second = await ada.says(general, f"{server.mention} and why?")
        async with asyncio.timeout(PATIENCE):
            while len(await lyra.app.memory.journal.unfinished("discord")) < 2:
                await asyncio.sleep(0.01)
        await lyra.talk.mailboxes.drain(0.05)
    assert answers_to(server, question) == ["The beginning of an answer"]
    model.script(b.Drip("A whole answer, slowly.", 0.2))
    async with quick(server, tmp_path, monkeypatch, model, streaming=True, kind=Impatient) as lyra:
        await settled(lyra, server)
    assert answers_to(server, question) + answers_to(server, second) == ["A whole answer, slowly."]


@pytest.mark.parametrize("why", ["too late", "too much"])
async def test_what_the_end_left_half_shown_goes_where_the_next_start_gives_no_answer(
    server: DiscordServer, general: Channel, model: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    ada, limits = server.person("ada"), "[limits]\nperson.turns_per_day = 1\n"
    async with quick(server, tmp_path, monkeypatch, model, streaming=True, kind=Impatient, config=limits) as lyra:
        await greeted(server, general)
        asked_at = datetime.now(UTC) - timedelta(minutes=10)
        model.script(b.Hang("The beginning of an answer"))
        question = await ada.says(general, f"{server.mention} how?", at=asked_at)
        await answered(server, question)
        await lyra.talk.mailboxes.drain(0.05)
    assert answers_to(server, question) == ["The beginning of an answer"]
    late = "answer_within_minutes = 5\n" if why == "too late" else ""
    async with quick(server, tmp_path, monkeypatch, model, streaming=True, kind=Impatient, config=late + limits) as lyra:
        await settled(lyra, server)
    (told,) = answers_to(server, question)
    assert told == str(LATE) if why == "too late" else told.startswith("That was a lot in a short time.")
