"""Rotating the memory's key. However it is interrupted, the home opens with the key at hand, and is complete.

A copy of the memory is written with the new key and verified, with the new key beside it. Renaming the copy to the memory's
name decides: until then nothing is touched; from then on whichever process comes next renames the new key. The old key is
kept under another name: only it opens earlier backups. The caller holds the home exclusively.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.errors import MemoryFailure, RotationFailed
from memory.ports import Progress
from memory.store import home_files, keys
from memory.store.restoring import copy_file, reason, verified
from memory.store.sqlite.connecting import opens, rekey
from memory.store.sqlite.database import SqliteDatabase

_COPY, _NEXT, _OLD = ".rotating", ".next-key", ".before-rotation-"


@dataclass(frozen=True, slots=True)
class Rotated:
    """How many messages the memory holds under its new key, and where the old key is."""

    messages: int
    old: Path


async def rotate(path: Path, key_path: Path, tell: Progress = lambda *_: None) -> Rotated:
    """Replace the key in `key_path` of the memory at `path`; `tell` gets the bytes copied and the total.

    Raises RotationFailed, in which case nothing was changed.
    """
    copy = path.with_name(path.name + _COPY)
    try:
        finish(path, key_path)
        old = keys.load(key_path)
        async with await SqliteDatabase.open(path, old) as db:
            await db.checkpoint()
        _require_closed(path)
        new = keys.make(_next_key_path(path))
        copy_file(path, copy, tell)
        rekey(copy, old, new)
        held = await verified(copy, new)
        _require_closed(copy)
        home_files.sync(copy)
        old_key = keep_old_key(key_path)
    except (OSError, MemoryFailure) as error:
        _clear(path)
        raise RotationFailed("The key was not changed: {reason}", reason=reason(error)) from error
    for companion in home_files.companions(path):
        companion.unlink(missing_ok=True)
    copy.replace(path)
    home_files.sync(path.parent)
    finish(path, key_path)
    return Rotated(held, old_key)


def finish(path: Path, key_path: Path) -> None:
    """Finish an interrupted rotation that was decided, or clean up one that was not (idempotent; any process may do it)."""
    begun = home_files.unfinished(_next_key_path(path))
    if not (_next_key_path(path).exists() or begun.exists()):
        return
    with keys.exclusive(path.parent):
        begun.unlink(missing_ok=True)
        if not _next_key_path(path).exists():
            return
        if opens(path, keys.load(_next_key_path(path))):
            # The key may be on another disk.
            keys.write(key_path, _next_key_path(path).read_text("ascii").strip())
        else:
            _forget_copies(key_path)
        _clear(path)


def old_keys(key_path: Path) -> Sequence[Path]:
    """Return the old keys, newest first."""
    old = (one for one in key_path.parent.glob(f"{key_path.name}{_OLD}*") if _number(one))
    return sorted(old, key=_number, reverse=True)


def made_before(file: Path, key: bytes, key_path: Path) -> Path | None:
    """Return the old key that opens a backup the current one does not open, None if there is none."""
    if opens(file, key):
        return None
    return next((old for old in old_keys(key_path) if opens(file, keys.load(old))), None)


def keep_old_key(key_path: Path) -> Path:
    """Copy the key under a numbered name that marks it as old; return its path."""
    numbers = [_number(old) for old in old_keys(key_path)]
    kept = key_path.with_name(f"{key_path.name}{_OLD}{max(numbers, default=0) + 1}")
    keys.write(kept, key_path.read_text("ascii").strip())
    return kept


def _forget_copies(key_path: Path) -> None:
    """Remove copies set aside of the key that is still in use."""
    for begun in key_path.parent.glob(f"{key_path.name}{_OLD}*"):
        if not _number(begun):
            begun.unlink(missing_ok=True)
    for old in old_keys(key_path):
        if old.read_text("ascii") == key_path.read_text("ascii"):
            old.unlink()


def _clear(path: Path) -> None:
    """Remove the leftovers of a rotation, the new key last: while it exists, all of it is known to be left over."""
    home_files.remove(path.with_name(path.name + _COPY))
    _next_key_path(path).unlink(missing_ok=True)
    home_files.sync(path.parent)


def _require_closed(path: Path) -> None:
    if any(home_files.size(companion) for companion in home_files.companions(path) if not companion.name.endswith("-shm")):
        raise RotationFailed("{path} could not be closed.", path=path)


def _next_key_path(path: Path) -> Path:
    return path.with_name(path.name + _NEXT)


def _number(old: Path) -> int:
    number = old.name.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0
