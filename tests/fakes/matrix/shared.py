"""One homeserver for all workers of a run: whoever asks first starts it, and it goes with the last of them.

A start takes three seconds of a processor. Users and rooms are new in every test, so that nobody meets anybody else's.
"""

import fcntl
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from tests.fakes.matrix import config
from tests.fakes.matrix.synapse import LIFELINE, MEMORY, Synapse, SynapseFailed, free_port

_LINE = "lifeline"


class SharedSynapse(Synapse):
    """The homeserver of a run, for the block. `folder` belongs to the run, and `worker` is nobody else's name in it.

    Others are at it, so it cannot be ended. Each of them holds a pipe open, and it goes when nobody does any more.
    """

    def __init__(self, run: Path, worker: str) -> None:
        super().__init__()
        self._run, self._worker = run, worker
        self._line: int | None = None

    def unique(self, name: str) -> str:
        """Return a user name that was not given before by any worker."""
        return f"{super().unique(name)}-{self._worker}"

    def __enter__(self) -> Self:
        told = self._run / "synapse.json"
        with _alone(self._run / "synapse.lock"):
            if not (told.exists() and self._joined(**json.loads(told.read_text()))):
                self._begin()
                told.write_text(json.dumps({"folder": str(self.folder), "port": self.port}))
        return self

    def _joined(self, folder: str, port: int) -> bool:
        """Hold on to the one that runs, if it does."""
        self.folder, self.port = Path(folder), port
        try:
            self._line = os.open(self.folder / _LINE, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
        return self._answers()

    def _begin(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="synapse-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
        self.port = free_port()
        config.write(self.folder, self.port)
        line, output = self.folder / _LINE, self.folder / "output.log"
        os.mkfifo(line)
        given = os.open(line, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(given, True)
        self._line = os.open(line, os.O_WRONLY)
        with output.open("ab") as written:
            # Nobody waits for it: it outlives whoever started it, as long as another holds on to it.
            os.posix_spawn(
                sys.executable,
                [sys.executable, "-P", str(LIFELINE), str(self.folder), "-c", str(self.folder / "homeserver.yaml")],
                os.environ,
                file_actions=[(os.POSIX_SPAWN_DUP2, given, 0), *((os.POSIX_SPAWN_DUP2, written.fileno(), to) for to in (1, 2))],
                setpgroup=0,
            )
        os.close(given)
        ends = time.monotonic() + self.patience
        while not self._answers():
            if time.monotonic() > ends:
                raise SynapseFailed(f"The homeserver did not start:\n{self.log[-4000:]}")
            time.sleep(0.02)

    def _start(self) -> None:
        raise SynapseFailed("Others are at it: a test that ends a homeserver needs one of its own.")

    _stop = _start

    def _remove(self) -> None:
        if self._line is not None:
            os.close(self._line)
        self._line = None


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let no other worker into the block."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
