"""A burst in many channels of many servers at once: nothing of it is lost, and each channel keeps its order."""

from pathlib import Path

import pytest

from memory.types import DomainKind, Kind
from tests.fakes.discord import DiscordServer
from tests.kits.awake import model_server
from tests.kits.discord_home import awake, sound
from tests.kits.size import TORTURE

SERVERS, CHANNELS, EACH = (10, 20, 50) if TORTURE else (3, 4, 5)
NO_LIMITS = "[limits]\nin_a_row = 0\n[limits.person]\nturns_per_minute = 0\n"


async def test_nothing_of_a_burst_is_lost_and_each_channel_keeps_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with DiscordServer() as server, model_server() as model:
        # Ten thousand turns, of some 30 ms of a processor each.
        server.pulse.patience *= 10 if TORTURE else 1
        ada = server.person("ada")
        guilds = [server.world.guild(f"Server {n}") for n in range(SERVERS)]
        channels = [server.world.channel(guild, f"channel-{n}") for guild in guilds for n in range(CHANNELS)]
        for guild in guilds:
            ada.joins(guild)
        async with awake(server, tmp_path / "home", monkeypatch, model=model, config=NO_LIMITS) as lyra:
            for n in range(EACH):
                for channel in channels:
                    await ada.says(channel, f"{server.mention} {channel.id} {n}")
            unanswered = {max(channel.messages) for channel in channels}

            def answered() -> bool:
                for one in server.world.said[looked_at[0] :]:
                    unanswered.discard(one.reply_to or 0)
                looked_at[0] = len(server.world.said)
                return not unanswered

            looked_at = [0]
            await server.pulse.until(answered, "an answer to the last of each")
            await lyra.heard()
            for guild in guilds:
                view = await lyra.view(DomainKind.SERVER, guild.id)
                said = [
                    one.text.split()[-2:] for _session, one in [row async for row in view.messages.all()] if one.kind is Kind.SAID
                ]
                for channel in (one for one in channels if one.guild is guild):
                    assert [int(n) for place, n in said if place == str(channel.id)] == list(range(EACH))
        sound(server)
