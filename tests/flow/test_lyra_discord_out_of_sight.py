"""What Lyra may not read any more, or cannot hear of, while she is connected: no answer is made of it, or said that was.

The model repeats the code wherever a prompt holds it, so that every way that is left open shows.
"""

import asyncio
from collections.abc import Collection

import pytest

from adapters.discord.access.readers import Visibility
from adapters.discord.adapter import Discord
from adapters.discord.client import Client
from adapters.events import Circle, Place
from adapters.events import Person as Someone
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, Message, Person, Right
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pulse import PATIENCE
from tests.flow.test_lyra_discord_forgotten_words import ASKED, CODE, IGNORANT, REPEATED, TOLD, asked_again, parrot
from tests.kits import discord_town
from tests.kits.discord_home import Awake, prompt
from tests.kits.discord_quick import settled
from tests.kits.discord_town import Town
from tests.kits.entered import entered_in_loop
from tests.kits.fresh import with_words

town = discord_town.town
model = entered_in_loop(lambda: OpenAIServer(parrot))


class Trusting(Discord):
    """The guard of what the asker can read switched off once they were asked about."""

    _known: set[Circle] | None = None

    async def readable_circles(
        self, person: Someone, circles: Collection[Circle], spoken: Collection[Circle] = ()
    ) -> set[Circle]:
        if self._known is None:
            self._known = await super().readable_circles(person, circles, spoken)
        return self._known


async def held(town: Town, model: OpenAIServer, who: Person, place: Channel, lyra: Awake) -> Message:
    """Ask for the code, and return the question while the model, which was shown it, still answers."""
    model.script(b.Held("711.", first="It is 4"))
    asked = await who.says(place, f"{town.server.mention} {ASKED}" if place.guild else ASKED)
    await model.heard(len(model.requests) + 1)
    assert CODE in prompt(lyra.chats[-1])
    return asked


async def said(town: Town, model: OpenAIServer, asked: Message, lyra: Awake) -> list[str]:
    """Let the model answer, and return what stands as the answer in the end."""
    model.go.set()
    await town.server.pulse.until(
        lambda: any(one.reply_to == asked.id and one.content in (IGNORANT, REPEATED) for one in asked.channel.history()),
        "the answer in the end",
    )
    await settled(lyra, town.server)
    return [one.content for one in asked.channel.history() if one.reply_to == asked.id]


async def reaching(town: Town, place: Channel) -> Channel:
    """Tell the code at a place, and return Ada's DM, where she wants to hear of other places."""
    dm = await town.ada.opens_dm()
    await town.says(town.ada, place, TOLD)
    await town.asks(town.ada, dm, "settings", setting="reach", value="on")
    return dm


# While she answers


@pytest.mark.parametrize("streaming", [False, True], ids=["whole", "streamed"])
async def test_an_answer_made_of_a_channel_that_is_deleted_meanwhile_is_not_said(
    town: Town, model: OpenAIServer, streaming: bool
) -> None:
    attic = town.server.world.channel(town.guild, "attic")
    async with town.lyra(model, streaming=streaming) as lyra:
        lyra.adapter.edit_seconds = 0.02 if streaming else 0.0
        await town.says(town.ada, attic, TOLD)
        asked = await held(town, model, town.bob, town.general, lyra)
        if streaming:
            assert (await town.answer(asked)).content == "It is 4"
        town.server.acts.delete_channel(attic)
        await town.caught_up()
        assert await said(town, model, asked, lyra) == [IGNORANT]


async def test_a_question_from_the_channel_that_is_deleted_meanwhile_leaves_nothing_behind(
    town: Town, model: OpenAIServer
) -> None:
    attic = town.server.world.channel(town.guild, "attic")
    async with town.lyra(model) as lyra:
        await town.says(town.ada, attic, TOLD)
        await held(town, model, town.bob, attic, lyra)
        town.server.acts.delete_channel(attic)
        await town.caught_up()
        model.go.set()
        await lyra.talk.mailboxes.drain(20)
        left = await lyra.app.memory.db.all("SELECT text FROM exchanges WHERE item NOT IN (SELECT item FROM withheld)")
        assert not any("4711" in row["text"] for row in left)


@pytest.mark.parametrize("loss", ["of her place in the server", "of the asker's role", "of her sight of the channel"])
async def test_an_answer_made_of_a_place_that_is_out_of_reach_meanwhile_is_not_said(
    town: Town, model: OpenAIServer, loss: str
) -> None:
    async with town.lyra(model) as lyra:
        dm = await reaching(town, town.staff)
        asked = await held(town, model, town.ada, dm, lyra)
        match loss:
            case "of her place in the server":
                town.server.acts.remove_bot(town.guild)
            case "of the asker's role":
                town.server.acts.overwrite(town.staff, town.ada.user, deny=Right.VIEW_CHANNEL)
            case "of her sight of the channel":
                town.server.acts.overwrite(town.staff, town.server.world.bot, deny=Right.VIEW_CHANNEL)
        await town.caught_up()
        assert await said(town, model, asked, lyra) == [IGNORANT]
        assert not await asked_again(town, lyra, town.ada, dm)


async def test_without_the_last_look_at_what_the_asker_can_read_it_is_said(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model, kind=Trusting) as lyra:
        dm = await reaching(town, town.staff)
        asked = await held(town, model, town.ada, dm, lyra)
        town.server.acts.overwrite(town.staff, town.ada.user, deny=Right.VIEW_CHANNEL)
        await town.caught_up()
        assert await said(town, model, asked, lyra) == [REPEATED]


# What she does not hear of


async def changed_while_she_is_out(town: Town, how: str) -> Channel:
    """Tell the code in a private thread, and take it back while Lyra is out of it; return that, where she is again."""
    thread = await town.ada.starts_thread(town.general, "secret", private=True)
    await town.ada.invites(thread)
    told = await town.says(town.ada, thread, TOLD)
    town.server.acts.leave_thread(thread, town.server.world.bot)
    await town.caught_up()
    await (town.ada.deletes(told) if how == "deleted" else town.ada.edits(told, "never mind"))
    town.server.acts.join_thread(thread, town.server.world.bot)
    await town.caught_up()
    return thread


@pytest.mark.parametrize("sighted", [True, False], ids=["told of it", "without being told"])
async def test_what_is_deleted_in_a_channel_that_is_hidden_from_her_does_not_come_up(
    town: Town, model: OpenAIServer, monkeypatch: pytest.MonkeyPatch, sighted: bool
) -> None:
    if not sighted:
        monkeypatch.setattr(Visibility, "changed", lambda self, guild: set())
    async with town.lyra(model) as lyra:
        dm = await reaching(town, town.staff)
        assert await asked_again(town, lyra, town.ada, dm)
        (told,) = [one for one in town.staff.history() if one.content.endswith(TOLD)]
        town.server.acts.overwrite(town.staff, town.server.world.bot, deny=Right.VIEW_CHANNEL)
        await town.caught_up()
        await town.ada.deletes(told)
        assert await asked_again(town, lyra, town.ada, dm) is not sighted
        assert (CODE in await town.reads(town.ada, dm, "recall", query=ASKED)) is not sighted


async def test_without_the_gap_in_a_private_thread_it_would_stay(
    town: Town, model: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Client, "_mark_thread_missed", lambda self, thread: None)
    async with town.lyra(model) as lyra:
        thread = await changed_while_she_is_out(town, "deleted")
        assert await asked_again(town, lyra, town.ada, thread)


class Believing(Discord):
    """The guard switched off: whoever asked something somewhere reads that place still."""

    async def is_reader(self, person: Someone, place: Place) -> bool:
        return True


@pytest.mark.parametrize("kind", [Discord, pytest.param(Believing, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_who_loses_a_role_while_an_answer_is_made_for_them_alone_reads_nothing_of_the_place(
    town: Town, model: OpenAIServer, kind: type[Discord]
) -> None:
    async with town.lyra(model, kind=kind):
        await town.says(town.ada, town.staff, "the vault opens with seven turns")
        asked = len(model.requests)
        model.script(b.Held("They spoke of the vault and its seven turns."))
        call = await town.ada.runs(town.staff, "summarize")
        await model.heard(asked + 1)
        town.server.acts.overwrite(town.staff, town.ada.user, deny=Right.VIEW_CHANNEL)
        await town.caught_up()
        model.go.set()
        assert ("seven" in (await call.answer()).shown) is (kind is Believing)


@pytest.mark.parametrize("how", ["deleted", "edited"])
async def test_what_happened_in_a_private_thread_that_she_was_removed_from_is_found_when_she_is_added_again(
    town: Town, model: OpenAIServer, how: str
) -> None:
    async with town.lyra(model) as lyra:
        thread = await changed_while_she_is_out(town, how)
        assert not await asked_again(town, lyra, town.ada, thread)
        async with asyncio.timeout(PATIENCE):
            await lyra.talk.history_comparison.through("discord")
        assert await with_words(lyra.app.memory.db, "exchanges", "text", "4711") == []
