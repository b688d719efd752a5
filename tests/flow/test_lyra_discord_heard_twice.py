"""What is told again, as its last part could not be kept the first time, is done once."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from adapters.discord.adapter import Discord
from adapters.events import Event, MenuCall, MessageEdited, Renamed, ServerJoined
from adapters.listener import Listener
from bot.conversation.listening import NO_CURSORS
from bot.service.patient_listener import PatientListener
from memory.errors import DatabaseBusy
from tests.kits import discord_town
from tests.kits.awake import model_server
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
