"""Under an answer on Discord: signs that people put there, buttons where somebody wants them, and what becomes of both."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from memory.view import feedback_view
from memory.view.messages import Messages
from tests.fakes.discord import Channel, Message, Person
from tests.kits import discord_town
from tests.kits.awake import Awake, prompt
from tests.kits.discord_home import model_server
from tests.kits.discord_town import Town, buttons, rows

town = discord_town.town
NONE = "Nobody told me that an answer of mine was not good here."
PATIENCE = 20.0
LIKED = "These answers of yours were not liked"


def answers(town: Town, said: Message) -> list[Message]:
    return [one for one in town.server.world.said if one.reply_to == said.id]


async def answered(town: Town, who: Person, place: Channel, text: str = "which tea?") -> tuple[Message, Message]:
    said = await town.says(who, place, text)
    return said, answers(town, said)[0]


async def more(town: Town, said: Message, n: int) -> list[Message]:
    """Wait until a message has so many answers; return them."""
    await town.server.pulse.until(lambda: len(answers(town, said)) >= n, "another answer")
    return answers(town, said)


async def known(town: Town, lyra: Awake, n: int) -> None:
    """Wait until so many answers are known not to be good."""
    async with asyncio.timeout(PATIENCE):
        while await rows(lyra, "feedback") != n:
            await lyra.heard()
    await town.caught_up()
    await lyra.heard()
    assert await rows(lyra, "feedback") == n


@pytest.fixture
async def lyra(town: Town) -> AsyncIterator[Awake]:
    async with model_server() as model, town.lyra(model) as lyra:
        yield lyra


async def test_a_thumb_down_is_kept_shown_in_memory_and_taken_back_with_the_sign(town: Town, lyra: Awake) -> None:
    _, answer = await answered(town, town.ada, town.general)
    assert not buttons(answer), "nothing stands under an answer unless somebody wants it"
    await town.ada.reacts(answer, "👎🏽")
    await town.bob.reacts(answer, "👎")
    await town.eve.reacts(answer, "🎉")
    await known(town, lyra, 1)
    said = len(town.server.world.said)
    shown = await town.reads(town.ada, town.general, "memory feedback")
    assert "You said: ada: which tea?" in shown and "· id " in shown
    assert await town.reads(town.ada, await town.ada.opens_dm(), "memory feedback") == NONE
    await town.says(town.ada, town.general, "and which cup?")
    assert LIKED in prompt(lyra.chats[-1])
    await town.ada.takes_sign(answer, "👎🏽")
    await known(town, lyra, 0)
    assert [one.content for one in town.server.world.said[said:] if "not good" in one.content and not one.ephemeral] == []


async def test_whoever_rules_the_place_may_say_it_too_and_take_it_back_in_the_list(town: Town, lyra: Awake) -> None:
    _, answer = await answered(town, town.ada, town.general)
    assert (await town.uses_menu(town.bob, "Not good", answer)) == "Only whoever asked, or an admin, can say that of an answer."
    assert (await town.uses_menu(town.eve, "Not good", answer)).startswith("Noted: ")
    shown = await town.asks(town.eve, town.general, "memory feedback")
    assert buttons(shown) == ["Take back 1"]
    assert (await town.presses(town.eve, shown, "Take back 1")).content.startswith("Taken back")
    assert await town.reads(town.eve, town.general, "memory feedback") == NONE


async def test_a_sign_has_it_answered_once_more_for_who_asked_or_rules_and_for_nobody_else(town: Town, lyra: Awake) -> None:
    said, answer = await answered(town, town.ada, town.general)
    await town.bob.reacts(answer, "🔁")
    await town.caught_up()
    for n, who in ((2, town.ada), (3, town.eve)):
        await who.reacts(answer, "🔁")
        await more(town, said, n)
    await town.caught_up()
    assert [one.content for one in answers(town, said)] == ["You said: ada: which tea?"] * 3
    assert not [one for one in town.server.world.said if "answer again only" in one.content], "a sign is never talked back to"


async def test_buttons_stand_under_answers_where_somebody_wants_them(town: Town, lyra: Awake) -> None:
    dm = await town.ada.opens_dm()
    await town.reads(town.ada, dm, "settings", setting="buttons", value="on")
    await town.reads(town.eve, town.general, "settings", setting="buttons", value="on")
    for place in (dm, town.general):
        said, answer = await answered(town, town.ada, place)
        assert buttons(answer) == ["Once more", "Not good"]
        assert (await town.presses(town.ada, answer, "Not good")).content.startswith("Noted: ")
        assert (await town.presses(town.ada, answer, "Once more")).content == "I answer that again."
        [_, second] = await more(town, said, 2)
        assert LIKED in prompt(lyra.chats[-1]) and buttons(second) == ["Once more", "Not good"]
        assert (await town.presses(town.ada, second, "Not good")).content.startswith("Noted: ")
    assert await rows(lyra, "feedback") == 4


async def test_off_the_record_nothing_is_kept_of_it(town: Town, lyra: Awake) -> None:
    _, answer = await answered(town, town.ada, town.general)
    await town.reads(town.ada, await town.ada.opens_dm(), "incognito", what="on", of="me")
    await town.ada.reacts(answer, "👎")
    await known(town, lyra, 0)


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_an_answer_that_somebody_may_not_read_is_in_no_list_of_theirs(
    town: Town, lyra: Awake, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    if not guarded:
        monkeypatch.setattr(feedback_view, "readable", lambda alias, domains: "1 = 1")
    _, answer = await answered(town, town.ada, town.general, "my locker number is 7741, is that a good one?")
    await town.says(town.bob, town.general, "hello")
    await town.ada.reacts(answer, "👎")
    await known(town, lyra, 1)
    assert "7741" in await town.reads(town.bob, town.general, "memory feedback")
    await town.ada.says(town.general, f"{town.server.mention} don't tell bob what I just said")
    await town.caught_up()
    await lyra.heard()
    told = await town.reads(town.bob, town.general, "memory feedback")
    assert (told == NONE) is guarded and ("7741" in told) is not guarded
    await town.ada.takes_sign(answer, "👎")
    await known(town, lyra, 0)


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_nobody_has_answered_anew_what_somebody_else_asked(
    town: Town, lyra: Awake, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    said, answer = await answered(town, town.ada, town.general)
    if not guarded:
        monkeypatch.setattr(Messages, "is_by", anybody)
    await town.bob.reacts(answer, "🔁")
    await town.caught_up()
    await lyra.rests()
    assert (len(answers(town, said)) == 1) is guarded


async def anybody(*_of: object) -> bool:
    return True
