"""Making everything findable anew, where a file was last written by a version that found things by other words."""

from memory.db import Database, Row
from memory.findable import BANK, ERAS, GISTS, Findable, make_findable, message
from memory.lineage import fill, holes
from memory.places import read_domain
from memory.tiers import exchanges
from memory.types import Domain

_BATCH = 500
_ABOVE = {"gist": GISTS, "merge": GISTS, "summary": GISTS, "era": ERAS, "bank": BANK}


async def reindex(db: Database) -> None:
    """Make findable what is marked as not found, in batches, each kept when it is done."""
    domains: dict[int, Domain] = {}
    while rows := await db.all("SELECT item FROM unfound ORDER BY item LIMIT :n", {"n": _BATCH}):
        domains = domains or {row["id"]: read_domain(row) for row in await db.all("SELECT * FROM domains")}
        within = f"item IN ({holes('i', rows)})"
        which = fill("i", [row["item"] for row in rows])
        async with db.transaction() as tx:
            messages = await tx.all(f"{exchanges.SELECT}WHERE e.{within} ORDER BY e.item", which)
            above = await tx.all(
                f"SELECT domain, item, session, tier, text, first_at FROM digests WHERE {within} UNION ALL "
                f"SELECT domain, item, 0, tier, text, first_at FROM statements WHERE {within} AND ended_at IS NULL",
                which,
            )
            for key, domain in domains.items():
                said = [message(exchanges.exchange(row), domain.time_zone) for row in messages if row["domain"] == key]
                made = [_above(row) for row in above if row["domain"] == key]
                if said or made:
                    await make_findable(tx, domain, [*said, *made])
            await tx.run(f"DELETE FROM unfound WHERE {within}", which)


def _above(row: Row) -> Findable:
    return Findable(row["item"], _ABOVE[row["tier"]], row["text"], row["first_at"], row["session"])
