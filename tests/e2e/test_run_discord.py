"""`lyra run` on Discord, as the process that people start: it says how it listens, answers, waits for Discord, and ends."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.errors import UNUSABLE
from tests.fakes import openai_behaviours as b
from tests.kits.discord_thread import DiscordThread, Door
from tests.kits.lyra_kit import Done, Home, ModelServer, Process

pytest_plugins = ["tests.kits.run_fixtures"]

READS_ALL = "Discord: connected. I read what is said where I can see it, and keep what is meant for me."
READS_LITTLE = (
    "Discord: connected. I read DMs, mentions and commands; switch on Message Content Intent in the Developer "
    "Portal under Bot to let me read my threads whole."
)
SECRET = "the word that nobody may read in a log"


def machine(folder: Path, discord: DiscordThread, model: ModelServer, more: str = "", place: str = "") -> Home:
    """Return a machine whose Lyra has a model and is on Discord."""
    config = f"{model.config(more)}\n{place or discord.config('streaming = false')}\n[web]\nport = 0\n"
    return Home(folder, config, **discord.variables).begun()


@contextmanager
def awake(home: Home) -> Iterator[Process]:
    """Keep Lyra awake for the block, from the moment she is connected."""
    with home.started("run") as process:
        assert process.note("Discord: ").startswith("Discord: connected.")
        yield process


def ended(done: Done) -> None:
    """Assert that Lyra ended as she should."""
    assert (done.out, done.code) == ("", 0) and "Traceback" not in done.err


def test_she_says_how_she_listens_answers_and_finishes_before_she_ends(
    tmp_path: Path, discord: DiscordThread, model: ModelServer
) -> None:
    home, dm = machine(tmp_path, discord, model), discord.dm("ada")
    with home.started("run") as lyra:
        assert lyra.note("Discord: ") == READS_ALL
        assert discord.answered(discord.ask("ada", dm, "hello")) == ["You said: hello"]
        model.script(b.Drip("Finished before the end.", 0.3))
        last = discord.ask("ada", dm, "one more")
        model.wait(2)
        asked = time.monotonic()
        ended(lyra.stop(signal.SIGTERM))
        assert time.monotonic() - asked < 30
    assert discord.answers(last) == ["Finished before the end."]


def test_without_the_intent_she_says_what_to_switch_on(tmp_path: Path, model: ModelServer) -> None:
    with DiscordThread(content_intent=False) as discord, machine(tmp_path, discord, model).started("run") as lyra:
        assert lyra.note("Discord: ") == READS_LITTLE
        assert discord.answered(discord.ask("ada", discord.dm("ada"), "hello")) == ["You said: hello"]
        ended(lyra.stop())


def test_a_wrong_token_ends_her_with_one_sentence(tmp_path: Path, discord: DiscordThread, model: ModelServer) -> None:
    home = machine(tmp_path, discord, model)
    home.chat()
    # Its units do not start her again after this status; to everybody else it is 1, as on Matrix.
    systemd = {"NOTIFY_SOCKET": str(tmp_path / "notify")}
    done = home.lyra("run", env={"DISCORD_TOKEN": "wrong-and-secret", **systemd})
    assert (done.out, done.code) == ("", UNUSABLE)
    said = [line for line in done.err.splitlines() if not line.startswith("The memory page is at")]
    assert said == [
        "Discord does not accept the token. Make a new one in the Developer Portal → Bot → Reset Token, and give it to Lyra."
    ]


def test_a_token_that_is_not_set_is_named(tmp_path: Path, discord: DiscordThread, model: ModelServer) -> None:
    home = machine(tmp_path, discord, model)
    home.chat()
    del home.variables["DISCORD_TOKEN"]
    done = home.lyra("run", env={"NOTIFY_SOCKET": str(tmp_path / "notify")})
    assert done.code == UNUSABLE
    done = home.lyra("run")
    sentence = "The token of [discord] is in the environment variable DISCORD_TOKEN, which is not set."
    assert (done.out, done.err, done.code) == ("", f"{sentence}\n", 1)


def test_discord_may_be_away_at_first(tmp_path: Path, discord: DiscordThread, model: ModelServer) -> None:
    door = Door(discord)
    home = machine(tmp_path, discord, model, place=door.config())
    with home.started("run") as lyra:
        said = [lyra.note()]
        while "Discord" not in said[-1]:
            said.append(lyra.note())
        assert said[-1].endswith("Lyra connects again. source=adapters.discord.adapter")
        assert "Lyra is awake." not in said, "nobody can talk with her yet"
        with door.open():
            assert lyra.note("awake") == "Lyra is awake."
            assert lyra.note("Discord: ").startswith("Discord: connected.")
            assert discord.answered(discord.ask("ada", discord.dm("ada"), "at last")) == ["You said: at last"]
            ended(lyra.stop())


def test_a_terminal_beside_her_talks_to_the_same_lyra(tmp_path: Path, discord: DiscordThread, model: ModelServer) -> None:
    ada = discord.person("ada")
    home = machine(tmp_path, discord, model, place=f'{discord.config()}[people.ada]\nconsole = "ada"\ndiscord = "{ada.id}"\n')
    with awake(home) as lyra:
        discord.answered(discord.ask("ada", discord.dm("ada"), "My boat is called Marlin."))
        chat = home.chat("What is my boat called?")
        assert (chat.lines, chat.code) == (["You said: What is my boat called?"], 0)
        assert "Marlin" in "".join(str(message["content"]) for message in model.chats[-1].messages)
        discord.answered(discord.ask("ada", discord.dm("ada"), "still there?"))
        ended(lyra.stop())


def test_a_log_of_events_tells_what_happened_and_nobodys_words(
    tmp_path: Path, discord: DiscordThread, model: ModelServer
) -> None:
    home, dm = machine(tmp_path, discord, model, 'log_level = "info"'), discord.dm("ada")
    with home.started("run") as lyra:
        told = [lyra.note("lyra.started"), lyra.note("platform.connected")]
        discord.answered(discord.ask("ada", dm, SECRET))
        discord.call(discord.server.gateway.disconnect)
        told.append(lyra.note("The connection to Discord is back."))
        asking = discord.do(discord.person("ada").runs(dm, "recall", query=SECRET))
        discord.do(asking.answer())
        told.append(lyra.note("command.run"))
        assert "command=recall" in told[-1]
        done = lyra.stop()
    ended(done)
    assert "lyra.stopped" in done.err
    written = "".join(told) + done.err
    assert SECRET not in written and asking.token not in written and discord.server.token not in written


def test_a_connection_that_comes_and_goes_is_one_line_each_without_a_traceback(
    tmp_path: Path, discord: DiscordThread, model: ModelServer
) -> None:
    home, dm = machine(tmp_path, discord, model), discord.dm("ada")
    with awake(home) as lyra:
        discord.server.gateway.refuse = 1
        discord.call(discord.server.gateway.disconnect)
        told = lyra.note("Attempting a reconnect")
        assert "source=discord.client" in told
        discord.do(discord.server.connected())
        discord.answered(discord.ask("ada", dm, "back?"))
        done = lyra.stop()
    ended(done)
    assert done.err == ""
