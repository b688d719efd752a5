"""What an installation keeps of itself, by name."""

from memory.store.database import Reader, Transaction


async def kept(reader: Reader, key: str) -> str | None:
    """Return what is kept under a name, None where nothing is."""
    row = await reader.one("SELECT value FROM install WHERE key = :key", {"key": key})
    return str(row["value"]) if row else None


async def keep(tx: Transaction, key: str, value: str) -> None:
    """Keep something under a name, in the place of what was there."""
    await tx.run(
        "INSERT INTO install (key, value) VALUES (:key, :value) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        {"key": key, "value": value},
    )
