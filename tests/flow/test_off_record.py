"""Off the record on Discord: answered, and kept nowhere, in no table, page, log or prompt of somebody else."""

import pytest

from tests.fakes.openai_behaviours import Held, Status
from tests.fakes.openai_server import OpenAIServer
from tests.kits import discord_town
from tests.kits.awake import Awake, answer, model_server, prompt
from tests.kits.discord_town import Town
from tests.kits.entered import entered_in_loop
from tests.kits.memory_kit import KEY
from tests.kits.pages import holding

town = discord_town.town
BEGUN = "Off the record from now on: I answer, but keep nothing"
ENDED = "From now on I keep what is said to me again. I have nothing of what was said off the record."

model = entered_in_loop(lambda: model_server(answer))
"""A model that repeats what it is asked."""


def traces(town: Town, *words: str) -> dict[str, list[str]]:
    """Return the files of the home that hold these words."""
    return {word: found for word in words if (found := holding(town.home, KEY, word))}


def aloud(town: Town) -> str:
    """Return what everybody in the channel read last."""
    return [one.content for one in town.server.world.said if one.channel is town.general and not one.ephemeral][-1]


def last(lyra: Awake) -> str:
    """Return what the model was given last."""
    return prompt(lyra.chats[-1])


async def test_who_says_in_plain_words_that_something_is_off_the_record_is_told_that_it_is_kept_and_what_keeps_nothing(
    town: Town, model: OpenAIServer
) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        told = await town.answer(await town.says(town.ada, dm, "This is off the record: the clinic called."))
        assert told.content.startswith("I keep what you tell me here, this too. ")
        assert "keeps nothing of one message" in told.content
        answered = await town.answer(await town.says(town.ada, dm, "It is on Main Street."))
        assert answered.content == "You said: It is on Main Street." and "the clinic called" in last(lyra)


@pytest.mark.file
@pytest.mark.parametrize("on", [True, False])
async def test_a_conversation_off_the_record_is_answered_and_in_no_file(town: Town, model: OpenAIServer, on: bool) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        await town.says(town.ada, dm, "My sister Mia lives in Graz.")
        if on:
            assert (await town.reads(town.ada, dm, "incognito", what="on")).startswith(BEGUN)
        said = await town.says(town.ada, dm, "The clinic zanzibar called about Mia.")
        assert (await town.answer(said)).content == "You said: The clinic zanzibar called about Mia."
        assert "lives in Graz" in last(lyra), "what she remembers she still uses"
        await town.says(town.ada, dm, "What did the clinic want?")
        assert "zanzibar" in last(lyra), "the conversation goes on"
        await town.reads(town.ada, dm, "recall", query="quixotic clinic")
        assert "axolotl" in (await town.asks(town.ada, dm, "new", name="axolotl")).shown
        await town.says(town.ada, dm, "Hello again.")
        assert "zanzibar" not in last(lyra), "it goes with the end of its conversation"
        await lyra.dreams()
        found = traces(town, "zanzibar", "quixotic", "axolotl")
        assert (found == {}) is on
        if on:
            assert await town.reads(town.ada, dm, "incognito", what="off") == ENDED
            await town.says(town.ada, dm, "Where does Mia live?")
            assert "zanzibar" not in last(lyra)
            # Nothing of it comes back by another way either.
            told = await town.uses_menu(town.ada, "Remember this", said)
            assert told == "That message was forgotten, and stays so."
            await town.ada.edits(said, "The clinic zanzibar called again.")
            await town.caught_up()
    assert (traces(town, "zanzibar", "quixotic", "axolotl") == {}) is on


async def test_what_somebody_says_off_the_record_comes_into_nobodys_prompt(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        await town.says(town.bob, town.general, "Hello there.")
        assert (await town.reads(town.ada, town.general, "incognito", what="on", of="me")).startswith(BEGUN)
        said = await town.says(town.ada, town.general, "I am expecting, says pelican.")
        reply = await town.answer(said)
        assert "pelican" in reply.content
        for answered in (None, said, reply):
            asked = await town.bob.says(town.general, f"{town.server.mention} What is new?", reply_to=answered)
            await town.answer(asked)
            assert "What is new?" in last(lyra) and "pelican" not in last(lyra)
        await town.says(town.ada, town.general, "And you?")
        assert "pelican" in last(lyra)
    assert traces(town, "pelican") == {}


async def test_what_was_said_off_the_record_and_not_to_her_comes_into_nobodys_prompt(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        await town.says(town.bob, town.general, "Hello there.")
        await town.reads(town.ada, town.general, "incognito", what="on", of="me")
        said = await town.ada.says(town.general, "I am expecting, says pelican.")
        for answered in (None, said):
            await town.answer(await town.bob.says(town.general, f"{town.server.mention} What is new?", reply_to=answered))
            assert "pelican" not in last(lyra)
        await town.answer(await town.bob.forwards(said, await town.bob.opens_dm()))
        assert "pelican" not in last(lyra)
        assert "pelican" not in (await town.asks(town.bob, town.general, "summarize", last=9)).content
        assert await town.uses_menu(town.bob, "Remember this", said) == "That message was forgotten, and stays so."
        await town.says(town.ada, town.general, "And you?")
        assert "> ada: I am expecting, says pelican." in last(lyra), "her own words are there for her own question"
    async with town.lyra(model) as lyra:
        await town.says(town.bob, town.general, "What is new?")
        assert "pelican" not in last(lyra), "after a restart, too"
    assert traces(town, "pelican") == {}


async def test_where_a_channel_is_off_the_record_its_words_help_there_as_long_as_it_is(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        await town.says(town.bob, town.general, "Hello there.")
        await town.reads(town.eve, town.general, "incognito", what="on")
        said = await town.ada.says(town.general, "I am expecting, says pelican.")
        gone = await town.ada.says(town.general, "The ocelot is ill.")
        await town.says(town.bob, town.general, "What is new?")
        assert "> ada: I am expecting, says pelican." in last(lyra) and "ocelot" in last(lyra)
        assert (await town.uses_menu(town.ada, "Forget this", gone)).endswith("do not look at it again.")
        await town.says(town.bob, town.general, "And now?")
        assert "> ada: I am expecting, says pelican." in last(lyra) and "> ada: The ocelot" not in last(lyra)
        await town.reads(town.eve, town.general, "incognito", what="off")
        for answered in (None, said):
            await town.answer(await town.bob.says(town.general, f"{town.server.mention} What was it?", reply_to=answered))
            assert "pelican" not in last(lyra)
        await town.reads(town.eve, town.general, "incognito", what="on")
        await town.says(town.bob, town.general, "And now?")
        assert "pelican" not in last(lyra), "it went with the end of that time"
    assert traces(town, "pelican") == {}


@pytest.mark.parametrize("where", ["in private", "in a channel"])
async def test_what_is_edited_off_the_record_is_kept_neither_as_it_was_nor_as_it_is(
    town: Town, model: OpenAIServer, where: str
) -> None:
    place = await town.ada.opens_dm() if where == "in private" else town.general
    async with town.lyra(model) as lyra:
        said = await town.says(town.ada, place, "The clinic okapi is white.")
        await town.says(town.ada, place, "The boat is green.")
        await town.reads(town.ada, place, "incognito", what="on", of="me")
        await town.ada.edits(said, said.content.replace("okapi", "zanzibar"))
        await town.caught_up()
        await lyra.rests()
        await town.reads(town.ada, place, "incognito", what="off", of="me")
        await town.answer(await town.ada.says(place, f"{town.server.mention} Which clinic?", reply_to=said))
        assert "zanzibar" not in last(lyra) and "okapi" not in last(lyra) and "boat is green" in last(lyra)
    assert traces(town, "zanzibar") == {}


async def test_a_channel_and_a_server_are_taken_off_the_record_by_those_who_run_them_and_it_is_said_aloud(
    town: Town, model: OpenAIServer
) -> None:
    async with town.lyra(model) as lyra:
        refused = await town.reads(town.ada, town.general, "incognito", what="on")
        assert refused.startswith("Only those who run this place can take it off the record; /incognito on me does so")
        for of, place in (("here", "place"), ("server", "server")):
            await town.reads(town.eve, town.general, "incognito", what="on", of=of)
            assert aloud(town) == f"eve took this {place} off the record: I answer, but keep nothing of what is said to me here."
            await town.says(town.bob, town.general, "The vote is on quagga.")
            assert await town.reads(town.bob, town.general, "recall", query="quagga") == 'I found nothing about "quagga".'
            await town.reads(town.eve, town.general, "incognito", what="off", of=of)
            assert aloud(town) == "eve ended it: from now on I keep what is said to me here again."
        assert traces(town, "quagga") == {}
        await town.says(town.bob, town.general, "The vote is on okapi.")
        assert "okapi" in await town.reads(town.bob, town.general, "recall", query="okapi")
        assert lyra.model is model


async def test_one_message_is_answered_off_the_record_for_its_sender_alone(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        await town.says(town.ada, town.general, "The lighthouse is red.")
        told = await town.reads(town.ada, town.general, "incognito", what="once", of="Is the lighthouse axolotl?")
        assert told == "You said: ada: Is the lighthouse axolotl?" and "lighthouse is red" in last(lyra)
        assert "Say what I shall answer" in await town.reads(town.ada, town.general, "incognito", what="once")
        await town.says(town.ada, town.general, "And now?")
        assert "axolotl" not in last(lyra)
    assert traces(town, "axolotl") == {}


async def test_what_the_model_cannot_answer_is_not_kept_for_later(town: Town, model: OpenAIServer) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        await town.reads(town.ada, dm, "incognito", what="on")
        model.script(*[Status(500)] * 8)
        said = await town.says(town.ada, dm, "Is the ocelot well?")
        told = (await town.answer(said)).content
        assert told.endswith("This is off the record, so that I keep nothing to answer later: say it again in a while.")
        assert await lyra.app.memory.journal.open_counts() == {"new": 0, "held": 0}
    assert traces(town, "ocelot") == {}


async def test_what_is_taken_back_before_its_turn_is_given_to_no_model(town: Town, model: OpenAIServer) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        await town.reads(town.ada, dm, "incognito", what="on")
        model.script(Held("Let me think."))
        first = await town.ada.says(dm, "Is the lighthouse red?")
        await model.heard(1)
        second = await town.ada.says(dm, "Is the ocelot well?")
        await town.caught_up()
        await town.ada.deletes(second)
        await town.caught_up()
        model.go.set()
        assert (await town.answer(first)).content == "Let me think."
        await town.says(town.ada, dm, "And now?")
        assert not [chat for chat in lyra.chats if "ocelot" in prompt(chat)]


async def test_what_is_taken_back_while_it_is_answered_is_not_answered_and_does_not_come_up_again(
    town: Town, model: OpenAIServer
) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        await town.reads(town.ada, dm, "incognito", what="on")
        model.script(Held("The ocelot is well."))
        said = await town.ada.says(dm, "Is the ocelot well?")
        await model.heard(1)
        await town.ada.deletes(said)
        await town.caught_up()
        model.go.set()
        await lyra.rests()
        await town.says(town.ada, dm, "And now?")
        assert "ocelot" not in last(lyra)
        assert not [post for post in town.server.world.by_bot(dm) if "ocelot" in post.content]


async def test_what_is_being_answered_as_it_ends_does_not_come_up_again(town: Town, model: OpenAIServer) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        await town.reads(town.ada, dm, "incognito", what="on")
        model.script(Held("It is well."))
        said = await town.ada.says(dm, "Is the ocelot well?")
        await model.heard(1)
        assert await town.reads(town.ada, dm, "incognito", what="off") == ENDED
        model.go.set()
        assert (await town.answer(said)).content == "It is well."
        await town.reads(town.ada, dm, "incognito", what="on")
        await town.says(town.ada, dm, "And now?")
        assert "ocelot" not in last(lyra), "she said that she has nothing of it"


async def test_without_a_model_she_does_not_say_that_she_kept_what_she_did_not(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        await town.reads(town.ada, dm, "incognito", what="on")
        said = await town.says(town.ada, dm, "The ocelot is mine.")
        assert (await town.answer(said)).content == "Heard, and not kept."
        await town.reads(town.ada, dm, "incognito", what="off")
        said = await town.says(town.ada, dm, "The cat is mine.")
        assert (await town.answer(said)).content == "Kept."
    assert traces(town, "ocelot") == {}
