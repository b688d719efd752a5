"""A large bot's day on the loopback Discord: what 2,500 servers take of memory, and a burst in 200 channels at once.

`lyra run` is a process of its own, so that its memory is its own. `python -m tests.bench.throng TIMES` is that process with a clock
on the commit of what was heard; the servers are elsewhere.
"""

import asyncio
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bot.app import RandomIds
from bot.conversation.listening import NO_CURSORS
from bot.service.serve import serve
from memory.core import Memory, Ports
from memory.journal.inbox import Event, Inbox, InboxEvent
from memory.store import keys
from memory.text.time.times import SystemClock
from memory.types import Kind
from tests.fakes.discord import Channel, DiscordServer
from tests.fakes.openai_server import OpenAIServer

_CHANNELS, _ROLES = 20, 10
_MILLISECONDS = 1_000
_PATIENCE = 900.0
Row = Callable[[str, float, str, float, str], None]


async def measure(row: Row, *, servers: int = 2_500, messages: int = 10_000, places: int = 200) -> None:
    """Measure both, beside a bot of one server and beside a bare commit of the same row. Raises AssertionError for a lost message."""
    alone = await known(1)
    row(f"memory of lyra run in {servers:,} servers", await known(servers), "in one server", alone, "MB")
    took, bare = await burst(messages, places)
    what = f"commit of what is heard, 99th of 100, of {messages:,} messages in {places} channels at once"
    row(what, percentile(took, 99), "a bare commit", percentile(bare, 99), "ms")
    row("the same, median", percentile(took, 50), "a bare commit", percentile(bare, 50), "ms")


async def known(servers: int) -> float:
    """Return the megabytes that she holds in so many servers, once she has answered in the last of them."""
    async with DiscordServer() as discord, OpenAIServer(lambda _: "Here.") as model:
        ada = discord.person("ada")
        for n in range(servers):
            guild = discord.world.guild(f"Server {n}")
            for at in range(_ROLES):
                discord.world.role(guild, f"role {at}")
            for at in range(_CHANNELS):
                channel = discord.world.channel(guild, f"channel-{at}")
        ada.joins(guild)
        async with _lyra(discord, model) as (process, _home):
            said = await ada.says(channel, f"{discord.mention} are you there?")
            await _until(lambda: any(one.reply_to == said.id for one in discord.world.said))
            status = Path(f"/proc/{process.pid}/status").read_text()
    [resident] = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(resident) / 1024


async def burst(messages: int, places: int) -> tuple[list[float], list[float]]:
    """Return what each commit of what was heard took, and what bare commits take, in milliseconds.

    Raises AssertionError where a message is lost or out of order.
    """
    async with DiscordServer() as discord, OpenAIServer(lambda _: "Yes.") as model:
        ada = discord.person("ada")
        guilds = [discord.world.guild(f"Server {n}") for n in range(max(1, places // _CHANNELS))]
        channels = [discord.world.channel(guilds[n % len(guilds)], f"channel-{n}") for n in range(places)]
        for guild in guilds:
            ada.joins(guild)
        async with _lyra(discord, model) as (process, home):
            for n in range(messages):
                await ada.says(channels[n % places], f"{discord.mention} {n}")
                if n % places == 0:
                    await asyncio.sleep(0)
            last = [list(channel.messages.values())[-1].id for channel in channels]
            await _until(lambda: {one.reply_to for one in discord.world.said}.issuperset(last))
            process.terminate()
            await process.wait()
            took = json.loads((home / "times.json").read_text())
            await _require_order(home, channels, messages)
            return took, await _bare(home, len(took))


async def _require_order(home: Path, channels: Sequence[Channel], messages: int) -> None:
    memory = await Memory.open(home / "lyra.db", keys.load(home / "key"), Ports(SystemClock(), RandomIds(), None))
    try:
        found = defaultdict[str, list[int]](list)
        for domain in await memory.places.domains():
            async for session, message in memory.view(domain).messages.all():
                if message.kind is Kind.SAID:
                    found[session].append(int(message.text.split()[-1]))
    finally:
        await memory.close()
    assert sum(map(len, found.values())) == messages, f"{messages - sum(map(len, found.values()))} messages are lost"
    assert len(found) == len(channels) and all(numbers == sorted(numbers) for numbers in found.values())


async def _bare(home: Path, times: int) -> list[float]:
    """Return what commits of one row of the inbox take in the same file while nothing else happens."""
    memory = await Memory.open(home / "lyra.db", keys.load(home / "key"), Ports(SystemClock(), RandomIds(), None))
    took = []
    try:
        for n in range(times):
            began = time.perf_counter()
            async with memory.db.transaction() as tx:
                await tx.run(
                    "INSERT INTO inbox (platform, place, event_id, payload, received_at) VALUES ('bench', 'p', :id, :payload, 0)",
                    {"id": str(n), "payload": "x" * 400},
                )
            took.append((time.perf_counter() - began) * _MILLISECONDS)
    finally:
        await memory.close()
    return took


@asynccontextmanager
async def _lyra(discord: DiscordServer, model: OpenAIServer) -> AsyncIterator[tuple[asyncio.subprocess.Process, Path]]:
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "lyra.toml").write_text(
            f'chat = "main"\nembed = "off"\nanswer_within_minutes = 600\n'
            f'[models.main]\nbase_url = "{model.base_url}"\nmodel = "m"\n'
            f'[discord]\ntoken_env = "DISCORD_TOKEN"\nstreaming = false\n'
            f'api_url = "{discord.api_url}"\ngateway_url = "{discord.gateway_url}"\n'
            "[limits]\nin_a_row = 0\n[limits.person]\nturns_per_minute = 0\n[web]\nport = 0\n"
        )
        env = {**os.environ, "LYRA_HOME": name, "DISCORD_TOKEN": discord.token, "LYRA_CONFIG": str(home / "lyra.toml")}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.bench.throng", str(home / "times.json")), env=env, stderr=asyncio.subprocess.PIPE
        )
        assert process.stderr
        try:
            while line := (await asyncio.wait_for(process.stderr.readline(), _PATIENCE)).decode():
                if "Discord: connected" in line:
                    break
            assert line, "she ended before she was connected"
            yield process, home
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def _until(look: Callable[[], bool]) -> None:
    async with asyncio.timeout(_PATIENCE):
        while not look():
            await asyncio.sleep(0.05)


def percentile(took: Sequence[float], share: int) -> float:
    """Return the duration that this share in a hundred does not exceed."""
    return sorted(took)[max(0, -(-len(took) * share // 100) - 1)]


async def _serve(times: Path) -> None:
    """Be `lyra run`, and write down how long each commit of what was heard took."""
    took, accept = list[float](), Inbox.accept

    async def timed(
        inbox: Inbox, platform: str, events: Sequence[Event], cursors: Mapping[str, str] = NO_CURSORS
    ) -> list[InboxEvent]:
        began = time.perf_counter()
        try:
            return await accept(inbox, platform, events, cursors)
        finally:
            took.append((time.perf_counter() - began) * _MILLISECONDS)

    Inbox.accept = timed  # type: ignore[assignment, method-assign]
    try:
        await serve()
    finally:
        times.write_text(json.dumps(took))


if __name__ == "__main__":
    asyncio.run(_serve(Path(sys.argv[1])))
