"""What the doctor makes of Discord's answers, good and bad, asked over real HTTP on loopback."""

import asyncio
from urllib.parse import parse_qs, urlsplit

import discord
import pytest
from discord.http import Route

from bot.cli.checkups import Finding
from bot.cli.checkups.discord_checkup import NEEDED, checkup, invite_url
from bot.config.sections import DiscordSection
from tests.fakes.discord import USUAL, DiscordServer, Held, Lost, RateLimit, Right, Status, Then, pointed_at

RETRY = "Try again later."
CHECK = "Check api_url in [discord]."


def section(server: DiscordServer, **keys: object) -> DiscordSection:
    urls = {"api_url": server.api_url, "gateway_url": server.gateway_url}
    return DiscordSection.model_validate({"token_env": "DISCORD_TOKEN", **urls, **keys})


def host(server: DiscordServer) -> str:
    return f"127.0.0.1:{server.port}"


def test_the_invitation_asks_for_what_she_needs_by_discords_documented_bits() -> None:
    asked = parse_qs(urlsplit(invite_url(4711)).query)
    # View Channels, Send Messages, Read Message History, Send Messages in Threads.
    bits = 1 << 10 | 1 << 11 | 1 << 16 | 1 << 38
    assert asked == {"client_id": ["4711"], "scope": ["bot applications.commands"], "permissions": [str(bits)]}
    assert invite_url(4711).startswith("https://discord.com/oauth2/authorize?")


async def test_what_she_needs_is_all_that_she_needs(server: DiscordServer) -> None:
    rights = Right.VIEW_CHANNEL | Right.SEND_MESSAGES | Right.SEND_MESSAGES_IN_THREADS | Right.READ_MESSAGE_HISTORY
    server.world.guild("Home", rights=rights)
    assert await checkup(section(server), server.token) == [
        Finding(True, "Discord: the token is accepted, and Message Content Intent is on."),
        Finding(True, "Discord: she has every permission that she needs in Home."),
    ]


@pytest.mark.parametrize("permission", NEEDED)
async def test_each_permission_is_missed_by_its_name(server: DiscordServer, permission: str) -> None:
    server.world.guild("Home", rights=USUAL & ~Right[permission.upper()])
    _, found = await checkup(section(server), server.token)
    sentence = f"Discord: in the server Home she lacks {NEEDED[permission]}. Give them to her role: Server Settings → Roles."
    assert found == Finding(False, sentence)


async def test_an_administrator_lacks_nothing(server: DiscordServer) -> None:
    server.world.guild("Home", rights=Right(0), bot_rights=Right.ADMINISTRATOR)
    assert all(finding.sound for finding in await checkup(section(server), server.token))


async def test_of_many_servers_twenty_are_looked_at(server: DiscordServer) -> None:
    for n in range(23):
        server.world.guild(f"Server {n}")
    _, found, rest = await checkup(section(server), server.token)
    assert found.sentence.count("Server ") == 20
    assert len(server.calls("get_guild")) == 20
    assert rest == Finding(True, "Discord: she is in more servers than the 20 that were looked at.")


async def test_twenty_servers_are_all(server: DiscordServer) -> None:
    for n in range(20):
        server.world.guild(f"Server {n}")
    assert len(await checkup(section(server), server.token)) == 2


async def test_a_servers_name_does_not_steer_the_terminal(server: DiscordServer) -> None:
    server.world.guild("Ho\x1b[2Jme")
    assert (await checkup(section(server), server.token))[-1].sentence.endswith("in Ho[2Jme.")


async def test_nothing_is_done_but_looking(server: DiscordServer) -> None:
    server.world.guild("Home")
    await checkup(section(server), server.token)
    assert {call.method for call in server.requests} == {"GET"}
    assert server.gateway.identifies == []


@pytest.mark.parametrize("token", ["wrong", "two\nlines", "schlüssel", ""])
async def test_a_token_that_is_none_is_not_shown(server: DiscordServer, token: str) -> None:
    [found] = await checkup(section(server), token)
    assert found.sentence.startswith("Discord does not accept the token in DISCORD_TOKEN. Make a new one: ")
    assert not found.sound
    assert not token or token not in found.sentence


async def test_discord_py_itself_does_not_tell_such_a_token_from_a_stranger(server: DiscordServer) -> None:
    with pointed_at(server):
        async with discord.Client(intents=discord.Intents(guilds=True)) as client:
            with pytest.raises(ValueError):
                await client.login("two\nlines")


ANSWERS = {
    "broken": (Status(503), f"cannot answer now (status 503). {RETRY}"),
    "banned": (RateLimit(via=False), f"cannot answer now (status 429). {RETRY}"),
    "another path": (Status(404), f"does not answer as Discord does (status 404). {CHECK}"),
    "a web page": (Status(200), f"is not Discord. {CHECK}"),
    "hung up, and once more": (Lost(), f"is out of reach. {CHECK}"),
}


@pytest.mark.parametrize(("fault", "said"), ANSWERS.values(), ids=ANSWERS.keys())
async def test_what_keeps_discord_from_answering_is_said(
    server: DiscordServer, fault: Status | RateLimit | Lost, said: str
) -> None:
    server.faults.script("get_my_user", fault, fault)
    [found] = await checkup(section(server), server.token)
    assert not found.sound
    assert host(server) in found.sentence
    assert found.sentence.endswith(said)


async def test_a_server_that_keeps_silent_is_not_waited_for(server: DiscordServer) -> None:
    held = Held()
    server.faults.script("get_my_user", held)
    [found] = await checkup(section(server), server.token, seconds=1.0)
    assert found == Finding(False, f"Discord: {host(server)} is out of reach. {CHECK}")
    assert held.reached.is_set()


async def test_a_server_that_is_only_slow_is_waited_for(server: DiscordServer) -> None:
    server.world.guild("Home")
    held = Held()
    server.faults.script("get_my_user", held)
    waiting = asyncio.create_task(checkup(section(server), server.token))
    await held.reached.wait()
    held.go.set()
    assert all(finding.sound for finding in await waiting)


async def test_what_was_found_before_a_failure_is_told(server: DiscordServer) -> None:
    home, away = server.world.guild("Home", rights=Right(0)), server.world.guild("Away")
    leave = Then(lambda: server.acts.remove_bot(away))
    server.faults.script("list_my_guilds", leave)
    intent, lacking, failed = await checkup(section(server), server.token)
    assert intent.sound
    assert home.name in lacking.sentence
    assert failed.sentence.endswith(f"(status 404). {CHECK}")


async def test_discord_py_is_pointed_elsewhere_for_the_checkup_alone(server: DiscordServer) -> None:
    before = Route.BASE
    asked: list[str] = []
    server.faults.script("get_my_user", Then(lambda: asked.append(Route.BASE)))
    await checkup(section(server), server.token)
    assert asked == [server.api_url]
    assert before == Route.BASE
    server.faults.script("get_my_user", Status(503))
    await checkup(section(server), server.token)
    assert before == Route.BASE
