"""`lyra run` ends and is started again: on Discord she goes on where she was, with nothing of it to be read on the disk."""

import signal
import stat
from pathlib import Path

import pytest

from tests.fakes.discord import Channel
from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import Home, ModelServer, Process

pytest_plugins = ["tests.kits.run_fixtures"]

RESUMED = "The session on Discord from before goes on."
NOT_RESUMED = "The session on Discord from before is not resumed"


@pytest.fixture
def home(tmp_path: Path, discord: DiscordThread, model: ModelServer) -> Home:
    """A machine whose Lyra has a model and is on Discord."""
    talk = model.config('log_level = "info"')
    config = f"{talk}\n{discord.config('streaming = false')}\n[web]\nport = 0\n"
    return Home(tmp_path, config, **discord.variables).begun()


@pytest.fixture
def channel(discord: DiscordThread) -> Channel:
    """A channel whose name is looked for on the disk."""
    return discord.world.channel(discord.world.guild("Canary Wharf"), "quixotic-77")


def left(home: Home) -> list[Path]:
    """Return what was left for the next start."""
    return list((home.path / "connections").glob("*"))


def connected(process: Process) -> None:
    """Wait until a process is connected."""
    process.note("Discord: connected.")


def begun(discord: DiscordThread) -> tuple[int, int]:
    """Return how many sessions were begun, and how often one was resumed to go on."""
    gateway = discord.server.gateway
    return discord.call(lambda: (len(gateway.identifies), len([one for one in gateway.resumes if one["stays"]])))


def test_a_restart_begins_no_session_and_a_kill_leaves_none(
    home: Home, discord: DiscordThread, channel: Channel, model: ModelServer
) -> None:
    with home.started("run") as lyra:
        connected(lyra)
        first = discord.ask("ada", channel, "my cat is called Turing")
        assert discord.answered(first) == ["You said: ada: my cat is called Turing"]
        assert left(home) == []
        assert lyra.stop(signal.SIGTERM).code == 0
    [file] = left(home)
    session = discord.call(lambda: list(discord.server.gateway.sessions))
    canaries = ["quixotic", "Canary", "session", "GUILD", str(channel.id), discord.server.token, *session]
    assert not [one for one in canaries if one.encode() in file.read_bytes()]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    discord.do(discord.person("ada").deletes(first))
    meanwhile = discord.ask("bob", channel, "what is the cat called?")
    assert home.lyra("backup", "copy.lyra").code == 0 and left(home) == [file]
    with home.started("run") as lyra:
        lyra.note(RESUMED)
        assert discord.answered(meanwhile) == ["You said: bob: what is the cat called?"]
        assert "Turing" not in "".join(str(message["content"]) for message in model.chats[-1].messages)
        assert left(home) == [] and begun(discord) == (1, 1)
        lyra.kill()
    assert left(home) == []
    with home.started("run") as lyra:
        connected(lyra)
        assert begun(discord) == (2, 1)
        assert discord.answers(meanwhile) == ["You said: bob: what is the cat called?"]
        assert lyra.stop().code == 0


@pytest.mark.torture
def test_what_cannot_be_used_is_one_line_in_the_log_and_no_word_to_anybody(
    home: Home, discord: DiscordThread, channel: Channel
) -> None:
    with home.started("run") as lyra:
        connected(lyra)
        discord.answered(discord.ask("ada", channel, "hello"))
        assert lyra.stop().code == 0
    [file] = left(home)
    file.write_bytes(file.read_bytes()[:-1])
    said = discord.call(lambda: len(discord.world.said))
    with home.started("run") as lyra:
        notes = [lyra.note(NOT_RESUMED)]
        connected(lyra)
        done = lyra.stop()
    assert done.code == 0 and NOT_RESUMED not in done.err and len(notes) == 1
    assert begun(discord) == (2, 0) and discord.call(lambda: len(discord.world.said)) == said
