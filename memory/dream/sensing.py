"""Sensing: how far behind a domain is, and what is new there, in counts and in signals between 0 and 1.

The messages of a full prompt's worth of episodes, a day of waiting, a profile's share of gists, a month that is over: each
calls as loudly as the rest of what calls lets it. README says what the counts are.

Facts that do not fit together: they say the same but for a name or a number.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.derive.context import Context
from memory.derive.derivation import Derivation
from memory.dream.novelty import Novelty, novelty
from memory.dream.reflecting import thought_about
from memory.index.recall.domain_indexes import DomainIndexes
from memory.store.lineage import pages
from memory.text.lexical import key_words
from memory.text.proper_names import names
from memory.text.time.times import month
from memory.tiers import episodes, eras, narrative, profile, selfstate, statements, summaries
from memory.tiers.drives import COHERENCE, CONTINUITY, CURIOSITY, HOUR, Signal, saturating, together
from memory.types import MINUTE, Statement

_SHARED = 2
_DIFFERENCES = ({1}, {1, 2})


def contradictions(facts: Sequence[Statement], most: int) -> list[tuple[Statement, Statement]]:
    """Return pairs of standing facts that cannot both be meant, at most so many, the older of a pair first.

    One has one word that the other lacks, the other one or two instead, and on each side a number or a name is among them.
    """
    said = [(fact, set(key_words(fact.text).values()), _marked(fact.text)) for fact in facts]
    common = Counter(stem for _, words, _ in said for stem in words)
    holding: defaultdict[str, list[int]] = defaultdict(list)
    found: list[tuple[Statement, Statement]] = []
    for at, (one, words, marked) in enumerate(said):
        # Who shares two words shares another than the most common one.
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


def _marked(text: str) -> set[str]:
    """Return the stems of the names and numbers of a sentence; what stands first is written large in any case."""
    named = names(text)
    return {stem for word, stem in key_words(text).items() if word.removesuffix("'s") in named or any(map(str.isdigit, word))}


_DAY = 24 * HOUR
_WEEK = 7 * _DAY
_MONTHS, _OPEN, _NAMES, _TOPICS = 2, 3, 4, 30
_STALE = 0.3
_SOFTLY = 0.05
_MOST_CONTRADICTIONS = 4


@dataclass(frozen=True, slots=True)
class Sensed:
    """The signals of the drives that act, and what is new, of which she may think."""

    signals: Mapping[str, Signal]
    novelty: Novelty

    def __getitem__(self, name: str) -> Signal:
        return self.signals[name]


class Sensor:
    """Senses one domain."""

    def __init__(self, context: Context, domain_indexes: DomainIndexes) -> None:
        self._w = context
        self._db = context.db
        self._domain_indexes = domain_indexes

    async def sense(self) -> Sensed:
        """Return how things stand."""
        since = await thought_about(self._db, self._w.domain)
        (loaded,) = await self._domain_indexes.of([self._w.domain.key], ())
        new = await novelty(self._db, self._w.domain, loaded, since)
        return Sensed(
            {CONTINUITY: await self.continuity(), COHERENCE: await self.coherence(), CURIOSITY: await self._curiosity(new)}, new
        )

    async def continuity(self) -> Signal:
        """Return how much was said that is in no gist though it is over, or in one that was only extracted, and since when."""
        messages, oldest = await self._unsummarized()
        waits = max(0, self._w.clock.now() - oldest) if messages else 0
        value = together((messages / (2 * self._w.rules.count), waits / _DAY))
        return Signal(value, {"messages": messages, "hours": waits // HOUR})

    async def coherence(self) -> Signal:
        """Return how far profile, months, narrative and self-narrative are behind the gists, and what does not fit together."""
        derivation = Derivation(self._w)
        if self._w.writer.extractive:
            return Signal(0.0, {})
        gists = await summaries.count(self._db, self._w.domain, unprofiled=True)
        enough = profile.MOST_GISTS if await derivation.progress(profile.TIER) else profile.FIRST_GISTS
        months = await eras.waiting(derivation)
        stale = [tier.TIER for tier in (narrative, selfstate) if await tier.due(derivation, asked=False)]
        pairs, orphans = len(await self.contradicting()), len(await self.orphans())
        value = together(
            (_nearly(gists / enough), months / _MONTHS, _STALE * bool(stale), pairs / _MOST_CONTRADICTIONS, float(orphans > 0))
        )
        return Signal(
            value,
            {"gists": gists, "months": months, "stale": len(stale), "contradictions": pairs, "orphans": orphans},
        )

    async def contradicting(self) -> list[tuple[Statement, Statement]]:
        """Return facts that do not fit together and were not looked at because of it."""
        rows = await self._db.all("SELECT first, second FROM looked_at WHERE domain = :d", {"d": self._w.domain.key})
        looked = {(row["first"], row["second"]) for row in rows}
        facts = await statements.standing(self._db, self._w.domain, profile.TIER)
        found = contradictions(facts, _MOST_CONTRADICTIONS + len(looked))
        return [pair for pair in found if (pair[0].key, pair[1].key) not in looked][:_MOST_CONTRADICTIONS]

    async def orphans(self) -> list[int]:
        """Return statements that stand though something they rest on is gone: none, unless a hand has been in the file."""
        rows = await self._db.all(
            "SELECT DISTINCT s.item FROM statements s JOIN lineage l ON l.child = s.item JOIN items p ON p.id = l.parent "
            "WHERE s.domain = :d AND s.ended_at IS NULL AND p.dead_at IS NOT NULL ORDER BY s.item",
            {"d": self._w.domain.key},
        )
        return [row["item"] for row in rows]

    async def stability(self) -> Signal:
        """Return how caught up she is: what does not call, less half of what changed in a week in profile and narrative."""
        behind = together(((await self.continuity()).value, (await self.coherence()).value))
        row = await self._db.one(
            "SELECT count(*) FILTER (WHERE ended_at IS NULL) AS standing, "
            "count(*) FILTER (WHERE ended_at >= :then) AS ended FROM statements WHERE domain = :d AND tier IN ('profile', 'narrative')",
            {"d": self._w.domain.key, "then": self._w.clock.now() - _WEEK},
        )
        standing, ended = (row["standing"], row["ended"]) if row else (0, 0)
        churn = ended / max(1, standing + ended)
        return Signal((1 - behind) * (1 - churn / 2), {"standing": standing, "ended": ended})

    async def _curiosity(self, new: Novelty) -> Signal:
        callbacks = await self._count(
            "SELECT count(*) AS n FROM statements WHERE domain = :d AND tier = 'narrative' AND kind = 'callback' "
            "AND ended_at IS NULL AND last_at >= :then",
            then=self._w.clock.now() - _DAY,
        )
        open_ends = new.questions + callbacks
        value = saturating(new.names / _NAMES + new.topics / _TOPICS + open_ends / _OPEN, 1.0)
        return Signal(value, {"names": new.names, "topics": new.topics, "questions": open_ends})

    async def _unsummarized(self) -> tuple[int, int]:
        """Return how many messages are over and in no gist that a present writer would leave, and when the first was said."""
        now, zone = self._w.clock.now(), self._w.domain.time_zone
        rules = await self._w.closing()
        model = not self._w.writer.extractive
        closed = [
            await episodes.extent(self._db, some)
            for some in pages(await episodes.wanting(self._db, self._w.domain, redo_extractive=model))
        ]
        ends = await episodes.open_ends(self._db, self._w.domain)
        over = [
            row
            for row in ends
            if row["n"] >= rules.count or month(row["last"], zone) < month(now, zone)
            or (row["n"] >= rules.least and now - row["last"] >= rules.idle_minutes * MINUTE)
        ]  # fmt: skip
        waiting = [row for row in (*closed, *over) if row["n"]]
        return sum(row["n"] for row in waiting), min((row["first"] for row in waiting), default=0)

    async def _count(self, query: str, **more: object) -> int:
        row = await self._db.one(query, {"d": self._w.domain.key, **more})
        return int(row["n"]) if row else 0


def _nearly(share: float) -> float:
    """Return how loudly something calls that is of use as a whole: hardly, before it is there."""
    return 1.0 if share >= 1 else _SOFTLY * share
