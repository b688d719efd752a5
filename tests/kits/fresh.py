"""A fresh memory, copied from one that was brought to the present schema once in this process: making it takes four times as long."""

import tempfile
from pathlib import Path

from memory.store.sqlite.database import SqliteDatabase

_made: dict[bytes | None, bytes] = {}


async def fresh(path: Path, key: bytes | None) -> None:
    """Put a memory that holds nothing where there is none yet, as `SqliteDatabase.open` would make it."""
    if path.exists():
        return
    if key not in _made:
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder) / "lyra.db"
            await (await SqliteDatabase.open(own, key)).close()
            _made[key] = own.read_bytes()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.write_bytes(_made[key])
