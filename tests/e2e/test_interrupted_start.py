"""Ctrl-C before a command has begun ends her quietly, in Python's own start as well where `make run` installed her."""

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import copy

import pytest

from tests.kits.lyra_kit import REPO, Home
from tests.kits.size import few

FIRST, LOADING = "import 'os'", "import 'typer'"
"""What Python says with -v: of its own start, and while her parts are loaded."""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home of her own."""
    return Home(tmp_path)


@pytest.mark.parametrize("module", few(["bot.imports", "typer"]))
def test_ctrl_c_while_lyra_is_still_loading_ends_quietly(home: Home, module: str) -> None:
    assert _interrupted([sys.executable, "-v", "-m", "bot", "sessions"], home, f"import '{module}") == (-signal.SIGINT, False)


@pytest.mark.parametrize(
    ("before", "moment", "ends"),
    [("", FIRST, 0), ("", LOADING, -signal.SIGINT), ("trap '' INT; ", LOADING, 0)],
    ids=["before she listens", "while she loads", "ignored from the beginning"],
)
def test_ctrl_c_never_meets_pythons_own_start(home: Home, before: str, moment: str, ends: int) -> None:
    folder = home.folder / "bin"
    folder.mkdir()
    (folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" -v "$@"\n')
    (folder / "python").chmod(0o755)
    copy(REPO / "deploy" / "lyra.sh", folder / "lyra")
    assert _interrupted(["sh", "-c", f'{before}exec "$0" --version', str(folder / "lyra")], home, moment) == (ends, False)


@pytest.mark.torture
def test_without_the_guard_ctrl_c_meets_pythons_own_start(home: Home) -> None:
    assert _interrupted([sys.executable, "-v", "-m", "bot", "--version"], home, FIRST)[1]


def _interrupted(command: Sequence[str], home: Home, moment: str) -> tuple[int, bool]:
    """Press Ctrl-C when standard error says that a moment has come; return the exit code, and whether there is a traceback."""
    with subprocess.Popen(
        command, env=home.environment(), cwd=REPO, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as loading:
        assert loading.stderr
        for line in loading.stderr:
            if line.startswith(moment):
                loading.send_signal(signal.SIGINT)
                break
        traced = "Traceback" in loading.stderr.read()
    return loading.returncode, traced
