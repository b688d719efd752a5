"""A platform refuses an answer for good: whoever asked is told why, where that can be said, and what comes later is answered."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.fakes.discord.faults import Status
from tests.fakes.matrix import People, Proxy
from tests.fakes.matrix.faults import SEND, Refuse
from tests.kits import discord_town
from tests.kits.awake import model_server
from tests.kits.discord_town import Town
from tests.kits.matrix_home import Home, home, room_of

pytest_plugins = ["tests.fakes.matrix.fixtures"]

town = discord_town.town
WHY = "Discord refused the message (400, code 0); it is not sent again."
LONG = "the tide is high " * 300


@pytest.fixture
async def at_home(people: People, proxy: Proxy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    return await home(people, proxy, tmp_path, monkeypatch)


def answers(town: Town, question: int) -> Sequence[str]:
    """Return what she said to a message."""
    return [message.content for message in town.server.world.said if message.reply_to == question]


@pytest.mark.parametrize(
    ("text", "streaming"), [("It is new.", False), (LONG, False), (LONG, True)], ids=["short", "in parts", "streamed"]
)
async def test_on_discord_whoever_asked_is_told_why_the_answer_does_not_come(town: Town, text: str, streaming: bool) -> None:
    async with model_server() as model, town.lyra(model, streaming=streaming) as lyra:
        await town.says(town.ada, town.general, "hello")
        model.script(text)
        town.server.faults.script("create_message", Status(400))
        one = await town.ada.says(town.general, f"{town.server.mention} what is new?")
        await town.server.pulse.until(lambda: bool(answers(town, one.id)), "a line in place of the answer")
        await lyra.talk.tick()
        assert answers(town, one.id) == [WHY]
        assert not any("tide" in message.content for message in town.server.world.said)
        assert await town.says(town.ada, town.general, "and now?")
        await lyra.talk.tick()
        assert await lyra.app.memory.journal.unsent() == 0


async def test_where_that_is_refused_as_well_nothing_more_is_tried(town: Town) -> None:
    async with model_server() as model, town.lyra(model) as lyra:
        await town.says(town.ada, town.general, "hello")
        town.server.faults.script("create_message", Status(400), Status(400))
        before = len(town.server.calls("create_message"))
        one = await town.ada.says(town.general, f"{town.server.mention} what is new?")
        await town.server.pulse.until(lambda: len(town.server.calls("create_message")) == before + 2, "two refusals")
        await lyra.talk.tick()
        assert answers(town, one.id) == [] and len(town.server.calls("create_message")) == before + 2
        assert await lyra.app.memory.journal.unsent() == 0


async def test_on_matrix_whoever_asked_is_told_why_the_answer_does_not_come(at_home: Home, people: People) -> None:
    ada = await people.person("ada")
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await room_of(at_home, ada)
        await at_home.asks(ada, room, "hello", mentions=[at_home.user])
        at_home.proxy.faults.script(SEND, Refuse(400, "M_BAD_JSON"))
        one = await ada.says(room, "what is new?", mentions=[at_home.user])
        assert "M_BAD_JSON" in (await at_home.answer(ada, room, one)).body
        await lyra.talk.tick()
        assert await lyra.app.memory.journal.unsent() == 0
