"""`lyra setup`: questions, each answer tried, and a commented configuration that works; over a pipe as well."""

import re
import stat
import tomllib
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.kits.discord_thread import DiscordThread
from tests.kits.entered import entered
from tests.kits.in_english import said_in_english
from tests.kits.lyra_kit import Done, ModelServer, NewMachine, one_sentence
from tests.kits.lyra_terminal import CTRL_C, CTRL_D, Terminal

NO = ("n", "n")  # no Discord, no Matrix

model = entered(lambda: ModelServer(lambda request: "Hello Ada.", models=("tiny", "large")))
"""A model on this machine."""


@pytest.fixture
def home(tmp_path: Path) -> NewMachine:
    """A machine on which nothing is set up."""
    return NewMachine(tmp_path)


def set_up(home: NewMachine, *answers: str, language: str = "") -> Done:
    """Answer the questions over a pipe, a line each, the first of which is for the language; the rest with Enter."""
    return home.lyra("setup", given="".join(f"{answer}\n" for answer in (language, *answers, *[""] * 8)))


def config(home: NewMachine) -> dict[str, object]:
    """Return what the configuration says."""
    return tomllib.loads((home.path / "lyra.toml").read_text())


def test_a_model_is_found_tried_and_answers_at_once(home: NewMachine, model: ModelServer) -> None:
    home.variables["OLLAMA_HOST"] = model.host
    done = set_up(home, "Europe/Vienna", "ollama", "tiny", *NO)
    assert "Found on this machine: ollama, with large, tiny" in done.err
    assert "Model main: tiny answers" in done.err
    assert (done.code, done.out) == (0, "")
    assert config(home) == {
        "chat": ["main"], "time_zone": "Europe/Vienna", "language": "en",
        "models": {"main": {"base_url": f"http://{model.host}/v1", "model": "tiny"}},
    }  # fmt: skip
    file = home.path / "lyra.toml"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert re.search("(?m)^# recall_k = 60 +# how many recalled messages", file.read_text())
    assert home.chat("hello").out == "Hello Ada.\n"


def test_a_model_that_does_not_answer_is_told_and_kept_only_if_that_is_said(home: NewMachine, model: ModelServer) -> None:
    model.script(b.Status(401))
    url = model.server.base_url
    refused = set_up(home, "", "http://127.0.0.1:99999/v1", url, "", "tiny", "n", "none", *NO)
    assert '"http://127.0.0.1:99999/v1" is not an address; write it like' in refused.err
    # A port or a folder of the test may have the same digits.
    words = refused.err.replace(url, "").replace(str(home.path), "")
    assert "Keep it anyway?" in words and "Model main: " in words and "401" not in words
    assert "It is not kept. Name another one, or none to go on without a model." in refused.err
    assert "models" not in config(home)
    model.script(b.Status(401))
    kept = set_up(home, "", url, "", "tiny", "y", *NO, "y")
    assert kept.code == 0 and config(home)["models"] == {"main": {"base_url": url, "model": "tiny"}}


def test_an_answer_that_names_no_model_is_told_what_does(home: NewMachine) -> None:
    done = set_up(home, "", "?", "none", *NO)
    assert '"?" is not a model server. Write one of these names, an address like http://127.0.0.1:11434/v1, or none.' in done.err


@pytest.mark.parametrize("answers", ["", "\n", "\n\nnone\nn\nn\n", "\n\nhttp://127.0.0.1:1/v1\ntype\nsk-secret\ntiny\n"])
def test_answers_that_end_early_write_nothing(home: NewMachine, answers: str) -> None:
    done = home.lyra("setup", given=answers)
    assert done.code == 1
    assert done.err.splitlines()[-1] == "The answers ended before the last question; nothing was written."
    assert not [path for path in home.path.rglob("*") if path.is_file()]


def test_a_key_that_was_typed_goes_where_nothing_is_written(home: NewMachine, model: ModelServer) -> None:
    home.configure(
        f'chat = "main"\n[models.main]\nbase_url = "{model.server.base_url}"\nmodel = "tiny"\napi_key_file = "model-key"\n'
    )
    (home.path / "model-key").write_text("sk-before")
    assert set_up(home, "Asia/Tokyo", "", "type", "sk-secret", "", *NO, "n").code == 1
    assert (home.path / "model-key").read_text() == "sk-before"


def test_a_key_is_in_a_file_of_its_own_and_nowhere_else(home: NewMachine, model: ModelServer) -> None:
    done = set_up(home, "", model.server.base_url, "type", "sk-secret", "tiny", *NO)
    assert done.code == 0 and "sk-secret" not in done.err
    text = (home.path / "lyra.toml").read_text()
    assert "sk-secret" not in text and 'api_key_file = "model-key"' in text
    key = home.path / "model-key"
    assert key.read_text() == "sk-secret\n" and stat.S_IMODE(key.stat().st_mode) == 0o600
    assert home.chat("hello").out == "Hello Ada.\n"
    assert {name.title(): value for name, value in model.chats[-1].headers.items()}["Authorization"] == "Bearer sk-secret"


def test_what_is_there_stays_and_is_changed_only_where_one_agrees(home: NewMachine) -> None:
    file = home.configure('# mine\nrecall_k = 7  # few\ntime_zone = "UTC"\n')
    before = file.read_text()
    shown = set_up(home, "Asia/Tokyo", "none", *NO)
    assert '-time_zone = "UTC"' in shown.err and '+time_zone = "Asia/Tokyo"' in shown.err
    assert (shown.code, file.read_text()) == (1, before)
    assert set_up(home, "Asia/Tokyo", "none", *NO, "y").code == 0
    assert file.read_text() == before.replace("UTC", "Asia/Tokyo")
    again = set_up(home)
    assert again.code == 0 and "Nothing changes" in again.err


def test_a_wrong_time_zone_gets_a_suggestion(home: NewMachine) -> None:
    done = set_up(home, "Europe/Viena", "Europe/Vienna", "none", *NO)
    assert '"Europe/Viena" is not a time zone. Did you mean Europe/Vienna?' in done.err
    assert config(home) == {"language": "en", "time_zone": "Europe/Vienna"}


def test_the_language_that_is_chosen_is_spoken_from_the_next_question_on(home: NewMachine) -> None:
    done = set_up(home, "Europe/Viena", "Europe/Vienna", "none", *NO, language="Deutsch")
    asked, rest = done.err.split("\n\n", 1)
    assert asked.startswith("Let us set up Lyra in a few questions.")
    assert rest.startswith("Which language should she speak: English or Deutsch? [English]")
    assert "„Europe/Viena“ ist keine Zeitzone. Meintest du Europe/Vienna?" in rest
    assert said_in_english(rest.partition("[English]")[2].partition("[this")[0]) == []
    assert config(home) == {"language": "de", "time_zone": "Europe/Vienna"}
    again = set_up(home, language="Klingon\n")
    assert "„Klingon“ spreche ich nicht." in again.err and "ändert sich nichts" in again.err


def test_it_begins_in_the_language_of_the_terminal(home: NewMachine) -> None:
    home.variables |= {"LANG": "de_AT.UTF-8", "LC_ALL": ""}
    done = set_up(home, "", "none", *NO)
    assert "Die Sprache, die sie spricht: English oder Deutsch? [Deutsch]" in done.err
    assert said_in_english(done.err) == [] and config(home) == {"language": "de"}


def test_a_file_that_is_not_toml_is_left_alone(home: NewMachine) -> None:
    home.path.mkdir()
    (home.path / "lyra.toml").write_text("chat = \n")
    done = set_up(home)
    assert done.code == 1 and "is not TOML" in one_sentence(done)
    assert (home.path / "lyra.toml").read_text() == "chat = \n"


@pytest.mark.parametrize(("token", "said"), [("right", "the token is accepted"), ("wrong", "does not accept the token")])
def test_a_token_of_discord_is_tried(home: NewMachine, token: str, said: str) -> None:
    with DiscordThread() as discord:
        home.configure(discord.config())
        home.variables["DISCORD_TOKEN"] = discord.server.token if token == "right" else "wrong"
        done = set_up(home, "", "none", "y", "DISCORD_TOKEN", "y", "n", "4242", "y")
        assert said in done.err and home.variables["DISCORD_TOKEN"] not in done.err
        assert done.code == 0
        assert config(home)["people"]["ada"]["discord"] == ["4242"]  # type: ignore[index]


def test_a_homeserver_that_does_not_answer_is_told(home: NewMachine) -> None:
    done = set_up(
        home,
        "",
        "none",
        "n",
        "y",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:1",
        "y",
        "@lyra:example.org",
        "MATRIX_PASSWORD",
        "ada",
        "",
    )
    assert '"http://127.0.0.1:99999" is not an address' in done.err and '"ada" is not a Matrix id' in done.err
    assert "environment variable MATRIX_PASSWORD, which is not set" in done.err
    assert "is out of reach" in done.err
    assert done.code == 0 and config(home)["matrix"]["homeserver"] == "http://127.0.0.1:1"  # type: ignore[index]


def test_each_answer_about_matrix_is_tried_at_once_and_a_no_leaves_it_out(home: NewMachine) -> None:
    done = set_up(
        home, "Asia/Tokyo", "none", "n", "y", "foo", "http://127.0.0.1:1", "n", "http://127.0.0.1:1", "y", "lyra", "@lyra:x", "abc", "no", "y"
    )  # fmt: skip
    questions = re.findall(r"(The address of|Her account there|The account's password)", done.err)
    assert questions == ["The address of"] * 3 + ["Her account there"] * 2 + ["The account's password"] * 2
    assert "[foo]" not in done.err and "[http" not in done.err and "(like MATRIX_PASSWORD)" in done.err
    assert (done.code, config(home)) == (0, {"language": "en", "time_zone": "Asia/Tokyo"})


def test_a_wrong_token_is_asked_for_again_with_its_default_and_a_no_leaves_discord_out(home: NewMachine) -> None:
    done = set_up(home, "Asia/Tokyo", "none", "y", "abc", "", "n", "no", "n", "y")
    assert done.err.count("(no leaves Discord as it was) [DISCORD_TOKEN]") == 3 and "DISCORD_TOKEN, which is not set" in done.err
    assert (done.code, config(home)) == (0, {"language": "en", "time_zone": "Asia/Tokyo"})


def test_answers_that_end_are_told_in_the_language_that_was_chosen(home: NewMachine) -> None:
    done = home.lyra("setup", given="de\n")
    assert (done.code, said_in_english(done.err.splitlines()[-1])) == (1, [])
    assert done.err.splitlines()[-1].startswith("Die Antworten")


def test_at_a_terminal_it_asks_one_thing_after_the_other(home: NewMachine) -> None:
    with Terminal(home, command="setup") as terminal:
        terminal.until("Which language should she speak")
        terminal.type("")
        terminal.until("In which time zone should she show times")
        terminal.type("Asia/Tokyo")
        terminal.until("Which one: ollama")
        terminal.type("none")
        terminal.until("Is she on Discord?")
        terminal.type("")
        terminal.until("Is she on Matrix?")
        terminal.type("")
        terminal.until("Write this to")
        terminal.type("")
        terminal.until("Written: ~/.lyra/lyra.toml")
    assert config(home) == {"language": "en", "time_zone": "Asia/Tokyo"}


def test_ctrl_c_and_ctrl_d_at_a_question_leave_everything_as_it_is(home: NewMachine) -> None:
    for key, code, said in ((CTRL_C, 130, "Cancelled; nothing was changed."), (CTRL_D, 1, "The answers ended before")):
        with Terminal(home, command="setup") as terminal:
            terminal.until("Which language should she speak")
            terminal.type("")
            terminal.until("In which time zone should she show times")
            terminal.type(key, end="")
            assert terminal.end() == code
            assert terminal.lines[-1].startswith(said) and len(terminal.lines) < 8
        assert not home.path.exists()
