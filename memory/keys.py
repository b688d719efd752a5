"""The key of the memory: 32 random bytes in a file that only its owner may read.

Without it nobody can read what is kept, Lyra included; that is the point, and it is said when the key is made.
"""

import os
import re
import secrets
from collections.abc import Callable
from pathlib import Path

from memory.errors import KeyMissing, KeyUnusable, NotWritable

_HEX = re.compile(r"[0-9a-fA-F]{64}")


def parse(text: str, where: str) -> bytes:
    """Return the key written as 64 hexadecimal digits. Raises KeyUnusable, never showing what was there."""
    if not _HEX.fullmatch(text.strip()):
        raise KeyUnusable(f"The key in {where} is not 64 hexadecimal digits. Put back your copy of it.")
    return bytes.fromhex(text.strip())


def load(path: Path) -> bytes:
    """Read the key file. Raises KeyMissing, KeyUnusable."""
    try:
        return parse(path.read_text("ascii"), str(path))
    except FileNotFoundError as error:
        raise KeyMissing(
            f"This memory is encrypted and its key {path} is missing. Put your copy of the key there; "
            "without it nobody can read this memory."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise KeyUnusable(f"The key file {path} cannot be read. Check its owner and put back your copy of it.") from error


def make(path: Path) -> bytes:
    """Make a new key and keep it on disk, readable by its owner alone, before anything is encrypted with it."""
    key = secrets.token_bytes(32)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return load(path)
    except OSError as error:
        raise NotWritable(
            f"The folder {path.parent} cannot be written ({error.strerror}). Name another with LYRA_HOME."
        ) from error
    try:
        os.write(handle, key.hex().encode() + b"\n")
        os.fsync(handle)
    finally:
        os.close(handle)
    return key


def word(path: Path, new: Callable[[], str]) -> str:
    """Return the secret word kept in a file that only its owner may read, made with `new` where there is none.

    Raises KeyUnusable where the file is there and holds no word.
    """
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_word(path)
    try:
        os.write(handle, new().encode("ascii"))
        os.fsync(handle)
    finally:
        os.close(handle)
    return path.read_text("ascii")


def _read_word(path: Path) -> str:
    try:
        found = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise KeyUnusable(f"The token file {path} cannot be read. Remove it, and the next start makes a new one.") from error
    if not found:
        raise KeyUnusable(f"The token file {path} is empty. Remove it, and the next start makes a new one.")
    return found
