"""Combined reads of digests and statements, one query each."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.forget.gone import shown
from memory.places import titles
from memory.store.database import DatabaseAccess, Row
from memory.store.lineage import bound, placeholders
from memory.tiers import statements, summaries
from memory.tiers.entities import MentionedNames, telling
from memory.tiers.open_things import ANNOUNCED, LATELY, not_raised
from memory.types import Digest, Domain, Session, Statement

_DIGESTS = (
    "SELECT d.item, i.public_id, d.session, d.tier, d.level, d.position, '' AS period, '' AS kind, d.text, d.writer, d.first_at, "
    "d.last_at, d.made_at, NULL AS ended_at, CASE WHEN s.name = s.public_id THEN '' ELSE s.name END AS name "
    "FROM digests d JOIN items i ON i.id = d.item JOIN sessions s ON s.id = d.session"
)
_STATEMENTS = (
    "SELECT s.item, i.public_id, 0 AS session, s.tier, 0 AS level, 0 AS position, s.period, s.kind, s.text, s.writer, s.first_at, "
    "s.last_at, s.made_at, s.ended_at, '' AS name FROM statements s JOIN items i ON i.id = s.item"
)
_MIND = (
    "SELECT 0 AS item, '' AS public_id, 0 AS session, 'mind' AS tier, 0 AS level, 0 AS position, '' AS period, '' AS kind, "
    "m.state AS text, '' AS writer, 0 AS first_at, 0 AS last_at, m.at AS made_at, NULL AS ended_at, '' AS name FROM selves m"
)


@dataclass(frozen=True, slots=True)
class UpperTiers:
    """Digests and statements by key, with the names of the digests' sessions; `mind` is a stored state with its instant."""

    digests: dict[int, Digest] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    statements: dict[int, Statement] = field(default_factory=dict)
    mind: tuple[int, str] | None = None

    def tier(self, name: str) -> list[Statement]:
        """Return the statements of a tier."""
        return [one for one in self.statements.values() if one.tier == name]


async def by_keys(
    db: DatabaseAccess, domains: Sequence[int], keys: Sequence[int], told: MentionedNames | None = None
) -> UpperTiers:
    """Return showable digests and statements of these domains by key, and those that tell most about what was brought up."""
    if not keys and told is None:
        return UpperTiers()
    within = f"IN ({placeholders('k', keys)})"
    named = (
        f"OR s.item IN ({telling(told.names, told.aliases, domains)}) AND s.tier <> 'era' AND s.ended_at IS NULL" if told else ""
    )
    among = f"IN ({placeholders('d', domains)})"
    # With a plus, the domain is no index to search by: all of its statements would be gone through.
    return _upper_tiers(
        await db.all(
            f"{_DIGESTS} WHERE d.item {within} AND d.domain {among} AND {shown('d')} "
            f"UNION ALL {_STATEMENTS} WHERE (s.item {within} {named}) AND +s.domain {among} AND {shown('s')}",
            {**bound("k", keys), **bound("d", domains), **(told.parameters if told else {})},
        )
    )


async def standing(
    db: DatabaseAccess, domain: Domain, session: Session, tiers: Sequence[str], *, banked: str, now: int
) -> UpperTiers:
    """Return what stands in some tiers of a domain, as it was written, and the digests that cover a session, oldest first.

    Also included are the state of mind and what was announced and is over at `now`. `banked` is the scope of the setting that
    turns the bank on. Things left open stand until they are taken up.
    """
    rows = await db.all(
        f"{_DIGESTS} WHERE d.session = :session AND d.merged = 0 AND d.tier IN ('gist', 'merge') AND {shown('d')} "
        f"UNION ALL {_STATEMENTS} WHERE s.domain = :domain AND s.tier IN ({placeholders('t', tiers)}) AND s.ended_at IS NULL "
        f"AND {shown('s')} AND (s.tier <> 'bank' OR EXISTS (SELECT 1 FROM settings WHERE scope = :banked AND key = 'bank')) "
        f"AND (s.kind <> 'callback' OR {not_raised('s')}) UNION ALL {ANNOUNCED} "
        f"UNION ALL {_MIND} WHERE m.domain = :domain AND m.at = (SELECT max(at) FROM selves WHERE domain = :domain)",
        {"domain": domain.key, "session": session.key, "banked": banked, "now": now, "lately": now - LATELY, **bound("t", tiers)},
    )
    return _upper_tiers(sorted(rows, key=lambda row: (row["period"], row["first_at"] if row["session"] else 0, row["item"])))


def _upper_tiers(rows: Sequence[Row]) -> UpperTiers:
    above = UpperTiers(mind=next(((row["made_at"], row["text"]) for row in rows if row["tier"] == "mind"), None))
    for row in rows:
        if row["session"]:
            above.digests[row["item"]] = summaries.digest(row)
            above.names[row["session"]] = titles.display_title(row["name"], "")
        elif row["tier"] != "mind":
            above.statements[row["item"]] = statements.statement(row)
    return above
