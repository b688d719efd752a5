"""A real homeserver for tests: Synapse as a process of its own, on loopback, in a folder that goes with it.

A test that ends or restarts it has one of its own; `shared` has the one that all others share.
"""

import asyncio
import itertools
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Self

from tests.fakes.matrix import config
from tests.fakes.pulse import PATIENCE

LIFELINE = Path(__file__).with_name("lifeline.py")
# Below what systems give to outgoing connections, so that nobody takes the port while Synapse starts or is down.
_PORTS = range(20_000, 32_000)
# Nothing of it outlives the run, so that its database need not wait for a disk.
MEMORY = "/dev/shm"


class SynapseFailed(RuntimeError):
    """The homeserver did not start. The text has the end of what it wrote."""


class Synapse:
    """A homeserver for the block, plain or `async`, at a port that is free by default. Nothing of it is bound to an event loop.

    `settings` stand in its configuration beside, or instead of, what is usual here.
    """

    def __init__(self, patience: float = PATIENCE, port: int = 0, **settings: object) -> None:
        self.patience = patience
        """How many seconds it may take to start or to end."""
        self.folder = Path()
        self.port = port
        self._settings = settings
        self._numbers = itertools.count(1)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where clients find it."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def server_name(self) -> str:
        """What its user ids end with."""
        return config.SERVER_NAME

    @property
    def pid(self) -> int:
        """The process, 0 while it is down."""
        return self._process.pid if self._process else 0

    @property
    def log(self) -> str:
        """What it wrote: warnings, errors, and what came before its logging."""
        parts = (self.folder / name for name in ("output.log", "homeserver.log"))
        return "".join(part.read_text(errors="replace") for part in parts if part.exists())

    def unique(self, name: str) -> str:
        """Return a user name that was not given before."""
        return f"{name}-{next(self._numbers)}"

    async def stop(self) -> None:
        """End it; its data stay."""
        await asyncio.to_thread(self._stop)

    async def start(self) -> None:
        """Start it again where it was, with its data."""
        await asyncio.to_thread(self._start)

    async def restart(self) -> None:
        """End it and start it again."""
        await self.stop()
        await self.start()

    @asynccontextmanager
    async def outage(self) -> AsyncIterator[None]:
        """Keep it down for the block."""
        await self.stop()
        try:
            yield
        finally:
            await self.start()

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="synapse-", dir=MEMORY if os.access(MEMORY, os.W_OK) else None))
        self.port = self.port or free_port()
        config.write(self.folder, self.port, **self._settings)
        try:
            self._start()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self._remove)

    def _start(self) -> None:
        with (self.folder / "output.log").open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(LIFELINE), str(self.folder), "-c", str(self.folder / "homeserver.yaml")],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                cwd=self.folder,
                process_group=0,
            )
        ends = time.monotonic() + self.patience
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > ends:
                raise SynapseFailed(f"The homeserver did not start:\n{self.log[-4000:]}")
            time.sleep(0.02)

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/_matrix/client/versions", timeout=self.patience) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def _stop(self) -> None:
        if self._process is None:
            return
        process, self._process = self._process, None
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(self.patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdin is not None
        process.stdin.close()

    def _remove(self) -> None:
        self._stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def free_port() -> int:
    """Return a port of loopback that nobody has. Raises SynapseFailed."""
    for port in random.sample(_PORTS, len(_PORTS)):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise SynapseFailed("No port is free on loopback.")
