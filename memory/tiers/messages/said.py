"""What somebody said in a domain, the newest first."""

from collections.abc import AsyncIterator

from memory.store.database import Database, Row
from memory.types import Identity

_PAGE = 400


async def pages(db: Database, domain: int, identity: Identity, before: int) -> AsyncIterator[list[Row]]:
    """Yield keys, sessions and texts of everything that an account said in a domain before a key, some at a time."""
    while rows := await db.all(
        "SELECT e.item, e.session, e.text FROM exchanges e JOIN identities n ON n.id = e.identity "
        "WHERE e.domain = :domain AND e.kind = 'said' AND e.item < :before AND n.platform = :platform AND n.native_id = :account "
        "ORDER BY e.item DESC LIMIT :n",
        {"domain": domain, "before": before, "platform": identity.platform, "account": identity.native_id, "n": _PAGE},
    ):
        yield rows
        before = rows[-1]["item"]
