"""A way to a server as if it stood on another machine: what either side says arrives half a round trip later.

`python -m tests.bench.distant SERVER SOCKET ROUND_TRIP` listens at one UNIX socket and passes on to another, with a round trip in seconds;
it ends with its standard input.
"""

import asyncio
import selectors
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_SOCKET = ".s.PGSQL.5432"


@contextmanager
def distant(server: Path, round_trip: float) -> Iterator[Path]:
    """Give the folder of the socket by which the server of a folder is that many seconds away and back."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "tests.bench.distant", str(server / _SOCKET), f"{folder}/{_SOCKET}", str(round_trip)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as between:
            assert between.stdin and between.stdout and between.stdout.readline() == b"ready\n"
            try:
                yield Path(folder)
            finally:
                between.stdin.close()


class _Way(asyncio.Protocol):
    """One side of a connection, which hands on what it hears after a while."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.transport: asyncio.Transport | None = None
        self.other: _Way | None = None
        self._early: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        asyncio.get_running_loop().call_later(self._seconds, self._hand_on, data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.other and self.other.transport:
            self.other.transport.close()

    def join(self, other: "_Way") -> None:
        """Hand on to another side from now on, and what came before."""
        self.other = other
        for data in self._early:
            self._hand_on(data)

    def _hand_on(self, data: bytes) -> None:
        if self.other is None:
            self._early.append(data)
        elif self.other.transport:
            self.other.transport.write(data)


async def _serve(server: str, socket: str, round_trip: float) -> None:
    loop = asyncio.get_running_loop()
    joining: set[asyncio.Task[None]] = set()

    async def join(here: _Way) -> None:
        _, there = await loop.create_unix_connection(lambda: _Way(round_trip / 2), server)
        there.join(here)
        here.join(there)

    def accepted() -> _Way:
        here = _Way(round_trip / 2)
        task = loop.create_task(join(here))
        joining.add(task)
        task.add_done_callback(joining.discard)
        return here

    await loop.create_unix_server(accepted, socket)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)


def _precise() -> asyncio.AbstractEventLoop:
    # By epoll a wait is rounded up to a whole millisecond.
    return asyncio.SelectorEventLoop(selectors.SelectSelector())


if __name__ == "__main__":
    with suppress(KeyboardInterrupt), asyncio.Runner(loop_factory=_precise) as runner:
        runner.run(_serve(sys.argv[1], sys.argv[2], float(sys.argv[3])))
