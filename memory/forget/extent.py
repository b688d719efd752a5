"""What would go with a message if it were forgotten: found as forgetting finds it, and nothing is changed."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.forget.erase import digests_above
from memory.forget.forgetting import Forgetting
from memory.forget.gone import Gone, Scope
from memory.forget.sparing import Nearness
from memory.forget.walk import Walk
from memory.store.lineage import bound, placeholders
from memory.tiers import asides, exchanges
from memory.types import Domain


@dataclass(frozen=True, slots=True)
class Going:
    """The keys of what would go: the message, the replies that had it in view, and the digests and statements above them."""

    message: int
    replies: Sequence[int]
    above: Sequence[int]


async def extent(forgetting: Forgetting, domain: Domain, item: int) -> Going:
    """Return what would go along with a message of a domain."""
    db = forgetting.db
    gone = Gone(0, domain, item, Scope([item]))
    rows = await db.all(
        f"{exchanges.SELECT_PLACED}WHERE e.domain = :domain AND e.item IN ({placeholders('i', [item])})",
        {"domain": domain.key, **bound("i", [item])},
    )
    lost = {row["item"]: [row["text"]] for row in rows} | await asides.of(db, forgetting.seal, domain, rows)
    replies = sorted(await Walk(db, Nearness(forgetting.embedder), besides=gone).along(domain, lost))
    above = await digests_above(db, [item, *replies])
    return Going(item, replies, sorted(set(above).difference([item, *replies])))
