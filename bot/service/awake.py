"""Locks of the processes of `lyra run`: one that does everything, or several in their roles; and signals to them."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bot.app import App
from bot.errors import BadConfig
from bot.service.process_roles import Role
from localization.sentences import lazy
from memory.errors import HomeInUse
from memory.store.file_locks import FileLock


def run_lock(home: Path) -> FileLock:
    """Return the lock of `lyra run` in a home; processes with roles share it."""
    return FileLock(home / "run.lock")


def page_lock(home: Path) -> FileLock:
    """Return the lock of the process that serves a home's page."""
    return FileLock(home / "web.lock")


def is_awake(home: Path) -> bool:
    """Return whether `lyra run` is running in a home. Raises NotWritable."""
    lock = run_lock(home)
    awake = not lock.take()
    lock.release()
    return awake


@contextmanager
def reloadable(home: Path) -> Iterator[None]:
    """Register this process for `reload` during the block. It handles SIGHUP by reloading its configuration."""
    own = FileLock(home / f"run-{os.getpid()}.lock")
    try:
        own.take()
        yield
    finally:
        own.path.unlink(missing_ok=True)
        own.release()


def reload(home: Path) -> bool:
    """Tell all running processes of a home to reload the configuration; return whether there were any."""
    reached = False
    for path in home.glob("run-*.lock"):
        process = FileLock(path)
        # A killed process leaves its file, and its pid may have been reused.
        if process.take():
            path.unlink(missing_ok=True)
            process.release()
            continue
        with suppress(OSError, ValueError):
            os.kill(int(path.stem.removeprefix("run-")), signal.SIGHUP)
            reached = True
    return reached


@contextmanager
def hold_home(app: App, role: Role) -> Iterator[None]:
    """Hold this home during the block: alone, or in a role beside others. Raises HomeInUse."""
    lock, page = run_lock(app.base.environment.home), page_lock(app.base.environment.home)
    try:
        lock.require(
            lazy("Lyra is awake in this home already. One `lyra run` is enough; end it first to start another."),
            shared=role is not Role.ALL,
        )
        if role.serves:
            page.require(
                lazy("`lyra web` serves the memory page of this home already. End it first: `lyra run` serves it as well.")
            )
        yield
    finally:
        page.release()
        lock.release()


async def hold_memory(app: App, role: Role) -> None:
    """Hold this memory: alone, or in a role beside others. Raises HomeInUse, BadConfig."""
    db = app.memory.db
    if role is not Role.ALL and db.peers is None:
        raise BadConfig(
            "A role is for several processes that share a memory in a database, and this one is kept in a file. "
            "Leave --role out, or move it with: lyra move --to postgresql://…"
        )
    if not await db.reserve(beside=role is not Role.ALL):
        raise HomeInUse(
            lazy(
                "Lyra is awake on {address} already, from another home. One `lyra run` is enough; end it first to start another.",
                address=app.memory.address,
            )
            if role is Role.ALL
            else lazy(
                "A `lyra run` without a role is awake on {address}, and does everything there. End it first.",
                address=app.memory.address,
            )
        )
    if role is not Role.ALL and db.peers is not None:
        await db.peers.join(role)
        if not role.works:
            app.maintenance.leave_to_others()
