"""Kills `lyra` at every step it takes in a home, and at any moment between, and tells what the next commands find there.

Run as a process of its own, because it forks. What it is to do comes as JSON on standard input, what it found goes as JSON to
standard output. A step is whatever Python does to a file of the home: it is killed right before the n-th.
"""

import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.kits import forked
from tests.kits.lyra_kit import REPO, Done, Home

_TOUCHES = ("open", "os.rename", "os.remove", "os.mkdir", "os.link", "os.chmod", "os.utime", "os.truncate", "sqlite3.connect")


@dataclass(frozen=True)
class Plan:
    """What is done in a copy of the folder `prepared`, what is done afterwards to look, and where it is killed.

    `every` is how many steps lie between two kills, `last` how many kills come before steps, counted from the last step, 0 being
    all; `moments` is how many come at random moments. `guards` names what is switched off.
    """

    prepared: str
    folder: str
    does: list[str]
    looks: list[list[str]]
    given: str = ""
    every: int = 1
    last: int = 0
    moments: int = 0
    guards: str = ""


@dataclass(frozen=True)
class Left:
    """What was found after a kill: each command's output, and the names of all files before and after them."""

    kill: str
    found: list[Done]
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def killed(home: Home, plan: Plan) -> list[Left]:
    """Carry out a plan in the environment of a home; return what was left after each kill, and after none at last."""
    given = json.dumps(asdict(plan)).encode()
    out, err, code = forked.run(["-m", "tests.kits.killing"], given, REPO, home.environment(), timeout=3600)
    assert code == 0, err.decode()
    return [Left(**{**left, "found": [Done(**one) for one in left["found"]]}) for left in json.loads(out)]


def _carry_out(plan: Plan) -> list[Left]:
    # Loaded once, here, so that a child only has to do its work.
    from bot.cli import chat, conversations, importing, storage  # noqa: F401

    if plan.guards:
        _GUARDS[plan.guards]()
    began = time.monotonic()
    steps, whole = _once(plan, "never")
    chance, long = random.Random(13), time.monotonic() - began
    found = []
    for at in [*range(1, steps + 1)][-plan.last :: plan.every]:
        found.append(_once(plan, f"before step {at} of {steps}", at)[1])
    for _ in range(plan.moments):
        after = chance.uniform(0, long)
        found.append(_once(plan, f"after {after * 1000:.0f} ms", after=after)[1])
    return [*found, whole]


def _once(plan: Plan, kill: str, at: int = 0, after: float | None = None) -> tuple[int, Left]:
    """Do it once; return how many steps it took, and what is left."""
    shutil.rmtree(plan.folder, ignore_errors=True)
    shutil.copytree(plan.prepared, plan.folder)
    with tempfile.NamedTemporaryFile() as counted:
        _run(plan.does, plan.given, plan.folder, _Steps(plan.folder, at, counted.name), after)
        steps = int(counted.read() or 0)
    before = _names(plan.folder)
    found = [_run(words, "", plan.folder) for words in plan.looks]
    return steps, Left(kill, found, before, _names(plan.folder))


def _names(folder: str) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*"))


class _Steps:
    """Counts what is done to files of a folder, and kills this process before the n-th, if that is any."""

    def __init__(self, folder: str, n: int, told: str) -> None:
        self._folder = folder
        self._n = n
        self._told = told
        self.taken = 0

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event in _TOUCHES and any(self._folder in os.fsdecode(a) for a in arguments if isinstance(a, str | bytes | Path)):
            self.taken += 1
            if self.taken == self._n:
                os.kill(os.getpid(), signal.SIGKILL)

    def tell(self) -> None:
        """Write down how many steps there were."""
        Path(self._told).write_text(str(self.taken))


def _run(words: Sequence[str], given: str, folder: str, steps: _Steps | None = None, after: float | None = None) -> Done:
    """Run `lyra` in a child, killed after so many seconds if they are given, or where `steps` says."""
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        stdin.write(given.encode())
        stdin.seek(0)
        child = os.fork()
        if not child:
            for number, stream in enumerate((stdin, out, err)):
                os.dup2(stream.fileno(), number)
            _lyra(words, folder, steps)
        if after is not None:
            time.sleep(after)
            os.kill(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        err.seek(0)
        return Done(out.read().decode(), err.read().decode(), code)


def _lyra(words: Sequence[str], folder: str, steps: _Steps | None) -> None:
    from bot.__main__ import main

    sys.argv = ["lyra", *words]
    code = 1
    try:
        os.chdir(folder)
        if steps:
            sys.addaudithook(steps)
        main()
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        sys.stdout.flush()
        if steps:
            steps.tell()
        os._exit(code)


def _in_two_steps() -> None:
    """Restore as it once was: the old memory aside, then the new one in its place, then what was forgotten is forgotten again."""
    from bot.cli import storage
    from memory.store import restoring

    def finish(path: Path, now: int) -> restoring.SupersededMemory | None:
        aside = restoring.put_aside(path, now)
        restoring.staging_path(path).replace(path)
        return restoring.SupersededMemory(aside, now)

    storage.restoring.decide = lambda path: None  # type: ignore[attr-defined]
    storage.restoring.finish = finish  # type: ignore[attr-defined]


def _unfinished() -> None:
    """Leave what a rotation of the key has decided to that rotation alone."""
    from memory.store import rotating

    finish = rotating.finish

    def by_itself(path: Path, key_path: Path) -> None:
        if sys._getframe(1).f_code is rotating.rotate.__code__:
            finish(path, key_path)

    rotating.finish = by_itself


_GUARDS: dict[str, Callable[[], None]] = {"decided by one rename": _in_two_steps, "finished by whoever comes next": _unfinished}

if __name__ == "__main__":
    json.dump([asdict(left) for left in _carry_out(Plan(**json.load(sys.stdin)))], sys.stdout)
