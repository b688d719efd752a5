"""The loopback Discord's places, seen by discord.py: threads, forums, who may read what, and texts that are kept back."""

from collections.abc import Awaitable

import discord
import pytest

from tests.fakes.discord import Channel, DiscordServer, Guild, Listener, Right, running


def without_texts() -> discord.Intents:
    return discord.Intents.default()


async def test_a_person_starts_threads_and_the_bot_answers_there(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        ada = server.person("ada")
        first = await ada.says(general, "a long story")
        on = await ada.starts_thread(general, "story", on=first)
        assert on.id == first.id and (await client.got("thread_create")).id == on.id
        await ada.says(on, f"{server.mention} go on")
        starter, asked = await client.got("message", 2), await client.got("message", 3)
        assert starter.type is discord.MessageType.thread_starter_message and starter.channel.id == on.id
        assert isinstance(asked.channel, discord.Thread) and asked.channel.parent_id == general.id
        await asked.reply("and then?")
        assert [one.content for one in await server.sent(1, on)] == ["and then?"]
        assert server.world.bot.id in on.joined
        server.acts.change_thread(on, archived=True)
        _, after = await client.got("thread_update")
        assert after.archived
        server.acts.delete_thread(on)
        assert (await client.got("raw_thread_delete")).thread_id == on.id


async def test_a_channel_goes_alone_without_a_word_of_its_messages(server: DiscordServer, home: Guild) -> None:
    attic = server.world.channel(home, "attic")
    async with running(server, Listener()) as client:
        said = await server.person("ada").says(attic, "hello")
        await client.got("message")
        server.acts.delete_channel(attic)
        assert (await client.got("guild_channel_delete")).id == attic.id
        await server.person("ada").says(await server.person("ada").opens_dm(), "are you there?")
        await client.got("message", 2)
        assert "raw_message_delete" not in [name for name, _ in client.heard] and said.deleted
        with pytest.raises(discord.NotFound) as gone:
            await client.fetch_channel(attic.id)
        assert gone.value.code == 10003


async def test_the_bot_starts_threads(server: DiscordServer, home: Guild, general: Channel) -> None:
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        said = await channel.send("let us talk apart")
        on = await said.create_thread(name="apart")
        await on.send("here")
        private = await channel.create_thread(name="between us")
        assert private.is_private()
        server.person("ada").joins(home)
        await private.add_user(discord.Object(server.person("ada").id))
        assert server.person("ada").id in server.world.channels[private.id].joined
        public = await channel.create_thread(name="for all", type=discord.ChannelType.public_thread)
        await public.join()
        await public.leave()
        active = await channel.guild.active_threads()
        assert {one.name for one in active} == {"apart", "between us", "for all"}
        await public.edit(archived=True)
        assert [one.name async for one in channel.archived_threads()] == ["for all"]
        await public.send("awake")
        assert not server.world.channels[public.id].archived


async def test_a_forum_post_is_a_thread_with_a_first_message(server: DiscordServer, home: Guild) -> None:
    ideas = server.world.forum(home, "ideas")
    async with running(server, Listener()) as client:
        post = await server.person("ada").starts_thread(ideas, "a garden", text="let us plant one")
        heard = await client.got("message")
        assert heard.id == post.id and isinstance(heard.channel.parent, discord.ForumChannel)
        await heard.reply("tulips")
        forum = client.get_channel(ideas.id)
        assert isinstance(forum, discord.ForumChannel)
        made = await forum.create_thread(name="mine", content="a pond")
        assert made.thread.id == made.message.id
        [answer, first] = await server.sent(2)
        assert (answer.content, first.content, first.channel.name) == ("tulips", "a pond", "mine")


async def test_a_private_thread_is_heard_only_once_invited(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        ada = server.person("ada")
        hidden = await ada.starts_thread(general, "secret", private=True, text="unheard")
        channel = await client.text(general)
        with pytest.raises(discord.Forbidden) as refused:
            await client.fetch_channel(hidden.id)
        assert refused.value.code == 50001
        await ada.invites(hidden)
        assert (await client.got("thread_join")).id == hidden.id
        await ada.says(hidden, "heard")
        heard = await client.got("message")
        assert heard.content == "heard" and heard.channel.parent == channel
        server.acts.leave_thread(hidden, server.world.bot)
        await client.got("thread_remove")
        await ada.says(hidden, "unheard again")
        await ada.says(general, "after")
        assert (await client.got("message", 2)).content == "after"


async def test_a_mention_in_a_private_thread_invites(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        ada = server.person("ada")
        hidden = await ada.starts_thread(general, "secret", private=True)
        await ada.says(hidden, f"{server.mention} come in")
        assert (await client.got("message")).channel.id == hidden.id


async def test_rights_are_asked_at_every_request(server: DiscordServer, home: Guild, general: Channel) -> None:
    everyone = home.roles[home.id]
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        said = await channel.send("while I may")
        server.acts.overwrite(general, everyone, deny=Right.SEND_MESSAGES)
        before, after = await client.got("guild_channel_update")
        assert after.permissions_for(after.guild.me).send_messages is False
        await _refused(channel.send("now I may not"), 50013)
        server.acts.overwrite(general, everyone, deny=Right.READ_MESSAGE_HISTORY)
        assert [one async for one in channel.history()] == []
        await _refused(channel.fetch_message(said.id), 50013)
        server.acts.overwrite(general, everyone, deny=Right.VIEW_CHANNEL)
        await _refused(channel.send("I do not see it"), 50001)
        with pytest.raises(discord.Forbidden):
            [one async for one in channel.history()]
        server.acts.overwrite(general, server.world.bot, allow=Right.VIEW_CHANNEL)
        await channel.send("again")
        assert [one.content for one in await server.sent(2)] == ["while I may", "again"]
        assert [call.status for call in server.refused] == [403] * 4


async def test_what_is_said_behind_a_closed_door_is_not_heard(server: DiscordServer, home: Guild, general: Channel) -> None:
    staff = server.world.role(home, "staff")
    office = server.world.channel(home, "office", only=(staff,))
    ada = server.person("ada")
    server.world.join(home, ada.user, staff)
    async with running(server, Listener()) as client:
        await ada.says(office, "unheard")
        bob = server.person("bob")
        with pytest.raises(PermissionError):
            await bob.says(office, "may I?")
        server.acts.change_member(home, server.world.bot, staff)
        await client.got("member_update")
        await ada.says(office, "heard")
        assert (await client.got("message")).content == "heard"
        server.acts.change_role(home, staff, Right.MANAGE_MESSAGES)
        _, role = await client.got("guild_role_update")
        assert role.permissions.manage_messages


async def test_a_closed_dm_takes_nothing(server: DiscordServer) -> None:
    async with running(server, Listener()) as client:
        ada = server.person("ada")
        user = await client.fetch_user(ada.id)
        place = await user.create_dm()
        assert place.id == (await ada.opens_dm()).id
        await user.send("hello")
        await ada.closes_dm()
        await _refused(user.send("hello?"), 50007)


async def test_the_bot_comes_to_a_guild_and_goes(server: DiscordServer) -> None:
    async with running(server, Listener()) as client:
        await client.got("ready")
        away = server.world.guild("Away", with_bot=False)
        server.world.channel(away, "lobby")
        server.acts.add_bot(away)
        joined = await client.got("guild_join")
        assert joined.name == "Away" and joined.text_channels[0].name == "lobby"
        server.acts.guild_fails(away)
        await client.got("guild_unavailable")
        server.acts.remove_bot(away)
        assert (await client.got("guild_remove")).id == away.id
        with pytest.raises(discord.NotFound):
            await client.fetch_guild(away.id)


async def test_the_bots_guilds_come_a_page_at_a_time(server: DiscordServer) -> None:
    first, second, third = (server.world.guild(name) for name in ("First", "Second", "Third"))
    server.world.guild("Elsewhere", with_bot=False)
    async with running(server, Listener()) as client:
        assert [one.id async for one in client.fetch_guilds()] == [first.id, second.id, third.id]
        assert [one.name async for one in client.fetch_guilds(limit=2)] == ["First", "Second"]
        assert [one.name async for one in client.fetch_guilds(after=discord.Object(first.id))] == ["Second", "Third"]


async def test_without_the_content_intent_only_what_is_meant_for_the_bot_has_text(
    server: DiscordServer, general: Channel
) -> None:
    server.world.content_intent = False
    async with running(server, Listener(without_texts())) as client:
        ada = server.person("ada")
        plain = await ada.says(general, "not for you", attachments={"a.txt": b"x"})
        await ada.says(general, f"{server.mention} for you", reply_to=plain)
        own = await (await client.text(general)).send("mine")
        await ada.says(general, "pinged", reply_to=general.messages[own.id])
        await ada.says(general, "unpinged", reply_to=general.messages[own.id], ping=False)
        await ada.says(await ada.opens_dm(), "in private")
        heard = [await client.got("message", number) for number in range(1, 7)]
        assert [one.content for one in heard] == ["", f"{server.mention} for you", "mine", "pinged", "", "in private"]
        assert heard[0].attachments == [] and heard[1].reference.resolved.content == ""
        assert [one.content async for one in (await client.text(general)).history(limit=1)] == [""]


async def test_an_intent_that_was_not_granted_ends_the_client(server: DiscordServer) -> None:
    server.world.content_intent = False
    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with running(server, Listener()) as client:
            await client.got("never")


async def _refused(asked: Awaitable[object], code: int) -> None:
    with pytest.raises(discord.Forbidden) as refused:
        await asked
    assert refused.value.code == code
