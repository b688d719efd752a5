"""Conversations that people name themselves: the name stands with their session alone, and goes with what was said there.

Their place is known by a keyed hash of the name, so that whatever comes later under it finds its conversation, and the
tombstones there. Earlier versions had the name in the place; `seal_names` takes it out of a file that they wrote.
"""

import json

from memory.journal import inbox, outbox
from memory.places import linking, places, settings
from memory.store import install
from memory.store.database import Database
from memory.store.lineage import Seal
from memory.tiers import reflections
from memory.types import DomainKind, DomainRef

PLATFORM = "console"
"""The platform where people name their conversations, and which files are imported into."""
_SEALED = "sealed_threads"
_SCOPE = f"place:{PLATFORM}:"


def thread(seal: Seal, person: str, name: str) -> str:
    """Return the thread of a person's conversation of a name, which tells nothing of the name."""
    return seal.id(DomainRef(DomainKind.DM, PLATFORM, person), "conversation", name)


async def seal_names(db: Database, seal: Seal) -> None:
    """Take the names of conversations out of the places that an earlier version wrote, in one transaction; do nothing again.

    What is stored keeps its ids.
    """
    if await install.kept(db, _SEALED):
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
        await settings.rescope(tx, {f"{_SCOPE}{before}": f"{_SCOPE}{now}" for before, now in sealed.items()})
        await install.keep(tx, _SEALED, "yes")
    if sealed:
        await db.checkpoint()


def _sealed(seal: Seal, place: str) -> str:
    """Return the key of a place without the name of a conversation; as it is where there is none in it."""
    try:
        server, person, name = json.loads(place)
    except (ValueError, TypeError):
        return place
    return json.dumps([server, person, thread(seal, person, name)], ensure_ascii=False) if name else place
