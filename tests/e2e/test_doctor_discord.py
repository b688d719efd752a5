"""`lyra doctor` looks at Discord, and says what to switch on, where, and whom to ask."""

from pathlib import Path

import pytest

from tests.fakes.discord import USUAL, Right
from tests.kits.discord_thread import DiscordThread
from tests.kits.lyra_kit import LYRA, Home

pytest_plugins = ["tests.kits.run_fixtures"]

INTENT = (
    "Discord: Message Content Intent is off: she reads DMs, mentions and commands only. "
    "Switch it on: Developer Portal → your application → Bot → Privileged Gateway Intents."
)
READING = "ok  Discord: the token is accepted, and Message Content Intent is on."


@pytest.fixture
def home(tmp_path: Path, discord: DiscordThread) -> Home:
    """A machine whose Lyra is on Discord."""
    return Home(tmp_path, discord.config(), **discord.variables).begun()


def examined(home: Home) -> list[str]:
    """Run the doctor and return what it says of Discord, which decides the exit code."""
    done = home.lyra("doctor")
    assert "Traceback" not in done.err
    assert home.variables.get("DISCORD_TOKEN", "no token") not in done.out + done.err
    found = [line for line in done.lines if "Discord" in line]
    assert done.code == (1 if any(line.startswith("!! ") for line in done.lines) else 0), done.err
    return found


def test_all_is_well(home: Home, discord: DiscordThread) -> None:
    discord.call(discord.world.guild, "Home")
    discord.call(discord.world.guild, "Garden")
    assert examined(home) == [READING, "ok  Discord: she has every permission that she needs in Home, Garden."]
    assert discord.server.gateway.identifies == []


def test_a_wrong_token_is_named_and_never_shown(home: Home) -> None:
    home.variables["DISCORD_TOKEN"] = "a-secret-that-is-wrong"
    again = "Make a new one: Developer Portal → your application → Bot → Reset Token."
    assert examined(home) == [f"!!  Discord does not accept the token in DISCORD_TOKEN. {again}"]


def test_a_token_that_is_not_set_is_named(home: Home) -> None:
    del home.variables["DISCORD_TOKEN"]
    sentence = "The token of [discord] is in the environment variable DISCORD_TOKEN, which is not set."
    assert examined(home) == [f"!!  Discord: {sentence}"]


def test_a_token_in_a_file_is_used(home: Home, discord: DiscordThread) -> None:
    home.configure(discord.config().replace('token_env = "DISCORD_TOKEN"', 'token_file = "discord-token"'))
    (home.path / "discord-token").write_text(f"{discord.server.token}\n")
    discord.call(discord.world.guild, "Home")
    assert examined(home)[0] == READING
    (home.path / "discord-token").write_text("wrong")
    assert "does not accept the token in discord-token." in examined(home)[0]


def test_without_the_intent_she_works_and_it_is_said(home: Home, discord: DiscordThread) -> None:
    discord.call(discord.world.guild, "Home")
    discord.world.content_intent = False
    assert examined(home)[0] == f"ok  {INTENT}"


def test_the_intent_that_somebody_asked_for_is_missed(home: Home, discord: DiscordThread) -> None:
    discord.call(discord.world.guild, "Home")
    discord.world.content_intent = False
    home.configure(discord.config("message_content = true"))
    assert examined(home)[0] == f"!!  {INTENT}"


def test_who_wants_no_intent_is_not_asked_to_switch_it_on(home: Home, discord: DiscordThread) -> None:
    discord.call(discord.world.guild, "Home")
    home.configure(discord.config("message_content = false"))
    for granted in (True, False):
        discord.world.content_intent = granted
        reads = "she reads DMs, mentions and commands only, as message_content = false says."
        assert examined(home)[0] == f"ok  Discord: the token is accepted; {reads}"


def test_what_she_may_not_do_in_one_server_is_named(home: Home, discord: DiscordThread) -> None:
    discord.call(discord.world.guild, "Home")
    few = USUAL & ~Right.SEND_MESSAGES_IN_THREADS & ~Right.READ_MESSAGE_HISTORY
    discord.call(discord.world.guild, "Garden", rights=few)
    lacks = "she lacks Send Messages in Threads, Read Message History. Give them to her role: Server Settings → Roles."
    assert examined(home) == [
        READING,
        f"!!  Discord: in the server Garden {lacks}",
        "ok  Discord: she has every permission that she needs in Home.",
    ]


def test_in_no_server_she_hands_out_her_invitation(home: Home, discord: DiscordThread) -> None:
    discord.call(discord.world.guild, "Elsewhere", with_bot=False)
    link = f"https://discord.com/oauth2/authorize?client_id={discord.world.application_id}&scope=bot+applications.commands"
    assert examined(home) == [READING, f"!!  Discord: she is in no server yet. Invite her: {link}&permissions=274877975552"]


def test_a_discord_out_of_reach_is_named(tmp_path: Path) -> None:
    with DiscordThread() as gone:
        home = Home(tmp_path, gone.config(), **gone.variables)
    port = gone.server.port
    assert examined(home) == [f"!!  Discord: 127.0.0.1:{port} is out of reach. Check api_url in [discord]."]


@pytest.mark.torture
def test_who_is_not_on_discord_does_not_load_its_library(home: Home) -> None:
    def loaded() -> bool:
        done = home.lyra("doctor", command=(LYRA[0], "-X", "importtime", *LYRA[1:]))
        return any(line.rpartition("|")[2].strip() == "discord" for line in done.err.splitlines())

    assert loaded()
    home.configure("")
    assert not loaded()
