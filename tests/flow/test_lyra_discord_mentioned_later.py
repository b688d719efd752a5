"""A message that becomes a question to her only by an edit, however long it stood there."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.conversation.answering.unanswered import LATE
from memory.types import DomainKind
from tests.kits import discord_town
from tests.kits.awake import model_server
from tests.kits.discord_town import Town

town = discord_town.town


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
