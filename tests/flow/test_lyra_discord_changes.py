"""What people change and take back on Discord: Lyra answers what stands, and keeps nothing else."""

from pathlib import Path
from typing import Any, cast

import pytest

from bot.app import open_app
from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, DiscordServer, Message, Person
from tests.kits import discord_home
from tests.kits.discord_home import Awake, awake, prompt, server_of, sound
from tests.kits.discord_home import question as asked_in
from tests.kits.discord_knowing import Thoughtful
from tests.kits.entered import entered_in_loop

GREEN, BLUE = "is the door green?", "is the door blue?"


async def answer_to(server: DiscordServer, message: Message) -> Message:
    """Wait for Lyra's answer to a message."""
    answers = await server.pulse.until(lambda: answers_to(server, message), "an answer")
    return answers[0]


def answers_to(server: DiscordServer, message: Message) -> list[Message]:
    """Return what stands as Lyra's answer to a message."""
    return [one for one in server.world.by_bot(message.channel) if one.reply_to == message.id]


async def caught_up(server: DiscordServer, place: Channel | None = None) -> None:
    """Wait until she has heard all that happened so far, and has dealt with it at a place where one is given."""
    zoe = server.person("zoe")
    await answer_to(server, await zoe.says(place or await zoe.opens_dm(), f"{server.mention} are you there?"))


async def asks(person: Person, place: Channel, command: str, **options: str) -> str:
    """Use a command, and return what it answers."""
    return (await (await person.runs(place, command, **options)).answer()).shown


def owner(server: DiscordServer) -> Person:
    """Return who owns every guild, and may change its settings."""
    return Person(server.hub, server.world.boss)


async def kept(her: Awake, place: Channel) -> str:
    """Return all that Lyra keeps of the server of a place."""
    assert place.guild
    return "\n".join(await her.kept(*server_of(place.guild)))


model = entered_in_loop(Thoughtful)
ada = discord_home.ada


async def waiting(server: DiscordServer, model: Thoughtful, ada: Person, place: Channel) -> Message:
    """Ask while she thinks about another question, so that this one is heard and not kept yet."""
    model.thinks = True
    await ada.says(place, f"{server.mention} tell me about doors")
    await model.heard(1)
    return await ada.says(place, f"{server.mention} {GREEN}")


async def pondered(server: DiscordServer, model: Thoughtful, ada: Person, place: Channel) -> Message:
    """Ask, and return the question while the model thinks about it."""
    model.thinks = True
    question = await ada.says(place, f"{server.mention} {GREEN}")
    await model.heard(1)
    return question


async def answered(server: DiscordServer, ada: Person, place: Channel) -> Message:
    """Ask, and return the question when it is answered."""
    question = await ada.says(place, f"{server.mention} {GREEN}")
    await answer_to(server, question)
    return question


# Edits


async def test_a_question_that_waits_is_answered_as_it_stands(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        question = await waiting(server, model, ada, general)
        await ada.edits(question, f"{server.mention} {BLUE}")
        await caught_up(server)
        model.go.set()
        assert (await answer_to(server, question)).content == f"You said: ada: {BLUE}"
        assert not any("green" in prompt(chat) for chat in her.chats)
        assert "green" not in await kept(her, general)


async def test_a_question_that_changes_while_the_model_thinks_is_asked_again_and_the_newest_words_are_answered(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        question = await pondered(server, model, ada, general)
        await ada.edits(question, f"{server.mention} is the door red?")
        await ada.edits(question, f"{server.mention} {BLUE}")
        await caught_up(server)
        model.go.set()
        assert (await answer_to(server, question)).content == f"You said: ada: {BLUE}"
        await caught_up(server, general)
        # Of the words in between the model may have been asked as well.
        asked = [words for words in map(asked_in, her.chats) if "door" in words]
        assert (asked[0], asked[-1]) == (f"ada: {GREEN}", f"ada: {BLUE}")
        assert len(answers_to(server, question)) == 1
        assert (await kept(her, general)).splitlines()[:2] == [BLUE, f"You said: ada: {BLUE}"]


async def test_an_answered_question_is_found_by_the_words_it_has_now(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        question = await answered(server, ada, general)
        assert GREEN in await asks(ada, general, "recall", query="green")
        await ada.edits(question, f"{server.mention} is the door red?")
        await ada.edits(question, f"{server.mention} {BLUE}")
        await caught_up(server)
        assert await kept(her, general) == BLUE, "the answer that repeats the old words is gone with them"
        assert BLUE in await asks(ada, general, "recall", query="blue")
        assert "nothing" in await asks(ada, general, "recall", query="green")
        assert len(answers_to(server, question)) == 1, "nothing is answered a second time"


async def test_a_summary_is_written_anew_from_the_new_words(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.default = b.sensible
    async with awake(server, tmp_path, monkeypatch, model=model):
        question = await answered(server, ada, general)
        assert GREEN in await asks(ada, general, "summarize")
        await ada.edits(question, f"{server.mention} {BLUE}")
        await caught_up(server)
        summary = await asks(ada, general, "summarize")
        assert BLUE in summary and "green" not in summary


@pytest.mark.parametrize("intent", [True, False])
async def test_an_edit_that_takes_the_mention_away_changes_the_words_or_hides_them(
    intent: bool, model: Thoughtful, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with DiscordServer(content_intent=intent) as server:
        general, ada = server.world.channel(server.world.guild("Home"), "general"), server.person("ada")
        async with awake(server, tmp_path, monkeypatch, model=model) as her:
            question = await waiting(server, model, ada, general)
            await ada.edits(question, BLUE)
            await caught_up(server)
            model.go.set()
            await caught_up(server, general)
            assert [one.content for one in answers_to(server, question)] == ([f"You said: ada: {BLUE}"] if intent else [])
            assert [word in await kept(her, general) for word in ("green", "blue")] == [False, intent]
        sound(server)


async def test_an_edit_of_a_message_that_is_not_kept_does_nothing_until_it_mentions_her(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        await answered(server, ada, general)
        bob = server.person("bob")
        aside = await bob.says(general, "the cellar is wet")
        await bob.edits(aside, "the cellar is dry")
        await caught_up(server)
        assert "cellar" not in await kept(her, general) and answers_to(server, aside) == []
        for words in ("is the cellar dry?", "is the cellar dry again?"):
            await bob.edits(aside, f"{server.mention} {words}")
            await server.pulse.until(lambda: answers_to(server, aside), "an answer")
            await caught_up(server, general)
        assert [one.content for one in answers_to(server, aside)] == ["You said: bob: is the cellar dry?"], "once"
        assert "is the cellar dry again?" in await kept(her, general)


# Deletes


async def test_a_question_that_is_removed_while_it_waits_is_not_kept_and_not_answered(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        question = await waiting(server, model, ada, general)
        await ada.deletes(question)
        await caught_up(server)
        model.go.set()
        await caught_up(server, general)
        assert "green" not in await kept(her, general) and answers_to(server, question) == []
        assert not any("green" in prompt(chat) for chat in her.chats)


@pytest.mark.parametrize("fails", [False, True])
async def test_a_question_that_is_removed_while_the_model_thinks_gets_no_answer_and_no_promise(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, fails: bool, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        await answer_to(server, await ada.says(general, f"{server.mention} hello"))
        model.thinks = True
        question = await ada.says(general, f"{server.mention} {GREEN}")
        await model.heard(2)
        await ada.deletes(question)
        await caught_up(server)
        if fails:
            # Whether she has given the question up by now or not: nobody else's is refused.
            denied, others = cast(Any, b.DENIED), model.default
            model.default = lambda request: denied if GREEN in prompt(request) else others(request)
        said = len(server.world.by_bot(general))
        model.go.set()
        await caught_up(server, general)
        assert [one.content for one in server.world.by_bot(general)[said:]] == ["You said: zoe: are you there?"]
        assert "green" not in await kept(her, general)


async def test_what_is_removed_is_gone_from_recall_and_summary_with_its_answer(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.default = b.sensible
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        question = await answered(server, ada, general)
        assert "green" in await asks(ada, general, "summarize")
        await ada.deletes(question)
        await caught_up(server)
        assert "nothing" in await asks(ada, general, "recall", query="green")
        assert "nothing to summarize" in await asks(ada, general, "summarize")
        assert await kept(her, general) == ""


async def test_messages_that_are_removed_together_are_all_gone_and_the_others_stay(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        said = [await ada.says(general, f"{server.mention} {name} is here") for name in ("Ann", "Ben", "Cid")]
        await caught_up(server, general)
        server.acts.delete(*said[:2])
        await caught_up(server)
        assert [name in await kept(her, general) for name in ("Ann", "Ben", "Cid")] == [False, False, True]


async def test_an_answer_that_a_moderator_removes_is_forgotten_and_its_question_is_not(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.script("It is made of oak.")
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        reply = await answer_to(server, await ada.says(general, f"{server.mention} {GREEN}"))
        await caught_up(server, general)
        assert "oak" in await kept(her, general)
        await owner(server).deletes(reply)
        await caught_up(server)
        assert GREEN in (left := await kept(her, general)) and "oak" not in left


@pytest.mark.parametrize("buried", [True, False])
async def test_what_was_removed_stays_away_when_a_late_history_shows_it_again(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, buried: bool, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Without its tombstone it would be kept and answered again."""
    async with awake(server, tmp_path, monkeypatch, model=model):
        question = await answered(server, ada, general)
        await ada.deletes(question)
        await caught_up(server)
    async with open_app() as app:
        async with app.memory.db.transaction() as tx:
            for table in ("inbox", "cursors", "items WHERE dead_at > 0", *(() if buried else ("tombstones",))):
                await tx.run(f"DELETE FROM {table}")
        await app.memory.journal.move("discord", {str(general.id): str(question.id - 1)})
    general.messages[question.id] = question
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        await caught_up(server, general)
        assert ("green" in await kept(her, general)) is not buried
        assert len(answers_to(server, question)) == (1 if buried else 2)


# Answered again


async def test_a_question_that_is_changed_after_its_answer_is_answered_again_only_when_its_author_wants_it(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        question = await answered(server, ada, general)
        (first,) = answers_to(server, question)
        assert not first.controls()
        await ada.edits(question, f"{server.mention} {BLUE}")
        (offer,) = await server.pulse.until(first.controls, "an offer under the answer")
        assert offer["label"] == "Answer again"
        eve = server.person("eve")
        assert general.guild
        eve.joins(general.guild)
        refused = await (await eve.clicks(first, "Answer again")).answer()
        assert refused.ephemeral and refused.content == "I can answer again only what you said in this conversation."
        await caught_up(server, general)
        assert answers_to(server, question) == [first], "it is never answered again unasked"
        told = await (await ada.clicks(first, "Answer again")).answer()
        assert told.ephemeral and told.content == "I answer that again."
        await server.pulse.until(lambda: len(answers_to(server, question)) == 2, "a second answer")
        assert answers_to(server, question)[1].content == f"You said: ada: {BLUE}"
        assert GREEN not in prompt(her.chats[-1]), "neither the old words nor the answer to them are shown again"


async def test_the_last_question_or_one_whose_menu_is_used_is_answered_again_beside_its_first_answer(
    server: DiscordServer, general: Channel, model: Thoughtful, ada: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with awake(server, tmp_path, monkeypatch, model=model) as her:
        question = await answered(server, ada, general)
        assert await asks(ada, general, "again") == "I answer that again."
        await server.pulse.until(lambda: len(answers_to(server, question)) == 2, "a second answer")
        assert "You said" not in prompt(her.chats[-1]), "her first answer is not shown to her"
        await (await ada.uses_menu("Answer again", question)).answer()
        await server.pulse.until(lambda: len(answers_to(server, question)) == 3, "a third answer")
        said = (await kept(her, general)).splitlines()
        assert said.count(GREEN) == 1, "a question is kept once, however often it is answered"
