"""What the loopback Discord has for who reads and hears what: own roles, thread members, addresses that expire, forwards."""

import discord
import pytest

from tests.fakes.discord import Channel, DiscordServer, Guild, Listener, Right, running


async def test_the_bots_own_role_is_told_apart(server: DiscordServer, home: Guild) -> None:
    server.world.role(home, "lyra")
    async with running(server, Listener()) as client:
        await client.got("ready")
        [guild] = client.guilds
        own = guild.self_role
        assert own is not None and own.is_bot_managed() and own in guild.me.roles


async def test_a_thread_says_whether_someone_is_in_it(server: DiscordServer, general: Channel) -> None:
    ada, bob = server.person("ada"), server.person("bob")
    thread = await ada.starts_thread(general, "secret", private=True)
    await ada.invites(thread)
    async with running(server, Listener()) as client:
        await client.got("ready")
        assert (await client.http.get_thread_member(thread.id, ada.id))["user_id"] == str(ada.id)
        with pytest.raises(discord.NotFound):
            await client.http.get_thread_member(thread.id, bob.id)


async def test_addresses_expire_and_a_message_asked_for_again_has_new_ones(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        said = await server.person("ada").says(general, "read this", attachments={"notes.txt": b"buy tea"})
        heard = await client.got("message")
        said.attachments[0].turn += 1
        with pytest.raises(discord.NotFound):
            await heard.attachments[0].read()
        again = await heard.channel.fetch_message(heard.id)
        assert await again.attachments[0].read() == b"buy tea"


async def test_a_forwarded_message_is_a_snapshot(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        ada = server.person("ada")
        first = await ada.says(general, "the key is under the mat", attachments={"map.txt": b"x"})
        await ada.forwards(first, general)
        heard = await client.got("message", 2)
        [copy] = heard.message_snapshots
        assert (heard.content, copy.content, copy.attachments[0].filename) == ("", "the key is under the mat", "map.txt")
        fetched = await heard.channel.fetch_message(heard.id)
        assert fetched.message_snapshots[0].content == copy.content


async def test_an_overwrite_lets_in_who_has_no_right_at_all(server: DiscordServer, home: Guild, general: Channel) -> None:
    home.roles[home.id].rights = Right(0)
    reading = Right.VIEW_CHANNEL | Right.READ_MESSAGE_HISTORY
    ada = server.person("ada")
    server.acts.overwrite(general, ada.user, allow=reading | Right.SEND_MESSAGES)
    server.acts.overwrite(general, server.world.bot, allow=reading)
    async with running(server, Listener()) as client:
        await ada.says(general, "here")
        assert (await client.got("message")).content == "here"


async def test_a_gateway_that_refuses_is_tried_again(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        await client.got("ready")
        server.gateway.refuse = 1
        server.gateway.disconnect()
        await server.person("ada").says(general, "meanwhile")
        assert (await client.got("message")).content == "meanwhile"
        assert server.gateway.refuse == 0 and len(server.gateway.resumes) == 1
