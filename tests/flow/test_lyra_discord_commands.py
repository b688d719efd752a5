"""Lyra's commands on Discord: what is offered, what each says, and how they are promised and answered."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.fakes.discord import Channel, Held, Interaction, Lost, Message
from tests.fakes.openai_behaviours import Drip
from tests.fakes.pulse import PATIENCE
from tests.kits import discord_town
from tests.kits.discord_home import Awake, model_server, prompt, server_of
from tests.kits.discord_town import Town, built, rows

SLASH = {
    "recall",
    "summarize",
    "new",
    "sessions",
    "again",
    "dislike",
    "ask",
    "stop",
    "memory",
    "confide",
    "incognito",
    "export",
    "link",
    "unlink",
    "forget",
    "reflection",
    "privacy",
    "settings",
    "status",
    "help",
}
MENU = {"Remember this", "Forget this", "Answer again", "Not good"}

town = discord_town.town

# What is offered


async def test_the_commands_are_offered_once_and_not_again_after_a_restart(town: Town) -> None:
    for _ in range(2):
        async with town.lyra():
            pass
    assert len(town.server.calls("bulk_set_application_commands")) == 1
    offered = town.server.world.commands.values()
    assert {one["name"] for one in offered if one["type"] == 1} == SLASH
    assert {one["name"] for one in offered if one["type"] == 3} == MENU
    assert all(one["contexts"] == [0, 1] and one["integration_types"] == [0] for one in offered)
    [memory] = [one for one in offered if one["name"] == "memory"]
    parts = ["view", "profile", "eras", "narrative", "self", "about", "reset", "correct", "forget", "bank", "feedback"]
    assert [one["name"] for one in memory["options"]] == parts


@pytest.mark.parametrize("left_over", ["model", "more", "remember", "dance"])
async def test_a_command_that_is_left_over_from_an_older_table_is_refused(town: Town, left_over: str) -> None:
    async with town.lyra():
        pass
    commands = town.server.world.commands
    status = next(one for one in commands.values() if one["name"] == "status")
    for kind, name in ((1, left_over), (3, f"{left_over} this")):
        number = town.server.world.ids.next()
        commands[number] = status | {"id": str(number), "type": kind, "name": name}
    async with town.lyra() as lyra:
        said = await town.ada.says(town.general, "hello")
        for told in (
            await town.reads(town.ada, town.general, left_over),
            await town.uses_menu(town.ada, f"{left_over} this", said),
        ):
            assert told == "This is not offered any more; type / to see what there is."
        assert await rows(lyra, "inbox") == 0


async def test_who_runs_her_has_the_owners_commands_in_private_and_nobody_else_does(town: Town) -> None:
    hers, his = await town.ada.opens_dm(), await town.bob.opens_dm()
    people = f'[people.ada]\nconsole = "ada"\ndiscord = "{town.ada.id}"\n[people.bob]\ndiscord = "{town.bob.id}"\n'
    async with town.lyra(config=people):
        offered = {one["name"]: one["contexts"] for one in town.server.world.commands.values()}
        assert [offered[name] for name in ("model", "persona", "dream")] == [[1]] * 3, "only in a DM with her"
        assert (await town.reads(town.ada, hers, "model")).startswith("No model connected: I keep, find and summarize.\n")
        assert "not summarized yet" in await town.reads(town.ada, hers, "status")
        first = await town.asks(town.ada, hers, "help")
        told = f"{first.shown}\n{(await town.presses(town.ada, first, 'Show more')).shown}"
        assert {"model", "persona", "dream"} <= set(re.findall(r"^- `/(\w+)", told, re.MULTILINE))
        for who, place in ((town.bob, his), (town.ada, town.general)):
            assert "not summarized yet" not in await town.reads(who, place, "status")
            assert "/model" not in await town.reads(who, place, "help")
        assert await town.reads(town.bob, his, "model") == "/model is for whoever runs me, at the terminal or in private."


# What each says


async def test_help_names_what_is_offered_and_nothing_else(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        private, public = await town.reads(town.ada, dm, "help"), await town.reads(town.ada, town.general, "help")
        for told in (private, public):
            assert set(re.findall(r"^- `/(\w+)", told, re.MULTILINE)) == SLASH
        assert private.startswith("Just talk") and public.startswith("Mention me")


async def test_a_new_conversation_begins_with_a_name_or_without(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        await town.says(town.ada, dm, "The bread needs forty minutes.")
        names = []
        for given in ({}, {"name": "garden"}, {"name": "garden"}):
            answer = await town.asks(town.ada, dm, "new", **given)
            assert not answer.ephemeral
            names += re.findall(r'^This is a new conversation: "(.+)"\.$', answer.content)
            await town.says(town.ada, dm, f"We talk in {names[-1]}.")
        assert names[:2] == ["conversation 2", "garden"] and len(set(names)) == 3 and names[2].startswith("garden")
        listed = (await town.reads(town.ada, dm, "sessions")).split("\n")
        assert [line.partition(":")[0] for line in listed] == [f"* {names[2]}", "  garden", "  conversation 2", "  DM"]
        assert listed[0].endswith(": 2 messages, just now")
        forged = await town.asks(town.ada, dm, "new", name="tea\n* garden: 90 messages")
        assert forged.content == 'This is a new conversation: "tea * garden: 90 messages".'
        unseen = await town.asks(town.ada, dm, "new", name="\u202e\u200b")
        assert re.fullmatch(r'This is a new conversation: "conversation \d"\.', unseen.content)
        assert "bread needs forty minutes" in await town.reads(town.ada, dm, "recall", query="bread")


async def test_each_place_lists_and_shows_its_own_alone(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        places = ((town.ada, dm, "tulips"), (town.ada, town.staff, "wages"), (town.bob, town.general, "boats"))
        for who, place, what in places:
            await town.says(who, place, f"The book about {what} is green.")
            await town.reads(who, place, "summarize")
        for who, place, what in places:
            kept = await town.reads(who, place, "memory view")
            assert kept.startswith(f"I keep 1 message {'of yours' if place is dm else 'said here'} in 1 conversation, and 1 gist")
            assert [word for word in ("tulips", "wages", "boats") if word in kept] == [what]
            assert (await town.reads(who, place, "sessions")).startswith(
                f"* {'DM' if place is dm else f'#{place.name}'}: 2 messages"
            )


async def test_status_counts_this_place_alone(town: Town) -> None:
    dm = await town.ada.opens_dm()
    async with town.lyra():
        for n in range(3):
            await town.says(town.ada, dm, f"This is thought number {n}.")
        await town.says(town.bob, town.general, "The ferry leaves at nine.")
        private, public = await town.reads(town.ada, dm, "status"), await town.reads(town.ada, town.general, "status")
        assert private.startswith("3 messages of yours kept, the last just now.\n")
        assert public.startswith("1 message said here kept, the last just now.\n")
        driven, _, rest = public.partition("\n")[2].partition("\n")
        assert driven.startswith("My drives here: ") and re.findall(r"\d+", rest) == []


async def test_status_says_whether_all_messages_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with built(tmp_path, monkeypatch) as town:
        async with town.lyra():
            assert "I read what is said where I can see it" in await town.reads(town.ada, town.general, "status")
        async with town.lyra(content=False):
            told = await town.reads(town.ada, town.general, "status")
            assert "I read DMs, mentions and commands; message_content is off in the configuration" in told
    async with built(tmp_path, monkeypatch, content_intent=False) as town, town.lyra():
        told = await town.reads(town.ada, town.general, "status")
        assert "I read DMs, mentions and commands; switch on Message Content Intent in the Developer Portal" in told


# How they are promised and answered


async def test_a_call_is_committed_before_an_answer_is_promised(town: Town) -> None:
    promise = Held(before=True)
    town.server.faults.script("create_interaction_response", promise)
    async with town.lyra() as lyra:
        await lyra.talk.mailboxes.drain(0)
        call = await town.ada.runs(town.general, "status")
        await promise.reached.wait()
        [heard] = await lyra.app.memory.journal.unfinished("discord")
        assert heard.event.event_id == str(call.id) and call.callback is None
        promise.go.set()
        assert await call.acknowledged() == 5


async def cut_off(town: Town, command: str, **options: str) -> Interaction:
    """Use a command that is committed and promised an answer, and let Lyra end before she begins with it."""
    async with town.lyra() as lyra:
        await lyra.talk.mailboxes.drain(0)
        call = await town.ada.runs(town.general, command, **options)
        await call.acknowledged()
    return call


@pytest.mark.parametrize(("command", "private"), [("status", True), ("new", False)])
async def test_a_command_that_a_kill_cut_off_is_not_run_again_but_told_of(town: Town, command: str, private: bool) -> None:
    call = await cut_off(town, command)
    async with town.lyra() as lyra:
        answer = await call.answer()
        assert answer.content == f"/{command} was interrupted before it was done; say it again if you still want it."
        assert answer.ephemeral == private and len(town.general.history()) == (not private)
        assert "conversation 1" not in await town.reads(town.ada, town.general, "sessions")
        await settled(lyra)
    async with town.lyra() as lyra:
        await settled(lyra)
        assert call.changes == 1


async def test_a_kill_before_the_promise_is_told_of_as_well(town: Town) -> None:
    town.server.faults.script("create_interaction_response", Lost(accepted=False))
    async with town.lyra() as lyra:
        await lyra.talk.mailboxes.drain(0)
        call = await town.ada.runs(town.general, "status")
        await town.server.pulse.until(lambda: town.server.calls("create_interaction_response"), "a promise that is lost")
    assert call.callback is None
    async with town.lyra() as lyra:
        answer = await call.answer()
        assert answer.ephemeral and answer.content.startswith("/status was interrupted before it was done")
        await settled(lyra)


async def test_once_the_token_is_over_a_private_answer_is_dropped_and_a_public_one_is_sent(town: Town) -> None:
    private, public = await cut_off(town, "status"), await cut_off(town, "new")
    for call in (private, public):
        call.expire()
    async with town.lyra() as lyra:
        said, *_ = await told(town, town.general, 1)
        assert (
            said.content == "/new was interrupted before it was done; say it again if you still want it." and not said.ephemeral
        )
        await settled(lyra)
        assert private.changes == public.changes == 0
        assert sum("interrupted" in one.content for one in await told(town, town.general, 1)) == 1


async def test_an_answer_that_comes_after_the_token_is_dropped_or_sent_as_a_message(town: Town) -> None:
    async with town.lyra() as lyra:
        for command in ("status", "new"):
            (await town.ada.runs(town.general, command)).expire()
        said, *_ = await told(town, town.general, 1)
        assert said.content == 'This is a new conversation: "conversation 1".'
        await town.reads(town.ada, town.general, "status")
        await settled(lyra)
        assert sum("a new conversation" in one.content for one in await told(town, town.general, 1)) == 1


async def test_two_commands_at_once_are_both_answered(town: Town) -> None:
    async with town.lyra():
        asked = [(who, command) for who in (town.ada, town.bob) for command in ("status", "help", "sessions")]
        answers = await asyncio.gather(*(town.reads(who, town.general, command) for who, command in asked))
        assert len(answers) == 6 and answers[:3] == answers[3:] and len(set(answers)) == 3


async def test_a_command_is_answered_while_she_thinks_about_something_else(town: Town) -> None:
    async with model_server() as model, town.lyra(model=model):
        await town.says(town.ada, town.general, "hello")
        model.script(Drip("I have thought about it", 0.1))
        asked = len(model.requests)
        question = await town.ada.says(town.general, f"{town.server.mention} what do you think?")
        await model.heard(asked + 1)
        assert "2 messages said here kept" in await town.reads(town.ada, town.general, "status")
        assert question.id not in [one.reply_to for one in town.server.world.said]
        assert (await town.answer(question)).content == "I have thought about it"


async def told(town: Town, place: Channel, number: int) -> list[Message]:
    """Wait until Lyra has said that much at a place for everybody, and return it."""

    def found() -> list[Message]:
        said = [one for one in town.server.world.by_bot(place) if not one.ephemeral]
        return said if len(said) >= number else []

    return await town.server.pulse.until(found, f"message {number} for everybody")


async def settled(lyra: Awake) -> None:
    """Wait until nothing is left to be answered or sent."""
    journal = lyra.app.memory.journal
    async with asyncio.timeout(PATIENCE):
        while await journal.unfinished("discord") or await journal.waiting("discord"):
            await lyra.talk.tick()
            await asyncio.sleep(0.02)


async def test_a_command_that_is_typed_into_a_message_is_neither_carried_out_nor_kept_nor_given_to_a_model(town: Town) -> None:
    async with model_server() as model, town.lyra(model) as lyra:
        await town.says(town.ada, town.general, "my cat is called Turing")
        for typed in ("/forget all", "/incognito once my pin is 4711"):
            said = await town.says(town.ada, town.general, typed)
            told = (await town.answer(said)).content
            assert (
                told
                == f"{typed.split()[0]} does nothing when it is said in a message: type / and choose it from the list that opens."
            )
        await town.says(town.ada, town.general, "/s that was a joke")
        kept = "\n".join(await lyra.kept(*server_of(town.guild)))
        assert "Turing" in kept and "joke" in kept
        assert "forget" not in kept and "4711" not in kept + "".join(map(prompt, lyra.chats))
