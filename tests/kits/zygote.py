"""A process that has loaded Lyra already, and forks for each command that a test runs: a process of its own, without the second
that loading takes. What it gives back is the process's id at once, and its exit code when it has ended.

`python -m tests.kits.zygote SOCKET` serves on a Unix socket until its standard input ends.
"""

import fcntl
import gc
import json
import os
import runpy
import signal
import socket
import sys
import termios
import threading
import time
from pathlib import Path
from typing import Any, NoReturn

from bot.cli import backups, chat, conversations, dream, importing, remembered, status  # noqa: F401
from bot.cli.checkups import doctor  # noqa: F401
from bot.imports import imported
from bot.service import serve  # noqa: F401

_LATE = ("adapters.discord.adapter", "adapters.matrix.adapter", "bot.models.endpoints.llm", "memory.deriving", "structlog")
"""What a command loads when it needs it, and takes longest: a process that is forked again and again would load it each time."""
_MOST = 1 << 20


def main(path: str) -> None:
    """Serve until standard input ends."""
    for name in _LATE:
        imported(name)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{path}.new")
    listener.listen(64)
    # Whoever sees it may connect.
    Path(f"{path}.new").rename(path)
    threading.Thread(target=_until_left, daemon=True).start()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    while True:
        caller, _ = listener.accept()
        if not os.fork():
            listener.close()
            _keep(caller)
        caller.close()


def _until_left() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def _keep(caller: socket.socket) -> NoReturn:
    """Run one command in a child, and tell the caller of it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size = int.from_bytes(caller.recv(4, socket.MSG_WAITALL), "big")
    raw, streams, _, _ = socket.recv_fds(caller, min(size, _MOST), 3)
    while len(raw) < size:
        raw += caller.recv(size - len(raw))
    child = os.fork()
    if not child:
        caller.close()
        _become(json.loads(raw), streams)
    for stream in (0, *streams):
        os.close(stream)
    caller.sendall(f"{child}\n".encode())
    _, ended = os.waitpid(child, 0)
    caller.sendall(f"{os.waitstatus_to_exitcode(ended)}\n".encode())
    os._exit(0)


def _become(asked: dict[str, Any], streams: list[int]) -> NoReturn:
    """Be `lyra` with these words, in this folder and environment."""
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
