"""Every command of README and the guides is run, in one home, in the order in which a person could; what cannot be is listed with
the reason, and with the test that does what can be done of it.
"""

import re
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.kits.lyra_kit import DOCUMENTS, REPO, Home

_PROGRAM = "lyra|make|pipx|uv|docker|python3|/opt/lyra/bin/pip|cp|install|systemctl|kill|chmod"
_COMMAND = re.compile(rf"(?:[A-Z_]+=\S+ )*(?:{_PROGRAM}) .+|lyra")
SAID = "my cat is called Turing\nmy sister Lea lives in Graz\n/sessions\n"
ENGLISH = "en\nEurope/Vienna\nnone\nn\nn\ny\n"

RUNS: dict[str, Sequence[str]] = {
    "lyra": ["lyra"],
    "lyra COMMAND --help": ["lyra chat --help", "lyra memory --help", "lyra key rotate --help", "lyra matrix recovery-key --help"],
    "make run": ["make -s -o .venv/.run-ready run"],
    "make test": ["make -n test"],
    "make homeserver": ["make -n homeserver"],
    "make model": ["make -n model"],
    "lyra setup": ["lyra setup"],
    "lyra chat [--as NAME] [--session NAME]": ["lyra chat", "lyra chat --as ada --session garden"],
    "lyra chat": ["lyra chat"],
    "lyra chat --show-prompt": ["lyra chat --show-prompt"],
    "lyra import FILE": ["lyra import said.jsonl"],
    "lyra import": ["lyra import said.jsonl"],
    "lyra recall QUERY": ["lyra recall cat", "lyra recall -"],
    "lyra recall --json": ["lyra recall --json cat"],
    "lyra sessions": ["lyra sessions"],
    "lyra summarize [SESSION]": ["lyra summarize", "lyra summarize main"],
    "lyra summarize --all": ["lyra summarize --all"],
    "lyra memory": ["lyra memory", "lyra memory --page 1"],
    r"lyra memory [profile\|eras\|narrative\|self\|summaries] [--past]": [
        *(f"lyra memory {part} --past" for part in ("profile", "eras", "narrative", "self")), "lyra memory summaries",
    ],
    "lyra memory self": ["lyra memory self"],
    "lyra memory self --history": ["lyra memory self --history"],
    "lyra memory about NAME": ["lyra memory about Lea"],
    "lyra dream": ["lyra dream"],
    "lyra dream [--force] [--loop SECONDS]": ["lyra dream --force"],
    "lyra export": ["lyra export", "lyra export --text", "lyra export --own"],
    "lyra privacy": ["lyra privacy"],
    "lyra status": ["lyra status"],
    "lyra doctor": ["lyra doctor"],
    "lyra model [NAME] [--try]": ["lyra model", "lyra model off"],
    "lyra model reload": ["lyra model reload"],
    "lyra persona [FILE] [--edit] [--try]": ["lyra persona", "lyra persona persona.md"],
    "lyra update": ["lyra update"],
    "lyra update [--ask]": ["lyra update"],
    "lyra logs": ["lyra logs"],
    "lyra logs [-f]": ["lyra logs"],
    "lyra link [CODE]": ["lyra link"],
    "lyra unlink": ["lyra unlink"],
    "lyra backup FILE": ["lyra backup copy.lyra"],
    "lyra restore FILE": ["lyra restore copy.lyra --yes"],
    "lyra restore": ["lyra restore copy.lyra --yes"],
    "lyra key rotate": ["lyra key rotate"],
    "chmod 600": ["chmod 600 {home}/key"],
    "cp deploy/systemd/lyra.service deploy/systemd/lyra-backup.service deploy/systemd/lyra-backup.timer /etc/systemd/system/": [
        "cp deploy/systemd/lyra.service deploy/systemd/lyra-backup.service deploy/systemd/lyra-backup.timer {home}",
    ],
    "install -D --mode 0600 /dev/null /etc/lyra/secrets": ["install -D --mode 0600 /dev/null {home}/etc/lyra/secrets"],
    "lyra forget ID": ["lyra forget {id} --yes"],
    "lyra forget --session NAME": ["lyra forget --session garden --yes"],
    "lyra forget --about TOPIC --since TIME --until TIME": ["lyra forget --about cat --since yesterday --until today --yes"],
    "lyra forget": ["lyra forget --about Graz --yes"],
}  # fmt: skip
GIVEN = {
    "lyra chat": SAID, "lyra chat --as ada --session garden": SAID, "lyra model off": "y\n", "make -s -o .venv/.run-ready run": SAID, "lyra setup": ENGLISH, "lyra recall -": "cat\nsister\n",
}  # fmt: skip
_LARGE = "it takes the package registry, and 1.2 GB; a small model of the same kind is set up there"
_PIP = "it takes the package registry; the package is built, installed by pip and talked with there"
_CONTAINER = (
    "it takes a container engine; the composition is held against its schema, the image's steps are done in a folder there"
)
_SYSTEMD = "it takes systemd as the first process; the units are verified there"
_DATABASE = "it takes a PostgreSQL server"
_FACT = "it takes facts, which a model makes"
NOT_HERE: dict[str, tuple[str, str]] = {
    "pipx install '.[model,web]'": (_PIP, "deploy/test_packages.py"),
    "uv tool install '.[model,web]'": (_PIP, "deploy/test_packages.py"),
    "lyra run": ("it goes on until it is ended", "e2e/test_run.py"),
    "lyra run --role platform": (_DATABASE, "e2e/test_roles.py"),
    "lyra move": (_DATABASE, "e2e/test_moving.py"),
    "lyra move --to URL": (_DATABASE, "e2e/test_moving.py"),
    "lyra move --to postgresql://lyra@127.0.0.1/lyra": (_DATABASE, "e2e/test_moving.py"),
    "lyra move --to file": (_DATABASE, "e2e/test_moving.py"),
    "lyra web": ("it goes on until it is ended", "e2e/test_lyra_web.py"),
    "lyra web [--as NAME]": ("it goes on until it is ended", "e2e/test_lyra_web.py"),
    "lyra web --no-open": ("it goes on until it is ended", "e2e/test_lyra_web.py"),
    "lyra memory correct ID TEXT": (_FACT, "e2e/test_piped_memory.py"),
    "lyra memory forget ID": (_FACT, "e2e/test_piped_memory.py"),
    "DISCORD_TOKEN=… lyra doctor": ("it takes Discord", "e2e/test_doctor_discord.py"),
    "DISCORD_TOKEN=… lyra run": ("it takes Discord", "e2e/test_run_discord.py"),
    "MATRIX_PASSWORD=… lyra doctor": ("it takes a homeserver", "e2e/test_doctor_matrix.py"),
    "MATRIX_PASSWORD=… lyra run": ("it takes a homeserver", "e2e/test_run_matrix.py"),
    "lyra setup --large": (_LARGE, "e2e/test_local_model.py"),
    "lyra setup --large [--from FOLDER]": (_LARGE, "e2e/test_local_model.py"),
    "lyra matrix login": ("it takes a homeserver with single sign-on", "flow/test_matrix_oauth.py"),
    "lyra matrix recovery-key": ("it takes a homeserver", "flow/test_matrix_recovery.py"),
    "lyra matrix verify": ("it takes a homeserver, and an app", "e2e/test_matrix_verify.py"),
    "docker compose -f deploy/compose.yaml up --detach": (_CONTAINER, "deploy/test_dockerfile.py"),
    "docker compose -f deploy/compose.yaml exec lyra lyra doctor": (_CONTAINER, "deploy/test_files.py"),
    "docker compose -f deploy/compose.yaml cp lyra.toml lyra:/data/lyra.toml": (_CONTAINER, "deploy/test_files.py"),
    "docker compose -f deploy/compose.yaml down": (_CONTAINER, "deploy/test_files.py"),
    "python3 -m venv /opt/lyra": (_PIP, "deploy/test_dockerfile.py"),
    "/opt/lyra/bin/pip install --no-deps --require-hashes -r deploy/requirements.lock": (_PIP, "deploy/test_dockerfile.py"),
    "/opt/lyra/bin/pip install --no-deps --no-build-isolation .": (_PIP, "deploy/test_dockerfile.py"),
    "systemctl enable --now lyra.service lyra-backup.timer": (_SYSTEMD, "deploy/test_files.py"),
    "systemctl disable --now lyra.service lyra-backup.timer": (_SYSTEMD, "deploy/test_files.py"),
    "systemctl start lyra": (_SYSTEMD, "deploy/test_files.py"),
    "systemctl reload lyra": (_SYSTEMD, "deploy/test_files.py"),
    "kill -HUP": ("it takes a Lyra who is awake", "e2e/test_live_changes.py"),
}


def named(document: Path) -> list[str]:
    """Return the commands that a document names, as it writes them; a conversation shown is run by test_readme_transcript."""
    text = re.sub(r"(?s)<!-- transcript -->.*?<!-- /transcript -->", "", document.read_text("utf-8"))
    blocks = re.findall(r"(?ms)^ *```\n(.*?)^ *```$", text)
    outside = re.sub(r"(?ms)^\s*```.*?^\s*```$", "", text)
    lines = [line for block in blocks for line in block.splitlines()]
    lines += [line for line in outside.splitlines() if line.startswith("    ")]
    spans = re.findall(r"`([^`]+)`", re.sub(r"(?m)^    .*$", "", outside))
    plain = (" ".join(one.partition(" #")[0].split()) for one in [*lines, *spans])
    return [one for one in plain if _COMMAND.fullmatch(one)]


def test_every_command_that_is_named_is_run_or_listed_with_a_reason() -> None:
    found = {command for document in DOCUMENTS for command in named(document)}
    assert found == {*RUNS, *NOT_HERE}
    assert [why for why, elsewhere in NOT_HERE.values() if not (REPO / "tests" / elsewhere).is_file()] == []


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home in which things were said, and files to take in."""
    home = Home(tmp_path_factory.mktemp("readme"))
    (home.folder / "said.jsonl").write_text('{"content": "The tulips open on Friday."}\n', "utf-8")
    (home.folder / "persona.md").write_text("You are Lyra, and brief.\n", "utf-8")
    assert home.lyra("chat", given=SAID).code == 0
    return home


def ran(home: Home, written: str) -> tuple[int, str]:
    """Run a command as it is written; return its exit code and what it complained of."""
    found = home.lyra("recall", "--json", "cat").rows[0]["hits"] if "{id}" in written else []
    program, *words = shlex.split(written.format(home=home.path, id=found[0]["id"] if found else ""))
    given = GIVEN.get(written, "")
    if program == "lyra":
        done = home.lyra(*words, given=given)
        return done.code, done.err
    ended = subprocess.run([program, *words], cwd=REPO, env=home.environment(), input=given, capture_output=True, text=True)
    return ended.returncode, ended.stderr


def test_they_do_what_they_are_named_for(home: Home) -> None:
    wrong = []
    for written in dict.fromkeys(run for runs in RUNS.values() for run in runs):
        code, told = ran(home, written)
        if code or "Traceback" in told:
            wrong.append((written, code, told[-300:]))
    assert wrong == []
