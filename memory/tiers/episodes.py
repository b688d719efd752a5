"""Episodes: runs of consecutive messages of a session, closed once and reopened only by forgetting.

An open episode is not stored: it consists of the messages in no episode. Closing is a pure function of these messages, so live
talk, late originals and imports are cut by the same rule, and repeating a cut changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.forget.gone import present
from memory.places.confidences import common, common_talk
from memory.store.database import DatabaseAccess, Row, Transaction
from memory.store.lineage import bound, paged, placeholders, run_paged
from memory.text.time.times import month
from memory.tiers.exchanges import SELECT, exchange
from memory.tiers.messages.storing import put_into
from memory.types import MINUTE, Domain, Exchange, Session


@dataclass(frozen=True, slots=True)
class EpisodeRules:
    """When an episode ends: after `count` messages, or after `idle_minutes` of silence if it has at least `least`."""

    count: int = 20
    idle_minutes: int = 360
    least: int = 4


@dataclass(frozen=True, slots=True)
class BankRules:
    """When a bank conversation is over, how many question-answer pairs one call reads, and how large the block may grow.

    The block is folded once it exceeds `max_tokens * headroom`, and is never shown with more than `max_tokens`.
    """

    idle_minutes: int = 10
    most_turns: int = 40
    max_tokens: int = 2000
    headroom: float = 1.25

    def closing(self, rules: EpisodeRules) -> EpisodeRules:
        """Return the episode rules where the bank is on: a short silence ends even a short conversation."""
        return replace(rules, idle_minutes=self.idle_minutes, least=min(rules.least, 2))


@dataclass(frozen=True, slots=True)
class MessageMark:
    """The parts of a message needed for cutting."""

    item: int
    said_at: int


@dataclass(frozen=True, slots=True)
class EpisodeCut:
    """An episode to be closed."""

    marks: tuple[MessageMark, ...]
    month: str
    closed_by: str


@dataclass(frozen=True, slots=True)
class Episode:
    """A closed episode: `position` is its number within the session, from 0; `gist` is the key of its gist.

    Of one that is not `digested`, something was taken out of the gist, or there is none.
    """

    key: int
    session: int
    position: int
    first_at: int
    last_at: int
    gist: int | None = None
    digested: bool = False


def cut(marks: Sequence[MessageMark], rules: EpisodeRules, time_zone: str, now: int, *, asked: bool = False) -> list[EpisodeCut]:
    """Cut messages, in order of time, into finished episodes; the one still going on is left out.

    The end of the local month always closes, silence closes an episode with enough messages, reaching the count closes at once.
    `asked` closes the rest as well.
    """
    cuts: list[EpisodeCut] = []
    run: list[MessageMark] = []
    for mark in marks:
        ended = run and _ended(run, mark.said_at, rules, time_zone)
        if ended:
            cuts.append(_cut(run, time_zone, ended))
            run = []
        run.append(mark)
        if len(run) >= rules.count:
            cuts.append(_cut(run, time_zone, "count"))
            run = []
    ended = run and ("asked" if asked else _ended(run, now, rules, time_zone))
    if ended:
        cuts.append(_cut(run, time_zone, ended))
    return cuts


def _ended(run: Sequence[MessageMark], then: int, rules: EpisodeRules, time_zone: str) -> str:
    if month(run[-1].said_at, time_zone) < month(then, time_zone):
        return "month"
    if len(run) >= rules.least and then - run[-1].said_at >= rules.idle_minutes * MINUTE:
        return "idle"
    return ""


def _cut(run: Sequence[MessageMark], time_zone: str, closed_by: str) -> EpisodeCut:
    return EpisodeCut(tuple(run), month(run[0].said_at, time_zone), closed_by)


async def is_any_over(
    db: DatabaseAccess, domain: Domain, session: Session, rules: EpisodeRules, now: int, *, asked: bool = False
) -> bool:
    """Return whether an episode of a session is over, without writing."""
    marks = [MessageMark(*row) for row in await db.all(_OPEN, {"session": session.key})]
    return bool(_finished(marks, rules, domain, now, asked=asked))


async def close(tx: Transaction, domain: Domain, session: Session, rules: EpisodeRules, now: int, *, asked: bool = False) -> int:
    """Close the finished episodes of a session, in the caller's transaction; return how many."""
    marks = [MessageMark(*row) for row in await tx.all(_OPEN, {"session": session.key})]
    cuts = _finished(marks, rules, domain, now, asked=asked)
    if not cuts:
        return 0
    position = await tx.one(
        "SELECT coalesce(max(position), -1) + 1 AS next FROM episodes WHERE session = :session", {"session": session.key}
    )
    assert position is not None
    for at, episode in enumerate(cuts):
        await _store(tx, session, episode, position["next"] + at, now)
    return len(cuts)


def _finished(marks: Sequence[MessageMark], rules: EpisodeRules, domain: Domain, now: int, *, asked: bool) -> list[EpisodeCut]:
    # After a full page more messages may follow, so its end is not treated as the end of the talk.
    if len(marks) == _PAGE and (cuts := cut(marks, rules, domain.time_zone, marks[-1].said_at)):
        return cuts
    return cut(marks, rules, domain.time_zone, now, asked=asked)


_PAGE = 500
_OPEN = (
    "SELECT item, said_at FROM exchanges e WHERE session = :session AND episode IS NULL AND kind IN ('said', 'reply') "
    f"AND {common_talk('e')} ORDER BY said_at, item LIMIT {_PAGE}"
)


async def _store(tx: Transaction, session: Session, episode: EpisodeCut, position: int, now: int) -> None:
    row = await tx.one(
        "INSERT INTO episodes (domain, session, position, month, first_at, last_at, closed_by, closed_at) "
        "VALUES (:domain, :session, :position, :month, :first, :last, :closed_by, :now) RETURNING id",
        {"domain": session.domain, "session": session.key, "position": position, "month": episode.month,
         "first": episode.marks[0].said_at, "last": episode.marks[-1].said_at, "closed_by": episode.closed_by,
         "now": now},
    )  # fmt: skip
    assert row is not None
    await put_into(tx, row["id"], [mark.item for mark in episode.marks])


async def mark_digested(tx: Transaction, session: Session, position: int) -> None:
    """Mark an episode as having a gist."""
    await tx.run(
        "UPDATE episodes SET digested = 1 WHERE session = :session AND position = :position",
        {"session": session.key, "position": position},
    )


async def mark_undigested(tx: Transaction, gists: Sequence[int]) -> None:
    """Mark the episodes of these gists as lacking one; to be called before the gists are removed."""
    await run_paged(
        tx,
        "UPDATE episodes SET digested = 0 WHERE id IN (SELECT p.id FROM digests d "
        "JOIN episodes p ON p.session = d.session AND p.position = d.position WHERE d.tier = 'gist' AND d.item IN ({within}))",
        gists,
    )


async def mark_banked(tx: Transaction, episode: int, *, banked: bool) -> None:
    """Mark an episode as being in the bank, or not."""
    await tx.run("UPDATE episodes SET banked = :banked WHERE id = :id", {"id": episode, "banked": int(banked)})


async def unbank_bullets(tx: Transaction, bullets: Sequence[int]) -> None:
    """Mark the conversations of these bullets as not being in the bank; to be called before the bullets are removed."""
    await run_paged(
        tx,
        "UPDATE episodes SET banked = 0 WHERE id IN (SELECT r.mark FROM derivations r JOIN statements s ON s.domain = r.domain "
        "AND s.tier = r.tier AND s.period = r.period WHERE s.tier = 'bank' AND s.kind = 'conversation' AND s.item IN ({within}))",
        bullets,
    )


async def empty_bank(tx: Transaction, domain: Domain) -> None:
    """Mark all episodes of a domain as not being in the bank."""
    await tx.run(f"UPDATE episodes SET banked = 0 WHERE {_OF_DOMAIN} AND banked = 1", {"domain": domain.key})


async def drop_empty(tx: Transaction, domain: Domain) -> None:
    """Drop the episodes of a domain that have no messages left."""
    await tx.run(
        f"DELETE FROM episodes WHERE {_OF_DOMAIN} AND NOT EXISTS (SELECT 1 FROM exchanges e WHERE e.episode = episodes.id)",
        {"domain": domain.key},
    )


_OF_DOMAIN = "session IN (SELECT id FROM sessions WHERE domain = :domain)"
"""The condition on what a session of a domain holds, by which each session's is found by itself."""


async def open_ends(db: DatabaseAccess, domain: Domain) -> list[Row]:
    """Return the sessions with messages in no episode: how many (n), and when the first and last were said."""
    return await db.all(
        f"SELECT session, count(*) AS n, min(said_at) AS first, max(said_at) AS last FROM exchanges e WHERE {_OF_DOMAIN} "
        f"AND episode IS NULL AND kind IN ('said', 'reply') AND {common_talk('e')} GROUP BY session HAVING min(echo) = 0",
        {"domain": domain.key},
    )


async def without_gist(
    db: DatabaseAccess, domain: Domain, *, session: int | None = None, redo_for: str | None = None
) -> list[Episode]:
    """Return the episodes without a gist, oldest first.

    With `redo_for`, also those with an extractive gist, unless two answers of the writer of this name about them were refused.
    """
    only = "" if session is None else "AND p.session = :session "
    waiting = (
        "SELECT p.*, (SELECT d.item FROM digests d WHERE d.session = p.session AND d.tier = 'gist' AND d.level = 0 "
        f"AND d.position = p.position) AS gist FROM episodes p WHERE p.domain = :domain {only}AND p.digested = 0 AND {HAS_TALK}"
    )
    extracted = (
        "SELECT p.*, d.item AS gist FROM digests d JOIN episodes p ON p.session = d.session AND p.position = d.position "
        "JOIN sessions s ON s.id = p.session "
        f"WHERE d.domain = :domain {only}AND d.tier = 'gist' AND d.extractive = 1 AND p.digested = 1 AND (SELECT count(*) FROM refusals r "
        "WHERE r.domain = d.domain AND r.tier = 'gist' AND r.slot = s.public_id || '/0/' || p.position "
        "AND r.writer = :writer AND r.reason <> 'dropped') < 2"
    )
    both = f"{waiting} UNION ALL {extracted}" if redo_for is not None else waiting
    rows = await db.all(
        f"SELECT * FROM ({both}) ORDER BY session, position", {"domain": domain.key, "session": session, "writer": redo_for}
    )
    return [
        Episode(row["id"], row["session"], row["position"], row["first_at"], row["last_at"], row["gist"], bool(row["digested"]))
        for row in rows
    ]


HAS_TALK = f"EXISTS (SELECT 1 FROM exchanges e WHERE e.episode = p.id AND e.echo = 0 AND {present('e')} AND {common('e')})"
"""The condition that excludes episodes of nothing but echoes, which have nothing to digest."""


async def existing(tx: Transaction, keys: Sequence[int]) -> set[int]:
    """Return which of these episodes exist."""
    return {row["id"] for row in await paged(tx, "SELECT id FROM episodes WHERE id IN ({within})", keys)}


async def messages(db: DatabaseAccess, episode: Episode) -> list[Exchange]:
    """Return the messages of an episode, oldest first."""
    rows = await db.all(
        SELECT + f"WHERE e.episode = :episode AND {present('e')} AND {common('e')} ORDER BY e.said_at, e.item",
        {"episode": episode.key},
    )
    return [exchange(row) for row in rows]


async def extent(db: DatabaseAccess, some: Sequence[Episode]) -> Row:
    """Return how many messages these episodes hold (n), and when the first was said."""
    row = await db.one(
        "SELECT count(*) AS n, min(said_at) AS first FROM exchanges WHERE kind IN ('said', 'reply') "
        f"AND episode IN ({placeholders('e', some)})",
        bound("e", [episode.key for episode in some]),
    )
    assert row is not None
    return row
