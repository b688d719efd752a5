"""A new key for a memory that a server keeps: what wraps the data keys is changed, and what they seal stays as it is.

The database holds every data key wrapped both ways before the file has the new key, so that it opens with whichever is there;
whoever opens it next lets go of the other. Whoever calls holds the home alone.
"""

import secrets
from pathlib import Path

from localization.sentences import lazy
from memory.errors import HomeInUse, MemoryFailure, RotationFailed
from memory.store import keys
from memory.store.postgresql.address import DatabaseAddress
from memory.store.postgresql.database import PostgresDatabase
from memory.store.restoring import messages, reason
from memory.store.rotating import Rotated, keep


async def rewrap(address: DatabaseAddress, key_path: Path) -> Rotated:
    """Give the memory at an address a new key in the place of the one in `key_path`. Raises RotationFailed: then nothing was changed."""
    old, new = keys.load(key_path), secrets.token_bytes(32)
    try:
        async with await PostgresDatabase.open(address, old) as db:
            if not await db.reserve():
                raise HomeInUse(lazy("Lyra runs on {address}. End her first, then try again.", address=address))
            await db.wrap_next(new)
            kept = keep(key_path)
            keys.write(key_path, new.hex())
        async with await PostgresDatabase.open(address, new) as db:
            held = await messages(db)
    except (OSError, MemoryFailure) as error:
        raise RotationFailed(lazy("The key was not changed: {reason}", reason=reason(error))) from error
    return Rotated(held, kept)
