"""Which process resumes the unanswered messages of a conversation that several processes may have open."""

import hashlib
from pathlib import Path

from memory.store.locks import FileLock


class Alone:
    """Whether this is the only process at a place; only then may it resume what another one left unanswered.

    The block is given whether it is; `held` says so at any time.
    """

    def __init__(self, home: Path, place: str) -> None:
        name = hashlib.blake2b(place.encode(), digest_size=12).hexdigest()
        self._lock = FileLock(home / "chats" / f"{name}.lock")
        self.held = False

    def __enter__(self) -> bool:
        self.held = self._lock.take()
        return self.held

    def __exit__(self, *_: object) -> None:
        self.held = False
        self._lock.release()
