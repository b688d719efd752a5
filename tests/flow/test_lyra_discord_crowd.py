"""Who may use her on Discord, and how much: a list, a block, a stranger who floods her, a machine that answers for ever."""

import pytest

from bot.admission.allowance import Allowance
from memory.types import DomainKind
from tests.fakes.openai_behaviours import calls
from tests.kits import discord_town
from tests.kits.awake import model_server, prompt, question
from tests.kits.discord_town import Town

town = discord_town.town


async def test_who_is_not_let_in_is_not_heard_and_may_see_and_forget_what_is_theirs(town: Town) -> None:
    async with town.lyra() as lyra:
        await town.says(town.bob, town.general, "The harbour party is on Friday.")
        await town.says(town.ada, town.general, "My dog is called Rex.")
        await lyra.dreams()
    only_ada = f'[access]\nallow = ["discord:{town.ada.user.id}"]\n'
    async with model_server() as model, town.lyra(model, only_ada) as lyra:
        for place in (town.general, await town.bob.opens_dm()):
            await town.bob.says(place, f"{town.server.mention} The password is swordfish.")
        await town.says(town.ada, town.general, "Hello there.")
        assert all("swordfish" not in prompt(request) for request in lyra.chats)
        assert [text for text in await lyra.kept(DomainKind.SERVER, town.guild.id) if "swordfish" in text] == []
        refused = await town.reads(town.bob, town.general, "recall", query="harbour")
        assert refused.startswith("You cannot use me here")
        assert "party" in await town.reads(town.ada, town.general, "recall", query="harbour")
        offered = [await who.completes(town.general, "recall", "query", "Re") for who in (town.ada, town.bob)]
        assert [[one["name"] for one in some] for some in offered] == [["Rex"], []]
        assert (await town.reads(town.bob, town.general, "privacy")).startswith("Here I keep")


async def test_a_stranger_who_floods_her_is_answered_some_told_once_and_costs_no_more(town: Town) -> None:
    dm = await town.bob.opens_dm()
    async with model_server() as model, town.lyra(model, "[limits]\nin_a_row = 0\nperson.turns_per_minute = 3\n") as lyra:
        for number in range(7):
            await town.says(town.bob, dm, f"Tell me number {number}.")
        for number in range(7, 12):
            await town.bob.says(dm, f"Tell me number {number}.")
        await town.says(town.ada, town.general, "And me?")
        await lyra.heard()
        assert len(lyra.chats) == 7, "three whole answers, three from a smaller prompt, and Ada's"
        told = [one.content for one in town.server.world.said if one.content.startswith("That was a lot in a short time.")]
        assert told == ["That was a lot in a short time. I keep what you say, and will answer you again in a minute."]
        kept = await lyra.kept(DomainKind.DM, town.bob.user.id)
        assert all(f"Tell me number {number}." in kept for number in range(12))


async def test_whoever_asks_more_is_answered_by_the_cheaper_model_before_not_at_all(town: Town) -> None:
    dm = await town.bob.opens_dm()
    async with model_server() as model, model_server() as small:
        config = f'[models.small]\nbase_url = "{small.base_url}"\nmodel = "small"\n[limits]\nperson.turns_per_minute = 2\ncheaper = "small"\n'
        async with town.lyra(model, config) as lyra:
            for number in range(4):
                await town.says(town.bob, dm, f"Tell me number {number}.")
            told = [question(one) for one in small.requests if one.path.endswith("/chat/completions")]
            assert told == ["Tell me number 3."] and len(lyra.chats) == 3


async def test_every_prompt_of_an_answer_counts_where_tokens_are_limited(town: Town) -> None:
    dm = await town.bob.opens_dm()
    async with model_server() as model, town.lyra(model, "[limits]\nperson.tokens_per_minute = 700\n"):
        model.script(*[calls("recall", query="boats")] * 3, "I know of no boat.")
        await town.says(town.bob, dm, "Which boats do you know?")
        assert len(model.requests) == 4 and sum(len(one["content"]) for one in model.requests[0].messages) < 2100
        told = await town.answer(await town.bob.says(dm, "And ships?"))
        assert told.content.startswith("That was a lot in a short time.")


async def test_two_machines_do_not_talk_for_ever(town: Town) -> None:
    """An account that is listed as no machine, and answers each answer at once."""
    async with model_server() as model, town.lyra(model, "[limits]\nin_a_row = 5\nperson.turns_per_minute = 0\n") as lyra:
        for number in range(5):
            await town.says(town.bob, town.general, f"round {number}")
        await town.bob.says(town.general, f"{town.server.mention} round again")
        await town.says(town.ada, town.general, "And me?")
        await lyra.heard()
        assert [question(request) for request in lyra.chats] == [*(f"bob: round {number}" for number in range(5)), "ada: And me?"]


@pytest.mark.parametrize("guarded", [True, pytest.param(False, marks=pytest.mark.torture)], ids=["her", "the twin"])
async def test_who_is_answered_no_more_begins_no_thread(town: Town, monkeypatch: pytest.MonkeyPatch, guarded: bool) -> None:
    if not guarded:
        monkeypatch.setattr(Allowance, "is_over", never)
    # Who is asked whether all was heard has no limit.
    config = f'[people.zoe]\ndiscord = "{town.server.person("zoe").id}"\n[limits]\nin_a_row = 0\nperson.turns_per_minute = 1\n'
    async with model_server() as model, town.lyra(model, config) as lyra:
        await town.reads(town.eve, town.general, "settings", setting="threads", value="on")
        for number in range(6):
            await town.bob.says(town.general, f"{town.server.mention} round {number}")
            await town.caught_up()
            await lyra.rests()
        threads = [one for one in town.server.world.channels.values() if one.is_thread]
        told = [one for one in town.server.world.by_bot(town.general) if one.content.startswith("That was a lot")]
        rounds = 2 if guarded else 6
        assert [one.name for one in threads] == [f"round {number}" for number in range(rounds)] and len(told) == guarded
        assert f"round {number}" in await lyra.kept(DomainKind.SERVER, town.guild.id), "it is kept all the same"


async def test_summaries_count_as_answers(town: Town) -> None:
    dm = await town.bob.opens_dm()
    async with model_server() as model, town.lyra(model, "[limits]\nin_a_row = 0\nperson.turns_per_minute = 2\n") as lyra:
        for number in range(2):
            await town.says(town.bob, dm, f"number {number} of my story")
        told = [await town.reads(town.bob, dm, "summarize") for _ in range(3)]
        asked = len(lyra.chats)
        told += [await town.reads(town.bob, dm, "summarize", last=50)]
        assert [one.startswith("That was a lot in a short time.") for one in told] == [False, False, True, True]
        assert len(lyra.chats) == asked, "nothing is asked of the model any more"
        assert "story" in await town.reads(town.bob, dm, "recall", query="story"), "what costs nothing is answered"


async def never(*_of: object) -> bool:
    return False
