"""Small files beside a memory that are read once, each sealed with AES-256-GCM for its name."""

import os
import time
from pathlib import Path

from Crypto.Cipher import AES

from memory.store import home_files

_NONCE, _TAG = 12, 16


class SealedFiles:
    """The sealed files of a folder. After `seconds` they are of no use, and removed with the next one that is read."""

    def __init__(self, folder: Path, key: bytes, seconds: float) -> None:
        """Use the folder, which may not exist yet, and a key of 32 bytes that seals nothing else."""
        self._folder = folder
        self._key = key
        self._seconds = seconds

    def put(self, name: str, data: bytes) -> None:
        """Keep data under a name, on disk and whole, replacing any earlier. Raises OSError, with nothing kept."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        nonce = os.urandom(_NONCE)
        sealed, tag = AES.new(self._key, AES.MODE_GCM, nonce=nonce).update(name.encode()).encrypt_and_digest(data)
        home_files.write_atomically(self._folder / name, nonce + tag + sealed)

    def take(self, name: str) -> bytes | None:
        """Return what a name holds, None for nothing, and remove it before. Raises ValueError if it was changed, OSError."""
        try:
            content = (self._folder / name).read_bytes()
        except FileNotFoundError:
            content = None
        self._remove(name)
        if content is None:
            return None
        nonce, tag, sealed = content[:_NONCE], content[_NONCE : _NONCE + _TAG], content[_NONCE + _TAG :]
        if len(tag) < _TAG:
            raise ValueError("it was cut off")
        try:
            return AES.new(self._key, AES.MODE_GCM, nonce=nonce).update(name.encode()).decrypt_and_verify(sealed, tag)
        except ValueError as error:
            raise ValueError("it was changed, or sealed with another key") from error

    def _remove(self, name: str) -> None:
        """Remove the file of a name, and what is too old to be of use."""
        if not self._folder.is_dir():
            return
        for file in self._folder.iterdir():
            if file.name == name or time.time() - file.stat().st_mtime > self._seconds:
                file.unlink(missing_ok=True)
        home_files.sync(self._folder)
