"""The backlog of messages without a gist."""

from dataclasses import dataclass

from memory.places.confidences import common_talk
from memory.store.database import DatabaseAccess
from memory.text.time.times import month, month_start
from memory.tiers import episodes
from memory.tiers.episodes import EpisodeRules
from memory.types import MINUTE, Domain


@dataclass(frozen=True, slots=True)
class Backlog:
    """The consolidation backlog of all domains."""

    sessions: int
    dirty: int
    ripe: int
    unsummarized_total: int
    max_exchange_id: int
    profile_sessions_covered: int


async def count(db: DatabaseAccess, rules: EpisodeRules) -> Backlog:
    """Count messages without a gist in one query; a session is ripe if it has no gist or a full episode waits."""
    row = await db.one(_BACKLOG, {"threshold": rules.count})
    assert row is not None
    return Backlog(*row)


async def quiet_until(db: DatabaseAccess, domain: Domain, rules: EpisodeRules, most: int) -> int:
    """Return the first instant, at most `most`, at which silence or the end of a month may end an episode of a domain."""
    rows = await episodes.open_ends(db, domain)
    idle: list[int] = [row["last"] + rules.idle_minutes * MINUTE for row in rows if row["n"] >= rules.least]
    begins = month_start(month(most, domain.time_zone), domain.time_zone)
    return min([most, *idle, *(begins for row in rows if row["last"] < begins)])


_TALK = f"SELECT e.session, e.echo FROM exchanges e WHERE e.kind IN ('said', 'reply') AND {common_talk('e')}"
# What waits is in no episode, or in one without a gist: both are found without going through what is in gists.
_BACKLOG = f"""
WITH waiting AS (
  SELECT w.session, count(*) AS n FROM (
    {_TALK} AND e.episode IS NULL
    UNION ALL {_TALK} AND e.episode IN (SELECT id FROM episodes WHERE digested = 0)
  ) AS w GROUP BY w.session HAVING min(w.echo) = 0
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
