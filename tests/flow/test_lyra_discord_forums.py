"""Forums and media channels: their posts hold the message that began them, and nothing stands above it."""

import pytest

from tests.fakes.discord import Channel, Kind
from tests.kits import discord_town
from tests.kits.discord_town import Town

town = discord_town.town

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
