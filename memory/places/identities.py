"""Identities: people's accounts on platforms, each with its current display name."""

from collections.abc import Collection

from memory.store.database import DatabaseAccess, Reader, Transaction
from memory.store.domains import read_domain
from memory.types import Domain, Identity


async def upsert(tx: Transaction, identity: Identity, name: str, now: int) -> int:
    """Upsert an identity with its current display name; return its key."""
    row = await tx.one(
        "INSERT INTO identities (platform, native_id, name, seen_at) VALUES (:platform, :native_id, :name, :now) "
        "ON CONFLICT (platform, native_id) DO UPDATE SET name = excluded.name, seen_at = excluded.seen_at RETURNING id",
        {"platform": identity.platform, "native_id": identity.native_id, "name": name, "now": now},
    )
    assert row is not None
    return int(row["id"])


async def names(reader: Reader, accounts: Collection[Identity]) -> list[tuple[Identity | None, str]]:
    """Return accounts with their current display names."""
    found: list[tuple[Identity | None, str]] = []
    for account in accounts:
        parameters = {"platform": account.platform, "account": account.native_id}
        row = await reader.one("SELECT name FROM identities WHERE platform = :platform AND native_id = :account", parameters)
        found.append((account, row["name"] if row else ""))
    return found


async def account(reader: Reader, key: int) -> Identity | None:
    """Return the account with this key."""
    row = await reader.one("SELECT platform, native_id FROM identities WHERE id = :key", {"key": key})
    return Identity(row["platform"], row["native_id"]) if row else None


async def spoken_in(db: DatabaseAccess, who: Identity) -> list[Domain]:
    """Return the domains with anything kept that an account said, oldest first; confidences are left out."""
    rows = await db.all(
        "SELECT d.* FROM domains d WHERE EXISTS (SELECT 1 FROM exchanges e JOIN identities n ON n.id = e.identity "
        "WHERE e.domain = d.id AND n.platform = :platform AND n.native_id = :native_id) ORDER BY d.id",
        {"platform": who.platform, "native_id": who.native_id},
    )
    return [read_domain(row) for row in rows]
