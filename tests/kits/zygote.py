"""A process that has loaded Lyra already, and forks for each command that a test runs: a process of its own, without the second
that loading takes. What it gives back is the process's id at once, and its exit code when it has ended.

`python -m tests.kits.zygote SOCKET` serves on a Unix socket until nobody holds on to it any more. Whoever sends a size of nothing
holds on with that connection; else it is what is to be run, and three streams.
"""

import fcntl
import gc
import json
import os
import runpy
import selectors
import shutil
import signal
import socket
import sys
import termios
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import typer

from bot.cli import backups, chat, conversations, dream, importing, outcome, remembered, status  # noqa: F401
from bot.cli.checkups import doctor  # noqa: F401
from bot.cli.main import cli
from bot.imports import imported
from bot.service import serve  # noqa: F401
from tests.fakes.pulse import PATIENCE
from tests.kits.made_once import make_once

_LATE = (
    "adapters.console.progress_bar", "adapters.console.terminal", "adapters.console.rendering", "adapters.discord.adapter",
    "adapters.matrix.adapter", "anyio._backends._asyncio", "anyio.streams.tls", "apscheduler.executors.asyncio",
    "apscheduler.triggers.date", "apscheduler.triggers.interval", "babel.dates", "babel.lists", "babel.numbers", "bot.__main__",
    "bot.cli.checkups.discord_checkup", "bot.cli.checkups.matrix_checkup", "bot.cli.move_command", "bot.cli.web_command",
    "bot.models.e5.embedder", "bot.models.endpoints.embedding", "bot.models.endpoints.llm",
    "bot.models.minilm.embedder", "bot.models.minilm.quantized", "bot.models.offline.extractive", "bot.models.writer",
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
                else:
                    self._let_go(key.fileobj)  # type: ignore[arg-type]
            held = held or bool(self._holders)

    def _take(self, caller: socket.socket) -> None:
        caller.setblocking(True)
        size = int.from_bytes(caller.recv(4, socket.MSG_WAITALL), "big")
        if not size:
            self._holders.add(caller)
            self._waits.register(caller, selectors.EVENT_READ)
            return
        raw, streams, _, _ = socket.recv_fds(caller, min(size, _MOST), 3)
        while len(raw) < size:
            raw += caller.recv(size - len(raw))
        child = os.fork()
        if not child:
            caller.close()
            self._leave()
            _become(json.loads(raw), streams)
        for stream in streams:
            os.close(stream)
        self._running[child] = caller
        caller.sendall(f"{child}\n".encode())

    def _leave(self) -> None:
        """Be nothing of this any more, in a child."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._waits.close()
        for one in (self._listener, self._woken, self._waker, *self._holders, *self._running.values()):
            one.close()

    def _reap(self) -> None:
        while self._running:
            child, ended = os.waitpid(-1, os.WNOHANG)
            if not child:
                return
            # Whoever asked may be gone.
            with self._running.pop(child) as caller, suppress(OSError):
                caller.sendall(f"{os.waitstatus_to_exitcode(ended)}\n".encode())

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


def _become(asked: dict[str, Any], streams: list[int]) -> NoReturn:
    """Be `lyra` with these words, or after "-m" a module of the tests, or after "-c" Python code, in this folder and environment."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if asked["terminal"]:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    _heed(asked["environment"].get("PYTHONPATH", ""))
    sys.argv = ["lyra", *map(os.fsdecode, (word.encode("utf-8", "surrogateescape") for word in asked["words"]))]
    sys.stdin = os.fdopen(0, "r", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    code = 1
    try:
        if asked["words"][:1] == ["-m"]:
            runpy.run_module(asked["words"][1], run_name="__main__", alter_sys=True)
            code = 0
        elif asked["words"][:1] == ["-c"]:
            sys.argv = ["-c", *asked["words"][2:]]
            exec(asked["words"][1], {"__name__": "__main__"})
            code = 0
        else:
            from bot.__main__ import main as lyra

            lyra()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:  # noqa: BLE001 - as the interpreter does
        sys.excepthook(*sys.exc_info())
    finally:
        # Other threads come to their end, as they do where an interpreter ends.
        vars(threading)["_shutdown"]()
        for written in (sys.stdout, sys.stderr):
            try:
                written.flush()
            except OSError:
                code = code or 1
        os._exit(code)


def _heed(folders: str) -> None:
    """Find modules in folders that were named, and customize the process by what is there, as an interpreter does when it starts."""
    for folder in reversed([Path(one) for one in folders.split(os.pathsep) if one and one not in sys.path]):
        sys.path.insert(0, str(folder))
        if (custom := folder / "sitecustomize.py").exists():
            runpy.run_path(str(custom))


if __name__ == "__main__":
    main(sys.argv[1])
