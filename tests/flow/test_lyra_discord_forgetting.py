"""People have things forgotten and kept on Discord: /forget, Forget this and Remember this, each within its rights."""

import re

import pytest

from memory.types import DomainKind
from tests.fakes.discord import Channel, Message, Person
from tests.kits import discord_town
from tests.kits.discord_home import Awake, model_server, server_of
from tests.kits.discord_town import Town, buttons, finished, rows

LEFT = "1 message of mine here came of what is forgotten and can still be read."
UNKNOWN = "I keep nothing of that message, and do not look at it again."
NOT_YOURS = "Only whoever said it, or an admin, can have it forgotten."

town = discord_town.town


def link(said: Message) -> str:
    """Return a message's address, as Discord's own menu copies it."""
    guild = said.channel.guild
    return f"https://discord.com/channels/{guild.id if guild else '@me'}/{said.channel.id}/{said.id}"


async def public_id(town: Town, who: Person, place: Channel, words: str) -> str:
    """Return the id that /recall shows of the first hit."""
    return (await town.reads(who, place, "recall", query=words)).split("\n")[2].rpartition(" id ")[2]


async def decided(town: Town, who: Person, place: Channel, what: str, label: str) -> tuple[str, str]:
    """Ask for something to be forgotten and press a button under the question; return the question and the last word."""
    call = await who.runs(place, "forget", what=what)
    shown = await call.answer()
    assert shown.ephemeral and buttons(shown) == ["Yes", "No"]
    question = shown.content
    await who.clicks(shown, label)
    last = await finished(call)
    assert not {"Yes", "No"} & set(buttons(last))
    return question, last.content


async def people_said(lyra: Awake, town: Town) -> list[str]:
    """Return what the guild's public memory holds of people's words."""
    return [text for text in await lyra.kept(*server_of(town.guild)) if text != "Kept."]


async def test_a_call_that_discord_tells_of_twice_is_asked_back_once_and_hears_the_answer(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(config='log_level = "info"') as lyra:
        await town.says(town.ada, dm, "I sail in the regatta.")
        call = await town.ada.runs(dm, "forget", what="session")
        town.server.gateway.repeat()
        shown = await call.answer()
        await town.caught_up()
        await town.ada.clicks(shown, "Yes")
        assert (await finished(call)).content.startswith("Forgotten: 1 message")
        await lyra.rests()
    assert "could not be handled" not in (town.home / "lyra.log").read_text("utf-8")


# A topic


async def test_what_was_shown_of_a_topic_is_forgotten_and_only_ones_own(town: Town) -> None:
    async with town.lyra() as lyra:
        await town.says(town.bob, town.general, "The regatta was cancelled.")
        await town.says(town.ada, town.general, "I sail in the regatta.")
        call = await town.ada.runs(town.general, "forget", about="the regatta")
        shown = await call.answer()
        lines = shown.content.split("\n")
        assert lines[:2] == ["This will be gone for good:", "1 message"] and lines[2].endswith("I sail in the regatta.")
        await town.says(town.ada, town.general, "The regatta is on Sunday.")
        await town.ada.clicks(shown, "Yes")
        assert (await finished(call)).content.startswith("Forgotten: 1 message")
        assert await people_said(lyra, town) == ["The regatta was cancelled.", "The regatta is on Sunday."]


async def test_what_was_made_of_a_topic_is_shown_with_it_before_it_goes(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra() as lyra:
        await town.says(town.ada, dm, "My sister sails in the regatta.")
        await lyra.dreams()
        call = await town.ada.runs(dm, "forget", about="the regatta")
        shown = await call.answer()
        lines = shown.content.split("\n")
        tiers = [line for line in lines if re.match(r"\d", line)]
        assert lines[0] == "This will be gone for good:" and tiers[:3] == ["1 message", "1 reply", "1 gist or summary"], lines
        assert all("regatta" in lines[lines.index(one) + 1] for one in (tiers[0], tiers[2]))
        await town.ada.clicks(shown, "No")


# One message


@pytest.mark.parametrize("by", ["id", "link", "number"])
async def test_a_message_is_forgotten_by_its_id_or_link(town: Town, by: str) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra() as lyra:
        said = await town.says(town.ada, dm, "My cat is called Mia.")
        await town.says(town.ada, dm, "The bread needs forty minutes.")
        await town.reads(town.ada, dm, "summarize")
        what = {"id": await public_id(town, town.ada, dm, "cat"), "link": link(said), "number": str(said.id)}[by]
        told = await town.reads(town.ada, dm, "forget", what=what)
        assert told.startswith("Forgotten: 1 message, 1 reply, ") and "digest" in told
        assert await lyra.kept(DomainKind.DM, town.ada.id) == ["The bread needs forty minutes.", "Kept."]
        assert "Mia" not in await town.reads(town.ada, dm, "summarize")
        again = await town.reads(town.ada, dm, "forget", what=what)
        assert again == "There is no message with that id here. Recall it first: every hit shows its id."


async def test_in_a_server_one_has_only_ones_own_words_forgotten(town: Town) -> None:
    async with town.lyra() as lyra:
        adas = await town.says(town.ada, town.general, "The harbour party is on Friday.")
        bobs = await town.says(town.bob, town.general, "The ferry leaves at nine.")
        assert await town.reads(town.bob, town.general, "forget", what=link(adas)) == NOT_YOURS
        number = await public_id(town, town.bob, town.general, "harbour party")
        assert await town.reads(town.bob, town.general, "forget", what=number) == NOT_YOURS
        found = await town.asks(town.bob, town.general, "recall", query="harbour party")
        assert (await town.presses(town.bob, found, "Forget 1")).content == NOT_YOURS
        assert (await town.reads(town.bob, town.general, "forget", what=link(bobs))).startswith("Forgotten: 1 message")
        assert await people_said(lyra, town) == ["The harbour party is on Friday."]
        assert (await town.reads(town.eve, town.general, "forget", what=link(adas))).startswith("Forgotten: 1 message")
        assert await people_said(lyra, town) == []


async def test_nobody_forgets_from_elsewhere(town: Town) -> None:
    dm = await town.eve.opens_dm()
    async with town.lyra() as lyra:
        said = await town.says(town.ada, town.general, "The harbour party is on Friday.")
        number = await public_id(town, town.ada, town.general, "harbour")
        for place in (town.staff, dm):
            for what in (number, link(said)):
                assert "There is no message with that id here" in await town.reads(town.eve, place, "forget", what=what)
        assert await people_said(lyra, town) == ["The harbour party is on Friday."]


async def test_plain_words_that_ask_to_forget_are_answered_with_the_command_and_no_model_is_asked(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with model_server() as model, town.lyra(model) as lyra:
        await town.says(town.ada, dm, "Tom moved to Canada.")
        requests = len(model.requests)
        told = await town.answer(await town.ada.says(dm, "Lyra, could you please forget what I told you about Tom?"))
        assert told.content == "Nothing is forgotten yet. /forget about:Tom does it, and asks once more first."
        assert len(model.requests) == requests, "a model may claim that it forgot"
        assert "Tom moved to Canada." in await lyra.kept(DomainKind.DM, town.ada.id)
        here = await town.ada.says(town.general, f"{town.server.mention} forget that!")
        assert (await town.answer(here)).content == "Nothing is forgotten yet. /forget that does it, and asks once more first."
        pin, hat = [await town.says(town.ada, dm, text) for text in ("My pin is 4187.", "My hat is green.")]
        told = await town.answer(await town.ada.says(dm, "forget this", reply_to=pin))
        (pin_id,) = re.findall(r"^/forget (\w+) does that\.$", told.content)
        assert "Forgotten: 1 message" in await town.reads(town.ada, dm, "forget", what=pin_id)
        kept = await lyra.kept(DomainKind.DM, town.ada.id)
        assert "My hat is green." in kept and "My pin is 4187." not in kept
        told = await town.answer(await town.ada.says(dm, "I always forget about Tom."))
        assert told.content == "You said: I always forget about Tom."


async def test_who_names_a_topic_where_an_id_belongs_is_told_how_it_is_said(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        told = await town.reads(town.ada, dm, "forget", what="Tom's move")
    assert told == "\"Tom's move\" is not the id of a message. To see and forget what I keep about it: /forget about:Tom's move"


# Many messages


@pytest.mark.parametrize("what", ["session", "all"])
async def test_in_a_dm_a_conversation_or_everything_is_forgotten_after_a_yes(town: Town, what: str) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra() as lyra:
        await town.says(town.ada, dm, "My cat is called Mia.")
        await town.asks(town.ada, dm, "new", name="garden")
        await town.says(town.ada, dm, "The tulips are red.")
        whole = ["My cat is called Mia.", "Kept.", "The tulips are red.", "Kept."]
        asked = {
            "session": 'Forget all 2 messages of "garden", for good?',
            "all": "Forget everything in 2 conversations, for good?",
        }
        question, told = await decided(town, town.ada, dm, what, "No")
        assert question == asked[what] and told == "Nothing was forgotten."
        assert await lyra.kept(DomainKind.DM, town.ada.id) == whole
        question, told = await decided(town, town.ada, dm, what.upper(), "Yes")
        assert question == asked[what] and told.startswith("Forgotten: ")
        assert await lyra.kept(DomainKind.DM, town.ada.id) == (whole[:2] if what == "session" else [])


async def test_in_a_server_everything_is_everything_of_ones_own_and_for_an_admin_everybodys(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra() as lyra:
        await town.says(town.ada, dm, "My cat is called Mia.")
        await town.says(town.ada, town.general, "The harbour party is on Friday.")
        await town.says(town.bob, town.general, "The ferry leaves at nine.")
        question, told = await decided(town, town.bob, town.general, "all", "Yes")
        assert question == "Forget all that you said here, in every conversation, for good?"
        assert told.startswith("Forgotten: 1 message") and await people_said(lyra, town) == ["The harbour party is on Friday."]
        question, told = await decided(town, town.bob, town.general, "session", "Yes")
        assert question == "Forget all that you said here, for good?" and told.startswith("Nothing was left to forget.")
        question, told = await decided(town, town.eve, town.general, "session", "Yes")
        assert question == 'Forget all 2 messages of "#general", for good?' and told.startswith("Forgotten: 1 message")
        assert await people_said(lyra, town) == [] and "My cat is called Mia." in await lyra.kept(DomainKind.DM, town.ada.id)


# Forget this


async def test_ones_own_message_is_forgotten_from_its_menu(town: Town) -> None:
    async with town.lyra() as lyra:
        adas = await town.says(town.ada, town.general, "The harbour party is on Friday.")
        bobs = await town.bob.says(town.general, "Nobody keeps this.")
        assert await town.uses_menu(town.bob, "Forget this", adas) == NOT_YOURS
        assert await town.uses_menu(town.ada, "Forget this", bobs) == "I keep nothing of that message."
        assert await people_said(lyra, town) == ["The harbour party is on Friday."]
        assert (await town.uses_menu(town.ada, "Forget this", adas)).startswith("Forgotten: 1 message")
        assert await people_said(lyra, town) == []
        assert await town.uses_menu(town.ada, "Forget this", adas) == UNKNOWN


async def test_an_admin_has_anybodys_message_forgotten_from_its_menu(town: Town) -> None:
    async with town.lyra() as lyra:
        adas = await town.says(town.ada, town.general, "The harbour party is on Friday.")
        assert (await town.uses_menu(town.eve, "Forget this", adas)).startswith("Forgotten: 1 message")
        assert await people_said(lyra, town) == []


async def test_her_answer_is_forgotten_by_whom_she_answered_alone(town: Town) -> None:
    async with model_server(lambda request: "On Friday at eight.") as model, town.lyra(model) as lyra:
        adas = await town.says(town.ada, town.general, "When is the harbour party?")
        hers = await town.answer(adas)
        assert await town.uses_menu(town.bob, "Forget this", hers) == NOT_YOURS
        told = await town.uses_menu(town.ada, "Forget this", hers)
        assert told == f"Forgotten: 1 reply. {LEFT} Shall I delete it?"
        assert await lyra.kept(*server_of(town.guild)) == ["When is the harbour party?"]


# Remember this


async def test_a_message_is_kept_on_purpose_with_its_author(town: Town) -> None:
    async with town.lyra() as lyra:
        said = await town.bob.says(town.general, "The ferry leaves at nine.")
        assert await town.reads(town.ada, town.general, "recall", query="ferry") == 'I found nothing about "ferry".'
        assert await town.uses_menu(town.ada, "Remember this", said) == "Kept."
        found = await town.reads(town.ada, town.general, "recall", query="ferry")
        assert "\nThe ferry leaves at nine.\n" in found and "1. bob, today at " in found and link(said) in found
        assert await town.uses_menu(town.eve, "Remember this", said) == "I have that already."
        assert await rows(lyra, "exchanges") == 1
        assert await town.uses_menu(town.ada, "Forget this", said) == NOT_YOURS
        assert await town.uses_menu(town.bob, "Forget this", said) == "Forgotten: 1 message."


async def test_what_was_forgotten_is_not_kept_again(town: Town) -> None:
    async with town.lyra() as lyra:
        said = await town.says(town.ada, town.general, "The harbour party is on Friday.")
        assert (await town.uses_menu(town.ada, "Forget this", said)).startswith("Forgotten: 1 message")
        assert await town.uses_menu(town.bob, "Remember this", said) == "That message was forgotten, and stays so."
        assert await people_said(lyra, town) == []


async def test_a_message_is_kept_with_what_its_files_say(town: Town) -> None:
    async with town.lyra() as lyra:
        said = await town.bob.says(
            town.general,
            "My notes.",
            attachments={"notes.txt": b"The key is under the mat.", "photo.png": b"\x89PNG" + b"0" * 60},
        )
        assert await town.uses_menu(town.ada, "Remember this", said) == "Kept."
        [kept] = await people_said(lyra, town)
        assert kept == "My notes.\n[file notes.txt]\nThe key is under the mat.\n[image photo.png, 64 bytes]"
        assert "under the mat" in await town.reads(town.ada, town.general, "recall", query="where is the key")


async def test_nothing_is_kept_of_who_told_her_to_stop(town: Town) -> None:
    async with town.lyra() as lyra:
        said = await town.bob.says(town.general, "The ferry leaves at nine.")
        await town.reads(town.bob, town.general, "privacy", choice="stop")
        assert await town.uses_menu(town.ada, "Remember this", said) == "bob told me to keep nothing of theirs."
        assert await rows(lyra, "exchanges") == 0
        await town.reads(town.bob, town.general, "privacy", choice="resume")
        assert await town.uses_menu(town.ada, "Remember this", said) == "Kept."
