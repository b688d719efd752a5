"""Conversations that people name themselves: the name is stored only with the session, and goes with what was said there.

Their place is identified by a keyed hash of the name, so that later messages under it find their conversation and its
tombstones. Earlier versions had the name in the place; `seal_names` removes it from a file that they wrote.
"""

import json

from memory.journal import inbox, outbox
from memory.places import linking, places, scope_settings
from memory.store import installation_values
from memory.store.database import Database
from memory.store.lineage import Seal
from memory.tiers import reflections
from memory.types import DomainKind, DomainRef

PLATFORM = "console"
"""The platform where people name their conversations, and into which files are imported."""
_SEALED = "sealed_threads"
_SCOPE = f"place:{PLATFORM}:"


def thread(seal: Seal, person: str, name: str) -> str:
    """Return the thread key of a person's named conversation, which does not reveal the name."""
    return seal.id(DomainRef(DomainKind.DM, PLATFORM, person), "conversation", name)


async def seal_names(db: Database, seal: Seal) -> None:
    """Replace conversation names in the places an earlier version wrote, in one transaction; idempotent.

    Stored items keep their ids.
    """
    if await installation_values.get(db, _SEALED):
        return
    async with db.transaction() as tx:
        known: set[str] = set()
        for table in ("sessions", "active_sessions", "inbox", "outbox", "reflections"):
            rows = await tx.all(f"SELECT DISTINCT place FROM {table} WHERE platform = :platform", {"platform": PLATFORM})
            known.update(row["place"] for row in rows)
        scopes = await tx.all(
            "SELECT DISTINCT scope FROM settings WHERE substr(scope, 1, CAST(:length AS INTEGER)) = :begins",
            {"length": len(_SCOPE), "begins": _SCOPE},
        )
        known.update(row["scope"].removeprefix(_SCOPE) for row in scopes)
        sealed = {place: now for place in known if (now := _sealed(seal, place)) != place}
        for owner in (places, inbox, outbox, reflections):
            await owner.rekey(tx, PLATFORM, sealed)
        await linking.end_all(tx, PLATFORM)
        await scope_settings.rescope(tx, {f"{_SCOPE}{before}": f"{_SCOPE}{now}" for before, now in sealed.items()})
        await installation_values.put(tx, _SEALED, "yes")
    if sealed:
        await db.checkpoint()


def _sealed(seal: Seal, place: str) -> str:
    """Return a place key with its conversation name sealed; unchanged if it has none."""
    try:
        server, person, name = json.loads(place)
    except (ValueError, TypeError):
        return place
    return json.dumps([server, person, thread(seal, person, name)], ensure_ascii=False) if name else place
