"""Whether the file that was opened is still the one in its place."""

from pathlib import Path

from localization.sentences import lazy
from memory.errors import NotWritable


class FileIdentity:
    """The file at a path at the time this is made: a deleted or replaced one can still be written, and is lost at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._was = _number(path)

    def require(self) -> None:
        """Raise NotWritable unless the path still leads to that file."""
        if _number(self._path) != self._was:
            raise NotWritable(
                lazy(
                    "The memory at {path} was moved, deleted or replaced while it was in use, so nothing more is kept. "
                    "Put it back, or start Lyra again.",
                    path=self._path,
                )
            )


def _number(path: Path) -> tuple[int, int] | None:
    try:
        there = path.stat()
    except OSError:
        return None
    return there.st_dev, there.st_ino
