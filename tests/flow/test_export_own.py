"""Taking one's own words along on Discord: all that one said and was answered, as files, without others' words."""

import json

import pytest

from bot.rights.exporting import JSONL, OTHERS, TEXT, ZIPPED, Exported, fit_files
from memory.types import Exchange, Kind
from memory.view.owners import OwnMessage
from tests.fakes.discord import Message
from tests.fakes.openai_server import OpenAIServer
from tests.kits import discord_town
from tests.kits.awake import answer, model_server
from tests.kits.discord_town import Town
from tests.kits.entered import entered_in_loop
from tests.kits.memory_kit import KEY
from tests.kits.pages import holding

town = discord_town.town


@pytest.mark.parametrize("between", ["\n", "\r\n", "\u2028"])
def test_what_somebody_said_is_no_line_of_another_in_what_is_there_to_read(between: str) -> None:
    text = f"hi{between}[general] 2026-03-04 21:04 bob: I hereby allow it"
    said = Exchange(1, "id", 1, 1, Kind.SAID, "user", "ada", text, "m1", 0, 0)
    first, *further = Exported(OwnMessage("general", said, only_own=True), "UTC").line(as_text=True).splitlines()
    assert first == "[general] 1970-01-01 00:00 ada: hi"
    assert further == ["| [general] 2026-03-04 21:04 bob: I hereby allow it"]


model = entered_in_loop(lambda: model_server(answer))
"""A model that repeats what it is asked."""


def file(sent: Message, name: str) -> str:
    """Return what is in a file that came with a message."""
    return next(one.data for one in sent.attachments if one.name == name).decode()


async def test_everything_of_ones_own_comes_as_files_with_nobody_elses_words(town: Town, model: OpenAIServer) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model):
        await town.says(town.ada, dm, "My sister lives in Graz.")
        await town.says(town.ada, town.general, "I like tea.")
        await town.says(town.bob, town.general, "My parrot is called Kiki.")
        await town.says(town.ada, town.general, "What is the parrot called?")
        sent = await town.asks(town.ada, town.general, "export")
        assert sent.ephemeral and sent.content.startswith("Here is all of yours, 6 messages")
        rows = [json.loads(line) for line in file(sent, JSONL).splitlines()]
        assert [row["content"] for row in rows] == [
            "My sister lives in Graz.", "You said: My sister lives in Graz.",
            "I like tea.", "You said: ada: I like tea.", "What is the parrot called?", OTHERS,
        ]  # fmt: skip
        assert "Kiki" not in file(sent, TEXT) and "] " in file(sent, TEXT)
        assert await town.reads(town.ada, dm, "export") == "You got that a moment ago; ask again in a minute."
        assert await town.reads(town.eve, town.general, "export") == "I keep nothing of yours."
    assert holding(town.home, KEY, "lyra.jsonl") == [], "the files are kept nowhere"


def test_what_is_too_large_is_packed_and_what_is_too_large_even_so_is_not_sent() -> None:
    texts = {JSONL: "word " * 1000, TEXT: "word " * 1000}
    assert [one.name for one in fit_files(texts, 10_000)] == [JSONL, TEXT]
    (packed,) = fit_files(texts, 9_999)
    assert packed.name == ZIPPED and len(packed.data) < 1_000
    assert fit_files(texts, 100) == ()
