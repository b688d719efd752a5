"""A commit whose confirmation is lost: what was said may be kept all the same, and is answered without a new start."""

import asyncio
from collections.abc import Mapping, Sequence

from adapters.discord.adapter import Discord
from adapters.listener import Listener
from bot.app import App
from bot.service.patient_listener import PatientListener
from memory.errors import DatabaseAway
from memory.journal.journal import Event, InboxEvent, Journal
from tests.kits import discord_town
from tests.kits.awake import model_server
from tests.kits.discord_town import Town

town = discord_town.town


class Patient(Discord):
    """Waits for the database, as under `lyra run`."""

    async def run(self, listener: Listener) -> None:
        """Connect."""
        await super().run(PatientListener(self.platform, listener, asyncio.Event()))


class Uncertain(Journal):
    """A journal that keeps what is said, and is cut off from whoever asked it to once."""

    cut = False

    async def accept(self, platform: str, events: Sequence[Event], cursors: Mapping[str, str] = {}) -> list[InboxEvent]:
        """Keep them."""
        kept = await super().accept(platform, events, cursors)
        if self.cut and kept:
            self.cut = False
            raise DatabaseAway("The connection broke.")
        return kept


async def test_what_was_kept_although_nobody_could_say_so_is_answered(town: Town) -> None:
    journals: list[Uncertain] = []

    def uncertain(app: App) -> App:
        journals.append(Uncertain(app.memory.db, app.base.clock))
        app.memory.journal = journals[0]
        return app

    dm = await town.ada.opens_dm()
    async with model_server() as model, town.lyra(model, kind=Patient, changed=uncertain) as lyra:
        await town.says(town.ada, dm, "hello")
        journals[0].cut = True
        said = await town.ada.says(dm, "are you there?")
        # It was told again by the time that this is answered.
        await town.caught_up()
        for resumed in await lyra.talk.mailboxes.retry():
            await resumed
        assert (await town.answer(said)).content == "You said: are you there?"
