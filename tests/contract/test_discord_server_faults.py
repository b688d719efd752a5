"""What goes wrong with the loopback Discord on demand, and what an unmodified discord.py makes of it."""

import asyncio
import math
import subprocess
import sys
from pathlib import Path

import aiohttp
import discord
import pytest

from tests.fakes.discord import Channel, DiscordServer, Held, Listener, Lost, RateLimit, Status, Then, pointed_at, running


async def test_a_limit_on_one_route_is_waited_out_and_others_go_on(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        server.faults.script("create_message", RateLimit(0.3))
        sending = asyncio.create_task(channel.send("late"))
        await server.heard("create_message")
        await channel.typing()
        assert not sending.done()
        await sending
        assert [call.status for call in server.calls("create_message")] == [429, 200]
        assert len(server.world.said) == 1 and server.faults.too_early == []


async def test_a_global_limit_holds_every_route_but_interactions(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        server.faults.script("create_message", RateLimit(0.3, everywhere=True))
        sending = asyncio.create_task(channel.send("late"))
        await server.heard("create_message")
        server.world.commands[1] = {"id": "1", "name": "status", "type": 1, "default_member_permissions": None}
        client._connection._command_tree = None  # the test answers instead
        asked = await server.person("ada").runs(general, "status")
        await (await client.got("interaction")).response.send_message("at once")
        assert (await asked.answer()).content == "at once" and not sending.done()
        await asyncio.gather(sending, channel.typing(), client.fetch_user(client.application_id or 0))
        assert server.faults.too_early == [] and [call.status for call in server.refused] == [429]


async def test_a_limit_is_remembered_by_those_who_do_not_wait(server: DiscordServer, general: Channel) -> None:
    server.faults.script("create_message", RateLimit(5.0))
    address = f"{server.api_url}/channels/{general.id}/messages"
    async with aiohttp.ClientSession(headers={"Authorization": f"Bot {server.token}"}) as session:
        for _ in range(2):
            async with session.post(address, json={"content": "now"}) as answer:
                assert answer.status == 429 and answer.headers["Via"] and (await answer.json())["retry_after"] > 4
    assert server.faults.too_early == ["create_message"]


async def test_a_real_limit_is_kept_by_its_headers(server: DiscordServer, general: Channel) -> None:
    server.faults.limit("create_message", 2, 0.2)
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        await asyncio.gather(*(channel.send(str(number)) for number in range(5)))
        assert len(server.world.said) == 5 and server.refused == []


async def test_a_ban_at_the_border_is_told_at_once(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        server.faults.script("create_message", RateLimit(9.0, via=False))
        with pytest.raises(discord.HTTPException) as refused:
            await (await client.text(general)).send("now")
        assert refused.value.status == 429


async def test_an_error_of_the_server_is_tried_again_under_the_same_nonce(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        server.faults.script("create_message", Status(502, accepted=True))
        await channel.send("once")
        first, second = server.calls("create_message")
        assert (first.status, second.status) == (502, 200) and first.body["nonce"] == second.body["nonce"]
        assert len(general.messages) == 1
        server.faults.script("create_message", Status(503))
        with pytest.raises(discord.DiscordServerError):
            await channel.send("never")
        assert len(general.messages) == 1


async def test_a_lost_answer_is_told_and_the_message_is_there(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        server.faults.script("create_message", Lost(), Lost(accepted=False))
        with pytest.raises(aiohttp.ClientConnectionError):
            await channel.send("once", nonce="n")
        assert len(general.messages) == 1
        with pytest.raises(aiohttp.ClientConnectionError):
            await channel.send("not sent")
        again = await channel.send("once", nonce="n")
        assert [again.id] == list(general.messages)


async def test_the_gateway_goes_in_mid_reply(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        channel = await client.text(general)
        held = Held()
        server.faults.script("create_message", held, Then(server.gateway.disconnect))
        sending = asyncio.create_task(channel.send("slowly"))
        await held.reached.wait()
        assert [one.content for one in server.world.said] == ["slowly"] and not sending.done()
        held.go.set()
        await sending
        await channel.send("and cut")
        await server.resumed()
        assert [(await client.got("message", number)).content for number in (1, 2)] == ["slowly", "and cut"]


async def test_what_was_said_meanwhile_is_replayed_on_resume(server: DiscordServer, general: Channel) -> None:
    ada = server.person("ada")
    async with running(server, Listener()) as client:
        await ada.says(general, "before")
        await client.got("message")
        for times, code in enumerate((None, 4000, 7), 1):
            server.gateway.reconnect() if code == 7 else server.gateway.disconnect(code)
            await ada.says(general, f"meanwhile {times}")
            assert (await client.got("message", times + 1)).content == f"meanwhile {times}"
            await client.got("resumed", times)
        heard = [args[0].content for name, args in client.heard if name == "message"]
        assert heard == ["before", "meanwhile 1", "meanwhile 2", "meanwhile 3"]
        assert len(server.gateway.identifies) == 1 and len(server.gateway.resumes) == 3
        assert {one["path"] for one in server.gateway.resumes} == {"/gateway/resumed"}


@pytest.mark.parametrize("told", ["at once", "on resume"])
async def test_an_invalid_session_begins_anew_and_the_gap_is_in_the_history(
    server: DiscordServer, general: Channel, told: str
) -> None:
    ada = server.person("ada")
    async with running(server, Listener()) as client:
        await ada.says(general, "before")
        last = await client.got("message")
        if told == "at once":
            server.gateway.invalidate()
        else:
            server.gateway.disconnect()
            server.gateway.forget()
        await ada.says(general, "meanwhile")
        await server.identified(2)
        await ada.says(general, "after")
        assert (await client.got("message", 2)).content == "after"
        missed = [one.content async for one in last.channel.history(after=last)]
        assert missed == ["meanwhile", "after"]


async def test_an_invalid_session_may_be_resumable(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        server.gateway.invalidate(resumable=True)
        await server.person("ada").says(general, "meanwhile")
        assert (await client.got("message")).content == "meanwhile"
        assert len(server.gateway.identifies) == 1


async def test_an_event_can_come_twice(server: DiscordServer, general: Channel) -> None:
    async with running(server, Listener()) as client:
        await server.person("ada").says(general, "once")
        server.gateway.repeat()
        assert (await client.got("message")).id == (await client.got("message", 2)).id


@pytest.mark.parametrize("code", [4004, 4014])
async def test_some_closes_end_the_client(server: DiscordServer, code: int) -> None:
    with pointed_at(server):
        async with Listener() as client:
            started = asyncio.create_task(client.start(server.token))
            await server.connected()
            server.gateway.disconnect(code)
            with pytest.raises((discord.ConnectionClosed, discord.PrivilegedIntentsRequired)):
                await started


async def test_the_day_has_only_so_many_starts(server: DiscordServer) -> None:
    server.gateway.budget = 0
    with pytest.raises(discord.ConnectionClosed) as closed:
        async with running(server, Listener()):
            pass
    assert closed.value.code == 4004


async def test_heartbeats_are_answered() -> None:
    async with DiscordServer(heartbeat=0.02) as server, running(server, Listener()) as client:
        await server.pulse.until(lambda: server.gateway.heartbeats >= 4, "four heartbeats")
        assert math.isfinite(client.latency)


async def test_members_are_told_to_those_who_may_know(general: Channel) -> None:
    async with DiscordServer(members_intent=True) as server:
        home = server.world.guild("Home")
        server.person("ada").joins(home)
        async with running(server, Listener(discord.Intents(guilds=True, members=True))) as client:
            await client.got("ready")
            guild = client.guilds[0]
            assert {one.name for one in await guild.chunk()} == {"ada", "boss", "lyra"}


async def test_the_client_is_served_in_the_compression_it_asks_for(server: DiscordServer) -> None:
    async with running(server, Listener()):
        assert server.gateway.compressions == [discord.utils._ActiveDecompressionContext.COMPRESSION_TYPE]


_WITHOUT_ZSTANDARD = """
import asyncio, sys, warnings
sys.modules["zstandard"] = None
warnings.simplefilter("ignore")
from tests.fakes.discord import DiscordServer, Listener, running

async def main():
    async with DiscordServer() as server:
        general = server.world.channel(server.world.guild(), "general")
        async with running(server, Listener()) as client:
            await server.person("ada").says(general, "long " * 400)
            assert (await client.got("message")).content == "long " * 400
            print(server.gateway.compressions, server.violations)

asyncio.run(main())
"""


def test_without_zstandard_the_client_asks_for_zlib() -> None:
    command, root = [sys.executable, "-c", _WITHOUT_ZSTANDARD], Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "['zlib-stream'] []\n", done.stderr


def test_with_zstandard_it_asks_for_zstd() -> None:
    assert discord.utils._ActiveDecompressionContext.COMPRESSION_TYPE == "zstd-stream"
