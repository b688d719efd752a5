"""The rows of domains, the counters, and the log of changes, which tells every process what to reload."""

from collections.abc import Sequence

from memory.store.bounds import require_within
from memory.store.database import Reader, Row, Transaction
from memory.store.lineage import paged
from memory.types import Domain, DomainKind, DomainRef

_KEPT = 2_000
"""How many changes of a domain stay in its log; a process that is further behind reloads the domain."""
_STEP = 250
_MOST = 500


async def create(tx: Transaction, ref: DomainRef, time_zone: str, now: int) -> None:
    """Create the domain of a natural key unless it exists."""
    await tx.run(
        "INSERT INTO domains (kind, platform, native_id, epoch, time_zone, created_at) "
        "VALUES (:kind, :platform, :native_id, :epoch, :time_zone, :now) ON CONFLICT DO NOTHING",
        {**natural_key(ref), "time_zone": time_zone, "now": now},
    )


def natural_key(ref: DomainRef) -> dict[str, object]:
    """Return the parameters of a domain's natural key."""
    return {"kind": ref.kind.value, "platform": ref.platform, "native_id": ref.native_id, "epoch": ref.epoch}


async def set_time_zone(tx: Transaction, domain: Domain, time_zone: str) -> None:
    """Set a domain's time zone, or its successive zones."""
    await tx.run("UPDATE domains SET time_zone = :zone WHERE id = :id", {"zone": time_zone, "id": domain.key})


async def next_source(tx: Transaction, domain: Domain) -> str:
    """Return the domain's next own number, the source id of items without an external one."""
    row = await tx.one("UPDATE domains SET items = items + 1 WHERE id = :domain RETURNING items", {"domain": domain.key})
    assert row is not None
    return str(row["items"])


async def reserve_numbers(tx: Transaction, counter: str, n: int = 1) -> int:
    """Reserve n numbers of a counter and return the first; every number is given once, and other takers wait for the commit."""
    row = await tx.one(
        "INSERT INTO counters (name, value) VALUES (:name, :n) "
        "ON CONFLICT (name) DO UPDATE SET value = counters.value + :n RETURNING value",
        {"name": counter, "n": n},
    )
    assert row is not None
    return int(row["value"]) - n + 1


async def log_change(tx: Transaction, domain: Domain, items: Sequence[int], op: str) -> None:
    """Append a change of these items to the log: 'add', 'drop' or 'vector'.

    Its numbers are the domain's next ones; other takers wait for the commit. Of the log only the last 2,000 changes or so are kept.
    """
    if not items:
        return
    require_within(tx.bounds, domain.key)
    await tx.run("UPDATE domains SET changes = changes + :n WHERE id = :domain", {"domain": domain.key, "n": len(items)})
    await tx.many(
        "INSERT INTO changes (domain, seq, item, op) VALUES "
        "(:domain, (SELECT changes - :behind FROM domains WHERE id = :domain), :item, :op)",
        ({"domain": domain.key, "behind": len(items) - at, "item": item, "op": op} for at, item in enumerate(items, 1)),
    )
    await tx.run(
        "DELETE FROM changes WHERE domain = :domain "
        "AND seq <= (SELECT (changes - :kept) / :step * :step FROM domains WHERE id = :domain) "
        "AND seq < (SELECT min(seq) FROM changes WHERE domain = :domain) + :most",
        {"domain": domain.key, "kept": _KEPT, "step": _STEP, "most": _MOST},
    )


async def last_change(reader: Reader, domain: int) -> int:
    """Return the number of the domain's last change, 0 if there was none."""
    row = await reader.one("SELECT changes FROM domains WHERE id = :domain", {"domain": domain})
    return int(row["changes"]) if row else 0


async def changes_by_domain(reader: Reader) -> dict[int, int]:
    """Return the number of changes of every domain, with those of the confidences within it, by key."""
    rows = await reader.all(
        "SELECT coalesce(c.home, d.id) AS home, sum(d.changes) AS n FROM domains d LEFT JOIN confidences c ON c.domain = d.id GROUP BY 1"
    )
    return {row["home"]: int(row["n"]) for row in rows}


async def last_forgotten(reader: Reader) -> int:
    """Return when something was last forgotten in any domain, 0 if never."""
    row = await reader.one("SELECT max(forgotten_at) AS at FROM domains")
    return int(row["at"] or 0) if row else 0


async def note_forgetting(tx: Transaction, domain: Domain, now: int) -> None:
    """Record when something in the domain was last forgotten or changed."""
    await tx.run("UPDATE domains SET forgotten_at = :now WHERE id = :domain", {"domain": domain.key, "now": now})


def read_domain(row: Row) -> Domain:
    """Convert a row of `domains`."""
    ref = DomainRef(DomainKind(row["kind"]), row["platform"], row["native_id"], row["epoch"])
    return Domain(row["id"], ref, row["time_zone"])


async def by_key(reader: Reader, key: int) -> Domain | None:
    """Return the domain with this key."""
    row = await reader.one("SELECT * FROM domains WHERE id = :key", {"key": key})
    return read_domain(row) if row else None


async def domains_of(reader: Reader, items: Sequence[int]) -> list[Domain]:
    """Return the domains that these items belong to."""
    rows = await paged(reader, "SELECT * FROM domains WHERE id IN (SELECT domain FROM items WHERE id IN ({within}))", items)
    return list({row["id"]: read_domain(row) for row in rows}.values())


async def by_domain(reader: Reader, items: Sequence[int]) -> list[tuple[Domain, list[int]]]:
    """Group items by the domain they belong to."""
    found: dict[Domain, list[int]] = {}
    for row in await paged(
        reader, "SELECT i.id AS item, d.* FROM items i JOIN domains d ON d.id = i.domain WHERE i.id IN ({within})", items
    ):
        found.setdefault(read_domain(row), []).append(row["item"])
    return list(found.items())
