"""The key of the memory: 32 random bytes in a file that only its owner may read.

Without it nobody can read what is kept, Lyra included; that is the point, and people are told so when the key is made.
"""

import errno
import fcntl
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from memory.errors import DiskFull, KeyMissing, KeyUnusable, MemoryFailure
from memory.store import home_files

_HEX = re.compile(r"[0-9a-fA-F]{64}")


def parse(text: str, where: str) -> bytes:
    """Parse a key of 64 hexadecimal digits. Raises KeyUnusable, never showing the text."""
    if not _HEX.fullmatch(text.strip()):
        raise KeyUnusable("The key in {where} is not 64 hexadecimal digits. Put back your copy of it.", where=where)
    return bytes.fromhex(text.strip())


def load(path: Path) -> bytes:
    """Read the key file. Raises KeyMissing, KeyUnusable."""
    try:
        return parse(home_files.read_word(path), str(path))
    except FileNotFoundError as error:
        raise KeyMissing(
            "This memory is encrypted and its key {path} is missing. Put your copy of the key there; without it "
            "nobody can read this memory.",
            path=path,
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise KeyUnusable(
            "The key file {path} cannot be read. Check its owner and put back your copy of it.", path=path
        ) from error


def make(path: Path) -> bytes:
    """Create a key, on disk before anything is encrypted with it; return the existing one if there is one.

    An empty file counts as none: nothing can have been encrypted with it. Raises NotWritable, DiskFull, KeyUnusable.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with exclusive(path.parent):
            if not home_files.size(path):
                write(path, secrets.token_hex(32))
    except OSError as error:
        raise _refused(path, error) from error
    return load(path)


def remove_new_key(path: Path, key: bytes) -> None:
    """Remove a key that was just made and does not open what is kept: that has another, which is missing. Raises KeyMissing."""
    with exclusive(path.parent):
        if load(path) == key:
            path.unlink()
            home_files.sync(path.parent)
    load(path)


def word(path: Path, new: Callable[[], str]) -> str:
    """Return the secret word in a file that only its owner may read, created with `new` if it does not exist.

    The file appears whole or not at all. Processes that create it at the same time get the same word. Raises KeyUnusable if
    the file exists and holds no word.
    """
    with exclusive(path.parent):
        if not path.exists():
            write(path, new())
    return _read_word(path)


def write(path: Path, text: str) -> None:
    """Write a word to a file that only its owner may read, atomically replacing any earlier one."""
    home_files.write_atomically(path, text.encode("ascii") + b"\n")


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Keep other processes from writing a word in this folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _refused(path: Path, error: OSError) -> MemoryFailure:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return DiskFull("The key {path} could not be written: no room is left on that disk. Free some and try again.", path=path)
    return home_files.unwritable(path.parent, error)


def _read_word(path: Path) -> str:
    try:
        found = home_files.read_word(path).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise KeyUnusable(
            "The token file {path} cannot be read. Remove it, and the next start makes a new one.", path=path
        ) from error
    if not found:
        raise KeyUnusable("The token file {path} is empty. Remove it, and the next start makes a new one.", path=path)
    return found
