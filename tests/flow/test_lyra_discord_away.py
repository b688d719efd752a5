"""What people delete and edit while Lyra is away: she finds it when she is back, and uses nothing that she cannot look up."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from adapters.base import Presence
from adapters.discord.adapter import Discord
from memory.types import DomainKind
from tests.fakes.discord import Message, Right, Status
from tests.fakes.openai_behaviours import Status as Refused
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.flow.test_lyra_discord_forgotten_words import TOLD, asked_again, holds, parrot
from tests.kits import discord_town
from tests.kits.awake import prompt
from tests.kits.comparing import busy, compared
from tests.kits.discord_home import Awake, model_server, server_of
from tests.kits.discord_quick import answered
from tests.kits.discord_town import Town
from tests.kits.entered import entered_in_loop
from tests.kits.ladder_talk import climbed, teller

DOWN = pytest.mark.parametrize("down", [True, False], ids=["while she is down", "between two sessions"])

town = discord_town.town
model = entered_in_loop(model_server)


class Blind(Discord):
    """A Discord whose histories are never looked into."""

    async def message_presences(self, place: str, ids: Sequence[str], *, patient: bool = False) -> Mapping[str, Presence]:
        return {}


async def kept(lyra: Awake, town: Town) -> str:
    return "\n".join(await lyra.kept(*server_of(town.guild)))


async def reconnected(town: Town) -> None:
    """Have her begin a new session: what happens before that is told to nobody."""
    before = len(town.server.gateway.identifies)
    town.server.gateway.invalidate()
    await town.server.identified(before + 1)
    await town.server.connected()


def looks(town: Town) -> int:
    """Return how often a history was looked into; what was said just before a question is read in tens."""
    return len([call for call in town.server.calls("list_messages") if call.asked("limit") == "100"])


def untold(town: Town) -> None:
    """Have the present session hear nothing any more."""
    for session in town.server.gateway.live():
        session.intents = type(session.intents).NONE


@DOWN
async def test_what_was_deleted_or_edited_unheard_is_forgotten_or_revised_when_she_is_back(
    town: Town, model: OpenAIServer, down: bool
) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        gone = await town.says(town.ada, town.general, "the safe is behind the picture")
        edited = await town.says(town.ada, town.general, "the door is green")
        private = await town.says(town.ada, dm, "my PIN is 4711")
        if not down:
            untold(town)
            await changes(town, gone, edited, private)
            await reconnected(town)
            await looked_up(lyra, town)
    if down:
        await changes(town, gone, edited, private)
    async with town.lyra(model) as lyra:
        await compared(lyra, "discord")
        left = await kept(lyra, town)
        assert "picture" not in left and "green" not in left and "the door is blue" in left
        assert "nothing" in await town.reads(town.ada, town.general, "recall", query="picture")
        assert "nothing" in await town.reads(town.ada, dm, "recall", query="PIN")


async def changes(town: Town, gone: Message, edited: Message, private: Message) -> None:
    await town.ada.deletes(gone)
    await town.ada.deletes(private)
    await town.ada.edits(edited, f"{town.server.mention} the door is blue")


async def looked_up(lyra: Awake, town: Town) -> None:
    await town.server.pulse.until(lambda: looks(town) >= 2, "looks into two histories")
    await compared(lyra, "discord")
    assert "picture" not in await kept(lyra, town), "already in the session that follows"


async def test_without_a_look_it_would_all_stay_and_come_up_again(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        gone = await town.says(town.ada, town.general, "the safe is behind the picture")
    await town.ada.deletes(gone)
    async with town.lyra(model, kind=Blind) as lyra:
        await compared(lyra, "discord")
        assert "picture" in await kept(lyra, town)


async def test_what_was_asked_by_command_stays_with_its_answer_and_holds_up_no_comparison(
    town: Town, model: OpenAIServer
) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        gone = await town.says(town.ada, dm, "my PIN is 4711")
        model.script("It leaves at nine.")
        await town.asks(town.ada, town.general, "ask", text="when does the train leave?")
        before = await lyra.kept(DomainKind.DM, town.ada.id)
        assert before[-2:] == ["when does the train leave?", "It leaves at nine."]
    async with town.lyra(model) as lyra:
        await compared(lyra, "discord")
        assert await lyra.kept(DomainKind.DM, town.ada.id) == before
        assert "when does the train leave?" in await town.reads(town.ada, dm, "recall", query="train")
    await town.ada.deletes(gone)
    async with town.lyra(model) as lyra:
        await compared(lyra, "discord")
        # The answer saw what was deleted, and goes along.
        assert await lyra.kept(DomainKind.DM, town.ada.id) == ["when does the train leave?"]


async def test_an_answer_that_a_moderator_removed_meanwhile_is_forgotten_and_its_question_is_not(
    town: Town, model: OpenAIServer
) -> None:
    model.script("It is made of oak.")
    async with town.lyra(model) as lyra:
        reply = await town.answer(await town.says(town.ada, town.general, "what is the door made of?"))
    await town.eve.deletes(reply)
    async with town.lyra(model) as lyra:
        await compared(lyra, "discord")
        assert "made of?" in (left := await kept(lyra, town)) and "oak" not in left


@pytest.mark.each
@pytest.mark.parametrize("how", ["deleted", "edited", "deleted together"])
@pytest.mark.parametrize("talking", [False, True], ids=["compared", "looked up when it is used"])
async def test_an_answer_that_repeats_what_was_only_shown_goes_where_that_is_taken_back_unheard(
    town: Town, how: str, talking: bool
) -> None:
    async with OpenAIServer(parrot) as model:
        async with town.lyra(model) as lyra:
            aside = await town.bob.says(town.general, TOLD)
            assert await asked_again(town, lyra, town.ada, town.general)
        match how:
            case "deleted":
                await town.bob.deletes(aside)
            case "edited":
                await town.bob.edits(aside, "never mind")
            case _:
                await town.bob.deletes(aside, await town.bob.says(town.general, "so long"))
        async with town.lyra(model, changed=busy if talking else lambda app: app) as lyra:
            if not talking:
                await compared(lyra, "discord")
                assert await holds(lyra, town) == []
            assert not await asked_again(town, lyra, town.ada, town.general)
            assert await holds(lyra, town) == []


@pytest.mark.parametrize("kind", [Discord, Blind], ids=["looked up", "without a look"])
async def test_an_answer_that_repeats_a_quote_that_was_only_shown_is_left_out_until_that_is_looked_up(
    town: Town, kind: type[Discord]
) -> None:
    async with OpenAIServer(parrot) as model:
        async with town.lyra(model) as lyra:
            aside = await town.bob.says(town.general, TOLD)
            for number in range(12):
                await town.bob.says(town.general, f"remark {number}")
            assert await asked_again(town, lyra, town.ada, town.general, reply_to=aside)
        for number in range(12):
            await town.bob.says(town.general, f"and again, remark {number}")
        async with town.lyra(model, kind=kind, changed=busy) as lyra:
            assert await asked_again(town, lyra, town.ada, town.general) is (kind is Discord)
            assert await holds(lyra, town), "nothing is deleted for that"


@pytest.mark.parametrize("kind", [Discord, Blind], ids=["looked up", "without a look"])
async def test_a_question_that_was_deleted_before_she_came_to_it_is_not_answered(
    town: Town, model: OpenAIServer, kind: type[Discord]
) -> None:
    async with town.lyra(model) as lyra:
        await town.says(town.ada, town.general, "hello")
        await lyra.talk.mailboxes.drain(0)
        question = await town.ada.says(town.general, f"{town.server.mention} is the door green?")
        stays = await town.bob.says(town.general, f"{town.server.mention} is the door blue?")
        async with asyncio.timeout(PATIENCE):
            while len(await lyra.app.memory.journal.unfinished("discord")) < 2:
                await asyncio.sleep(0.01)
    await town.ada.deletes(question)
    async with town.lyra(model, kind=kind) as lyra:
        await answered(town.server, stays)
        await lyra.heard()
        assert any("green" in prompt(chat) for chat in lyra.chats) is (kind is Blind)


async def test_nor_where_something_else_waits_to_be_answered_again(town: Town, model: OpenAIServer) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        first = await town.says(town.ada, dm, "Is the boat green?")
        model.script(*[Refused(400)] * 8)
        question = await town.ada.says(dm, "Is the ocelot well?")
        await town.answer(question)
        await (await town.ada.uses_menu("Answer again", first)).answer()
        await lyra.rests()
    await town.ada.deletes(question)
    before = len(model.requests)
    async with town.lyra(model) as lyra:
        await town.caught_up()
        await lyra.rests()
        assert not [chat for chat in model.requests[before:] if "ocelot" in prompt(chat)]


@pytest.mark.parametrize("hidden", ["by a permission", "unannounced", "broken"])
async def test_a_history_that_cannot_be_read_deletes_nothing_and_what_cannot_be_looked_up_is_left_out(
    town: Town, model: OpenAIServer, hidden: str
) -> None:
    everyone = town.guild.roles[town.guild.id]
    async with town.lyra(model) as lyra:
        await town.says(town.ada, town.general, "the safe is behind the picture")
    if hidden == "by a permission":
        everyone.rights &= ~Right.READ_MESSAGE_HISTORY
    async with town.lyra(model, changed=busy) as lyra:
        if hidden == "unannounced":
            everyone.rights &= ~Right.READ_MESSAGE_HISTORY
        if hidden == "broken":
            town.server.faults.script("list_messages", Status(503))
        assert "nothing" in await town.reads(town.ada, town.general, "recall", query="picture")
        assert "picture" in await kept(lyra, town)
    everyone.rights |= Right.READ_MESSAGE_HISTORY
    async with town.lyra(model) as lyra:
        assert "picture" in await town.reads(town.ada, town.general, "recall", query="picture"), "it was there all the time"


async def test_what_is_about_to_stand_in_a_prompt_is_looked_up_before_anything_else_is_compared(
    town: Town, model: OpenAIServer
) -> None:
    async with town.lyra(model):
        gone = await town.says(town.ada, town.general, "the safe is behind the picture")
        edited = await town.says(town.ada, town.general, "the key is under the rug")
        await town.says(town.ada, town.general, "the cat is called Turing")
    await town.ada.deletes(gone)
    await town.ada.edits(edited, f"{town.server.mention} the key is under the stone")
    asked = len(model.requests)
    async with town.lyra(model, changed=busy):
        await town.says(town.ada, town.general, "where is the safe, the key, and what is the cat called?")
    shown = "\n".join(map(prompt, model.requests[asked:]))
    assert "picture" not in shown and "rug" not in shown
    assert "Turing" in shown and "under the stone" in shown


async def test_in_an_unbroken_session_nothing_is_asked_for(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        gone = await town.says(town.ada, town.general, "the safe is behind the picture")
        town.server.gateway.disconnect()
        await town.ada.deletes(gone)
        await town.says(town.ada, town.general, "hello again")
        assert "picture" not in await kept(lyra, town)
        await town.reads(town.ada, town.general, "recall", query="hello")
    assert looks(town) == 0 and town.server.calls("get_message") == []


async def test_at_most_five_looks_are_made_for_one_question_and_the_rest_is_left_out(town: Town, model: OpenAIServer) -> None:
    rooms = [town.server.world.channel(town.guild, f"room-{number}") for number in range(8)]
    async with town.lyra(model):
        for room in rooms:
            await town.says(town.ada, room, f"a melon lies in {room.name}")
    async with town.lyra(model, changed=busy):
        shown = await town.reads(town.ada, town.general, "recall", query="melon")
        assert looks(town) == 5, [one.query for one in town.server.calls("list_messages")]
        assert 0 < shown.count("a melon lies") <= 5


@pytest.mark.parametrize("voice", ["a model", "the voice"])
async def test_what_a_fact_was_made_from_is_looked_up_before_it_is_used(town: Town, voice: str) -> None:
    dm = await town.ada.opens_dm()
    async with OpenAIServer(teller) as model:
        async with town.lyra(model, "recent_turns = 1") as lyra:
            told = await town.says(town.ada, dm, "I keep bees behind the barn.")
            for text in ("I sing in a choir.", "My knee is better.", "The roof is new."):
                await town.says(town.ada, dm, text)
            await climbed(lyra)
        await town.ada.deletes(told)
        async with town.lyra(model if voice == "a model" else None, "recent_turns = 1", changed=busy) as lyra:
            view = await lyra.view(DomainKind.DM, town.ada.id)
            assert any("bees" in fact.text for fact in await view.digests.statements("profile")), "nothing was compared yet"
            asked = await town.says(town.ada, dm, "What do you know about me?")
            assert "bees" not in (prompt(lyra.chats[-1]) if voice == "a model" else (await town.answer(asked)).content)
            assert not any("bees" in fact.text for fact in await view.digests.statements("profile"))
            assert any("choir" in text for text in await lyra.kept(DomainKind.DM, town.ada.id))
