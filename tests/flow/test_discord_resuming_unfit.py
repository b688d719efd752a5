"""A gateway session that was left is not resumed where it does not fit: one is begun, as at a first start, and nothing is missed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.discord.resuming.resumption import MOST_SECONDS
from adapters.events import Message
from tests.fakes.discord import Channel, DiscordServer
from tests.kits import discord_resuming
from tests.kits.discord_resuming import Restarted

process = discord_resuming.process


def forgotten(process: Restarted) -> None:
    process.server.gateway.forget()


def too_late(process: Restarted) -> None:
    process.clock.passes(MOST_SECONDS + 1)


def before_its_time(process: Restarted) -> None:
    process.clock.passes(-3600)


def damaged(process: Restarted) -> None:
    [file] = process.folder.iterdir()
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def cut_off(process: Restarted) -> None:
    [file] = process.folder.iterdir()
    file.write_bytes(file.read_bytes()[:20])


def gone(process: Restarted) -> None:
    [file] = process.folder.iterdir()
    file.unlink()


def older_memory(process: Restarted) -> None:
    process.notes.values.pop("left")


UNFIT = (forgotten, too_late, before_its_time, damaged, cut_off, gone, older_memory)


@pytest.mark.parametrize("how", UNFIT, ids=[how.__name__ for how in UNFIT])
async def test_what_does_not_fit_is_left_and_a_session_begun(
    process: Restarted,
    server: DiscordServer,
    general: Channel,
    how: Callable[[Restarted], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "adapters.discord")
    ada = server.person("ada")
    async with process.awake() as ear:
        first = await ada.says(general, "one")
        await ear.heard(Message)
    await ada.says(general, "two")
    await ada.deletes(first)
    how(process)
    async with process.awake() as ear:
        await ada.says(general, "three")
        await ear.heard(Message, 2)
        assert ear.texts == ["two", "three"] and ear.missing == [()]
    assert process.counts(2, int(how is forgotten))
    assert caplog.text.count("The session on Discord from before") == int(how is not gone)
    assert [file.name for file in process.folder.iterdir()] == ["discord-0-of-1"], "and that one is kept for the next"


async def test_where_nothing_can_be_kept_she_ends_and_begins_as_ever(
    process: Restarted, server: DiscordServer, general: Channel
) -> None:
    process.folder.mkdir()
    (process.folder / "discord-0-of-1" / "in the way").mkdir(parents=True)
    for number in range(2):
        async with process.awake() as ear:
            await server.person("ada").says(general, f"{number}")
            await ear.heard(Message)
    assert process.counts(2, 0)


async def test_a_session_with_other_intents_is_not_used(process: Restarted, server: DiscordServer) -> None:
    async with process.awake():
        pass
    async with process.awake(message_content=False):
        pass
    assert process.counts(2, 0)
    async with process.awake(message_content=False):
        pass
    assert process.counts(2, 1)


async def test_each_shard_goes_on_with_its_own(process: Restarted, server: DiscordServer) -> None:
    places = [server.world.channel(server.world.guild(shard=(shard, 2)), "general") for shard in (0, 1)]
    ada = server.person("ada")
    for number in range(2):
        for shard in (0, 1):
            async with process.awake(shard=shard, shards=2) as ear:
                await ada.says(places[shard], f"{number}")
                await ear.heard(Message)
    assert process.counts(2, 2)
    async with process.awake():
        pass
    assert process.counts(3, 2), "it is another number of shards"


async def test_what_another_process_went_on_with_is_not_resumed_again(
    process: Restarted, server: DiscordServer, general: Channel, tmp_path: Path
) -> None:
    other = Restarted(server, tmp_path / "another home")
    other.notes = process.notes
    async with process.awake():
        pass
    async with other.awake():
        async with other.awake():
            pass
        await server.person("ada").says(general, "hello")
        async with process.awake():
            pass
    assert process.counts(4, 0)
