"""A process that has loaded Lyra already, and forks for each command that a test runs: a process of its own, without the second
that loading takes. What it gives back is the process's id at once, and its exit code when it has ended.

A command of which nothing but its result is looked at need not have a process of its own: to fork, to copy the pages it touches and to
end takes longer than most commands. Whoever says that the process may go on gets one that has run such commands before, if it has
none of what they changed left.

`python -m tests.kits.zygote SOCKET` serves on a Unix socket until nobody holds on to it any more. Whoever sends a size of nothing
holds on with that connection; else it is what is to be run, and three streams.
"""

import gc
import json
import os
import selectors
import shutil
import signal
import socket
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import typer

from bot.cli import chat, conversations, dream, importing, outcome, remembered, status, storage  # noqa: F401
from bot.cli.checkups import doctor  # noqa: F401
from bot.cli.main import cli
from bot.imports import imported
from bot.service import serve  # noqa: F401
from tests.fakes.pulse import PATIENCE
from tests.kits.commanded import SIZE, become, received, send
from tests.kits.made_once import make_once

_LATE = (
    "adapters.console.progress_bar", "adapters.console.terminal", "adapters.console.rendering", "adapters.discord.adapter",
    "adapters.matrix.adapter", "anyio._backends._asyncio", "anyio.streams.tls", "apscheduler.executors.asyncio",
    "apscheduler.triggers.date", "apscheduler.triggers.interval", "babel.dates", "babel.lists", "babel.numbers", "bot.__main__",
    "bot.cli.checkups.discord_checkup", "bot.cli.checkups.matrix_checkup", "bot.cli.web_command",
    "bot.models.endpoints.embedding", "bot.models.endpoints.llm",
    "bot.models.offline.extractive", "bot.models.writer",
    "bot.service.log_file", "bot.setup.model_command", "bot.setup.persona_command", "bot.setup.setup", "bot.web.server",
    "encodings.ascii", "encodings.utf_8_sig", "httpcore2", "jiter", "memory.deriving", "memory.store.postgresql.database",
    "memory.store.postgresql.moving", "openai.pagination", "openai.resources.chat.completions.completions",
    "openai.resources.embeddings", "openai.resources.models", "rich.progress", "structlog", "tomlkit", "truststore",
    "typer._adapters", "typer._click.decorators", "typer.core",
)  # fmt: skip
"""What a command loads when it needs it, and takes longest: a process that is forked again and again would load it each time."""
_MOST = 1 << 20
_NOBODY = PATIENCE
"""After so many seconds in which nobody came it ends."""


class Zygote:
    """Forks at a socket, tells whoever asked what became of it, and holds out as long as somebody holds on."""

    def __init__(self, path: str) -> None:
        self._waits = selectors.DefaultSelector()
        self._running: dict[int, socket.socket] = {}
        self._lasting: dict[socket.socket, int] = {}
        """The processes that go on after a command, by what they are given the next one through."""
        self._free: list[socket.socket] = []
        self._holders: set[socket.socket] = set()
        self._woken, waker = socket.socketpair()
        self._waker = waker
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{path}.new")
        self._listener.listen(64)
        # Whoever sees it may connect.
        Path(f"{path}.new").rename(path)
        for one in (self._woken, waker, self._listener):
            one.setblocking(False)
        for one in (self._woken, self._listener):
            self._waits.register(one, selectors.EVENT_READ)

    def serve(self) -> None:
        """Serve until nobody holds on."""
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        held = False
        while self._holders or not held:
            ready = self._waits.select(None if held else _NOBODY)
            if not ready:
                return
            for key, _ in ready:
                if key.fileobj is self._listener:
                    self._take(self._listener.accept()[0])
                elif key.fileobj is self._woken:
                    self._woken.recv(_MOST)
                    self._reap()
                elif key.fileobj in self._lasting:
                    self._hear(key.fileobj)
                else:
                    self._let_go(key.fileobj)  # type: ignore[arg-type]
            held = held or bool(self._holders)

    def _take(self, caller: socket.socket) -> None:
        caller.setblocking(True)
        size = int.from_bytes(caller.recv(SIZE, socket.MSG_WAITALL), "big")
        if not size:
            self._holders.add(caller)
            self._waits.register(caller, selectors.EVENT_READ)
            return
        raw, streams = received(caller, size)
        asked = json.loads(raw)
        child = self._handed_on(raw, streams) if asked["lasting"] else None
        child = child or self._forked(asked, streams, caller)
        for stream in streams:
            os.close(stream)
        self._running[child] = caller
        caller.sendall(f"{child}\n".encode())

    def _forked(self, asked: dict[str, Any], streams: list[int], caller: socket.socket) -> int:
        ours, theirs = socket.socketpair() if asked["lasting"] else (None, None)
        child = os.fork()
        if not child:
            caller.close()
            self._leave()
            if ours:
                ours.close()
            become(asked, streams, theirs)
        if ours and theirs:
            theirs.close()
            self._lasting[ours] = child
            self._waits.register(ours, selectors.EVENT_READ)
        return child

    def _handed_on(self, raw: bytes, streams: list[int]) -> int | None:
        """Give a command to a process that has nothing to do; return its id, None if there is none."""
        while self._free:
            one = self._free.pop()
            with suppress(OSError):
                send(one, raw, streams)
                return self._lasting[one]
        return None

    def _hear(self, one: socket.socket) -> None:
        """Tell what became of a command in a process that goes on; forget the process if it has ended."""
        code = b""
        # Who was killed may have left something unread.
        with suppress(ConnectionResetError):
            code = one.recv(SIZE, socket.MSG_WAITALL)
        if code:
            self._free.append(one)
            self._tell(self._lasting[one], int.from_bytes(code, "big", signed=True))
            return
        self._waits.unregister(one)
        self._lasting.pop(one)
        if one in self._free:
            self._free.remove(one)
        one.close()

    def _leave(self) -> None:
        """Be nothing of this any more, in a child."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._waits.close()
        for one in (self._listener, self._woken, self._waker, *self._holders, *self._running.values(), *self._lasting):
            one.close()

    def _reap(self) -> None:
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                self._tell(ended[0], os.waitstatus_to_exitcode(ended[1]))

    def _tell(self, child: int, code: int) -> None:
        if child in self._running:
            # Whoever asked may be gone.
            with self._running.pop(child) as caller, suppress(OSError):
                caller.sendall(f"{code}\n".encode())

    def _let_go(self, holder: socket.socket) -> None:
        self._holders.remove(holder)
        self._waits.unregister(holder)
        holder.close()


def main(path: str) -> None:
    """Load what is needed, and serve."""
    for name in _LATE:
        imported(name)
    make_once()
    # The tree of commands takes as long to build as most commands do their work.
    typer.main.get_command = cache(typer.main.get_command)
    typer.main.get_command(cli)
    zygote = Zygote(path)
    gc.freeze()
    zygote.serve()
    shutil.rmtree(Path(path).parent, ignore_errors=True)
    # Nothing that was loaded needs to be taken down.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
