"""Her own posts on Discord, and forwards of what was said there, bring nothing back that may not be read any more.

The model repeats the code wherever a prompt holds it, so that every way that is left open shows.
"""

import pytest

from memory.types import DomainKind
from tests.fakes.discord import Channel, Message, Right
from tests.fakes.openai_server import OpenAIServer
from tests.flow.test_lyra_discord_forgotten_words import ASKED, CODE, REPEATED, TOLD, asked_again, holds, parrot, taken_back
from tests.kits import discord_town
from tests.kits.discord_home import Awake
from tests.kits.discord_town import Town, buttons
from tests.kits.entered import entered_in_loop

town = discord_town.town
model = entered_in_loop(lambda: OpenAIServer(parrot))


async def unguarded(lyra: Awake, *without: str) -> None:
    """Take away what a guard rests on."""
    async with lyra.app.memory.db.transaction() as tx:
        for sql in without:
            await tx.run(sql)


async def hers(town: Town, place: Channel) -> Message:
    """Ask for the code, and return her answer, which has it."""
    found = await town.answer(await town.says(town.ada, place, ASKED))
    assert found.content == REPEATED
    return found


@pytest.mark.each
@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("what", ["a channel", "a thread"])
async def test_a_post_of_hers_does_not_bring_back_what_disappeared(
    town: Town, model: OpenAIServer, what: str, guarded: bool
) -> None:
    """If it were not withheld, a reply to the post and a look back would show it."""
    attic = town.server.world.channel(town.guild, "attic")
    async with town.lyra(model) as lyra:
        there = await town.ada.starts_thread(attic, f"the code {CODE}") if what == "a thread" else attic
        await town.says(town.ada, there, TOLD)
        post = await hers(town, town.general)
        assert (f"the code {CODE}" in await town.reads(town.bob, town.general, "sessions")) is (what == "a thread")
        town.server.acts.delete_thread(there) if what == "a thread" else town.server.acts.delete_channel(there)
        await town.caught_up()
        if not guarded:
            await unguarded(lyra, "DELETE FROM withheld", "UPDATE domains SET forgotten_at = 0")
        assert await asked_again(town, lyra, town.bob, town.general, reply_to=post) is not guarded
        assert (CODE in await town.reads(town.bob, town.general, "summarize", last=200)) is not guarded
        listed = await town.reads(town.bob, town.general, "sessions")
        assert ("attic" in listed or CODE in listed) is not guarded


@pytest.mark.each
@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("how", ["role", "channel"])
async def test_a_post_of_hers_in_a_dm_does_not_bring_back_what_its_reader_may_not_read_any_more(
    town: Town, model: OpenAIServer, how: str, guarded: bool
) -> None:
    """If what it holds of the channel were not known, it would, and her answer would keep it as the DM's own."""
    dm = await town.ada.opens_dm()
    async with town.lyra(model) as lyra:
        await town.says(town.ada, town.staff, TOLD)
        await town.reads(town.ada, dm, "settings", setting="reach", value="on")
        post = await hers(town, dm)
        assert await asked_again(town, lyra, town.ada, dm, reply_to=post)
        if how == "role":
            town.server.acts.overwrite(town.staff, town.ada.user, deny=Right.VIEW_CHANNEL)
        else:
            town.server.acts.delete_channel(town.staff)
        await town.caught_up()
        if not guarded:
            await unguarded(lyra, "DELETE FROM abroad", "DELETE FROM withheld")
        assert await asked_again(town, lyra, town.ada, dm, reply_to=post) is not guarded
        assert (CODE in await town.reads(town.ada, dm, "summarize", last=200)) is not guarded
        assert bool(await holds(lyra, town, dm=True)) is not guarded


# Answers of commands that everyone reads


@pytest.mark.each
@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("how", ["deleted", "edited", "Forget this"])
async def test_a_public_summary_of_what_is_forgotten_is_deleted_with_her_other_posts(
    town: Town, model: OpenAIServer, how: str, guarded: bool
) -> None:
    """If what it shows were not recorded, it would stay."""
    async with town.lyra(model) as lyra:
        told = await town.says(town.ada, town.general, TOLD)
        post = await town.asks(town.bob, town.general, "summarize", public=True)
        assert CODE in post.content and not post.ephemeral
        if not guarded:
            await unguarded(lyra, "DELETE FROM seen WHERE reply IN (SELECT id FROM items WHERE kind = 'notice')")
        await taken_back(town, told, how, town.ada)
        assert await asked_again(town, lyra, town.bob, town.general, reply_to=post) is not guarded
        n = 2 if guarded else 1
        assert (await town.reads(town.ada, town.general, "forget", what="posts")).startswith(f"Deleted: {n} message")
        left = [one.content for one in town.general.history() if CODE in one.content and one is not told]
        assert (left == []) is guarded


async def test_a_public_summary_that_a_moderator_removed_is_not_offered_to_be_deleted(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model):
        told = await town.says(town.ada, town.general, TOLD)
        post = await town.asks(town.bob, town.general, "summarize", public=True)
        await town.caught_up()
        town.server.acts.delete(post)
        await town.caught_up()
        menu = await (await town.ada.uses_menu("Forget this", told)).answer()
        assert "1 message of mine" in menu.content and buttons(menu) == ["Delete my messages"]


# Forwards


@pytest.mark.each
@pytest.mark.parametrize("guarded", [True, False])
@pytest.mark.parametrize("what", ["told", "hers"])
async def test_a_forward_of_what_is_forgotten_shows_as_empty(town: Town, model: OpenAIServer, what: str, guarded: bool) -> None:
    """Without the tombstones it would bring the words back: just before, by a reply, kept on purpose, and in a DM."""
    dm = await town.bob.opens_dm()
    async with town.lyra(model) as lyra:
        told = await town.says(town.ada, town.general, TOLD)
        post = await town.answer(told)
        await taken_back(town, told, "Forget this", town.ada)
        if not guarded:
            await unguarded(
                lyra, "DELETE FROM tombstones", "UPDATE items SET dead_at = NULL", "UPDATE domains SET forgotten_at = 0"
            )
        copy = await town.bob.forwards(told if what == "told" else post, town.general)
        shown = [
            await asked_again(town, lyra, town.eve, town.general),
            await asked_again(town, lyra, town.eve, town.general, reply_to=copy),
        ]
        assert shown == [not guarded] * 2
        told_so = "That message was forgotten, and stays so." if guarded else "Kept."
        assert await town.uses_menu(town.bob, "Remember this", copy) == told_so
        assert bool([text for text in await holds(lyra, town) if "[forwarded]" in text]) is not guarded
        await town.answer(await town.bob.forwards(told if what == "told" else post, dm))
        (kept,) = [text for text in await lyra.kept(DomainKind.DM, town.bob.id) if text.startswith("[forwarded]")]
        assert (CODE in kept) is (what == "told" and not guarded), "a post of the server is not read in a DM anyway"


async def test_a_forwarded_file_of_what_is_forgotten_is_not_read(town: Town, model: OpenAIServer) -> None:
    async with town.lyra(model) as lyra:
        told = await town.ada.says(town.general, f"{town.server.mention} see this", attachments={"code.txt": TOLD.encode()})
        assert (await town.answer(told)).content == REPEATED
        await taken_back(town, told, "Forget this", town.ada)
        copy = await town.bob.forwards(told, town.general)
        assert await town.uses_menu(town.bob, "Remember this", copy) == "That message was forgotten, and stays so."
        assert await holds(lyra, town) == []
        assert not await asked_again(town, lyra, town.eve, town.general, reply_to=copy)
