"""A preview of what would go along with messages if they were forgotten; nothing is changed."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.forget.affected_replies import AffectedReplies, LostTexts
from memory.forget.erase import digests_above
from memory.forget.forgetting import Forgetting
from memory.forget.gone import ForgottenScope, Gone
from memory.forget.sparing import Nearness
from memory.store.lineage import paged
from memory.tiers import exchanges
from memory.tiers.messages import asides
from memory.types import Domain


@dataclass(frozen=True, slots=True)
class AffectedItems:
    """The keys of what would go along: replies that had the messages in view, and digests and statements above all of them."""

    replies: Sequence[int]
    above: Sequence[int]


async def extent(forgetting: Forgetting, domain: Domain, items: Sequence[int]) -> AffectedItems:
    """Return what would go along with messages of a domain."""
    db = forgetting.db
    if not items:
        return AffectedItems((), ())
    gone = Gone(0, domain, max(items), ForgottenScope(items))
    rows = await paged(
        db, f"{exchanges.SELECT_PLACED}WHERE e.domain = :domain AND e.item IN ({{within}})", items, {"domain": domain.key}
    )
    lost: LostTexts = {row["item"]: [row["text"]] for row in rows} | await asides.of(db, forgetting.seal, domain, rows)
    walk = AffectedReplies(db, Nearness(forgetting.embedder), besides=gone)
    replies = sorted((await walk.along(domain, lost)).difference(items))
    above = await digests_above(db, [*items, *replies])
    return AffectedItems(replies, sorted(set(above).difference([*items, *replies])))
