"""The Dockerfile's steps, done in a clean folder in the place of a container: what comes out of them answers."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tests.deploy.test_files import dockerfile
from tests.kits.lyra_kit import REPO


def kept() -> list[str]:
    """Return the files of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=REPO, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split("\0") if name]


def copy(words: str, source: Path) -> None:
    """Do what COPY does from the repository into a folder."""
    *names, target = words.split()
    for name in kept():
        for wanted in names:
            if name == wanted or name.startswith(f"{wanted}/"):
                inside = name.removeprefix(f"{wanted}/") if name != wanted else Path(name).name
                to = source / target / inside
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(REPO / name, to)


def test_what_the_steps_build_answers(tmp_path: Path) -> None:
    source, program, data = tmp_path / "src", tmp_path / "opt" / "lyra", tmp_path / "data"
    source.mkdir()
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LYRA_HOME", "VIRTUAL_ENV")}
    done = 0
    for name, words in dockerfile():
        if name == "COPY" and not words.startswith("--from"):
            copy(words, source)
        elif name == "RUN" and not re.search(r"apt-get|useradd", words):
            # What a container has as its own is in this folder here.
            command = words.replace("/opt/lyra", str(program)).replace("python -m venv", f"{sys.executable} -m venv")
            ran = subprocess.run(command, shell=True, cwd=source, env=env, capture_output=True, text=True, check=False)
            assert ran.returncode == 0, ran.stderr[-2000:]
            done += 1
    assert done >= 4
    env |= {"LYRA_HOME": str(data), "PYTHONDONTWRITEBYTECODE": "1"}
    lyra = program / "bin" / "lyra"
    said = subprocess.run([lyra, "chat"], input="my cat is called Turing\n", env=env, capture_output=True, text=True, check=True)
    assert said.stdout == "Kept.\n"
    found = subprocess.run([lyra, "recall", "the name of my pet"], env=env, capture_output=True, text=True, check=True)
    assert "my cat is called Turing" in found.stdout, "the local model is in it"
