"""The loopback Discord, seen by an unmodified discord.py: people talk, the bot answers, and every request is Discord's."""

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO

import aiohttp
import discord
import pytest

from tests.fakes.discord import Channel, DiscordServer, Listener, Right, pointed_at, running


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with DiscordServer() as server:
        yield server
        assert server.own_faults == []


@pytest.fixture
def general(server: DiscordServer) -> Channel:
    return server.world.channel(server.world.guild("Home"), "general")


async def test_a_client_logs_in_and_learns_its_guilds(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        await client.got("ready")
        assert client.user is not None and client.user.id == server.world.bot.id
        [guild] = client.guilds
        assert guild.name == "Home" and [one.name for one in guild.text_channels] == ["general"]
        assert guild.me.guild_permissions.send_messages
        assert server.gateway.identifies[0]["token"] == server.token
    assert server.violations == []


async def test_a_wrong_token_is_refused(server: DiscordServer) -> None:
    client = Listener()
    with pointed_at(server):
        async with client:
            with pytest.raises(discord.LoginFailure):
                await client.start("wrong")
    assert not server.gateway.identifies


async def test_a_dm_is_answered_in_the_dm(server: DiscordServer) -> None:
    async with running(server, Listener()) as client:
        ada = server.person("ada")
        place = await ada.opens_dm()
        await ada.says(place, "are you there?")
        heard = await client.got("message")
        assert isinstance(heard.channel, discord.DMChannel) and heard.content == "are you there?"
        assert heard.author.id == ada.id and heard.guild is None
        await heard.reply("I am.")
        [said] = await server.sent(1, place)
        assert said.content == "I am." and said.type == 19 and said.mentions == [ada.user]
        own = await client.got("message", 2)
        assert own.author.id == server.world.bot.id and own.content == "I am."
    assert server.violations == []


async def test_a_guild_message_has_member_mentions_and_reference(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        ada, bob = server.person("ada"), server.person("bob")
        first = await ada.says(general, "who can help?")
        await bob.says(general, f"{server.mention} can, {ada.mention}", reply_to=first)
        heard = await client.got("message", 2)
        assert isinstance(heard.author, discord.Member) and heard.author.name == "bob"
        assert {one.id for one in heard.mentions} == {server.world.bot.id, ada.id}
        assert client.user in heard.mentions and heard.reference.resolved.content == "who can help?"
        await heard.reply("Yes.", mention_author=False)
        [said] = await server.sent(1, general)
        assert said.reply_to == heard.id and said.mentions == []
    assert server.violations == []


async def test_edits_and_deletes_reach_the_client(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        ada = server.person("ada")
        rows = [await ada.says(general, text) for text in ("one", "two", "three")]
        await ada.edits(rows[0], "ONE")
        raw = await client.got("raw_message_edit")
        assert raw.message.content == "ONE" and raw.cached_message.content == "one"
        await ada.deletes(rows[0])
        assert (await client.got("raw_message_delete")).message_id == rows[0].id
        await ada.deletes(*rows[1:])
        assert (await client.got("raw_bulk_message_delete")).message_ids == {rows[1].id, rows[2].id}
    assert general.messages == {}


async def test_the_bot_edits_and_deletes(server: DiscordServer, general: Channel) -> None:
    assert general.guild
    general.guild.roles[general.guild.id].rights |= Right.MANAGE_MESSAGES
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        said = await channel.send("thinking")
        await said.edit(content="thought")
        assert server.world.said[0].revisions == ["thinking", "thought"]
        await said.delete()
        others = [await channel.send(str(number)) for number in range(3)]
        await channel.delete_messages(others)
        assert general.messages == {}
        assert (await client.got("raw_bulk_message_delete")).message_ids == {one.id for one in others}
    assert server.violations == []
    assert set(server.unknown_keys) <= {"update_message body.tts"}, server.unknown_keys


async def test_history_is_read_in_pages_from_any_side(server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    rows = [await ada.says(general, str(number)) for number in range(120)]
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        after = [one.content async for one in channel.history(limit=None, after=discord.Object(rows[4].id))]
        assert after == [str(number) for number in range(5, 120)]
        before = [one.content async for one in channel.history(limit=3, before=discord.Object(rows[10].id))]
        assert before == ["9", "8", "7"]
        around = [one.content async for one in channel.history(limit=5, around=discord.Object(rows[50].id))]
        assert sorted(around) == ["48", "49", "50", "51", "52"]
        assert (await channel.fetch_message(rows[7].id)).content == "7"
        with pytest.raises(discord.NotFound):
            await channel.fetch_message(1)
    assert server.violations == []


async def test_a_nonce_is_sent_once_within_its_window(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        first = await channel.send("once", nonce="abc")
        again = await channel.send("once", nonce="abc")
        assert first.id == again.id and first.nonce == "abc" and len(general.messages) == 1
        assert all(call.body["enforce_nonce"] for call in server.calls("create_message"))
        server.hub.nonce_window = 0.0
        late = await channel.send("once", nonce="abc")
        assert late.id != first.id and len(server.world.said) == 2
    assert server.violations == []


async def test_files_go_up_and_down(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        await server.person("ada").says(general, "read this", attachments={"notes.txt": b"buy tea"})
        heard = await client.got("message")
        [file] = heard.attachments
        assert file.filename == "notes.txt" and file.content_type.startswith("text/plain") and await file.read() == b"buy tea"
        await heard.channel.send("mine", file=discord.File(BytesIO(b"\x89PNG"), "a.png", description="a dot"))
        [said] = await server.sent()
        assert [(one.name, one.data, one.description) for one in said.attachments] == [("a.png", b"\x89PNG", "a dot")]
        general.messages[heard.id].attachments[0].expired = True
        with pytest.raises(discord.NotFound):
            await file.read()
    assert server.violations == []


async def test_only_allowed_mentions_tell_anybody(server: DiscordServer, general: Channel) -> None:
    assert general.guild
    general.guild.roles[general.guild.id].rights |= Right.MENTION_EVERYONE
    async with running(server, Listener()) as client:
        ada, bob = server.person("ada"), server.person("bob")
        asked = await ada.says(general, "loud or quiet?")
        channel = await client.text(general)
        text = f"@everyone {ada.mention} {bob.mention}"
        await channel.send(text)
        await channel.send(text, allowed_mentions=discord.AllowedMentions.none())
        only = discord.AllowedMentions(everyone=False, roles=False, users=[discord.Object(bob.id)], replied_user=True)
        await channel.send(text, allowed_mentions=only, reference=channel.get_partial_message(asked.id))
        told = [([one.name for one in said.mentions], said.mention_everyone) for said in server.world.said]
        assert told == [(["ada", "bob"], True), ([], False), (["bob", "ada"], False)]
    assert server.violations == []


async def test_typing_is_heard_both_ways(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        await server.person("ada").types(general)
        channel, who, _ = await client.got("typing")
        assert channel.id == general.id and who.name == "ada"
        async with channel.typing():
            await channel.send("done")
        assert len(server.calls("trigger_typing_indicator")) == 1
    assert server.violations == []


async def test_webhooks_and_other_bots_are_told_apart(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        await server.webhook_says(general, "news", "it rains")
        await server.person("robot", bot=True).says(general, "beep")
        hook, robot = await client.got("message"), await client.got("message", 2)
        assert hook.webhook_id and hook.author.name == "news" and robot.author.bot and not robot.webhook_id


async def test_fifty_channels_speak_at_once(server: DiscordServer) -> None:
    home = server.world.guild("Home")
    places = [server.world.channel(home, f"room-{number}") for number in range(50)]
    client = Listener()

    @client.event
    async def on_message(message: discord.Message) -> None:
        if message.author != client.user:
            await message.reply(message.content.upper())

    async with running(server, client):
        await asyncio.gather(*(server.person(f"p{place.id}").says(place, f"hello {place.id}") for place in places))
        await server.sent(50)
        for place in places:
            assert [one.content for one in server.world.by_bot(place)] == [f"HELLO {place.id}"]
    assert server.violations == [] and client.errors == []


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "wrong"),
    [
        ("POST", "/channels/{}/messages", {"content": "x" * 2001}, 400, "2001 characters"),
        ("POST", "/channels/{}/messages", {"content": " "}, 400, "empty message"),
        ("POST", "/channels/{}/messages", {"content": ["x"]}, 400, "body.content"),
        ("POST", "/channels/{}/messages", {"content": "x", "nonce": "n" * 26}, 400, "body.nonce"),
        ("POST", "/channels/{}/messages/bulk-delete", {"messages": ["1"]}, 400, "messages"),
        ("POST", "/channels/{}/speak", {"content": "x"}, 404, "no such path"),
        ("GET", "/channels/{}/messages?limit=101", None, 400, "above 100"),
        ("GET", "/channels/{}/messages?before=yesterday", None, 400, "query.before"),
        ("PUT", "/channels/{}/messages/pins/1", None, 404, "cannot do that"),
    ],
)
async def test_a_wrong_request_is_a_violation(
    server: DiscordServer, general: Channel, method: str, path: str, body: object, status: int, wrong: str
) -> None:
    assert general.guild
    general.guild.roles[general.guild.id].rights |= Right.MANAGE_MESSAGES
    headers = {"Authorization": f"Bot {server.token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.request(method, server.api_url + path.format(general.id), json=body) as answer:
            assert answer.status == status
        assert len(server.violations) == 1 and wrong in server.violations[0]
        async with session.post(
            f"{server.api_url}/channels/{general.id}/messages", json={"content": "right", "colour": 1}
        ) as answer:
            assert answer.status == 200
        assert len(server.violations) == 1
        assert server.unknown_keys == {"create_message body.colour": 1}


async def test_a_request_without_the_token_is_refused(server: DiscordServer, general: Channel) -> None:
    async with aiohttp.ClientSession() as session, session.get(f"{server.api_url}/users/@me") as answer:
        assert answer.status == 401
    assert [call.operation for call in server.refused] == ["get_my_user"]
