"""Settings and marks of a scope, such as a person, a place, a domain or an adapter, stored as JSON."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from memory.store.database import Database, DatabaseAccess, Reader, Transaction, taken_back
from memory.store.lineage import Seal, bound, placeholders
from memory.types import Domain, DomainKind, DomainRef, Identity

_ROOM_BYTES = 256 * 1024
_MOST_SCOPES = 1_024
"""How many accounts' scopes are known without hashing: a turn asks for the same few seven times."""


@lru_cache(maxsize=_MOST_SCOPES)
def account_scope(seal: Seal, who: Identity) -> str:
    """Return the scope of an account's permanent settings, which identifies nobody."""
    return f"account:{seal.id(DomainRef(DomainKind.DM, who.platform, who.native_id), 'opted-out')}"


def domain_scope(seal: Seal, domain: Domain) -> str:
    """Return the scope of a domain's settings, which identifies nobody."""
    return f"domain:{seal.id(domain.ref, 'domain')}"


@dataclass(frozen=True, slots=True)
class KeptSettings:
    """Reads and writes the settings of one database."""

    db: DatabaseAccess
    _marked: set[tuple[str, str]] = field(default_factory=set)

    async def get(self, scope: str, key: str) -> object:
        """Return a setting, or None if it was never set."""
        return await get(self.db, scope, key)

    async def of_scopes(self, scopes: Sequence[str]) -> dict[tuple[str, str], object]:
        """Return all settings of several scopes, by scope and key."""
        if not scopes:
            return {}
        rows = await self.db.all(
            f"SELECT scope, key, value FROM settings WHERE scope IN ({placeholders('s', scopes)})", bound("s", scopes)
        )
        return {(row["scope"], row["key"]): json.loads(row["value"]) for row in rows}

    async def everywhere(self, key: str) -> list[tuple[str, object]]:
        """Return every scope that has a setting, with its value there."""
        rows = await self.db.all("SELECT scope, value FROM settings WHERE key = :key ORDER BY scope", {"key": key})
        return [(row["scope"], json.loads(row["value"])) for row in rows]

    async def is_marked(self, scope: str, key: str) -> bool:
        """Return whether a mark was set; marks are permanent, so a set one is cached."""
        if (scope, key) not in self._marked and await self.get(scope, key):
            self._marked.add((scope, key))
        return (scope, key) in self._marked

    async def set(self, scope: str, key: str, value: object) -> None:
        """Store a setting; None removes it."""
        async with self.db.transaction() as tx:
            await put(tx, scope, key, value)

    async def take(self, scope: str, key: str) -> object:
        """Remove a setting and return its value, or None if unset; of concurrent callers only one gets it."""
        async with self.db.transaction() as tx:
            row = await tx.one(
                "DELETE FROM settings WHERE scope = :scope AND key = :key RETURNING value", {"scope": scope, "key": key}
            )
        return json.loads(row["value"]) if row else None


class KeptSetting(NamedTuple):
    """A setting as it is stored, in the keys of one memory: `value` is JSON."""

    scope: str
    key: str
    value: str


async def require_room(db: Database) -> None:
    """Write half a megabyte and take it back, which tells whether a server's disk has room for what is said next. Raises DiskFull."""
    async with taken_back(db) as tx:
        await put(tx, "install", "room", secrets.token_hex(_ROOM_BYTES))
        # What is written leaves with the next question.
        await get(tx, "install", "room")


async def get(reader: Reader, scope: str, key: str) -> object:
    """Return a setting, or None if it was never set."""
    row = await reader.one("SELECT value FROM settings WHERE scope = :scope AND key = :key", {"scope": scope, "key": key})
    return json.loads(row["value"]) if row else None


async def put(tx: Transaction, scope: str, key: str, value: object) -> None:
    """Store a setting in the caller's transaction; None removes it."""
    if value is None:
        await tx.run("DELETE FROM settings WHERE scope = :scope AND key = :key", {"scope": scope, "key": key})
        return
    await tx.run(
        "INSERT INTO settings (scope, key, value) VALUES (:scope, :key, :value) "
        "ON CONFLICT (scope, key) DO UPDATE SET value = excluded.value",
        {"scope": scope, "key": key, "value": json.dumps(value)},
    )


async def rescope(tx: Transaction, scopes: Mapping[str, str]) -> None:
    """Rename scopes, from old to new."""
    for before, now in scopes.items():
        for row in await tx.all("DELETE FROM settings WHERE scope = :scope RETURNING key, value", {"scope": before}):
            await put(tx, now, row["key"], json.loads(row["value"]))


async def under(reader: Reader, scope: str, beginning: str) -> dict[str, object]:
    """Return a scope's settings whose keys start with `beginning`, ordered by key."""
    rows = await reader.all("SELECT key, value FROM settings WHERE scope = :scope ORDER BY key", {"scope": scope})
    return {row["key"]: json.loads(row["value"]) for row in rows if row["key"].startswith(beginning)}


async def beginning(reader: Reader, beginnings: tuple[str, ...]) -> list[KeptSetting]:
    """Return the settings of all scopes whose keys start with one of these."""
    rows = await reader.all("SELECT scope, key, value FROM settings ORDER BY scope, key")
    return [KeptSetting(row["scope"], row["key"], row["value"]) for row in rows if row["key"].startswith(beginnings)]


async def replace(tx: Transaction, beginnings: tuple[str, ...], known: Sequence[KeptSetting]) -> None:
    """Replace everything that `beginning` returns with `known`."""
    for one in await beginning(tx, beginnings):
        await put(tx, one.scope, one.key, None)
    await tx.many("INSERT INTO settings (scope, key, value) VALUES (:scope, :key, :value)", [one._asdict() for one in known])


async def mark(tx: Transaction, scope: str, key: str) -> bool:
    """Set a mark in the caller's transaction; return whether it was unset before."""
    row = await tx.one(
        "INSERT INTO settings (scope, key, value) VALUES (:scope, :key, :value) ON CONFLICT DO NOTHING RETURNING key",
        {"scope": scope, "key": key, "value": "true"},
    )
    return row is not None
