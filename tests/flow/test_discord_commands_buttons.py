"""Buttons under Lyra's messages on Discord, and the questions that she asks before she does something."""

import asyncio

import pytest

from adapters.command_table import Action, AnswerAudience, Parameter
from adapters.discord.connection import Pace
from adapters.events import MenuCall
from tests.fakes.discord import Channel, DiscordServer, Interaction, Message
from tests.kits.discord_speech import Desk, Setting, desk, part, spec

RECALL = spec("recall", Parameter("query", "what to look for"))
PAGE = spec("page", Parameter("number", "which", int), answer=AnswerAudience.HERE, hidden=True)
HELP = spec("help", hidden=True)
FORGET = spec("forget", Parameter("item", "what"))
STATUS = spec("status", answer=AnswerAudience.HERE)
ALL = Setting(specs=(RECALL, PAGE, HELP, FORGET, STATUS))


@pytest.fixture
def general(server: DiscordServer) -> Channel:
    home = server.world.guild("Home")
    for name in ("ada", "bob"):
        server.person(name).joins(home)
    return server.world.channel(home, "general")


async def test_a_button_calls_its_command(server: DiscordServer, general: Channel) -> None:
    actions = (Action("Why?", "recall", "tea: green"), Action("Next", "page", "2"), Action("Help", "help", ""))
    async with desk(server, ALL) as it:
        await it.sender.send(part(general, "Tea.", actions=actions))
        [said] = await server.sent(1, general)
        ada = server.person("ada")
        for number, (label, command, arguments) in enumerate(
            [("Why?", "recall", {"query": "tea: green"}), ("Next", "page", {"number": 2}), ("Help", "help", {})], 1
        ):
            press = await ada.clicks(said, label)
            asked = await it.ears.asked(number)
            assert (asked.command, asked.arguments, asked.person.name) == (command, arguments, "ada")
            assert await press.acknowledged() == 5
            await it.answers(asked, f"answer {number}")
            answer = await press.answer()
            assert answer.content == f"answer {number}" and answer.ephemeral == (command != "page") and answer is not said
        assert said.content == "Tea." and len(said.controls()) == 3


async def test_anybody_may_press_and_is_heard_as_themselves(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        question = await server.person("ada").says(general, "tea?")
        await it.sender.send(part(general, "Tea.", answers=str(question.id), actions=(Action("Forget", "forget", "x"),)))
        [said] = await server.sent(1, general)
        await server.person("bob").clicks(said, "Forget")
        assert (await it.ears.asked()).person.id == str(server.person("bob").id)


async def test_buttons_work_after_a_restart(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        await it.sender.send(part(general, "Tea.", actions=(Action("Next", "page", "3"),)))
    [said] = server.world.by_bot(general)
    async with desk(server, ALL) as it:
        await server.person("ada").clicks(said, "Next")
        assert (await it.ears.asked()).arguments == {"number": 3}


@pytest.mark.parametrize("action", [Action("Old", "gone", "1"), Action("Wrong", "page", "two")])
async def test_a_button_of_a_command_that_is_no_more_is_said_in_private(
    server: DiscordServer, general: Channel, action: Action
) -> None:
    async with desk(server, ALL) as it:
        await it.sender.send(part(general, "Tea.", actions=(action,)))
        [said] = await server.sent(1, general)
        answer = await (await server.person("ada").clicks(said, action.label)).answer()
        assert answer.ephemeral and "not offered any more" in answer.content and it.ears.heard == []


async def asking(
    server: DiscordServer, it: Desk, place: Channel, command: str
) -> tuple[Interaction, MenuCall, "asyncio.Task[bool]"]:
    """Call a command that asks back, and wait until the question stands there."""
    call = await server.person("ada").runs(place, command)
    asked = await it.ears.asked()
    surface = it.calls.surface(asked.id)
    assert surface and not surface.enter("1", "another session")
    answer = asyncio.create_task(surface.confirm("Forget everything?"))
    await call.edited()
    return call, asked, answer


def labels(message: Message) -> list[str]:
    return [one["label"] for one in message.controls()]


@pytest.mark.parametrize(("label", "meant"), [("Yes", True), ("No", False)])
async def test_a_question_is_answered_with_a_button(server: DiscordServer, general: Channel, label: str, meant: bool) -> None:
    async with desk(server, ALL) as it:
        call, asked, answer = await asking(server, it, general, "forget")
        shown = await call.answer()
        assert shown.content == "Forget everything?" and shown.ephemeral and labels(shown) == ["Yes", "No"]
        press = await server.person("ada").clicks(shown, label)
        assert await answer is meant and shown.controls() == []
        assert await press.acknowledged() == 6
        await it.answers(asked, "Done." if meant else "Kept.")
        assert shown.content == ("Done." if meant else "Kept.") and len(it.ears.heard) == 1


async def test_no_answer_is_a_no(server: DiscordServer, general: Channel) -> None:
    async with desk(server, Setting(specs=ALL.specs, pace=Pace(confirm=0.05))) as it:
        call, _, answer = await asking(server, it, general, "forget")
        assert await answer is False and (await call.edited(2)).controls() == []


async def test_only_the_one_who_was_asked_can_answer(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        call, _, answer = await asking(server, it, general, "status")
        shown = await call.answer()
        told = await (await server.person("bob").clicks(shown, "Yes")).answer()
        assert told.ephemeral and "Only the person who was asked" in told.content and not answer.done()
        await server.person("ada").clicks(shown, "No")
        assert await answer is False


async def test_a_question_from_before_a_restart_waits_no_more(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        call, _, answer = await asking(server, it, general, "forget")
        answer.cancel()
    async with desk(server, ALL) as it:
        told = await (await server.person("ada").clicks(await call.answer(), "Yes")).answer()
        assert told.ephemeral and "not waiting for an answer any more" in told.content and it.ears.heard == []


async def test_a_question_that_cannot_be_asked_is_a_no(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "forget")
        asked = await it.ears.asked()
        await call.acknowledged()
        call.expire()
        surface = it.calls.surface(asked.id)
        assert surface and await surface.confirm("Forget everything?") is False


async def test_once_a_call_is_answered_nobody_waits_there(server: DiscordServer, general: Channel) -> None:
    async with desk(server, ALL) as it:
        call = await server.person("ada").runs(general, "forget")
        asked = await it.ears.asked()
        await call.acknowledged()
        it.ears.answered.set_result(None)
        await it.answers(asked, "Done.")
        assert it.calls.surface(asked.id) is None and it.calls.surface("1") is None
