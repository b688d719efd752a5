"""What a process does that was forked from the one that has loaded Lyra: run a command, and more of them where nothing of the first is left."""

import concurrent.futures.thread
import fcntl
import gc
import json
import logging
import os
import runpy
import signal
import socket
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Sequence
from contextvars import copy_context
from pathlib import Path
from typing import Any, NoReturn

from bot.service.log import log

SIZE = 4
"""Bytes of a size, or of an exit code."""
_MOST = 1 << 20
_COMMANDS = 50
"""So many commands one process runs at most."""


def send(to: socket.socket, raw: bytes, streams: Sequence[int]) -> None:
    """Hand on what is asked, and the streams for it."""
    to.sendall(len(raw).to_bytes(SIZE, "big"))
    sent = socket.send_fds(to, [raw], list(streams))
    # Whoever has all of it may be gone already.
    if sent < len(raw):
        to.sendall(raw[sent:])


def received(by: socket.socket, size: int) -> tuple[bytes, list[int]]:
    """Return what is asked, which takes so many bytes, and the streams for it."""
    raw, streams, _, _ = socket.recv_fds(by, min(size, _MOST), 3)
    while len(raw) < size:
        raw += by.recv(size - len(raw))
    return raw, streams


def become(asked: dict[str, Any], streams: list[int], more: socket.socket | None) -> NoReturn:
    """Be `lyra` with these words, or after "-m" a module of the tests, or after "-c" Python code, in this folder and environment; then
    what comes next, unless something was left changed.
    """
    before: tuple[object, ...] = ()
    left = _COMMANDS
    while True:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        before, left = before or _state(), left - 1
        code = copy_context().run(_run, asked)
        if more is None or not left or not _is_as(before):
            _end(code)
        with Path(os.devnull).open("r+b") as nothing:
            for number in range(3):
                os.dup2(nothing.fileno(), number)
        more.sendall(code.to_bytes(SIZE, "big", signed=True))
        size = int.from_bytes(more.recv(SIZE, socket.MSG_WAITALL), "big")
        if not size:
            os._exit(0)
        raw, streams = received(more, size)
        asked = json.loads(raw)


def _run(asked: dict[str, Any]) -> int:
    """Do what is asked; return its exit code."""
    if asked["terminal"]:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    tempfile.tempdir = None
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
    return _flushed(code)


def _flushed(code: int) -> int:
    for written in (sys.stdout, sys.stderr):
        try:
            written.flush()
        except OSError:
            code = code or 1
    return code


def _end(code: int) -> NoReturn:
    # Other threads come to their end, as they do where an interpreter ends.
    vars(threading)["_shutdown"]()
    os._exit(_flushed(code))


def _state() -> tuple[object, ...]:
    """Return what a command has to leave as it was, if its process is to go on."""
    mask = os.umask(0o077)
    os.umask(mask)
    handlers = [signal.getsignal(number) for number in sorted(signal.valid_signals() - {signal.SIGINT})]
    hooks = (sys.excepthook, sys.unraisablehook, threading.excepthook, gc.isenabled())
    return sorted(Path("/dev/fd").iterdir()), threading.active_count(), os.getpriority(os.PRIO_PROCESS, 0), mask, handlers, hooks


def _is_as(before: tuple[object, ...]) -> bool:
    """Say whether nothing of a command is left that another could meet; what is set anew by each that needs it is taken back."""
    log.write_to(None)
    log.least = logging.WARNING
    logging.basicConfig(level=logging.WARNING, handlers=(), force=True)
    # Those of pools wait for more work until the interpreter ends.
    pooled = vars(concurrent.futures.thread)["_threads_queues"]
    for one in threading.enumerate():
        if one is not threading.main_thread() and not one.daemon and one not in pooled:
            one.join()
    # What could not be written would be tried again, on the next one's streams.
    return _flushed(0) == 0 and _state() == before


def _heed(folders: str) -> None:
    """Find modules in folders that were named, and customize the process by what is there, as an interpreter does when it starts."""
    for folder in reversed([Path(one) for one in folders.split(os.pathsep) if one and one not in sys.path]):
        sys.path.insert(0, str(folder))
        if (custom := folder / "sitecustomize.py").exists():
            runpy.run_path(str(custom))
