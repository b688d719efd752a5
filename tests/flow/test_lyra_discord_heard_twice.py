"""What is heard on Discord before she listened, again, or as a question only by an edit: each of it is done once, as it is meant by then."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.command_table import AnswerAudience
from adapters.discord.adapter import Discord
from adapters.events import Event, MenuCall, MessageEdited, Renamed, ServerJoined, Unreadable
from adapters.events import Message as Heard
from adapters.listener import Listener
from bot.conversation.answering.unanswered import LATE
from bot.conversation.listening import NO_CURSORS
from bot.service.patient_listener import PatientListener
from memory.errors import DatabaseBusy
from memory.types import DomainKind
from tests.fakes.discord import Message
from tests.kits import discord_town
from tests.kits.awake import model_server, prompt
from tests.kits.discord_kit import Ear, listening
from tests.kits.discord_speech import spec
from tests.kits.discord_town import Town, buttons

town = discord_town.town


class BusyAtTheEnd:
    """Keeps all that it hears and then, once each time, is busy: the worst moment for that."""

    def __init__(self, listener: Listener, refused: list[Sequence[Event]]) -> None:
        self._listener = listener
        self._refused = refused

    def __getattr__(self, name: str) -> object:
        return getattr(self._listener, name)

    async def hear(self, events: Sequence[Event], cursors: Mapping[str, str] = NO_CURSORS) -> Awaitable[None]:
        """Pass events on, and fail the first time; calls of a menu are passed on once."""
        answered = await self._listener.hear(events, cursors)
        if events and events not in self._refused and not any(isinstance(event, MenuCall) for event in events):
            self._refused.append(events)
            raise DatabaseBusy("It is busy.")
        return answered


class Interrupted(Discord):
    """Tells everything twice, and notes what."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.refused: list[Sequence[Event]] = []

    async def run(self, listener: Listener) -> None:
        """Listen until cancelled."""
        await super().run(PatientListener("discord", BusyAtTheEnd(listener, self.refused), asyncio.Event()))  # type: ignore[arg-type]


async def test_a_rename_an_edit_and_a_server_that_are_told_again_count_once(town: Town) -> None:
    async with model_server() as model, town.lyra(model, kind=Interrupted) as lyra:
        question = await town.says(town.ada, town.general, "When is the harbour party?")
        thread = await town.ada.starts_thread(town.general, "holiday", on=question)
        await town.says(town.ada, thread, "I go to Porto")
        town.server.acts.change_thread(thread, name="Lisbon")
        await town.ada.edits(question, f"{town.server.mention} When is the town party?")
        away = town.server.world.guild("Away", with_bot=False)
        lobby = town.server.world.channel(away, "lobby")
        town.server.acts.add_bot(away)
        await town.server.pulse.until(lambda: town.server.world.by_bot(lobby), "an introduction")
        await town.caught_up()
        await lyra.heard()

        assert isinstance(lyra.adapter, Interrupted)
        assert {type(event) for events in lyra.adapter.refused for event in events} >= {Renamed, MessageEdited, ServerJoined}
        (answer,) = [one for one in town.server.world.said if one.reply_to == question.id]
        assert buttons(answer) == ["Answer again"]
        assert len(town.server.world.by_bot(lobby)) == 1
        assert "Lisbon" in await town.reads(town.ada, town.general, "sessions")
        views = [lyra.app.memory.view(domain) for domain in await lyra.app.memory.places.domains()]
        kept = [one.text for view in views async for _, one in view.messages.all() if not one.text.startswith("You said")]
        for text, times in (("town party", 1), ("harbour party", 0), ("I go to Porto", 1), ("are you there?", 1)):
            assert sum(text in one for one in kept) == times, (text, kept)


def told(town: Town) -> list[Message]:
    """Return where she said that somebody wrote to her before she was here."""
    return [one for one in town.server.world.said if "before I was here" in one.content]


@pytest.mark.parametrize("after", ["a word", "a command"])
async def test_who_wrote_to_her_before_her_first_start_is_told_so_once(town: Town, after: str) -> None:
    dm = await town.ada.opens_dm()
    early = await town.ada.says(dm, "Hello, are you there?")
    for text in ("Good morning.", "Good evening."):
        async with model_server() as model, town.lyra(model) as lyra:
            if after == "a command":
                await town.asks(town.ada, dm, "status")
            await town.says(town.ada, dm, text)
            await lyra.heard()
            assert "are you there" not in prompt(lyra.chats[-1])
    assert [one.reply_to for one in told(town)] == [early.id]


async def test_of_what_was_long_ago_or_not_the_last_word_nothing_is_told(town: Town) -> None:
    now, world = datetime.now(UTC), town.server.world
    ada, bob = [await one.opens_dm() for one in (town.ada, town.bob)]
    await town.ada.says(ada, "Hello, are you there?", at=now - timedelta(days=8))
    await town.bob.says(bob, "Hello, are you there?", at=now - timedelta(hours=2))
    town.server.acts.post(Message(world.ids.next(now - timedelta(hours=1)), bob, world.bot, "Another program said this for her."))
    async with model_server() as model, town.lyra(model):
        await town.says(town.ada, ada, "Good morning.")
        await town.says(town.bob, bob, "Good morning.")
    assert told(town) == []


async def test_what_is_said_while_her_first_start_takes_long_is_not_from_before(town: Town) -> None:
    dm = await town.ada.opens_dm()

    class Slow(Ear):
        async def ready(self) -> None:
            now = datetime.now(UTC)
            await town.ada.runs(dm, "status")
            await town.ada.says(dm, "Hello, are you there?", at=now)
            # Ids tell moments that are a millisecond apart.
            while datetime.now(UTC) - now < timedelta(milliseconds=2):
                await asyncio.sleep(0)
            await super().ready()

    ear = Slow({"status": spec("status", answer=AnswerAudience.HERE)})
    async with listening(town.server, ear):
        await ear.heard(MenuCall)
        await ear.heard(Heard)
    assert ear.texts == ["Hello, are you there?"] and not ear.of(Unreadable)


@pytest.mark.parametrize("edited", [True, False], ids=["edited now", "asked then"])
async def test_a_mention_that_is_added_to_an_old_message_is_asked_now(town: Town, edited: bool) -> None:
    then = datetime.now(UTC) - timedelta(hours=3)
    async with model_server() as model, town.lyra(model) as lyra:
        await town.says(town.bob, town.general, "hello")
        mention = "" if edited else f"{town.server.mention} "
        said = await town.ada.says(town.general, f"{mention}what is the capital of Peru?", at=then)
        if edited:
            await town.caught_up()
            await town.ada.edits(said, f"{town.server.mention} what is the capital of Peru?")
        told = (await town.answer(said)).content
        assert told == ("You said: ada: what is the capital of Peru?" if edited else str(LATE))
        view = await lyra.view(DomainKind.SERVER, town.guild.id)
        [kept] = [one async for _, one in view.messages.all() if one.text == "what is the capital of Peru?"]
        assert abs(kept.said_at / 1_000_000 - then.timestamp()) < 1, "it was said when it was said"
