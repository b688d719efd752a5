"""Whole turns of conversations side by side: `lyra run` on a file and on a server, and one and two platform processes there.

Everything stands on one machine: the loopback Discord, the model that answers at once, the server and she. `--role platform` keeps to
Discord's 50 requests a second for a bot; a turn takes two of them, one to type and one to answer.
"""

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from statistics import median

from tests.fakes.discord import Channel, DiscordServer
from tests.fakes.openai_server import OpenAIServer
from tests.kits.postgres import postgres

_DISK = Path("/var/tmp")
_CHANNELS, _TURNS, _ROUNDS = 16, 12, 3
_PATIENCE = 300.0
Row = Callable[[str, float, str, float, str], None]


async def measure(row: Row) -> None:
    """Measure how many whole turns a second sixteen conversations have together."""
    with postgres(on=_DISK) as server:
        ways = {
            "lyra run, SQLite": ("", ()),
            "lyra run, PostgreSQL": ("whole", ("all",)),
            "one platform process": ("one", ("platform",)),
            "two platform processes": ("two", ("platform", "platform")),
        }
        found: dict[str, list[float]] = {name: [] for name in ways}
        for n in range(_ROUNDS):
            for name, (database, roles) in ways.items():
                url = server.make(f"{database}{n}").url if database else ""
                found[name].append(await _turns(url, roles or ("all",)))
    alone, *others = ways
    for name in others:
        row(f"whole turns of 16 conversations, {name}", median(found[name]), alone, median(found[alone]), "/s")


async def _turns(url: str, roles: tuple[str, ...]) -> float:
    """Return how many turns a second are answered by processes in these roles."""
    async with DiscordServer() as discord, OpenAIServer(lambda _: "Yes.") as model, AsyncExitStack() as stack:
        of = len(roles)
        guilds = [discord.world.guild(f"Server {n}", shard=(n % of, of)) for n in range(4)]
        channels = [discord.world.channel(guilds[n % 4], f"channel-{n}") for n in range(_CHANNELS)]
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=_DISK)))
        _configure(home, discord, model, url, of)
        for role in roles:
            await stack.enter_async_context(_lyra(home, discord, role))
        # What is done once, and the first words in each place, are no part of it.
        await asyncio.gather(*(_talk(discord, channel, 1) for channel in channels))
        began = time.perf_counter()
        await asyncio.gather(*(_talk(discord, channel, _TURNS) for channel in channels))
        return _CHANNELS * _TURNS / (time.perf_counter() - began)


async def _talk(discord: DiscordServer, channel: Channel, turns: int) -> None:
    """Ask in a channel, each time once the last question is answered."""
    ada = discord.person("ada")
    for n in range(turns):
        said = await ada.says(channel, f"{discord.mention} the boat is green, for the {n}th time")
        async with asyncio.timeout(_PATIENCE):
            await discord.pulse.until(partial(_answered, channel, said.id), "an answer")


def _answered(channel: Channel, question: int) -> bool:
    return any(one.reply_to == question for one in channel.messages.values())


def _configure(home: Path, discord: DiscordServer, model: OpenAIServer, url: str, shards: int) -> None:
    store = f'[store]\nurl = "{url}"\n' if url else ""
    (home / "lyra.toml").write_text(
        f'chat = "main"\nembed = "off"\n[models.main]\nbase_url = "{model.base_url}"\nmodel = "m"\n{store}'
        f'[discord]\ntoken_env = "DISCORD_TOKEN"\nstreaming = false\nshards = {shards}\n'
        f'api_url = "{discord.api_url}"\ngateway_url = "{discord.gateway_url}"\n'
        "[limits]\nin_a_row = 0\n[limits.person]\nturns_per_minute = 0\n[web]\nport = 0\n"
    )


@asynccontextmanager
async def _lyra(home: Path, discord: DiscordServer, role: str) -> AsyncIterator[None]:
    env = {**os.environ, "LYRA_HOME": str(home), "DISCORD_TOKEN": discord.token, "LYRA_CONFIG": str(home / "lyra.toml")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run"),
        *(() if role == "all" else ("--role", role)),
        env=env,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr
    try:
        while line := (await asyncio.wait_for(process.stderr.readline(), _PATIENCE)).decode():
            if "Discord: connected" in line:
                break
        assert line, "she ended before she was connected"
        yield
    finally:
        process.terminate()
        await process.wait()
