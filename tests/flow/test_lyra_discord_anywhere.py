"""Lyra as an app that people install for themselves: asked where she is no member, she answers them alone, from their own DM."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from memory.types import DomainKind
from tests.fakes.discord import Channel
from tests.fakes.openai_behaviours import Held
from tests.kits.awake import model_server, prompt
from tests.kits.discord_town import Town, built
from tests.kits.size import few

REFUSED = "Lyra keeps nothing that others said where she is no member"


@pytest.fixture
async def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Town]:
    """The town, where Ada installed Lyra for herself."""
    async with built(tmp_path, monkeypatch) as town:
        town.server.world.user_installable = True
        town.server.world.installed.add(town.ada.user.id)
        yield town


def club(town: Town) -> Channel:
    """Return a channel of a server that Lyra is not in."""
    world = town.server.world
    guild = world.guild("Club", with_bot=False)
    for one in (town.ada, town.bob):
        one.joins(guild)
    return world.channel(guild, "lounge")


async def test_she_is_asked_anywhere_and_answers_for_oneself_alone(town: Town) -> None:
    dm, lounge = await town.ada.opens_dm(), club(town)
    async with model_server() as model, town.lyra(model) as lyra:
        offered = town.server.world.commands.values()
        assert all(one["contexts"] == [0, 1, 2] and one["integration_types"] == [0, 1] for one in offered)
        await town.says(town.ada, dm, "My boat is called Kestrel.")
        asked = await town.asks(town.ada, lounge, "ask", text="What is my boat called?")
        assert asked.ephemeral and asked.content == "You said: What is my boat called?"
        assert "Kestrel" in prompt(lyra.chats[-1])
        here = await town.asks(town.ada, town.general, "ask", text="And in the town?")
        assert here.ephemeral and here.content == "You said: And in the town?"
        assert "Kestrel" in (await town.reads(town.ada, lounge, "recall", query="boat"))
        kept = await lyra.kept(DomainKind.DM, town.ada.user.id)
        assert "What is my boat called?" in kept and "And in the town?" in kept
        with pytest.raises(LookupError):
            await town.bob.runs(lounge, "recall", query="boat")
        assert [one.content for one in lounge.history()] == []
    async with model_server() as model, town.lyra(model) as lyra:
        await town.says(town.ada, dm, "Hello again.")
        assert "What is my boat called?" in await lyra.kept(DomainKind.DM, town.ada.user.id), "it is on no history, and stays"


async def test_others_words_from_there_are_not_kept(town: Town) -> None:
    await town.ada.opens_dm()
    lounge = club(town)
    bobs, own = await town.bob.says(lounge, "The harbour party is on Friday."), await town.ada.says(lounge, "I bring the cake.")
    async with town.lyra() as lyra:
        for entry in ("Remember this", "Forget this", "Answer again"):
            assert (await town.uses_menu(town.ada, entry, bobs)).startswith(REFUSED)
        assert await town.uses_menu(town.ada, "Remember this", own) == "Kept."
        assert await lyra.kept(DomainKind.DM, town.ada.user.id) == ["I bring the cake."]


async def test_every_question_asked_so_gets_a_last_word_though_she_declines_it(town: Town) -> None:
    lounge = club(town)
    async with model_server() as model, town.lyra(model, "[limits]\nin_a_row = 0\nperson.turns_per_minute = 1\n") as lyra:
        told = [(await town.asks(town.ada, lounge, "ask", text=f"Number {number}?")).content for number in range(5)]
        assert told[:2] == ["You said: Number 0?", "You said: Number 1?"] and len(lyra.chats) == 2
        assert [one.startswith("That was a lot in a short time.") for one in told[2:]] == [True] * 3


async def test_what_the_call_has_no_room_for_goes_on_in_the_dm(town: Town) -> None:
    lounge, dm = club(town), await town.ada.opens_dm()
    lines = [" ".join(f"berth{number * 70 + at}" for at in range(70)) for number in range(24)]
    async with model_server() as model, town.lyra(model):
        model.script("\n".join(lines))
        asked = await town.ada.runs(lounge, "ask", text="What is known about the harbour?")
        await asked.followup(5)
        await town.server.pulse.until(lambda: any(lines[-1] in one.content for one in dm.history()), "the end in the DM")
        here = [(await asked.answer()).content, *(one.content for one in asked.followups)]
        _introduction, *rest = dm.history()
        assert "\n".join([*here, *(one.content for one in rest)]).splitlines() == lines
        assert all(one.ephemeral for one in asked.followups) and not lounge.history()


@pytest.mark.parametrize("streaming", few([False, True]))
async def test_an_answer_that_took_the_model_longer_than_the_call_lasts_comes_in_the_dm_once(town: Town, streaming: bool) -> None:
    lounge, dm = club(town), await town.ada.opens_dm()
    async with model_server() as model, town.lyra(model, streaming=streaming) as lyra:
        model.go.clear()
        model.script(Held("Everything."))
        asked = await town.ada.runs(lounge, "ask", text="What is far away?")
        await model.heard(1)
        asked.expire()
        model.go.set()
        await town.server.pulse.until(lambda: "Everything." in [one.content for one in dm.history()], "the answer in the DM")
        await lyra.rests()
        await lyra.talk.tick()
        assert [one.content for one in dm.history()].count("Everything.") == 1 and not lounge.history()


async def test_a_question_asked_so_that_is_stopped_or_forgotten_waits_no_longer(town: Town) -> None:
    lounge, dm = club(town), await town.ada.opens_dm()
    async with model_server() as model, town.lyra(model) as lyra:
        for command, options, told in (
            ("stop", {}, "Ended."),
            ("forget", {"what": "last"}, "What you asked was forgotten, so I do not answer it."),
        ):
            model.go.clear()
            model.script(Held("Everything."))
            asked = await town.ada.runs(lounge, "ask", text="What is far away?")
            await model.heard(len(lyra.chats) + 1)
            await town.reads(town.ada, dm, command, **options)
            model.go.set()
            assert (await asked.answer()).content == told
