"""Wrong words on the command line, and broken configurations: one clear sentence, exit code 2 or 1, and nothing is touched."""

import os
import re
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.kits.forked import at_streams
from tests.kits.lyra_kit import LYRA, Home, one_sentence
from tests.kits.size import few
from tests.kits.tabled import tabled

MISUSED = tabled("bad_usage", "misused")
ODD = {
    "nothing": "", "a space": " ", "a line break": "\n", "a control character": "\x01", "no UTF-8": "\udcff", "endless": "x" * 9000,
    "dashes": "--", "marks": "?!.", "turned around": "\u202e", "braces": "%s{x}{",
}  # fmt: skip
TAKERS = (
    ("memory", "about"), ("recall",), ("recall", "cat", "--as"), ("recall", "cat", "--session"), ("recall", "cat", "-k"), ("chat", "--session"), ("summarize",),
    ("memory",), ("memory", "about", "cat"), ("memory", "correct", "abc"), ("memory", "correct"), ("memory", "forget"),
    ("memory", "--page"), ("forget",), ("forget", "--about"), ("forget", "--session"), ("forget", "--since"), ("import",), ("export", "--as"),
    ("model",), ("model", "ollama"), ("persona",), ("backup",), ("restore",), ("logs", "-n"), ("dream", "--loop"), ("status",), (),
)  # fmt: skip
"""What takes a word, by those before it."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A new machine."""
    return Home(tmp_path)


@pytest.mark.parametrize(("words", "named"), MISUSED.values(), ids=list(MISUSED))
def test_wrong_usage_is_named_with_exit_code_2(home: Home, words: list[str], named: str) -> None:
    done = home.lyra(*words)
    assert (done.out, done.code) == ("", 2)
    sentence = one_sentence(done)
    assert named.casefold() in sentence.casefold()
    assert "--help" in sentence
    assert not home.path.exists()


@pytest.mark.parametrize("words", few(TAKERS, 4), ids=" ".join)
@pytest.mark.parametrize("odd", few(ODD.values(), 5), ids=few(ODD, 5))
def test_odd_words_get_one_sentence_and_never_a_traceback(home: Home, words: tuple[str, ...], odd: str) -> None:
    done = home.lyra(*words, odd)
    assert "Traceback" not in done.err and done.code in (0, 1, 2)
    assert max(map(len, done.err.splitlines()), default=0) < 600
    if done.code == 2 or (done.code == 1 and "Memory is encrypted" not in done.err):
        one_sentence(done)
    if not odd.strip():
        assert done.code == 2


@pytest.mark.parametrize("words", [[], ["matrix"]], ids=["lyra", "lyra matrix"])
def test_a_command_without_words_shows_its_help_as_it_is(home: Home, words: list[str]) -> None:
    done, asked = home.lyra(*words), home.lyra(*words, "--help")
    assert (done.out, done.err, done.code) == (asked.out, "", 0)
    assert len(done.lines) > 5


def test_a_help_names_what_is_given_in_plain_words_and_cuts_no_line(home: Home) -> None:
    for words in ([], ["recall"], ["memory"], ["summarize"], ["link"], ["logs"], ["forget"], ["import"], ["matrix"]):
        for language in ("C", "de_DE.UTF-8"):
            said = home.lyra(*words, "--help", env={"COLUMNS": "80", "LC_ALL": language}).out
            assert not re.search(r"…|\w\.\.\.$|[<{]|\[\[", said, re.MULTILINE) and max(map(len, said.splitlines())) <= 80
    assert home.lyra("link", "--help").lines[0].endswith(" link [OPTIONS] [CODE]")
    assert home.lyra("recall", "--help", env={"LC_ALL": "de_DE.UTF-8"}).lines[0].endswith(" recall [OPTIONEN] FRAGE")


def test_a_trial_of_no_model_fails_and_says_so(home: Home) -> None:
    home.chat("my cat is called Turing")
    tried = home.lyra("model", "--try")
    assert tried.code == 1 and not tried.out and "No model is connected" in one_sentence(tried)


def test_what_is_no_code_and_no_backup_and_no_folder_fails_and_says_so(home: Home) -> None:
    home.chat("my cat is called Turing")
    linked = home.lyra("link", "XX")
    assert linked.code == 1 and not linked.out and "That code is wrong" in one_sentence(linked)
    (home.folder / "passwd").write_text("root:x:0:0\n" * 900)
    restored = home.lyra("restore", str(home.folder / "passwd"), "--yes")
    assert (
        restored.code == 1
        and "passwd is not a backup" in one_sentence(restored)
        and "restor" not in restored.err.split("restored:")[1]
    )
    copied = home.lyra("backup", str(home.folder / "nowhere" / "x"))
    assert copied.code == 1 and "nowhere does not exist" in one_sentence(copied) and ".part" not in copied.err


def test_the_version_is_said(home: Home) -> None:
    assert home.lyra("--version").out == f"lyra {version('lyra-companion')}\n"


CLOSED = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-", "all": "<&- >&- 2>&-"}


CLOSING = [
    pytest.param(
        command, streams, id=f"{command}-{name}", marks=[] if (command, name) == ("chat", "all") else pytest.mark.torture
    )
    for command in ("recall cat", "chat", "sessions")
    for name, streams in CLOSED.items()
]


@pytest.mark.parametrize(("command", "streams"), CLOSING)
def test_closed_streams_lead_nowhere_and_into_no_file(home: Home, command: str, streams: str) -> None:
    home.chat("my cat is called Turing")
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$0" {" ".join(LYRA[1:])} {command} {streams}', LYRA[0]],
        env=home.environment(), cwd=home.folder, capture_output=True, check=False, text=True,
    )  # fmt: skip
    # Without a word to it, a conversation has nothing to show.
    fails = " >&-" in f" {streams}" and command != "chat"
    assert (done.returncode, "Traceback" in done.stderr) == (int(fails), False)
    assert [row["content"] for row in home.export()] == ["my cat is called Turing", "Kept."]


@pytest.mark.each
@pytest.mark.parametrize("closed", [False, True], ids=["full", "closed"])
@pytest.mark.parametrize("command", ["--help", "export", "", "chat"])
def test_a_result_that_nobody_can_read_is_a_failure(home: Home, command: str, closed: bool) -> None:
    home.chat("my cat is called Turing")
    given = home.folder / "given"
    given.write_text("hello\n")
    if closed:
        done = subprocess.run(
            ["/bin/sh", "-c", f'"$0" {" ".join(LYRA[1:])} {command} <given >&-', LYRA[0]],
            env=home.environment(), cwd=home.folder, capture_output=True, check=False, text=True,
        )  # fmt: skip
        told, code = done.stderr, done.returncode
    else:
        files = {"given": os.open(given, os.O_RDONLY), "output": os.open("/dev/full", os.O_WRONLY)}
        told, code = at_streams(command.split(), home.folder, home.environment(), **files)
    assert code == 1 and told.splitlines()[-1].startswith("Standard output cannot be written: ")
    assert "Traceback" not in told
    again = home.chat()
    assert (again.lines, again.code) == (["Hello, ada."] if command == "chat" else [], 0)


def test_standard_input_that_cannot_be_read_ends_a_conversation_with_a_sentence(home: Home) -> None:
    written, said = os.open(home.folder / "written", os.O_WRONLY | os.O_CREAT), home.folder / "said"
    output = os.open(said, os.O_WRONLY | os.O_CREAT)
    told, code = at_streams(["chat"], home.folder, home.environment(), given=written, output=output)
    assert told.splitlines()[-1] == "Standard input cannot be read: Bad file descriptor."
    assert (code, said.read_text()) == (1, "")


CONFIGS = {
    "unknown key": ("sumary = 'x'\n", ['"sumary"', 'did you mean "summary"']),
    "unknown key of a model": ('[models.main]\nbase_ulr = "x"\nmodel = "m"\n', ['"models.main.base_ulr"', 'did you mean "base_url"']),
    "unknown key of the web": ("[web]\nprot = 1\n", ['"web.prot"', 'did you mean "port"']),
    "unknown section": ("[irc]\nnick = 'lyra'\n", ['"irc"']),
    "no TOML": ("chat = \n", ["is not TOML", "line 1"]),
    "UTF-16": ("chat = 'x'".encode("utf-16"), ["is not UTF-8 in line 1"]),
    "Latin-1": ('recall_k = 5\n# caf\u00e9\n'.encode("latin-1"), ["is not UTF-8 in line 2"]),
    "no time": ('[dream]\nnight = "25:99"\n', ['"dream.night": a time such as 03:30']),
    "no span of times": ('[dream]\nquiet = "at night"\n', ['"dream.quiet": two times such as 22:00-08:00']),
    "unknown time zone": ('time_zone = "Mars/Olympus"\n', ['"Mars/Olympus" is not a time zone']),
    "absent model": ('chat = "claude"\n', ['chat names "claude"', "[models.claude]"]),
    "absent model in a chain": ('summary = ["a"]\n', ['summary names "a"', "[models.a]"]),
    "offline voice too early": (
        'chat = ["offline", "m"]\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n', ["offline", "last"]
    ),
    "model without an address": ('[models.main]\nmodel = "m"\n', ['"models.main.base_url"']),
    "address that is none": ('[models.main]\nbase_url = "localhost"\nmodel = "m"\n', ["localhost"]),
    "address without end": (f'[models.main]\nbase_url = "http://{"x" * 3000}/v1"\nmodel = "m"\n', ["an address has at most 2000"]),
    "number as text": ('recall_k = "five"\n', ['"recall_k"']),
    "number too large": ("[web]\nport = 70000\n", ['"web.port"', "65535"]),
    "unknown level": ('log_level = "loud"\n', ['"log_level": debug, info, warning or error']),
    "key of the memory that is not set": ('key_env = "NO_SUCH_KEY"\n', ["NO_SUCH_KEY", "not set"]),
    "two problems at once": ("recal_k = 3\ntime_zone = 'X'\n", ['"recal_k"', '"X"']),
}  # fmt: skip


@pytest.mark.parametrize(("config", "named"), CONFIGS.values(), ids=list(CONFIGS))
def test_a_broken_configuration_is_named_with_exit_code_1(home: Home, config: str | bytes, named: list[str]) -> None:
    file = home.configure("")
    file.write_bytes(config if isinstance(config, bytes) else config.encode())
    done = home.chat("hello")
    assert (done.out, done.code) == ("", 1)
    sentence = one_sentence(done)
    for words in named:
        assert words in sentence
    assert not home.db.exists()


def test_a_user_whose_name_is_not_utf8_is_somebody(home: Home) -> None:
    home.variables |= {"USER": "ad\udce9", "LOGNAME": "ad\udce9"}
    kept, listed = home.chat("my cat is called Turing"), home.lyra("sessions")
    assert (kept.out, kept.code, listed.code) == ("Kept.\n", 0, 0)
    assert "Traceback" not in kept.err + listed.err


MODEL = 'chat = "m"\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\n'


@pytest.mark.parametrize("where", ['api_key_env = "NO_SUCH_KEY"', 'api_key_file = "NO_SUCH_KEY"'])
def test_a_secret_that_is_not_there_is_named_and_the_message_is_held(home: Home, where: str) -> None:
    home.configure(MODEL + where)
    done = home.chat("hello")
    assert "Traceback" not in done.err
    assert len(done.lines) == 1
    assert "[models.m]" in done.lines[0] and "NO_SUCH_KEY" in done.lines[0]
    assert done.lines[0].endswith("Your message is kept; I answer it when the model does.")
    asked = home.lyra("summarize")
    assert asked.code == 1
    assert "NO_SUCH_KEY" in one_sentence(asked)


@pytest.mark.parametrize("secret", ["sk-hidden\nsecond line", "sk-hidden-é", ""])
def test_a_secret_that_no_header_can_hold_is_refused_and_never_printed(home: Home, secret: str) -> None:
    home.configure(MODEL + 'api_key_file = "token"')
    (home.path / "token").write_text(secret, "utf-8")
    done = home.chat("hello")
    assert len(done.lines) == 1
    assert "key" in done.lines[0]
    assert "Traceback" not in done.err
    for told in (done.out, done.err, home.lyra("doctor").out):
        assert "hidden" not in told and "second line" not in told


@pytest.mark.parametrize("named", ["missing", "folder"])
def test_a_configuration_that_was_named_must_be_there(home: Home, named: str) -> None:
    (home.folder / "folder").mkdir()
    done = home.lyra("status", env={"LYRA_CONFIG": str(home.folder / named)})
    assert done.code == 1
    assert str(home.folder / named) in one_sentence(done)
