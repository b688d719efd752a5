"""Conversations on a platform: what is said while she is busy is answered together, places do not wait for each other."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.events import Message, Person
from adapters.message_parts import Attachment
from bot.conversation.answering.unanswered import LATE
from bot.conversation.inbox_events import payload
from bot.errors import ModelDown, ModelRefused
from memory.errors import DatabaseAway
from memory.journal.journal import Event
from memory.types import Kind
from tests.kits.thinking import ADA, TOWN, platform, saying


async def test_what_is_said_while_she_is_busy_is_answered_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, model):
        say = saying(app)
        model.allowed["first"] = asyncio.Event()
        first = await talk.listeners["platform"].hear([say("first")])
        await model.begun.wait()
        second = await talk.listeners["platform"].hear([say("second")])
        third = await talk.listeners["platform"].hear([say("third")])
        model.allowed["first"].set()
        for answered in (first, second, third):
            await answered
        assert here.texts == ["You said: first", "You said: second\nthird"]
        view = await app.domains.view_of_account("platform", ADA.id)
        kept = [message.text async for _, message in view.messages.all() if message.kind is Kind.SAID]
        assert kept == ["first", "second", "third"]


async def test_one_place_does_not_wait_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, model):
        say = saying(app)
        model.allowed["slow"] = asyncio.Event()
        slow = await talk.listeners["platform"].hear([say("slow", "a")])
        await model.begun.wait()
        await (await talk.listeners["platform"].hear([say("quick", "b")]))
        assert here.texts == ["You said: quick"]
        model.allowed["slow"].set()
        await slow
        assert here.texts == ["You said: quick", "You said: slow"]


async def test_a_command_stands_alone_and_keeps_its_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, _):
        say = saying(app)
        await (await talk.listeners["platform"].hear([say("one"), say("/status"), say("two"), say("three")]))
        assert here.texts[0] == "You said: one"
        assert here.texts[1].startswith("1 message of yours kept")
        assert here.texts[2:] == ["You said: two\nthree"]


async def test_an_event_that_comes_twice_is_answered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, _):
        say = saying(app)
        for _ in range(3):
            await (await talk.listeners["platform"].hear([say("hello there", ident="same")]))
        assert here.texts == ["You said: hello there"]


async def test_of_an_old_message_that_is_kept_it_is_told_that_it_is_not_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with platform(tmp_path, monkeypatch, "answer_within_minutes = 60") as (app, talk, here, _):
        hour = 3_600_000_000
        await (await talk.listeners["platform"].hear([saying(app)("long ago", ago=hour + 1_000_000)]))
        assert here.texts == [str(LATE)]
        view = await app.domains.view_of_account("platform", ADA.id)
        assert [hit.exchange.text for hit in await view.recall.messages("long ago", 3)] == ["long ago"]
        assert await app.memory.journal.unfinished("platform") == []


async def test_it_is_told_as_well_of_one_that_another_persons_turn_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch, "answer_within_minutes = 60") as (app, talk, here, model):
        say, hear = saying(app), talk.listeners["platform"].hear
        model.allowed["first"] = asyncio.Event()
        first = await hear([say("first", TOWN.channel)])
        await model.begun.wait()
        late = await hear([say("long ago", TOWN.channel, ago=3_601_000_000)])
        third = await hear([say("third", TOWN.channel, by=Person("platform", "2", "bob"))])
        await model.asks("third")
        model.allowed["first"].set()
        for answered in (first, late, third):
            await answered
        assert here.texts.count(str(LATE)) == 1


async def test_a_model_that_fails_holds_the_message_for_the_next_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, model):
        say = saying(app)
        model.fails = ModelDown("No model answers.")
        await (await talk.listeners["platform"].hear([say("are you there")]))
        assert here.texts == ["My model does not answer just now. Your message is kept; I answer it when the model does."]
        assert len(await app.memory.journal.unfinished("platform")) == 1
        model.fails = None
        await (await talk.mailboxes.recover("platform"))
        assert here.texts[1:] == ["You said: are you there"]
        assert await app.memory.journal.unfinished("platform") == []


async def test_what_did_not_arrive_is_sent_once_when_the_platform_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, _):
        message = saying(app)("hello there")
        here.refusals = 1
        await (await talk.listeners["platform"].hear([message]))
        assert here.texts == []
        for _ in range(2):
            await talk.outgoing.flush("platform", message.place.key)
        assert here.texts == ["You said: hello there"]
        assert here.sent[0].unsure, "it may have arrived"


async def test_a_message_that_no_model_takes_is_given_up_after_three_tries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, model):
        model.fails = ModelRefused("The model does not take this.")
        await (await talk.listeners["platform"].hear([saying(app)("unwelcome")]))
        for _ in range(4):
            await (await talk.mailboxes.recover("platform"))
        refused = "My model refuses this; whoever runs me can see why in the log."
        assert here.texts == [
            f"{refused} Your message is kept; I answer it when the model does.",
            f"{refused} I tried three times, so I gave up: ask again if you still want to know.",
        ]
        assert await app.memory.journal.parked() == 1


async def test_a_message_that_always_crashes_is_given_up_after_three_tries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, model):
        model.fails = ValueError("a canary of somebody's words")
        await (await talk.listeners["platform"].hear([saying(app)("poison")]))
        for _ in range(4):
            await (await talk.mailboxes.recover("platform"))
        assert await app.memory.journal.parked() == 1
        (said,) = here.texts
        assert "Something went wrong on my side; your message is kept." in said
        model.fails = None
        await (await talk.listeners["platform"].hear([saying(app)("healthy", ident="other")]))
        assert here.texts[-1] == "You said: healthy"
    seen = capsys.readouterr()
    assert "canary" not in seen.err + seen.out
    assert "poison" not in seen.err + seen.out


async def test_one_that_crashes_as_it_is_kept_ahead_of_its_turn_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, model):
        say, hear = saying(app), talk.listeners["platform"].hear
        here.broken_files = True
        model.allowed["first"] = asyncio.Event()
        first = await hear([say("first", TOWN.channel)])
        await model.begun.wait()
        poison = replace(say("don't tell Ben that I quit", TOWN.channel), attachments=(Attachment("1", "cv", "", 1),))
        second = await hear([poison])
        await here.read.wait()
        model.allowed["first"].set()
        await first
        await second
        assert here.texts[0] == "You said: ada: first" and here.texts[1].startswith("Something went wrong on my side")
        await (await hear([say("healthy", TOWN.channel)]))
        assert here.texts[-1] == "You said: ada: healthy"


async def test_a_command_cut_off_by_a_kill_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, _):
        message = saying(app)("/forget session")
        await app.memory.journal.accept("platform", [_event(message)])
        await (await talk.mailboxes.recover("platform"))
        assert here.texts == ["/forget was interrupted before it was done; say it again if you still want it."]
        assert await app.memory.journal.unfinished("platform") == []


async def test_a_command_is_not_called_cut_off_while_it_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, _):
        say = saying(app)
        for _ in range(10):
            answering = asyncio.ensure_future(talk.listeners["platform"].hear([say("/status")]))
            while not answering.done():
                await talk.mailboxes.recover("platform")
            answered = asyncio.ensure_future(_all(await answering))
            while not answered.done():
                await talk.mailboxes.recover("platform")
        assert len(here.texts) == 10
        assert [text for text in here.texts if "interrupted" in text] == []


async def test_a_command_cut_off_is_told_so_once_however_often_she_recovers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, _):
        say = saying(app)
        await app.memory.journal.accept("platform", [_event(say("/status")) for _ in range(5)])
        await asyncio.gather(*(talk.mailboxes.recover("platform") for _ in range(5)))
        assert here.texts == ["/status was interrupted before it was done; say it again if you still want it."] * 5


async def _all(promise: Awaitable[None]) -> None:
    await promise


def _event(message: Message) -> Event:
    return Event(message.id, message.place.key, payload(message))


async def test_what_could_not_be_kept_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """How far she heard moves with what was kept, and with nothing else: not at the end of the process, either."""
    async with platform(tmp_path, monkeypatch) as (app, talk, _, _model):
        say, listener = saying(app), talk.listeners["platform"]
        await (await listener.hear([say("first")], {"stream": "1"}))
        await listener.hear([], {"other": "7"})

        async def away(*_: object) -> None:
            raise DatabaseAway("away")

        with monkeypatch.context() as once:
            once.setattr(talk.mailboxes, "accept", away)
            with pytest.raises(DatabaseAway):
                await listener.hear([say("lost")], {"stream": "2"})
        await listener.settle()
        assert await app.memory.journal.cursors("platform") == {"stream": "1", "other": "7"}
