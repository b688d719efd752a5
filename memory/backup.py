"""Backups: one encrypted file, made while others go on, read back whole before it counts."""

import os
import shutil
from pathlib import Path

from memory.db import Database
from memory.errors import BackupFailed, MemoryFailure


async def backup(db: Database, key: bytes | None, target: Path) -> int:
    """Copy the memory to `target`, verify the copy page by page, and return how many messages it holds.

    The target appears only when it is whole. Raises BackupFailed, and leaves nothing behind.
    """
    if target.exists():
        raise BackupFailed(f"{target} exists already. Name a new file.")
    part = target.with_name(target.name + ".part")
    try:
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        await db.copy_to(part, key)
        held = await _verified(part, key)
        _sync(part)
        part.replace(target)
        _sync(target.parent)
    except (OSError, MemoryFailure) as error:
        _remove(part)
        raise BackupFailed(f"No backup was made at {target}: {_reason(error)}") from error
    return held


async def restore(source: Path, key: bytes | None, path: Path) -> tuple[int, Path | None]:
    """Put a backup in the place of the memory at `path`; return how many messages it holds and where the old one went.

    The caller holds the home alone. The backup is verified before anything is moved; it stays where it is.
    """
    part = path.with_name(path.name + ".restoring")
    try:
        _remove(part)
        shutil.copyfile(source, part)
        part.chmod(0o600)
        held = await _verified(part, key)
        _sync(part)
        aside = _set_aside(path)
        part.replace(path)
        _sync(path.parent)
    except (OSError, MemoryFailure) as error:
        _remove(part)
        raise BackupFailed(f"Nothing was restored from {source}: {_reason(error)}") from error
    return held, aside


def _set_aside(path: Path) -> Path | None:
    if not path.exists():
        return None
    number = 1
    while (aside := path.with_name(f"{path.name}.before-restore-{number}")).exists():
        number += 1
    for suffix in ("", "-wal", "-shm"):
        companion = path.with_name(path.name + suffix)
        if companion.exists():
            companion.replace(aside.with_name(aside.name + suffix))
    return aside


async def _verified(path: Path, key: bytes | None) -> int:
    async with await Database.open(path, key) as copy:
        await copy.verify()
        row = await copy.one("SELECT count(*) AS n FROM exchanges")
        await copy.checkpoint()
    return int(row["n"]) if row else 0


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.strerror or error} ({error.filename})" if error.filename else str(error.strerror or error)
    return str(error)
