"""The wheel and the source distribution hold all of her: installed by themselves, she answers and finds it again."""

import os
import pty
import re
import site
import subprocess
import sys
import threading
import tomllib
import venv
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.fakes.pulse import PATIENCE
from tests.kits.lyra_kit import REPO


def run(*words: str | Path, folder: Path, said: str = "", **variables: str) -> str:
    """Run a program in a folder; return what it printed."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LYRA_HOME")} | variables
    done = subprocess.run(words, cwd=folder, input=said, capture_output=True, text=True, env=env, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source distribution, built from a copy of what the repository holds."""
    folder = tmp_path_factory.mktemp("built")
    source = folder / "source"
    files = run("git", "ls-files", "-z", folder=REPO).split("\0")
    for name in filter(None, files):
        if name.startswith(("bot/", "adapters/", "memory/", "localization/")) or "/" not in name:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((REPO / name).read_bytes())
    for build in ("build_wheel", "build_sdist"):
        run(sys.executable, "-c", f"from setuptools import build_meta; build_meta.{build}({str(folder)!r})", folder=source)
    return folder


def test_the_wheel_holds_every_file_that_she_reads(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    kept = run("git", "ls-files", "bot", "adapters", "memory", "localization", folder=REPO).split()
    assert [name for name in kept if name not in held] == []


@pytest.mark.parametrize("kind", ["*.whl", "*.tar.gz"])
def test_installed_by_itself_she_answers_and_remembers(built: Path, kind: str, tmp_path: Path) -> None:
    (package,) = built.glob(kind)
    venv.create(tmp_path / "clean", with_pip=True)
    python = tmp_path / "clean" / "bin" / "python"
    folder = Path(run(python, "-c", "import site; print(site.getsitepackages()[0])", folder=tmp_path).strip())
    # What she stands on comes from here: to fetch it again would take minutes. She herself does not.
    (folder / "besides.pth").write_text("\n".join(one for one in site.getsitepackages() if "site-packages" in one))
    # An older setuptools that comes with some Pythons would stand before the locked one.
    run(python, "-m", "pip", "-q", "uninstall", "-y", "setuptools", folder=tmp_path)
    pip = ("-m", "pip", "-q", "install", "--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed")
    run(python, *pip, package, folder=tmp_path)
    where = run(python, "-c", "import bot; print(bot.__file__)", folder=tmp_path)
    assert Path(where.strip()).is_relative_to(tmp_path)
    lyra, home = tmp_path / "clean" / "bin" / "lyra", str(tmp_path / "home")
    assert "Kept." in run(lyra, "chat", folder=tmp_path, said="my cat is called Turing\n", LYRA_HOME=home)
    assert "my cat is called Turing" in run(lyra, "recall", "cat", folder=tmp_path, LYRA_HOME=home)
    news = run(lyra, "update", folder=tmp_path, LYRA_HOME=home)
    assert "New in " in news and f"{tmp_path / 'clean'}/bin/python -m pip install --upgrade lyra-companion" in news
    run(lyra, "setup", folder=tmp_path, said="en\nEurope/Vienna\nnone\nn\nn\ny\n", LYRA_HOME=home)
    assert 'time_zone = "Europe/Vienna"' in (tmp_path / "home" / "lyra.toml").read_text()


def test_without_the_extra_web_she_runs_without_the_page_and_says_how_to_install_it(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    venv.create(tmp_path / "small", with_pip=True)
    python, lyra = (tmp_path / "small" / "bin" / name for name in ("python", "lyra"))
    base = tmp_path / "base"
    base.mkdir()
    for folder in (Path(one) for one in site.getsitepackages() if "site-packages" in one):
        for there in folder.iterdir():
            if not there.name.lower().startswith(("jinja2", "prometheus_client", "markupsafe", "__editable__", "lyra_companion")):
                (base / there.name).symlink_to(there)
    installed = Path(run(python, "-c", "import site; print(site.getsitepackages()[0])", folder=tmp_path).strip())
    (installed / "besides.pth").write_text(str(base))
    run(python, "-m", "pip", "-q", "install", "--no-deps", "--no-index", "--ignore-installed", wheel, folder=tmp_path)
    env = {"PATH": os.environ["PATH"], "LYRA_HOME": str(tmp_path / "home")}
    assert "Kept." in run(lyra, "chat", folder=tmp_path, said="my cat is called Turing\n", LYRA_HOME=env["LYRA_HOME"])
    page = subprocess.run([lyra, "web", "--no-open"], capture_output=True, text=True, env=env, check=False)
    how = f'takes the extra "web", which is not installed here: {python} -m pip install jinja2 prometheus-client'
    assert (page.returncode, page.stdout, how in page.stderr, len(page.stderr.splitlines())) == (1, "", True, 1)
    with subprocess.Popen([lyra, "run"], stderr=subprocess.PIPE, text=True, env=env) as awake:
        assert awake.stderr is not None
        told = [awake.stderr.readline(), awake.stderr.readline()]
        awake.terminate()
        assert awake.wait(PATIENCE) == 0
    assert how in told[0] and told[1] == "No platform is configured: housekeeping only. Lyra is awake.\n"


def test_every_extra_is_locked() -> None:
    locked = "".join((REPO / "deploy" / name).read_text() for name in ("requirements.lock",))
    locked += "".join((REPO / "bot" / "setup" / name).read_text() for name in ("model.lock", "runtime.lock"))
    extras = tomllib.loads((REPO / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(extras) == {"model", "postgresql", "web"}
    names = [re.split("[=<>; ]", one)[0] for some in extras.values() for one in some]
    assert [name for name in names if f"\n{name}==" not in f"\n{locked}"] == []
    pinned = [one.partition(";")[0] for one in extras["model"]]
    assert [one for one in pinned if one not in locked] == []


def test_an_installation_tells_how_much_has_come_and_says_nothing_where_nobody_watches(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    serving = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Folder, directory=str(built)))
    with serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        there = f"http://127.0.0.1:{serving.server_port}/"
        pip = ("--no-index", "--no-deps", "--no-cache-dir", "--find-links", there, "--target")
        command = [sys.executable, str(REPO / "deploy" / "installing.py"), "5", *pip]
        piped = subprocess.run([*command, str(tmp_path / "a"), "lyra-companion"], capture_output=True, text=True, check=True)
        watched, inside = pty.openpty()
        subprocess.run([*command, str(tmp_path / "b"), "lyra-companion"], stderr=inside, check=True)
        failed = subprocess.run([*command, str(tmp_path / "c"), "no-such-package"], capture_output=True, text=True, check=False)
        serving.shutdown()
    assert (piped.stdout, piped.stderr) == ("", "")
    told = os.read(watched, 65536).decode()
    come = max(int(megabytes) for megabytes in re.findall(r"(\d+) of 5 MB", told))
    # The page that lists the packages is counted as well.
    assert abs(come - wheel.stat().st_size / 1e6) < 1 and "Installing … " in told and told.endswith("\r\x1b[K")
    assert failed.returncode == 1 and "no-such-package" in failed.stderr
    os.close(watched)
    os.close(inside)


class _Folder(SimpleHTTPRequestHandler):
    """Serves a folder and logs nothing."""

    def log_message(self, *_: object) -> None: ...
