"""The real `lyra chat` in a terminal, as a newcomer sees it."""

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

from tests.fakes import openai_behaviours as b
from tests.fakes.pulse import PATIENCE
from tests.kits.entered import entered
from tests.kits.lyra_kit import LYRA, Home, ModelServer
from tests.kits.lyra_terminal import CTRL_C, CTRL_D, UP, Terminal
from tests.kits.size import few

ollama = entered(lambda: ModelServer(models=("llama3.2",)))
"""A model server that this machine would take for Ollama."""


@pytest.fixture
def home(tmp_path: Path, ollama: ModelServer) -> Home:
    """A machine with an Ollama, on which nothing was said yet."""
    return Home(tmp_path, OLLAMA_HOST=ollama.host, NO_COLOR="1").begun()


def test_a_first_evening_is_remembered_at_the_second_start(home: Home, ollama: ModelServer) -> None:
    with Terminal(home) as terminal:
        greeting = terminal.ready()
        assert greeting[:2] == [
            "Lyra: hello ada. Nothing leaves this machine.",
            "No model connected: I keep, find and summarize. /model connects one.",
        ]
        assert "Memory is encrypted; copy this key somewhere safe: ~/.lyra/key" in greeting
        assert terminal.say("my cat is called Turing") == ["you › my cat is called Turing", "lyra › Kept.", "you ›"]
        assert terminal.leave(CTRL_D) == 0

    with Terminal(home) as terminal:
        assert re.fullmatch(
            r"Welcome back, ada\. 1 message kept, (just now|\d+ minutes? ago)\. /help shows what I can do, /quit leaves\.",
            terminal.ready()[0],
        )
        assert terminal.lines[1:] == ["you ›"]
        cat = terminal.say("what is the name of my cat?")[1]
        assert re.fullmatch(r'lyra › You told me (today|yesterday) at \d\d:\d\d: "my cat is called Turing"\.', cat)
        assert terminal.say("and my sister's?")[1] == 'lyra › Nothing about "sister" yet.'
        assert ollama.chats == []

        terminal.type("/model ollama")
        asked = terminal.until("[y/N]")
        assert asked[-1] == "lyra › Found llama3.2 on this machine. Send your words there? [y/N]"
        terminal.type("y")
        terminal.until("Connected.")
        assert terminal.ready()[-2] == "lyra › Connected. /model off undoes it."
        ollama.script(b.Drip("Turing is a fine name for a cat.", 0.02))
        assert terminal.say("is that a good name?")[1:] == ["lyra › Turing is a fine name for a cat.", "you ›"]
        assert len(ollama.chats) == 1
        assert terminal.leave(CTRL_D) == 0


def test_an_answer_is_shown_while_it_is_made(home: Home, ollama: ModelServer) -> None:
    home.configure(ollama.config())
    with Terminal(home) as terminal:
        terminal.ready()
        ollama.script(b.Hang("The first half"))
        terminal.type("tell me something long")
        assert terminal.until("The first half")[-1] == "lyra › The first half"


def test_the_models_words_cannot_draw_on_the_screen(home: Home, ollama: ModelServer) -> None:
    home.configure(ollama.config())
    with Terminal(home) as terminal:
        terminal.ready()
        before = len(terminal.raw)
        ollama.script("before \x1b[2J\x1b]0;owned\x07\x1b[31mafter\u202e and \x9b5mon")
        assert terminal.say("paint it red")[1].startswith("lyra › before ")
        shown = terminal.raw[before:]
    for forbidden in (b"\x1b[2J", b"\x1b]0;", b"\x1b[31m", "\u202e".encode(), "\x9b".encode()):
        assert forbidden not in shown


def test_help_stands_in_columns_and_says_how_to_leave(home: Home) -> None:
    with Terminal(home) as terminal:
        shown = terminal.say("/help")
        assert [line.find("leave; what you said is kept") for line in shown if "/quit" in line] == [38]
        assert {line.find(words) for line in shown for words in ("forget a message,", "find what was said") if words in line} == {
            38
        }
        terminal.leave()


@pytest.mark.parametrize("way", few([CTRL_D, "/quit\r", "exit\r", "quit\r"], 2), ids=few(["Ctrl-D", "/quit", "exit", "quit"], 2))
def test_leaving_ends_quietly_with_exit_code_0(home: Home, way: str) -> None:
    with Terminal(home) as terminal:
        terminal.say("remember the milk")
        assert terminal.leave(way) == 0
        assert "Traceback" not in "\n".join(terminal.lines)
    assert [row["content"] for row in home.export() if row["role"] == "user"] == ["remember the milk"]


def test_ctrl_c_clears_the_line_and_says_on_an_empty_one_how_to_leave(home: Home) -> None:
    with Terminal(home) as terminal:
        terminal.ready()
        terminal.type("never mi", end="")
        terminal.until("never mi")
        terminal.type(CTRL_C, end="")
        assert terminal.ready()[-1] == "you ›"
        terminal.type(CTRL_C, end="")
        terminal.until("Leave with /quit or Ctrl-D.")
        terminal.say("remember the milk")
        terminal.leave()
    assert [row["content"] for row in home.export() if row["role"] == "user"] == ["remember the milk"]


def test_ctrl_c_ends_an_answer_and_what_came_of_it_is_kept(home: Home, ollama: ModelServer) -> None:
    home.configure(ollama.config())
    with Terminal(home) as terminal:
        terminal.ready()
        ollama.script(b.Hang("Well, I"), "It has good coffee.")
        terminal.type("what do you think of Vienna?")
        terminal.until("Well, I")
        terminal.type(CTRL_C, end="")
        terminal.until("lyra › Well, I […]")
        assert [line for line in terminal.lines if "Well, I" in line] == ["lyra › Well, I […]"]
        assert "lyra › It has good coffee." in terminal.say("and of its cafés?")
        assert terminal.leave() == 0
        assert "Traceback" not in "\n".join(terminal.lines)
    assert [row["content"] for row in home.export()] == [
        "what do you think of Vienna?", "Well, I […]", "and of its cafés?", "It has good coffee."
    ]  # fmt: skip


def test_what_is_typed_while_she_answers_moves_nothing_of_the_answer(home: Home, ollama: ModelServer) -> None:
    home.configure(ollama.config())
    with Terminal(home, columns=40) as terminal:
        terminal.ready()
        ollama.script(b.Hang("Well, I have not been there for a very long time"), "It has good coffee.")
        terminal.type("what do you think of Vienna?")
        terminal.until("long time")
        terminal.type("and of its cafés?")
        terminal.type(CTRL_C, end="")
        terminal.until("[…]")
        terminal.type("and of its cafés?")
        terminal.until("lyra › It has good coffee.")
        assert [line for line in terminal.lines if "Well, I" in line] == ["lyra › Well, I have not been there for a"]


def test_ctrl_c_before_anything_came_leaves_the_question_without_an_answer(home: Home, ollama: ModelServer) -> None:
    home.configure(ollama.config())
    with Terminal(home) as terminal:
        terminal.ready()
        ollama.script(b.Hang(""), "Good evening.")
        terminal.type("what do you think of Vienna?")
        ollama.wait(1)
        terminal.type(CTRL_C, end="")
        assert "lyra › Good evening." in terminal.say("hello")
        terminal.leave()
    with Terminal(home) as terminal:
        terminal.ready()
        terminal.leave()
    assert [row["content"] for row in home.export()] == ["what do you think of Vienna?", "hello", "Good evening."]


def test_an_answer_is_laid_out_once_with_its_link(home: Home, ollama: ModelServer) -> None:
    home.configure(ollama.config())
    with Terminal(home) as terminal:
        terminal.ready()
        ollama.script("# Ways\n- by *train*\n- on foot, see <b>https://oebb.example/a</b>")
        shown = terminal.say("how do I get to https://oebb.example/a ?")
    assert [line.strip() for line in shown[1:-1]] == [
        "lyra › Ways",
        "• by train",
        "• on foot, see < b>https://oebb.example/a< /b>",
    ]


def test_forgetting_by_an_id_shows_what_goes_and_asks(home: Home, ollama: ModelServer) -> None:
    home.configure(ollama.config())
    ollama.script("Your locker code is 4711, I keep that.")
    home.chat("my locker code is 4711")
    (id,) = [hit["id"] for hit in home.lyra("recall", "locker code", "--json").rows[0]["hits"] if hit["speaker"] == "ada"]
    for answer, left in (("n", 2), ("y", 0)):
        with Terminal(home, id, command="forget") as terminal:
            asked = terminal.until("Forget this for good? [y/N]")
            assert [line.partition(": ")[2] for line in asked if "4711" in line] == [
                "my locker code is 4711", "Your locker code is 4711, I keep that."
            ]  # fmt: skip
            terminal.type(answer)
            assert terminal.end() == (1 if left else 0)
        assert len(home.export()) == left


def test_plain_words_are_offered_as_the_command_that_does_it(home: Home) -> None:
    with Terminal(home) as terminal:
        terminal.say("my locker code is 4711")
        terminal.say("my cat is called Turing")
        terminal.say("what is my locker code?")
        terminal.say("thanks!")
        terminal.type("forget that!")
        shown = " ".join(terminal.until("Forget this for good? [y/N]")).rpartition("This will be gone for good:")[2]
        assert "1 message" in shown and "my cat is called Turing" in shown
        assert not any(kept in shown for kept in ("what is my locker code", "thanks"))
        terminal.type("y")
        terminal.until("Forgotten: 1 message")
        terminal.ready()
        terminal.type("forget that")
        assert any("my locker code is 4711" in line for line in terminal.until("[y/N]"))
        terminal.type("n")
        assert terminal.ready()[-2].endswith("Nothing was forgotten.")
        terminal.type("vergiss meine Katze")
        assert terminal.until("[j/N]")[-1].endswith("(/forget about:meine Katze) [j/N]")
        terminal.type("n")
        assert terminal.ready()[-2] == "(Es wurde nichts getan, und diese Worte behalte ich nicht.)"
        terminal.type("Off the record: I hate Mondays.")
        terminal.until("Answer this and keep none of it? (/incognito once Off the record: I hate Mondays.) [y/N]")
        terminal.type("y")
        assert any("Heard, and not kept." in line for line in terminal.ready())
        assert any("I cannot remind you at a set time" in line for line in terminal.say("remind me to feed the cat at six"))
        terminal.leave()
    said = [row["content"] for row in home.export() if row["role"] == "user"]
    assert said == ["my locker code is 4711", "what is my locker code?", "thanks!", "remind me to feed the cat at six"]


def test_a_slash_alone_is_help_and_a_dumb_terminal_gets_no_escape_sequences(home: Home) -> None:
    home.variables["TERM"] = "dumb"
    with Terminal(home) as terminal:
        # Lines are as wide as the window.
        assert any(line.startswith("I keep what you") and line.endswith("/quit leaves.") for line in terminal.ready())
        assert any("what you can say here" in line for line in terminal.say("/"))
        # Such a terminal shows that she waits before keys are her own: until then it would take Ctrl-D for itself.
        terminal.leave("/quit\r")
        assert b"\x1b" not in terminal.raw
    assert home.export() == []


def test_what_she_logs_stands_in_a_file_and_not_in_the_conversation(home: Home, ollama: ModelServer) -> None:
    home.configure(ollama.config('log_level = "debug"'))
    assert home.lyra("logs").err.startswith("Nothing has been logged yet; the log will be in ")
    with Terminal(home) as terminal:
        terminal.say("remember the milk")
        terminal.say("/status")
        terminal.leave()
        assert not any("command.run" in line for line in terminal.lines)
    logged = home.lyra("logs", "-n", "100").out
    assert "command.run" in logged and "milk" not in logged


def test_a_key_that_is_not_utf8_is_told_and_the_conversation_goes_on(home: Home) -> None:
    with Terminal(home) as terminal:
        terminal.ready()
        terminal.type("my caf\udce9 latin")
        terminal.until("A line is not UTF-8 and was not kept; convert it first.")
        assert terminal.say("my cat is called Turing")[1] == "lyra › Kept."
        assert terminal.leave() == 0
    assert "latin" not in home.lyra("export", "--text").out


@pytest.mark.torture  # an interpreter of its own has to start, in a locale of its own
def test_what_is_typed_is_utf8_whatever_the_locale_says(home: Home) -> None:
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": ""}
    window, inside = pty.openpty()
    with subprocess.Popen([*LYRA, "chat"], stdin=inside, stdout=inside, stderr=inside, env=home.environment(locale)) as chatting:
        os.close(inside)
        for awaited, typed in ((b"you", "grüße an alle\r"), (b"Kept.", "/quit\r")):
            shown = b""
            while awaited not in shown:
                shown += os.read(window, 65536)
            os.write(window, typed.encode())
        assert chatting.wait(PATIENCE) == 0
    os.close(window)
    assert "grüße an alle" in home.lyra("export", "--text").out


def test_tab_completes_commands_and_conversations(home: Home) -> None:
    with Terminal(home, "--session", "travels") as terminal:
        terminal.say("the train leaves at nine")
        terminal.type("/sess\t", end="")
        terminal.until("/sessions")
        terminal.type(CTRL_C, end="")
        terminal.ready()
        terminal.type("/summarize tra\t", end="")
        terminal.until("/summarize travels")


def test_arrow_up_offers_what_was_said_before_and_nothing_of_it_is_readable_on_disk(home: Home) -> None:
    words = ("my locker code is 7741", "the zebra sleeps at noon")
    with Terminal(home) as terminal:
        for line in words:
            terminal.say(line)
        terminal.leave()
    with Terminal(home) as terminal:
        terminal.ready()
        terminal.type(UP, end="")
        assert terminal.until("you › the zebra sleeps at noon")
        terminal.type(UP, end="")
        assert terminal.until("you › my locker code is 7741")
        terminal.type("", end="\r")
        terminal.until("lyra › ")
        terminal.leave()
    files = [path for path in home.folder.rglob("*") if path.is_file()]
    assert home.db in files
    for path in files:
        content = path.read_bytes()
        for secret in (b"locker", b"7741", b"zebra", b"sleeps at noon"):
            assert secret not in content, f"{secret!r} is readable in {path.relative_to(home.folder)}"


def test_a_conversation_is_left_and_entered_again_by_name(home: Home) -> None:
    with Terminal(home) as terminal:
        terminal.say("we met in Lisbon")
        assert '"travels"' in terminal.say("/new travels")[1]
        terminal.say("the train leaves at nine")
        assert '"main"' in terminal.say("/new main")[1]
        terminal.leave()
    told = {row["session"]: row["content"] for row in home.export() if row["role"] == "user"}
    assert told == {"main": "we met in Lisbon", "travels": "the train leaves at nine"}


def test_forgetting_a_conversation_asks_first(home: Home) -> None:
    with Terminal(home) as terminal:
        terminal.say("the password of the shed is rosebud")
        terminal.type("/forget session")
        terminal.until("[y/N]")
        terminal.type("n")
        terminal.until("Nothing was forgotten.")
        terminal.ready()
        terminal.type("/forget session")
        terminal.awaits_keys()
        terminal.type("y")
        terminal.until("Forgotten: 1 message")
        terminal.leave()
    assert home.export() == []
