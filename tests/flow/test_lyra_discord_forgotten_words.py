"""Words that were forgotten on Discord come back by no way: no answer, no quote, nothing said just before, no post of hers.

The model repeats the code wherever a prompt holds it, so that every way that is left open shows.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from adapters.command_table import Call
from adapters.message_parts import Quote
from bot.commands.summary_commands import SummaryCommands
from memory.types import DomainKind
from memory.view.view import View
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, Message, Person
from tests.fakes.openai_server import OpenAIServer
from tests.kits import discord_town
from tests.kits.discord_home import Awake, prompt, server_of
from tests.kits.discord_town import Town, buttons
from tests.kits.entered import entered_in_loop

TOLD, ASKED, CODE = "my locker code is 4711", "what is my locker code?", "4711"
REPEATED, IGNORANT = "It is 4711.", "I do not know it."
TAKEN_BACK = ["deleted", "edited", "Forget this"]


def parrot(request: b.Request) -> str:
    """Repeat the code where it is shown."""
    return REPEATED if CODE in prompt(request) else IGNORANT


town = discord_town.town
model = entered_in_loop(lambda: OpenAIServer(parrot))


async def taken_back(town: Town, said: Message, how: str, who: Person) -> None:
    """Have a message forgotten, and wait until that is done."""
    match how:
        case "deleted":
            await who.deletes(said)
        case "edited":
            await who.edits(said, "never mind")
        case "Forget this":
            assert (await town.uses_menu(who, "Forget this", said)).startswith("Forgotten: ")
    await town.caught_up()


async def holds(lyra: Awake, town: Town, dm: bool = False) -> list[str]:
    """Return what is kept, of the server or of Ada's DM, that holds the code."""
    where = (DomainKind.DM, town.ada.id) if dm else server_of(town.guild)
    return [text for text in await lyra.kept(*where) if CODE in text]


async def asked_again(town: Town, lyra: Awake, who: Person, place: Channel, **how: Any) -> bool:
    """Ask for the code, and say whether the model was shown it."""
    said = await who.says(place, f"{town.server.mention} {ASKED}", **how)
    answer = await town.answer(said)
    shown = CODE in prompt(lyra.chats[-1])
    assert answer.content == (REPEATED if shown else IGNORANT)
    return shown


# Her answers


@pytest.mark.parametrize("how", ["deleted", "edited", "Forget this"])
async def test_no_answer_repeats_what_was_taken_back(town: Town, model: OpenAIServer, how: str) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        told = await town.says(town.ada, dm, TOLD)
        for _ in range(3):
            assert await asked_again(town, lyra, town.ada, dm)
        assert len(await holds(lyra, town, dm=True)) == 5
        await taken_back(town, told, how, town.ada)
        assert await holds(lyra, town, dm=True) == []
        assert CODE not in await town.reads(town.ada, dm, "recall", query=ASKED)
        assert not await asked_again(town, lyra, town.ada, dm)


async def test_answered_once_more_a_question_gets_nothing_that_was_taken_back(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        told = await town.says(town.ada, town.general, TOLD)
        await town.says(town.bob, town.general, ASKED)
        await taken_back(town, told, "deleted", town.ada)
        given = len(lyra.chats)
        await town.asks(town.bob, town.general, "again")
        await town.caught_up()
        assert len(lyra.chats) > given and not [chat for chat in lyra.chats[given:] if CODE in prompt(chat)]
        assert await holds(lyra, town) == []


@pytest.mark.each
@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("how", ["deleted", "edited", "Forget this"])
async def test_what_is_taken_back_while_she_answers_is_not_said(
    town: Town, model: OpenAIServer, how: str, streaming: bool
) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model, streaming=streaming) as lyra:
        lyra.adapter.edit_seconds = 0.02 if streaming else 0.0
        told = await town.says(town.ada, dm, TOLD)
        model.script(b.Held("711.", first="It is 4"))
        asked = await town.ada.says(dm, ASKED)
        await model.heard(2)
        if streaming:
            assert (await town.answer(asked)).content == "It is 4"
        await taken_back(town, told, how, town.ada)
        model.go.set()
        await town.server.pulse.until(
            lambda: [one.content for one in dm.history() if one.reply_to == asked.id] == [IGNORANT], "another answer"
        )
        assert await holds(lyra, town, dm=True) == []
        assert not await asked_again(town, lyra, town.ada, dm)


@pytest.mark.parametrize("how", [*TAKEN_BACK, "without a second look"])
async def test_what_is_taken_back_while_she_looks_back_is_not_in_what_she_tells(
    town: Town, model: OpenAIServer, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    if how == "without a second look":
        first: list[Sequence[Quote]] = []
        look = SummaryCommands._readable

        async def once(self: SummaryCommands, call: Call, view: View, n: int) -> Sequence[Quote]:
            first.extend([] if first else [await look(self, call, view, n)])
            return first[0]

        monkeypatch.setattr(SummaryCommands, "_readable", once)
    async with town.lyra(model):
        told = await town.says(town.ada, town.general, TOLD)
        asked = len(model.requests)
        model.script(b.Held("ada said [m1] that the locker code is 4711."))
        call = await town.bob.runs(town.general, "summarize", last=50)
        await model.heard(asked + 1)
        await taken_back(town, told, how if how in TAKEN_BACK else "deleted", town.ada)
        model.go.set()
        assert (CODE in (await call.answer()).content) is (how not in TAKEN_BACK)


# What stands in a channel


async def forgotten_in_public(town: Town) -> tuple[Message, Message]:
    """Tell the code in a channel and have it forgotten; return what was said, and her answer that repeats it."""
    told = await town.says(town.ada, town.general, TOLD)
    hers = await town.answer(told)
    assert hers.content == REPEATED
    await taken_back(town, told, "Forget this", town.ada)
    return told, hers


@pytest.mark.parametrize("buried", [True, False])
async def test_what_was_forgotten_in_a_channel_is_shown_to_nobody_who_asks_there(
    town: Town, model: OpenAIServer, buried: bool
) -> None:
    """Without the tombstones it would be, in each of these ways."""
    async with town.lyra(model) as lyra:
        told, hers = await forgotten_in_public(town)
        if not buried:
            async with lyra.app.memory.db.transaction() as tx:
                for sql in ("DELETE FROM tombstones", "UPDATE items SET dead_at = NULL", "UPDATE domains SET forgotten_at = 0"):
                    await tx.run(sql)
        shown = [
            await asked_again(town, lyra, town.bob, town.general),
            await asked_again(town, lyra, town.bob, town.general, reply_to=told),
            await asked_again(town, lyra, town.bob, town.general, reply_to=hers),
            CODE in await town.reads(town.bob, town.general, "summarize", last=200),
        ]
        assert shown == [not buried] * 4
        assert (await holds(lyra, town) == []) is buried


async def test_her_own_posts_that_came_of_it_are_deleted_where_somebody_says_so(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model):
        told = await town.says(town.ada, town.general, TOLD)
        other = await town.says(town.bob, town.general, "is the door green?")
        menu = await (await town.ada.uses_menu("Forget this", told)).answer()
        assert menu.content == (
            "Forgotten: 1 message, 2 replies. 2 messages of mine here came of what is forgotten and can still be read. "
            "Shall I delete them?"
        )
        assert buttons(menu) == ["Delete my messages"]
        assert (await town.presses(town.ada, menu, "Delete my messages")).content == "Deleted: 2 messages of mine."
        assert [one.content for one in town.general.history() if CODE in one.content] == [told.content]
        assert not [one for one in town.general.history() if one.reply_to in (told.id, other.id)]
        again = await town.presses(town.ada, menu, "Delete my messages")
        assert again.content == "No message of mine is left that came of what is forgotten."


async def test_a_post_of_hers_that_a_moderator_removed_is_not_offered_to_be_deleted(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model):
        told = await town.says(town.ada, town.general, TOLD)
        await town.caught_up()
        await Person(town.server.hub, town.server.world.boss).deletes(await town.answer(told))
        await town.caught_up()
        assert await town.uses_menu(town.ada, "Forget this", told) == "Forgotten: 1 message."


# What others said just before


@pytest.mark.parametrize(("how", "who"), [("deleted", "bob"), ("edited", "bob"), ("Forget this", "bob"), ("Forget this", "eve")])
async def test_what_she_never_kept_is_gone_from_her_answers_when_it_is_taken_back(
    town: Town, model: OpenAIServer, how: str, who: str
) -> None:
    async with town.lyra(model) as lyra:
        aside = await town.bob.says(town.general, TOLD)
        for _ in range(2):
            assert await asked_again(town, lyra, town.ada, town.general)
        assert await town.uses_menu(town.ada, "Forget this", aside) == "I keep nothing of that message."
        assert len(await holds(lyra, town)) == 2, "it is not hers"
        await taken_back(town, aside, how, getattr(town, who))
        assert await holds(lyra, town) == []
        assert not await asked_again(town, lyra, town.ada, town.general)


async def test_what_she_only_saw_can_be_kept_on_purpose_and_takes_all_of_it_along_then(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        aside = await town.bob.says(town.general, TOLD)
        assert await asked_again(town, lyra, town.ada, town.general)
        assert await town.uses_menu(town.ada, "Remember this", aside) == "Kept."
        assert sorted(await holds(lyra, town)) == sorted([TOLD, REPEATED])
        await taken_back(town, aside, "Forget this", town.bob)
        assert await holds(lyra, town) == []
        assert not await asked_again(town, lyra, town.ada, town.general)


async def test_what_she_never_saw_is_not_looked_at_once_its_author_says_so(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        aside = await town.bob.says(town.general, TOLD)
        told = await town.uses_menu(town.bob, "Forget this", aside)
        assert told == "I keep nothing of that message, and do not look at it again."
        assert not await asked_again(town, lyra, town.ada, town.general)
        assert not await asked_again(town, lyra, town.ada, town.general, reply_to=aside)


@pytest.mark.each
@pytest.mark.parametrize("quoted", [False, True], ids=["said before", "quoted"])
@pytest.mark.parametrize("how", ["deleted", "edited", "Forget this"])
async def test_what_she_never_kept_is_not_said_where_it_is_taken_back_while_she_answers(
    town: Town, model: OpenAIServer, how: str, quoted: bool
) -> None:
    async with town.lyra(model) as lyra:
        aside = await town.bob.says(town.general, TOLD)
        model.script(b.Held(REPEATED))
        said = await town.ada.says(town.general, f"{town.server.mention} {ASKED}", reply_to=aside if quoted else None)
        await model.heard(1)
        assert CODE in prompt(lyra.chats[0])
        if how == "Forget this":
            await town.uses_menu(town.bob, how, aside)
        else:
            await taken_back(town, aside, how, town.bob)
        model.go.set()
        assert (await town.answer(said)).content == IGNORANT
        assert await holds(lyra, town) == []


@pytest.mark.parametrize("how", ["deleted", "edited"])
async def test_a_quote_that_waits_is_shown_as_it_stands(town: Town, model: OpenAIServer, how: str) -> None:
    async with town.lyra(model) as lyra:
        aside = await town.bob.says(town.general, TOLD)
        model.script(b.Held("Let me think."))
        await town.ada.says(town.general, f"{town.server.mention} tell me about doors")
        await model.heard(1)
        said = await town.ada.says(town.general, f"{town.server.mention} is this right?", reply_to=aside)
        await taken_back(town, aside, how, town.bob)
        model.go.set()
        assert (await town.answer(said)).content == IGNORANT
        assert ("never mind" in prompt(lyra.chats[-1])) is (how == "edited")
