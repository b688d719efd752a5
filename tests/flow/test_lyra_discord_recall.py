"""People look back on Discord: /recall with its receipts and buttons, what is offered while they type, and /summarize."""

import re

import pytest

from memory.types import DomainKind
from tests.fakes.discord import Channel, Message, Right
from tests.fakes.discord.things import Flag, Overwrite
from tests.fakes.openai_behaviours import DENIED, sensible
from tests.kits import discord_town
from tests.kits.discord_home import model_server, prompt, server_of
from tests.kits.discord_town import Town, buttons, rows

NOT_THERE = "That list is not there any more; ask again."

town = discord_town.town


def numbers(message: Message) -> list[int]:
    return [int(one["title"].partition(". ")[0]) for one in message.embeds]


def texts(message: Message) -> list[str]:
    return [one["description"] for one in message.embeds]


async def test_a_hit_says_who_when_where_why_and_its_id_to_the_asker_alone(town: Town) -> None:
    async with town.lyra():
        said = await town.says(town.ada, town.general, "The harbour party is on Friday.")
        answer = await town.asks(town.bob, town.general, "recall", query="when is the harbour party")
        assert answer.ephemeral
        (hit,) = answer.embeds
        _sure, why, number = hit["footer"]["text"].split(" · ")
        assert answer.content == "" and hit["description"] == "The harbour party is on Friday."
        assert re.fullmatch(r'1\. ada, today at \d\d:\d\d, in "#general"', hit["title"])
        assert hit["url"] == f"https://discord.com/channels/{town.guild.id}/{town.general.id}/{said.id}"
        assert not answer.flags & Flag.SUPPRESS_EMBEDS, "nobody would see it"
        assert "harbour" in why and re.fullmatch(r"id [a-z2-7]{6,}", number)


async def test_a_hit_in_a_dm_links_to_the_dm(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        said = await town.says(town.ada, dm, "My cat is called Mia.")
        answer = await town.asks(town.ada, dm, "recall", query="cat")
        assert f"https://discord.com/channels/@me/{dm.id}/{said.id}" == answer.embeds[0]["url"]
        assert await town.reads(town.ada, dm, "recall", query="zebra") == 'I found nothing about "zebra".'


async def test_a_hit_is_forgotten_by_its_button(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra() as lyra:
        await town.says(town.ada, dm, "My cat is called Mia.")
        await town.says(town.ada, dm, "My cat sleeps on the oven.")
        found = await town.asks(town.ada, dm, "recall", query="cat")
        assert buttons(found) == ["Forget 1", "Forget 2"]
        gone = texts(found)[1]
        told = await town.presses(town.ada, found, "Forget 2")
        assert told.ephemeral and told.content.startswith("Forgotten: 1 message")
        assert gone not in await lyra.kept(DomainKind.DM, town.ada.id)
        left = await town.asks(town.ada, dm, "recall", query="cat")
        assert texts(left) != [gone] and buttons(left) == ["Forget 1"]
        assert "There is no message with that id here" in (await town.presses(town.ada, found, "Forget 2")).content


async def test_more_hits_are_shown_on_the_next_page(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        for n in range(7):
            await town.says(town.ada, dm, f"Walnut number {n}.")
        first = await town.asks(town.ada, dm, "recall", query="walnut")
        assert numbers(first) == [1, 2, 3, 4, 5] and buttons(first) == [f"Forget {n}" for n in range(1, 6)] + ["Show more"]
        second = await town.presses(town.ada, first, "Show more")
        assert second.ephemeral and numbers(second) == [6, 7] and buttons(second) == ["Forget 6", "Forget 7"]
        found = re.findall(r"Walnut number \d\.", first.shown + second.shown)
        assert sorted(found) == [f"Walnut number {n}." for n in range(7)]


async def test_the_next_page_is_shown_to_who_asked_alone(town: Town) -> None:
    async with town.lyra():
        for n in range(6):
            await town.says(town.ada, town.staff, f"Walnut number {n}.")
        first = await town.asks(town.ada, town.staff, "recall", query="walnut")
        stranger = await town.presses(town.eve, first, "Show more")
        assert stranger.ephemeral and stranger.content == NOT_THERE
        assert numbers(await town.presses(town.ada, first, "Show more")) == [6]


async def test_a_page_is_not_there_any_more_after_a_restart(town: Town) -> None:
    async with town.lyra():
        for n in range(6):
            await town.says(town.ada, town.general, f"Walnut number {n}.")
        first = await town.asks(town.ada, town.general, "recall", query="walnut")
    async with town.lyra():
        assert (await town.presses(town.ada, first, "Show more")).content == NOT_THERE
        assert (await town.presses(town.ada, first, "Forget 1")).content.startswith("Forgotten: 1 message")


async def test_what_was_said_of_a_name_has_a_card_a_message_that_leads_there(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        said = [await town.says(town.ada, dm, f"My dog Bruno did trick {n}" + " again and again" * 30) for n in range(10)]
        shown = await town.asks(town.ada, dm, "memory about", name="Bruno")
        assert shown.content == "" and shown.embeds[0]["title"].startswith("Bruno")
        known = [f"https://discord.com/channels/@me/{dm.id}/{one.id}" for one in said]
        assert [one["url"] for one in shown.embeds if "url" in one] == known[-8:]


async def test_what_was_said_elsewhere_is_found_where_it_may_be_but_not_forgotten_from_there(town: Town) -> None:
    async with town.lyra():
        await town.says(town.bob, town.general, "The lighthouse is painted red.")
        await town.says(town.ada, town.staff, "The lighthouse costs too much.")
        found = await town.asks(town.ada, town.staff, "recall", query="lighthouse")
        lines = texts(found)
        assert sorted(lines) == ["The lighthouse costs too much.", "The lighthouse is painted red."]
        own = next(n for n, line in enumerate(lines, start=1) if "costs" in line)
        assert buttons(found) == [f"Forget {own}"]
        outside = await town.asks(town.bob, town.general, "recall", query="lighthouse")
        assert "painted red" in outside.shown and "costs" not in outside.shown


async def test_names_and_conversations_are_offered_while_one_types_and_none_of_other_places(town: Town) -> None:
    dm, bobs = await town.ada.opens_dm(), await town.bob.opens_dm()
    async with town.lyra():
        for who, place, dog in ((town.ada, dm, "Bruno"), (town.bob, bobs, "Kestrel"), (town.bob, town.general, "Brisk")):
            await town.says(who, place, f"My dog {dog} sleeps all day.")

        async def offered(place: Channel, typed: str, command: str = "recall", option: str = "query") -> list[str]:
            return [one["value"] for one in await town.ada.completes(place, command, option, typed)]

        assert await offered(dm, "br") == ["Bruno"] and await offered(dm, " ") == ["Bruno", "DM"]
        assert await offered(town.general, "bR") == ["Brisk"]
        assert await offered(dm, "", "summarize", "session") == ["DM"]
        assert await offered(dm, "", "memory about", "name") == ["Bruno"]
        assert await offered(town.general, "x" * 5000) == []


async def test_where_nothing_was_said_nothing_is_offered(town: Town) -> None:
    async with town.lyra():
        assert await town.ada.completes(town.general, "recall", "query", "") == []


async def test_this_conversation_is_summed_up_for_the_asker_or_for_everyone(town: Town) -> None:
    async with town.lyra():
        await town.says(town.ada, town.general, "The harbour party is on Friday.")
        assert "harbour party is on Friday" in await town.reads(town.bob, town.general, "summarize")
        said = len(town.general.history())
        shown = await town.asks(town.bob, town.general, "summarize", public=True)
        assert not shown.ephemeral and "harbour party is on Friday" in shown.content
        assert len(town.general.history()) == said + 1
        await town.reads(town.bob, town.general, "summarize", public=False)
        assert len(town.general.history()) == said + 1


async def test_another_conversation_is_summed_up_by_its_name(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        await town.says(town.ada, dm, "The bread needs forty minutes.")
        assert "garden" in (await town.asks(town.ada, dm, "new", name="garden")).content
        assert await town.reads(town.ada, dm, "summarize") == "There is nothing to summarize here yet."
        assert "bread needs forty minutes" in await town.reads(town.ada, dm, "summarize", session="DM")
        await town.asks(town.ada, dm, "new", name="all that we know of bread " * 5)
        await town.says(town.ada, dm, "Rye takes longer.")
        await town.asks(town.ada, dm, "new")
        [offered] = await town.ada.completes(dm, "summarize", "session", "all that")
        assert "Rye takes longer" in await town.reads(town.ada, dm, "summarize", session=offered["value"])
        unknown = await town.reads(town.ada, dm, "summarize", session="#general")
        assert "#general" in unknown and "\n" not in unknown


@pytest.mark.parametrize("with_model", [False, True])
async def test_a_look_back_tells_the_asker_what_others_said_and_keeps_nothing(town: Town, with_model: bool) -> None:
    async with model_server(sensible) as model, town.lyra(model=model if with_model else None) as lyra:
        await town.bob.says(town.general, "Too long ago to be read.")
        await town.bob.says(town.general, "The ferry leaves at nine.")
        await town.eve.says(town.general, "I shall bring the tickets.")
        told = await town.reads(town.ada, town.general, "summarize", last=2)
        assert re.match(r"2 messages since today at \d\d:\d\d, kept nowhere:\n", told)
        assert "ferry leaves at nine" in told and "bring the tickets" in told and "Too long ago" not in told
        assert await lyra.kept(*server_of(town.guild)) == []
        assert {table: await rows(lyra, table) for table in ("items", "exchanges", "terms", "digests")} == dict.fromkeys(
            ("items", "exchanges", "terms", "digests"), 0
        )
        assert len(town.general.history()) == 3 and len(model.requests) == int(with_model)
        assert await town.reads(town.ada, town.general, "recall", query="ferry") == 'I found nothing about "ferry".'


async def test_a_look_back_goes_on_without_a_model_that_fails(town: Town) -> None:
    async with model_server(sensible) as model, town.lyra(model=model):
        await town.bob.says(town.general, "The ferry leaves at nine.")
        model.script(DENIED)
        assert "ferry leaves at nine" in await town.reads(town.ada, town.general, "summarize", last=5)
        assert "ferry leaves at nine" in prompt(model.requests[0])


async def test_a_look_back_is_for_nobody_else_and_has_bounds(town: Town) -> None:
    async with town.lyra():
        await town.bob.says(town.general, "The ferry leaves at nine.")
        answer = await town.asks(town.ada, town.general, "summarize", last=5, public=True)
        assert answer.content == "A look back answers only you: leave out public."
        for n in (0, 201):
            assert await town.reads(town.ada, town.general, "summarize", last=n) == "I can look back at 1 to 200 messages."


@pytest.mark.parametrize("hidden_from", ["bob", "lyra"])
async def test_a_look_back_reads_only_what_both_may_read(town: Town, hidden_from: str) -> None:
    who = town.bob.user if hidden_from == "bob" else town.server.world.bot
    town.general.overwrites[who.id] = Overwrite(deny=Right.READ_MESSAGE_HISTORY, of_role=False)
    async with town.lyra():
        await town.ada.says(town.general, "The ferry leaves at nine.")
        nothing = "There is nothing here that you and I can both read back."
        assert await town.reads(town.bob, town.general, "summarize", last=5) == nothing
        adas = await town.reads(town.ada, town.general, "summarize", last=5)
        assert ("ferry leaves at nine" in adas) == (hidden_from == "bob") and (adas == nothing) == (hidden_from == "lyra")


async def test_nothing_of_a_list_shown_elsewhere_is_kept_once_what_it_shows_is_forgotten(town: Town) -> None:
    async with town.lyra() as lyra:
        said = await town.says(town.ada, town.general, "The harbour party is on Friday.")
        assert texts(await town.asks(town.ada, town.staff, "recall", query="when is the harbour party"))
        assert "Forgotten" in await town.uses_menu(town.ada, "Forget this", said)
        await lyra.rests()
        kept = await lyra.app.memory.db.everywhere.all("SELECT text FROM outbox")
        assert kept and not [one["text"] for one in kept if "Friday" in one["text"]]
