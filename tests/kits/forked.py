"""`lyra`, or Python code that uses parts of her, as a process that was forked from one which had loaded her already; what
subprocess.Popen gives, as far as tests ask.
"""

import atexit
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO

from tests.fakes.pulse import PATIENCE
from tests.kits.commanded import SIZE, send

REPO = Path(__file__).parents[2]
_HEEDED = {"PYTHONPATH": str(REPO), "PYTHONIOENCODING": "utf-8"}
"""What tests set for every process, and the one that is forked from has heeded."""


class Forked:
    """A running `lyra` at these three streams, which are closed here; at a terminal, if it is to have one of its own.

    A `lasting` process may have run other commands before, and go on after this one: it is not to be sent a signal.
    """

    def __init__(
        self,
        words: Sequence[str | bytes],
        folder: Path,
        environment: Mapping[str, str],
        streams: Sequence[int],
        *,
        terminal: bool,
        lasting: bool = False,
    ) -> None:
        self._ended = threading.Event()
        self._caller = socket.socket(socket.AF_UNIX)
        self._caller.connect(_zygote())
        named = {"words": [os.fsdecode(word) for word in words], "folder": str(folder), "environment": dict(environment)}
        raw = json.dumps({**named, "terminal": terminal, "lasting": lasting}).encode()
        try:
            send(self._caller, raw, streams)
        finally:
            for stream in {*streams}:
                os.close(stream)
        self._told = self._caller.makefile("r")
        self.pid = int(self._told.readline())
        self.returncode: int | None = None
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        self.returncode = int(self._told.readline() or -signal.SIGKILL)
        self._told.close()
        self._caller.close()
        self._ended.set()

    def poll(self) -> int | None:
        """Return the exit code, None while it runs."""
        return self.returncode if self._ended.is_set() else None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end; return the exit code. Raises subprocess.TimeoutExpired."""
        if not self._ended.wait(timeout):
            raise subprocess.TimeoutExpired("lyra", timeout or 0)
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if not self._ended.is_set():
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.send_signal(signal.SIGKILL)


class Piped(Forked):
    """A running `lyra` with pipes for its streams."""

    def __init__(
        self, words: Sequence[str | bytes], folder: Path, environment: Mapping[str, str], *, lasting: bool = False
    ) -> None:
        own, theirs = zip(*(os.pipe() if at else os.pipe()[::-1] for at in range(3)), strict=True)
        self.stdin: IO[bytes] = os.fdopen(own[0], "wb")
        self.stdout: IO[bytes] = os.fdopen(own[1], "rb")
        self.stderr: IO[bytes] = os.fdopen(own[2], "rb")
        super().__init__(words, folder, environment, theirs, terminal=False, lasting=lasting)

    def ended(self) -> tuple[str, str, int]:
        """Say nothing more to it, wait for its end, and return what it wrote to both streams and was not read yet, and its exit code."""
        self.stdin.close()
        with self.stdout, self.stderr:
            out, err = self.stdout.read(), self.stderr.read()
        return out.decode(), err.decode(), self.wait(PATIENCE)


def run(
    words: Sequence[str | bytes], given: bytes, folder: Path, environment: Mapping[str, str], timeout: float
) -> tuple[bytes, bytes, int]:
    """Run `lyra` to its end; return what it wrote to both streams, and its exit code."""
    # Python code does what it likes to its process, and the machine's time zone is read once in each.
    lasting = words[:1] not in (["-c"], ["-m"]) and environment.get("TZ") == "UTC" and environment.get("PYTHONPATH") == str(REPO)
    one = Piped(words, folder, environment, lasting=lasting)
    found: dict[str, bytes] = {}
    readers = [
        threading.Thread(target=lambda name=name, stream=stream: found.update({name: stream.read()}), daemon=True)
        for name, stream in (("out", one.stdout), ("err", one.stderr))
    ]
    for reader in readers:
        reader.start()
    with suppress(BrokenPipeError):
        one.stdin.write(given)
    with suppress(BrokenPipeError):
        one.stdin.close()
    try:
        code = one.wait(timeout)
    except subprocess.TimeoutExpired:
        one.kill()
        raise
    for reader in readers:
        reader.join(timeout)
    one.stdout.close()
    one.stderr.close()
    return found["out"], found["err"], code


def at_streams(words: Sequence[str], folder: Path, environment: Mapping[str, str], *, given: int, output: int) -> tuple[str, int]:
    """Run `lyra` to its end with these for its input and output, which are closed here; return what it complained of, and its exit code."""
    complaints, theirs = os.pipe()
    one = Forked(words, folder, environment, (given, output, theirs), terminal=False)
    with os.fdopen(complaints, "rb") as told:
        return told.read().decode(), one.wait(PATIENCE)


def started(code: str, *arguments: object) -> Piped:
    """Run Python code, which finds these arguments as an interpreter that is given code would."""
    return Piped(["-c", code, *map(str, arguments)], REPO, {**os.environ, **_HEEDED})


def ran(code: str, *arguments: object) -> str:
    """Run Python code to its end, which has to be a good one; return what it printed."""
    out, err, ended = run(["-c", code, *map(str, arguments)], b"", REPO, {**os.environ, **_HEEDED}, PATIENCE)
    assert ended == 0, err.decode()
    return out.decode()


def serves(environment: Mapping[str, str]) -> bool:
    """Say whether no interpreter has to start for an environment: folders before Lyra's own are heeded by the process itself."""
    heeded = {**os.environ, **_HEEDED}
    if not environment.get("PYTHONPATH", heeded["PYTHONPATH"]).endswith(heeded["PYTHONPATH"]):
        return False
    return all(
        heeded.get(name) == value for name, value in environment.items() if name.startswith("PYTHON") and name != "PYTHONPATH"
    )


@cache
def _zygote() -> str:
    """Hold on to the process that is forked from, one for all workers of a run; whoever asks first starts it."""
    folder = Path(tempfile.gettempdir()) / f"zygote-{os.environ.get('PYTEST_XDIST_TESTRUNUID') or os.getpid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    path = folder / "socket"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            _start(path)
        holder = socket.socket(socket.AF_UNIX)
        holder.connect(str(path))
        holder.sendall(bytes(SIZE))
    atexit.register(holder.close)
    return str(path)


def _start(path: Path) -> None:
    # Nobody waits for it: it outlives whoever started it, as long as another holds on to it.
    words = [sys.executable, "-P", "-m", "tests.kits.zygote", str(path)]
    server = os.posix_spawn(sys.executable, words, {**os.environ, **_HEEDED}, setpgroup=0)
    end = time.monotonic() + PATIENCE
    while not path.exists():
        ended, _ = os.waitpid(server, os.WNOHANG)
        assert not ended and time.monotonic() < end, "the process that is forked from did not start"
        time.sleep(0.02)
