"""Signs under an answer on Matrix: what people put there, what stands there where somebody wants it, and what becomes of both."""

import asyncio

import pytest

from tests.fakes.matrix import Event, Person
from tests.kits.awake import Awake, model_server, prompt
from tests.kits.discord_town import rows
from tests.kits.matrix_home import Home, dm

pytest_plugins = ["tests.fakes.matrix.fixtures", "tests.kits.matrix_home_fixtures"]
PATIENCE = 20.0
LIKED = "These answers of yours were not liked"


async def known(lyra: Awake, n: int) -> None:
    """Wait until so many answers are known not to be good."""
    async with asyncio.timeout(PATIENCE):
        while await rows(lyra, "feedback") != n:
            await lyra.heard()
            await asyncio.sleep(0.01)


async def test_a_thumb_down_is_kept_until_it_is_taken_back_and_said_to_nobody(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        answer = await at_home.asks(ada, room, "which tea?")
        down = await ada.reacts(room, answer.id, "👎\ufe0f")
        await known(lyra, 1)
        assert "which tea?" in (await at_home.asks(ada, room, "!memory feedback")).body
        await at_home.asks(ada, room, "and which cup?")
        assert LIKED in prompt(lyra.chats[-1])
        await ada.redacts(room, down)
        await known(lyra, 0)
        said = [one.body for one in await at_home.said(ada, room) if one.type == "m.room.message"]
        assert not any("Noted" in one or "Taken back" in one for one in said)


async def test_a_link_as_apps_copy_it_names_an_answer_or_a_question(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        asked = await ada.says(room, "which tea?")
        answer = await at_home.answer(ada, room, asked)
        await at_home.asks(ada, room, "and which cup?")
        link = f"https://matrix.to/#/{room}/{{}}?via=localhost"
        assert (await at_home.asks(ada, room, f"!dislike {link.format(answer.id)}")).body.startswith("Noted: ")
        await ada.says(room, f"!again {link.format(asked)}")
        await ada.hears(room, lambda one: one.sender == at_home.user and one.id != answer.id and one.body == answer.body)
        assert len(lyra.chats) == 3


@pytest.mark.torture
async def test_signs_stand_under_answers_where_somebody_wants_them(at_home: Home, ada: Person) -> None:
    async with model_server() as model, at_home.lyra(model) as lyra:
        room = await dm(at_home, ada)
        await at_home.asks(ada, room, "!settings buttons on")
        said = await ada.says(room, "which tea?")
        answer = await at_home.answer(ada, room, said)

        async def stands(sign: str) -> Event:
            return await ada.hears(room, lambda one: one.sender == at_home.user and one.reaction == (answer.id, sign))

        for sign in ("🔁", "👎"):
            await stands(sign)
        await ada.reacts(room, answer.id, "🔁")
        await ada.hears(room, lambda one: one.sender == at_home.user and one.id != answer.id and one.body == answer.body)
        assert len(lyra.chats) == 2
