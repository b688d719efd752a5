"""Threads, forums and media channels on Discord: what a thread is opened on is its first message, and nothing stands above a post."""

import pytest

from memory.types import DomainKind
from tests.fakes.discord import Channel, Kind
from tests.kits import discord_town
from tests.kits.awake import Awake, model_server, prompt
from tests.kits.discord_town import Town

town = discord_town.town

STARTS = "the boat leaves at seven"
BEGINS = f"The message answers this:\n> ada: {STARTS}"


async def asked(town: Town, lyra: Awake, *, changed: str | None = None) -> str:
    """Let Ada ask in a thread on what Bob said, which he changes or deletes ('') after she asked once; return the last prompt."""
    said = await town.bob.says(town.general, STARTS)
    thread = await town.ada.starts_thread(town.general, "boats", on=said)
    await town.says(town.ada, thread, "what is this about?")
    assert f"bob: {STARTS}" in prompt(lyra.chats[-1])
    if changed:
        await town.bob.edits(said, changed)
    elif changed is not None:
        await town.bob.deletes(said)
    await town.says(town.ada, thread, "and what do you think of it?")
    return prompt(lyra.chats[-1])


async def test_what_a_thread_is_opened_on_is_read_with_what_is_asked_there(town: Town) -> None:
    async with model_server() as model, town.lyra(model) as lyra:
        assert f"bob: {STARTS}" in await asked(town, lyra)


@pytest.mark.parametrize("changed", ["the boat leaves at nine", ""], ids=["edited", "deleted"])
async def test_it_is_read_as_it_stands_now(town: Town, changed: str) -> None:
    async with model_server() as model, town.lyra(model) as lyra:
        given = await asked(town, lyra, changed=changed)
        assert STARTS not in given and changed in given


async def test_it_is_not_read_where_it_is_told_to_be_forgotten(town: Town) -> None:
    async with model_server() as model, town.lyra(model) as lyra:
        said = await town.bob.says(town.general, STARTS)
        await town.uses_menu(town.bob, "Remember this", said)
        await town.uses_menu(town.bob, "Forget this", said)
        thread = await town.ada.starts_thread(town.general, "boats", on=said)
        await town.says(town.ada, thread, "what is this about?")
        assert STARTS not in prompt(lyra.chats[-1])


@pytest.mark.parametrize("confided", [False, True], ids=["kept", "confided"])
async def test_what_is_kept_of_the_channel_is_shown_where_its_readers_may_know_it(town: Town, confided: bool) -> None:
    async with model_server() as model, town.lyra(model) as lyra:
        said = await town.says(town.ada, town.general, STARTS)
        kept = await (await lyra.view(DomainKind.SERVER, town.guild.id)).messages.find("discord", None, str(said.id))
        assert kept is not None
        if confided:
            await (await town.ada.runs(town.general, "confide", message=kept.id, who="bob")).answer()
        thread = await town.bob.starts_thread(town.general, "boats", on=said)
        await town.says(town.bob, thread, "when does the boat leave?")
        assert (BEGINS in prompt(lyra.chats[-1])) is not confided


async def test_her_own_answer_is_shown_in_the_thread_on_it(town: Town) -> None:
    async with model_server() as model, town.lyra(model) as lyra:
        answer = await town.answer(await town.says(town.ada, town.general, STARTS))
        thread = await town.ada.starts_thread(town.general, "boats", on=answer)
        for text in ("tell me more about that", "and more"):
            await town.says(town.ada, thread, text)
            assert f"The message answers this:\n> Lyra: {answer.content}" in prompt(lyra.chats[-1])


FOUND = "the boat leaves at seven"


@pytest.fixture(params=[Kind.FORUM, Kind.MEDIA], ids=["forum", "media channel"])
def forum(town: Town, request: pytest.FixtureRequest) -> Channel:
    return town.server.world.forum(town.guild, "ideas", request.param)


async def posted(town: Town, forum: Channel) -> Channel:
    """Let Ada begin a post with something that is for Lyra; return it once that is answered."""
    post = await town.ada.starts_thread(forum, "Wishes", text=f"{town.server.mention} {FOUND}")
    await town.answer(post.messages[post.id])
    return post


async def test_what_begins_a_post_is_answered_with_a_reply_and_found_where_it_stands(town: Town, forum: Channel) -> None:
    async with town.lyra():
        post = await posted(town, forum)
        link = f"https://discord.com/channels/{town.guild.id}/{post.id}/{post.id}"
        assert link in await town.reads(town.bob, town.general, "recall", query="boat")
    async with town.lyra():
        shown = await town.reads(town.bob, town.general, "recall", query="boat")
        assert link in shown and FOUND in shown, "a restart took what begins a post for deleted"


async def test_what_begins_a_post_is_forgotten_once_it_is_deleted_while_she_is_away(town: Town, forum: Channel) -> None:
    async with town.lyra():
        post = await posted(town, forum)
    town.server.acts.delete(post.messages[post.id])
    async with town.lyra():
        assert FOUND not in await town.reads(town.bob, town.general, "recall", query="boat")
