"""The real `lyra run`, killed -9 while it opens a thread for a conversation: there is one thread, and one answer in it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.fakes.discord import Channel, Held, Message, Right, Then
from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import Home, ModelServer

pytest_plugins = ["tests.kits.run_fixtures"]

SAID = "the lighthouse keeper is called Bertram, right?"


def answer(request: b.Request) -> str:
    """Answer the last line."""
    return "You said " + request.last_user.splitlines()[-1].rpartition(": ")[2]


@pytest.fixture
def general(discord: DiscordThread) -> Channel:
    """A channel of a server that Eve runs."""
    guild = discord.world.guild("Home")
    manager = discord.world.role(guild, "manager", Right.MANAGE_GUILD)
    discord.call(discord.world.join, guild, discord.person("eve").user, manager)
    return discord.world.channel(guild, "general")


def wants_threads(discord: DiscordThread, general: Channel) -> None:
    """Have her open a thread for each conversation."""
    called = discord.do(discord.person("eve").runs(general, "settings", setting="threads", value="on"))
    assert discord.do(called.answer()).shown.startswith("threads: on")


def said_in(thread: Channel) -> list[str]:
    """Return what she answered in a thread."""
    return [one.content for one in thread.history() if one.author.bot and one.content.startswith("You said")]


def threads(discord: DiscordThread) -> list[Channel]:
    return [one for one in discord.world.channels.values() if one.is_thread]


def held_back(discord: DiscordThread, ask: Callable[[], Message], operation: str, *, before: bool = True) -> tuple[Message, Held]:
    """Ask, and return what was said once a request is held, before or after it takes effect, and what lets that go on."""
    held = Held(before=before)
    discord.call(discord.server.faults.script, operation, held)
    said = ask()
    discord.do(held.reached.wait())
    return said, held


@pytest.mark.first
@pytest.mark.parametrize(
    ("operation", "before"),
    [
        ("create_thread_from_message", False),
        ("create_thread_from_message", True),
        ("create_message", True),
        ("create_message", False),
    ],
    ids=["before it is recorded", "before the thread stands", "before the answer stands", "before that is recorded"],
)
def test_a_kill_leaves_one_thread_and_one_answer(
    tmp_path: Path, discord: DiscordThread, general: Channel, operation: str, before: bool
) -> None:
    with ModelServer(answer) as model:
        home = Home(tmp_path, f"{model.config()}{discord.config()}[web]\nport = 0\n", **discord.variables).begun()
        with home.started("run") as process:
            process.note("Discord: connected.")
            wants_threads(discord, general)
            if operation == "create_message":
                # She says what she is to whom she meets first.
                discord.ask("bob", general, "hello")
                discord.until(lambda: any(map(said_in, threads(discord))), "an answer")
            known = {one.id for one in threads(discord)}
            said, _ = held_back(discord, lambda: discord.ask("ada", general, SAID), operation, before=before)
            process.kill()
        with home.started("run") as process:
            process.note("Discord: connected.")
            discord.until(lambda: said.id in discord.world.channels and said_in(discord.world.channels[said.id]), "an answer")
            other = discord.ask("bob", general, "and which cup?")
            discord.until(lambda: other.id in discord.world.channels and said_in(discord.world.channels[other.id]), "an answer")
            assert {one.id for one in threads(discord)} == {*known, said.id, other.id}
            assert said_in(discord.world.channels[said.id]) == [f"You said {SAID}"]
            # It is known whose name the thread bears.
            assert "Bertram" in discord.world.channels[said.id].name
            discord.do(discord.person("ada").deletes(said))
            discord.until(lambda: "Bertram" not in discord.world.channels[said.id].name, "another name")
            process.stop()


def test_what_was_said_beside_a_thread_goes_into_it_after_a_kill_as_well(
    tmp_path: Path, discord: DiscordThread, general: Channel
) -> None:
    with ModelServer(answer) as model:
        home = Home(tmp_path, f"{model.config()}{discord.config()}[web]\nport = 0\n", **discord.variables).begun()
        with home.started("run") as process:
            process.note("Discord: connected.")
            wants_threads(discord, general)
            said, _ = held_back(discord, lambda: discord.ask("ada", general, "hello"), "create_thread_from_message")
            process.kill()
        discord.ask("ada", general, SAID)
        with home.started("run") as process:
            discord.until(lambda: said.id in discord.world.channels, "a thread")
            discord.until(lambda: any("Bertram" in one for one in said_in(discord.world.channels[said.id])), "an answer to both")
            assert [one.id for one in threads(discord)] == [said.id]
            process.stop()


GREETING, FIRST = "Hello, I am Lyra", "You said hello"


def shown_in(thread: Channel) -> list[str]:
    """Return what of her stands in a thread, her introduction by its beginning."""
    told = [one.content for one in thread.history() if one.author.bot]
    return [GREETING if one.startswith(GREETING) else one for one in told]


@pytest.mark.first
@pytest.mark.parametrize("before", [False, True], ids=["before it is recorded", "before the preview stands"])
@pytest.mark.parametrize("beside", [False, True], ids=["what begins it", "what was said beside it"])
def test_a_kill_while_an_answer_is_shown_leaves_that_answer_and_all_that_stood_there(
    tmp_path: Path, discord: DiscordThread, general: Channel, beside: bool, before: bool
) -> None:
    with ModelServer(answer) as model:
        home = Home(tmp_path, f"{model.config()}{discord.config()}[web]\nport = 0\n", **discord.variables).begun()
        preview = Held(before=before)
        with home.started("run") as process:
            process.note("Discord: connected.")
            wants_threads(discord, general)
            if beside:
                begins, opening = held_back(discord, lambda: discord.ask("ada", general, "hello"), "create_thread_from_message")
                discord.ask("ada", general, SAID)
                # She has heard all that was said before this.
                discord.answered(discord.ask("zoe", discord.dm("zoe"), "are you there?"))
            stands = [Then(lambda: None)] * (2 if beside else 1)
            discord.call(discord.server.faults.script, "create_message", *stands, preview)
            model.script(*([FIRST] if beside else []), b.Hang("The beginning of an answer"))
            if beside:
                discord.call(opening.go.set)
            else:
                begins = discord.ask("ada", general, SAID)
            discord.do(preview.reached.wait())
            process.kill()
        with home.started("run") as process:
            process.note("Discord: connected.")
            thread = discord.world.channels[begins.id]
            discord.until(lambda: f"You said {SAID}" in said_in(thread), "an answer")
            other = discord.ask("bob", general, "and which cup?")
            discord.until(lambda: other.id in discord.world.channels and said_in(discord.world.channels[other.id]), "an answer")
            assert shown_in(thread) == [GREETING, *([FIRST] if beside else []), f"You said {SAID}"]
            process.stop()
