"""Values that an installation keeps about itself, by name."""

from memory.ports import Ids
from memory.store.database import Database, Reader, Transaction

_SEAL = "seal"


async def get(reader: Reader, key: str) -> str | None:
    """Return the value of a name, or None if unset."""
    row = await reader.one("SELECT value FROM install WHERE key = :key", {"key": key})
    return str(row["value"]) if row else None


async def put(tx: Transaction, key: str, value: str) -> None:
    """Store a value under a name, replacing any earlier one."""
    await tx.run(
        "INSERT INTO install (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        {"key": key, "value": value},
    )


async def seal_key(db: Database, ids: Ids) -> bytes:
    """Return the key of public ids, created at the first start."""
    known = await get(db, _SEAL)
    if known is None:
        async with db.transaction() as tx:
            # Another process may have created it meanwhile.
            known = await get(tx, _SEAL)
            if known is None:
                known = ids.new() + ids.new()
                await put(tx, _SEAL, known)
    return known.encode()
