"""Sensing: a domain's backlog and news, in counts and in signals between 0 and 1.

Two episodes' worth of messages, a day of waiting, a profile's batch of gists, two finished months: each of these alone is a
full signal, and each takes its share of what the others leave.

Contradicting facts are those that say the same except for a name or number.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from memory.derive import progress
from memory.derive.context import Context
from memory.dream.novelty import Novelty, novelty
from memory.dream.reflecting import thought_about
from memory.index.recall.domain_indexes import DomainIndexes
from memory.store.lineage import pages
from memory.text.lexical import key_words
from memory.text.time.times import month
from memory.tiers import episodes, eras, narrative, profile, selfstate, statements, summaries
from memory.tiers.drives import COHERENCE, CONTINUITY, CURIOSITY, HOUR, Signal, combine, saturate
from memory.types import DAY, MINUTE, Statement

_SHARED = 2
_DIFFERENCES = ({1}, {1, 2})


def contradictions(facts: Sequence[Statement], most: int) -> list[tuple[Statement, Statement]]:
    """Return at most `most` pairs of standing facts that contradict each other, the older of a pair first.

    One has one word that the other lacks, the other one or two instead, and each side includes a number or a name.
    """
    said = [(fact, set(key_words(fact.text).values()), profile.named_stems(fact.text)) for fact in facts]
    common = Counter(stem for _, words, _ in said for stem in words)
    holding: defaultdict[str, list[int]] = defaultdict(list)
    found: list[tuple[Statement, Statement]] = []
    for at, (one, words, marked) in enumerate(said):
        # Facts that share two words share one besides their most common one.
        rarer = sorted(words, key=lambda stem: (common[stem], stem))[:-1]
        for other, others, marks in (said[number] for number in sorted({n for stem in rarer for n in holding[stem]})):
            mine, theirs = words - others, others - words
            if len(words & others) < _SHARED or {len(mine), len(theirs)} not in _DIFFERENCES:
                continue
            if mine & marked and theirs & marks:
                found.append((other, one))
        if len(found) >= most:
            break
        for stem in words:
            holding[stem].append(at)
    return found[:most]


_WEEK = 7 * DAY
_MONTHS, _OPEN, _NAMES, _TOPICS = 2, 3, 4, 30
_STALE = 0.3
_SOFTLY = 0.05
_MOST_CONTRADICTIONS = 4


class Sensor:
    """The sensor of one domain."""

    def __init__(self, context: Context, domain_indexes: DomainIndexes) -> None:
        self._context = context
        self._db = context.db
        self._domain_indexes = domain_indexes

    async def sense(self) -> tuple[dict[str, Signal], Novelty]:
        """Return the current signals of the drives that act, and the novelty to reflect on."""
        since = await thought_about(self._db, self._context.domain)
        (loaded,) = await self._domain_indexes.load([self._context.domain.key], ())
        new = await novelty(self._db, self._context.domain, loaded, since)
        signals = {CONTINUITY: await self.continuity(), COHERENCE: await self.coherence(), CURIOSITY: await self._curiosity(new)}
        return signals, new

    async def continuity(self) -> Signal:
        """Return the signal of finished messages in no gist, or only an extractive one, and how long they have waited."""
        messages, oldest = await self._unsummarized()
        waits = max(0, self._context.clock.now() - oldest) if messages else 0
        value = combine((messages / (2 * self._context.rules.count), waits / DAY))
        return Signal(value, {"messages": messages, "hours": waits // HOUR})

    async def coherence(self) -> Signal:
        """Return the signal of outdated profile, eras, narrative and self-narrative, contradictions and orphans."""
        if self._context.writer.extractive:
            return Signal(0.0, {})
        gists = await summaries.count(self._db, self._context.domain, unprofiled=True)
        enough = profile.MOST_GISTS if await progress.read(self._db, self._context.domain, profile.TIER) else profile.FIRST_GISTS
        months = await eras.count_due(self._context)
        stale = [tier.TIER for tier in (narrative, selfstate) if await tier.due(self._context, asked=False)]
        pairs, orphans = len(await self.contradicting()), len(await self.orphans())
        # A batch gives a faint signal until it is complete.
        batch = 1.0 if gists >= enough else _SOFTLY * (gists / enough)
        value = combine((batch, months / _MONTHS, _STALE * bool(stale), pairs / _MOST_CONTRADICTIONS, float(orphans > 0)))
        return Signal(value, {"gists": gists, "months": months, "stale": len(stale), "contradictions": pairs, "orphans": orphans})

    async def contradicting(self) -> list[tuple[Statement, Statement]]:
        """Return contradicting facts that were not re-examined yet."""
        rows = await self._db.all("SELECT first, second FROM looked_at WHERE domain = :d", {"d": self._context.domain.key})
        looked = {(row["first"], row["second"]) for row in rows}
        facts = await statements.standing(self._db, self._context.domain, profile.TIER)
        found = contradictions(facts, _MOST_CONTRADICTIONS + len(looked))
        return [pair for pair in found if (pair[0].key, pair[1].key) not in looked][:_MOST_CONTRADICTIONS]

    async def orphans(self) -> list[int]:
        """Return standing statements with a dead source: none, unless the file was edited by hand."""
        rows = await self._db.all(
            "SELECT DISTINCT s.item FROM statements s JOIN lineage l ON l.child = s.item JOIN items p ON p.id = l.parent "
            "WHERE s.domain = :d AND s.ended_at IS NULL AND p.dead_at IS NOT NULL ORDER BY s.item",
            {"d": self._context.domain.key},
        )
        return [row["item"] for row in rows]

    async def stability(self) -> Signal:
        """Return how caught up she is: what gives no signal, less half of a week's churn in profile and narrative."""
        behind = combine(((await self.continuity()).value, (await self.coherence()).value))
        row = await self._db.one(
            "SELECT count(*) FILTER (WHERE ended_at IS NULL) AS standing, "
            "count(*) FILTER (WHERE ended_at >= :then) AS ended FROM statements WHERE domain = :d AND tier IN ('profile', 'narrative')",
            {"d": self._context.domain.key, "then": self._context.clock.now() - _WEEK},
        )
        standing, ended = (row["standing"], row["ended"]) if row else (0, 0)
        churn = ended / max(1, standing + ended)
        return Signal((1 - behind) * (1 - churn / 2), {"standing": standing, "ended": ended})

    async def _curiosity(self, new: Novelty) -> Signal:
        row = await self._db.one(
            "SELECT count(*) AS n FROM statements WHERE domain = :d AND tier = 'narrative' AND kind = 'callback' "
            "AND ended_at IS NULL AND last_at >= :then",
            {"d": self._context.domain.key, "then": self._context.clock.now() - DAY},
        )
        open_ends = new.questions + (row["n"] if row else 0)
        value = saturate(new.names / _NAMES + new.topics / _TOPICS + open_ends / _OPEN, 1.0)
        return Signal(value, {"names": new.names, "topics": new.topics, "questions": open_ends})

    async def _unsummarized(self) -> tuple[int, int]:
        """Return how many finished messages lack a gist by the present writer, and when the first was said."""
        now, zone = self._context.clock.now(), self._context.domain.time_zone
        rules = await self._context.closing()
        closed = [
            await episodes.extent(self._db, some)
            for some in pages(await episodes.without_gist(self._db, self._context.domain, redo_for=self._context.rewriter))
        ]
        ends = await episodes.open_ends(self._db, self._context.domain)
        over = [
            row
            for row in ends
            if row["n"] >= rules.count or month(row["last"], zone) < month(now, zone)
            or (row["n"] >= rules.least and now - row["last"] >= rules.idle_minutes * MINUTE)
        ]  # fmt: skip
        waiting = [row for row in (*closed, *over) if row["n"]]
        return sum(row["n"] for row in waiting), min((row["first"] for row in waiting), default=0)
