"""Change of the master key of a database: the data keys are wrapped again, and what they encrypt stays as it is.

All data keys are stored wrapped by both master keys before the key file is replaced, so that the database opens with either; the next
open drops the other. The caller holds the home exclusively.
"""

import secrets
from pathlib import Path

from memory.errors import HomeInUse, MemoryFailure, RotationFailed
from memory.store import keys
from memory.store.postgresql.database import PostgresDatabase
from memory.store.postgresql.database_server import DatabaseAddress
from memory.store.restoring import messages, reason
from memory.store.rotating import Rotated, keep_old_key


async def rewrap(address: DatabaseAddress, key_path: Path) -> Rotated:
    """Replace the master key in `key_path` by a new one. Raises RotationFailed, with nothing changed."""
    old, new = keys.load(key_path), secrets.token_bytes(32)
    try:
        async with await PostgresDatabase.open(address, old) as db:
            if not await db.reserve():
                raise HomeInUse("Lyra runs on {address}. End her first, then try again.", address=address)
            await db.wrap_next(new)
            kept = keep_old_key(key_path)
            keys.write(key_path, new.hex())
        async with await PostgresDatabase.open(address, new) as db:
            held = await messages(db)
    except (OSError, MemoryFailure) as error:
        raise RotationFailed("The key was not changed: {reason}", reason=reason(error)) from error
    return Rotated(held, kept)
