"""What is changed while she is awake: models, keys and who she is, from outside, without an end and a start."""

import signal
from pathlib import Path

import pytest

from tests.kits.discord_thread import DiscordThread
from tests.kits.entered import entered
from tests.kits.lyra_kit import Home, ModelServer, one_sentence

one = entered(lambda: ModelServer(lambda request: "I am the first."))
other = entered(lambda: ModelServer(lambda request: f"I am the second. {request.headers.get('authorization', '')}".strip()))
"""Another one."""


def said(model: ModelServer) -> str:
    """Return who the last request says that she is."""
    return str(model.chats[-1].messages[0]["content"])


def test_a_running_lyra_goes_on_with_the_new_model_and_key(tmp_path: Path, one: ModelServer, other: ModelServer) -> None:
    with DiscordThread() as discord:
        platform = f"{discord.config()}\n[web]\nport = 0\n"
        home = Home(tmp_path, one.config(platform), **discord.variables).begun()
        ada = discord.server.person("ada")
        dm = discord.do(ada.opens_dm())
        with home.started("run") as lyra:
            discord.do(discord.server.connected())

            def answered(text: str, number: int) -> str:
                discord.do(ada.says(dm, text))
                return str(discord.do(discord.server.sent(number, dm))[-1].content)

            answered("hello", 1)
            (home.path / "key.txt").write_text("sk-two\n")
            home.configure(other.config(f"recall_k = 5\n{platform}", 'api_key_file = "key.txt"'))
            assert home.lyra("model", "reload").out.startswith("Lyra, who is awake, reads")
            assert "At the next start: recall_k." in lyra.note("The configuration was read again.")
            discord.do(ada.says(dm, "and now?"))
            other.wait(1)
            assert other.chats[0].headers["authorization"] == "Bearer sk-two"
            home.configure("chat = 1\n")
            lyra.send(signal.SIGHUP)
            assert "lyra.toml" in lyra.note("The earlier configuration stays in use.")
            before = len(other.chats)
            discord.do(ada.says(dm, "still there?"))
            other.wait(before + 1)
            assert lyra.stop().code == 0


def test_a_model_is_connected_shown_tried_and_taken_off_outside_of_a_conversation(tmp_path: Path, one: ModelServer) -> None:
    home = Home(tmp_path, OLLAMA_HOST=one.host).begun()
    shown = home.lyra("model").out
    assert shown.startswith("No model connected: I keep, find and summarize.\n") and "lyra model lets me" not in shown
    assert home.lyra("model", "--try").code == 1
    asked = home.lyra("model", "ollama")
    assert (asked.code, asked.out) == (1, "Not connected.\n")
    assert home.lyra("model", "ollama", "--yes", "--try").code == 0
    assert home.chat("hello").out == "I am the first.\n"
    assert "fake-model" in home.lyra("model").out
    assert home.lyra("model", "off").out.startswith("Disconnected.")
    assert "No model connected" in home.lyra("model").out
    assert "I do not know" in one_sentence(home.lyra("model", "olama"))
    for odd in ("http://127.0.0.1:99999/v1", "http://[::1", "ftp://x"):
        assert one_sentence(home.lyra("model", odd, "--yes")).startswith(f'"{odd}" is not an address; write it like "http://')


def test_what_was_configured_comes_back_after_something_else_was_connected(
    tmp_path: Path, one: ModelServer, other: ModelServer
) -> None:
    home = Home(tmp_path, one.config()).begun()
    home.lyra("model", other.server.base_url, "--yes")
    assert home.chat("hello").out == "I am the second.\n"
    assert home.lyra("model", "config").out.startswith("As configured.")
    assert home.chat("hello").out == "I am the first.\n"


def test_who_she_is_is_shown_set_tried_and_undone(tmp_path: Path, one: ModelServer) -> None:
    home = Home(tmp_path, one.config()).begun()
    assert "a companion who remembers" in home.lyra("persona").out
    assert home.lyra("persona", "-", given="You are Ada's gardener.\n").code == 0
    assert "You are Ada's gardener." in home.lyra("persona").out
    assert home.lyra("persona", "--try").out == "I am the first.\n" and said(one) == "You are Ada's gardener."
    home.chat("hello")
    assert said(one).startswith("You are Ada's gardener.")
    home.lyra("persona", "--edit", env={"EDITOR": "sed -i s/gardener/cook/"})
    assert "You are Ada's cook." in home.lyra("persona").out
    assert home.lyra("persona", "--reset").out == "I am again who I was at first.\n"
    assert "cook" not in home.lyra("persona").out
    assert home.lyra("persona", "nothing-there.md").code == 1
    for nothing in ("\0\1\n", "\x7f\u200b"):
        assert "Say who I am" in one_sentence(home.lyra("persona", "-", given=nothing))
    home.lyra("persona", "-", given="You are \0Ada's cook.\n")
    assert (home.path / "persona.md").read_text() == "You are Ada's cook.\n"
    assert home.lyra("persona", "x.md", "--reset").code == 2


def test_in_a_conversation_the_file_is_read_again_when_it_changes(tmp_path: Path, one: ModelServer) -> None:
    home = Home(tmp_path, f'persona = "who.md"\n{one.config()}').begun()
    (home.path / "who.md").write_text("You are a sailor.")
    with home.started("chat") as chat:
        chat.say("hello")
        assert said(one).startswith("You are a sailor.")
        (home.path / "who.md").write_text("You are a baker, and bake.")
        chat.say("and now?")
        assert said(one).startswith("You are a baker, and bake.")
        (home.path / "who.md").unlink()
        chat.say("and without?")
        assert said(one).startswith("You are a baker, and bake."), "the last one stays"
        assert chat.finish().code == 0
    assert "which cannot be read" in one_sentence(home.lyra("persona"))


@pytest.mark.parametrize(
    ("broken", "sentence"), [('night = "25:99"', "a time such as 03:30"), ("prot = 1", 'unknown key "dream.prot"')]
)
def test_the_doctor_looks_at_the_rest_where_the_configuration_is_ill(tmp_path: Path, broken: str, sentence: str) -> None:
    home = Home(tmp_path, f"[dream]\n{broken}\n")
    done = home.lyra("doctor")
    assert done.code == 1 and sentence in done.out and "Home: " in done.out and "^" not in done.out


def test_the_doctor_looks_at_the_rest_where_the_memory_is_ill(tmp_path: Path, one: ModelServer) -> None:
    home = Home(tmp_path, one.config()).begun()
    home.chat("hello")
    home.key.write_text("0" * 64)
    done = home.lyra("doctor")
    assert done.code == 1
    assert [line[:2] for line in done.lines if "Memory: " in line] == ["!!"]
    assert any(line.startswith("ok  Model main:") for line in done.lines)
    assert any(line.startswith("ok  Persona:") for line in done.lines)
