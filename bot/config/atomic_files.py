"""Atomic writes of files that people edit as well."""

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write a file atomically, readable by its owner alone. Raises OSError."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
