"""Several people at one place: they are answered side by side, kept and told in the order in which they spoke."""

import asyncio
from collections.abc import Awaitable, Sequence
from pathlib import Path

import pytest

from adapters.events import Message, Person
from adapters.listener import Listener
from bot.app import App
from bot.conversation.mailbox import Ticket
from memory.types import Kind
from tests.kits.thinking import ADA, TOWN, platform, saying

BEN, CLEO, DAN = (Person("platform", str(at), name) for at, name in enumerate(("ben", "cleo", "dan"), 2))


async def test_three_people_are_answered_at_once_and_a_fourth_after_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, model):
        say, listener = saying(app), talk.listeners["platform"]
        model.allowed["wait"] = asyncio.Event()
        people = (ADA, BEN, CLEO, DAN)
        answered = await told(listener, [say(f"wait, {one.name} asks", TOWN.channel, by=one) for one in people])
        await model.asks("ada", "ben", "cleo")
        assert talk.mailboxes.waiting == 4
        model.allowed["wait"].set()
        await everyone(answered)
        assert here.texts == [f"You said: {one.name}: wait, {one.name} asks" for one in people]
        assert model.most_at_once == 3


@pytest.mark.usefixtures("store")
async def test_answers_come_in_the_order_of_the_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, model):
        say, listener = saying(app), talk.listeners["platform"]
        model.allowed["slow"] = asyncio.Event()
        answered = await told(listener, [say("slow one", TOWN.channel), say("quick one", TOWN.channel, by=BEN)])
        await model.asks("slow", "quick")
        await asyncio.wait_for(talk.outgoing.flush("platform", TOWN.key), 5)
        assert here.texts == []
        model.allowed["slow"].set()
        await everyone(answered)
        assert here.texts == ["You said: ada: slow one", "You said: ben: quick one"]
        assert await kept(app) == ["slow one", "quick one", *here.texts]


async def test_an_answer_waits_for_an_earlier_one_no_longer_than_its_patience() -> None:
    keeping = asyncio.Lock()
    slow = Ticket(keeping)
    for patience, end in ((0.01, False), (60.0, True)):
        later = Ticket(keeping, [slow], patience)
        if end:
            slow.end()
        assert later.is_up is end
        await asyncio.wait_for(later.wait_for_earlier(), 5)


async def test_what_was_said_first_is_kept_first_however_long_its_turn_takes_to_come_to_that() -> None:
    lock, order = asyncio.Lock(), []
    first, other = Ticket(lock), Ticket(lock)
    second, third = Ticket(lock, [first]), Ticket(lock, [other, first, Ticket(lock)], patience=0.01)

    async def keeps(ticket: Ticket, name: str) -> None:
        async with ticket.storing():
            order.append(name)

    first.begin()
    waits = asyncio.create_task(keeps(second, "second"))
    await keeps(other, "whoever has not begun is not waited for")
    await keeps(third, "and nobody for ever")
    assert len(order) == 2 and not waits.done()
    await keeps(first, "first")
    await waits
    assert order[2:] == ["first", "second"]


async def test_what_one_person_says_is_answered_one_after_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else waits for that to be answered; it is kept in its order, and answers come in that of the questions."""
    async with platform(tmp_path, monkeypatch) as (app, talk, here, model):
        say, listener = saying(app), talk.listeners["platform"]
        model.allowed["ben's"] = asyncio.Event()
        said = [
            say("ben's first", TOWN.channel, by=BEN), say("ben's second", TOWN.channel, by=BEN, ident="a"),
            say("ada's", TOWN.channel), say("ben's third", TOWN.channel, by=BEN),
        ]  # fmt: skip
        answered = await told(listener, said[:1])
        await model.asks("ben's first")
        answered += await told(listener, said[1:])
        await model.asks("ada's")
        assert len(model.asked) == 2
        assert await kept(app) == ["ben's first", "ben's second", "ada's"]
        model.allowed["ben's"].set()
        await everyone(answered)
        assert here.texts == [
            "You said: ben: ben's first", "You said: ben: ben's second\nben: ben's third", "You said: ada: ada's"
        ]  # fmt: skip
        assert await kept(app, Kind.SAID) == ["ben's first", "ben's second", "ada's", "ben's third"]


async def test_a_command_waits_for_what_was_said_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, model):
        say, listener = saying(app), talk.listeners["platform"]
        model.allowed["slow"] = asyncio.Event()
        said = [say("slow", TOWN.channel), say("/status", TOWN.channel, by=BEN), say("later", TOWN.channel, by=CLEO)]
        answered = await told(listener, said)
        await model.asks("slow")
        assert (model.asked, here.texts) == (["ada: slow"], [])
        model.allowed["slow"].set()
        await everyone(answered)
        assert here.texts[0] == "You said: ada: slow" and here.texts[-1] == "You said: cleo: later"
        assert len(here.texts) == 3


async def test_what_did_not_arrive_goes_before_what_is_newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, _):
        say, listener = saying(app), talk.listeners["platform"]
        here.refusals, here.retry_after = 2, 3_600.0
        for text in ("one", "two"):
            await everyone(await told(listener, [say(text)]))
        assert here.texts == []
        await everyone(await told(listener, [say("three")]))
        assert here.texts == ["You said: one", "You said: two", "You said: three"]


async def test_what_did_not_arrive_is_sent_when_the_platform_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with platform(tmp_path, monkeypatch) as (app, talk, here, _):
        say, listener = saying(app), talk.listeners["platform"]
        here.refusals, here.retry_after = 2, 0.05
        await everyone(await told(listener, [say("one")]))
        assert here.texts == []
        await asyncio.wait_for(here.arrived("You said: one"), 5)
        await everyone(await told(listener, [say("two")]))
        assert here.texts == ["You said: one", "You said: two"], "each once"


async def told(listener: Listener, messages: Sequence[Message]) -> list[Awaitable[None]]:
    """Hand messages over, each by itself, and return what to await until they are answered."""
    return [await listener.hear([message]) for message in messages]


async def everyone(answered: Sequence[Awaitable[None]]) -> None:
    for one in answered:
        await one


async def kept(app: App, kind: Kind | None = None) -> list[str]:
    """Return what is kept of the town, in the order in which it was kept."""
    view, _ = await app.domains.view_and_session(TOWN)
    found = [message async for _, message in view.messages.all() if kind in (None, message.kind)]
    return [message.text for message in sorted(found, key=lambda one: one.key)]
