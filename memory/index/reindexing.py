"""Reindexing of a file last written by a version with another word index."""

from collections.abc import Sequence

from memory.index.indexing import BANK, ERAS, GISTS, IndexEntry, index_entries, message
from memory.store.database import Database, Row, Transaction
from memory.store.domains import domains_of
from memory.store.lineage import bound, placeholders
from memory.text.time.times import month_start
from memory.tiers import exchanges

_BATCH = 500
_INDEXED = (
    "SELECT DISTINCT item FROM terms WHERE {within} AND domain IN "
    "(SELECT domain FROM items WHERE id IN ({those}) UNION SELECT domain FROM confided WHERE {within})"
)
_ABOVE = {"gist": GISTS, "merge": GISTS, "summary": GISTS, "era": ERAS, "bank": BANK}


async def reindex(db: Database) -> None:
    """Index the items marked in `unfound`, in batches of one transaction each."""
    while await db.one("SELECT 1 AS left FROM unfound LIMIT 1"):
        async with db.transaction() as tx:
            # Another process may be reindexing as well: the batch is read inside the transaction.
            rows = await tx.all("SELECT item FROM unfound ORDER BY item LIMIT :n", {"n": _BATCH})
            which = bound("i", [row["item"] for row in rows])
            within = f"item IN ({placeholders('i', rows)})"
            # What was changed since it was marked was indexed with that.
            indexed = {row["item"] for row in await tx.all(_INDEXED.format(within=within, those=placeholders("i", rows)), which)}
            messages = await tx.all(f"{exchanges.SELECT}WHERE e.{within} ORDER BY e.item", which)
            above = await tx.all(
                f"SELECT domain, item, session, tier, text, first_at, '' AS period FROM digests WHERE {within} UNION ALL "
                f"SELECT domain, item, 0, tier, text, first_at, period FROM statements WHERE {within} AND ended_at IS NULL",
                which,
            )
            said = [one for one in map(exchanges.exchange, messages) if exchanges.recallable(one)]
            for domain in await domains_of(tx, [row["item"] for row in rows]):
                found = [
                    *(message(one, domain.time_zone) for one in said if one.domain == domain.key),
                    *(_above(row, domain.time_zone) for row in above if row["domain"] == domain.key),
                ]
                await index_entries(tx, domain, [one for one in found if one.item not in indexed])
            await tx.run(f"DELETE FROM unfound WHERE {within}", which)


async def mark_unfound(tx: Transaction, items: Sequence[int]) -> None:
    """Mark messages for reindexing, those that are searchable at all."""
    await tx.run(
        f"INSERT INTO unfound (item) SELECT item FROM exchanges WHERE item IN ({placeholders('i', items)}) "
        "AND kind IN ('said', 'reply') AND echo = 0 ON CONFLICT DO NOTHING",
        bound("i", items),
    )


def _above(row: Row, time_zone: str) -> IndexEntry:
    # Paragraphs made before months were recorded have no period.
    at = month_start(row["period"], time_zone) if row["tier"] == "era" and row["period"] else row["first_at"]
    return IndexEntry(row["item"], _ABOVE[row["tier"]], row["text"], at, row["session"])
