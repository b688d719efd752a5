"""How far gists are behind what was said."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.places.confidences import common
from memory.store.database import Database
from memory.store.lineage import bound, pages, placeholders
from memory.text.times import month
from memory.tiers.episodes import Rules
from memory.types import MINUTE, Domain


@dataclass(frozen=True, slots=True)
class Backlog:
    """How far consolidation is behind, over all domains."""

    sessions: int
    dirty: int
    ripe: int
    unsummarized_total: int
    max_exchange_id: int
    profile_sessions_covered: int


async def count(db: Database, rules: Rules) -> Backlog:
    """Count, in one query, what is in no gist yet; a session is ripe when it has none or a full episode's worth."""
    row = await db.one(_BACKLOG, {"threshold": rules.count})
    assert row is not None
    return Backlog(
        row["sessions"], row["dirty"], row["ripe"], row["unsummarized_total"], row["max_exchange_id"],
        row["profile_sessions_covered"],
    )  # fmt: skip


async def unsummarized(db: Database, sessions: Sequence[int], rules: Rules) -> tuple[int, int]:
    """Return how many characters of these sessions are in no model's gist, and how many gists that makes."""
    characters = gists = 0
    for some in pages(sessions):
        row = await db.one(
            "SELECT coalesce(sum(length(e.text)), 0) AS characters, count(*) AS n FROM exchanges e "
            f"{_GIST}WHERE e.kind IN ('said', 'reply') AND e.echo = 0 AND {common('e')} "
            f"AND (d.item IS NULL OR d.extractive = 1) AND e.session IN ({placeholders('s', some)})",
            bound("s", some),
        )
        if row:
            characters += row["characters"]
            gists += max(len(some), -(-row["n"] // rules.count))
    return characters, gists


async def months(db: Database, domain: Domain, sessions: Sequence[int]) -> int:
    """Count the months of a domain's calendar in which these sessions were talked in."""
    found: set[str] = set()
    for some in pages(sessions):
        rows = await db.all(
            f"SELECT DISTINCT said_at / :day AS day FROM exchanges WHERE session IN ({placeholders('s', some)})",
            {"day": _DAY, **bound("s", some)},
        )
        found.update(month(row["day"] * _DAY, domain.time_zone) for row in rows)
    return len(found)


_DAY = 24 * 60 * MINUTE
_GIST = (
    "LEFT JOIN episodes p ON p.id = e.episode "
    "LEFT JOIN digests d ON d.session = p.session AND d.tier = 'gist' AND d.position = p.position "
)
_BACKLOG = f"""
WITH waiting AS (
  SELECT e.session, count(*) AS n FROM exchanges e {_GIST}
  WHERE e.kind IN ('said', 'reply') AND d.item IS NULL AND {common("e")}
  GROUP BY e.session HAVING min(e.echo) = 0
)
SELECT
  (SELECT count(*) FROM sessions) AS sessions,
  (SELECT count(*) FROM waiting) AS dirty,
  (SELECT count(*) FROM waiting w WHERE w.n >= :threshold OR NOT EXISTS (
    SELECT 1 FROM digests d WHERE d.session = w.session AND d.tier = 'gist')) AS ripe,
  (SELECT coalesce(sum(n), 0) FROM waiting) AS unsummarized_total,
  (SELECT coalesce(max(item), 0) FROM exchanges) AS max_exchange_id,
  (SELECT count(*) FROM (SELECT 1 FROM digests WHERE tier = 'gist' GROUP BY session
    HAVING min(profiled) = 1)) AS profile_sessions_covered
"""
