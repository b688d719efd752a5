"""The regression check of what is derived: questions drawn from people's messages must find them as well as before.

A canary is a message with a question made of its rarest words. It counts as found if recall ranks it, or a digest that cites
it, among the first. Digests are added next to raw text and may crowd it out, or replace better digests; if fewer canaries are
found with the new digests than without, these are not published. To see what a piece of work would add, it is written in a
transaction that nobody else reads, and rolled back; only if it passes is it written again, for good.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memory.derive.context import Put
from memory.index.indexing import ENGLISH, ERAS, GISTS, MESSAGES
from memory.index.recall.domain_indexes import DomainIndexes, Loaded
from memory.index.recall.finder import Recall, Staged
from memory.index.recall.query import Query
from memory.store.bounds import Bounds
from memory.store.database import DatabaseAccess, Row, taken_back
from memory.store.domains import last_change
from memory.store.lineage import bound, paged, placeholders
from memory.text import lexical
from memory.tiers import exchanges
from memory.tiers.messages import said
from memory.types import Domain


@dataclass(frozen=True, slots=True)
class Difference:
    """The rows of `terms` that would be added, the items that would be unindexed, and the messages each new item cites."""

    added: Sequence[Row]
    gone: frozenset[int]
    cited: Mapping[int, frozenset[int]]


async def dry_run(db: DatabaseAccess, domain: Domain, put: Put) -> Difference:
    """Return what a piece of work would change."""
    async with taken_back(db, Bounds.of(domain.key)) as tx:
        since = {"d": domain.key, "since": await last_change(tx, domain.key)}
        await put(tx)
        changes = await tx.all("SELECT item, op FROM changes WHERE domain = :d AND seq > :since ORDER BY seq", since)
        dropped = {row["item"] for row in changes if row["op"] == "drop"}
        new = sorted({row["item"] for row in changes if row["op"] == "add"} - dropped)
        terms = "SELECT * FROM terms WHERE domain = :d AND item IN ({within}) ORDER BY item, passage"
        rows = await paged(tx, terms, new, {"d": domain.key})
        cited: dict[int, set[int]] = {item: set() for item in new}
        for row in await paged(tx, "SELECT child, parent FROM lineage WHERE cited = 1 AND child IN ({within})", new):
            cited[row["child"]].add(row["parent"])
        return Difference(rows, frozenset(dropped), {item: frozenset(rests) for item, rests in cited.items()})


_OF_THE_WORK, _OF_THE_DOMAIN = 6, 6
_WORDS = 5
_K = 5
_LOOKED_AT = 8_000
"""The number of characters of a message that its question is drawn from."""


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The number of canaries, and how many were found before and with the change."""

    asked: int = 0
    before: int = 0
    after: int = 0

    def __add__(self, other: "CheckResult") -> "CheckResult":
        return CheckResult(self.asked + other.asked, self.before + other.before, self.after + other.after)


class RegressionCheck:
    """The check of one domain; `marks`, `failed` and `passed_so_far` accumulate."""

    def __init__(self, db: DatabaseAccess, domain: Domain, domain_indexes: DomainIndexes) -> None:
        self._db = db
        self._domain = domain
        self._domain_indexes = domain_indexes
        # By words alone: new digests have no vectors yet, and the check must not wait for an embedder.
        self._recall = Recall(domain_indexes, None)
        self.marks = CheckResult()
        self.failed = 0
        self.passed_so_far = 0

    async def passed(self, put: Put) -> bool:
        """Return whether no fewer canaries are found with what a piece of work would publish."""
        difference = await dry_run(self._db, self._domain, put)
        if difference.added and not await self._stands(difference):
            self.failed += 1
            return False
        self.passed_so_far += 1
        return True

    async def _stands(self, difference: Difference) -> bool:
        (loaded,) = await self._domain_indexes.load([self._domain.key], ())
        drawn = await self._drawn(loaded, difference)
        added = Loaded(0, ())
        added.add(difference.added)
        staged = Staged(added, difference.gone)
        marks = CheckResult(
            len(drawn), await self._count_found(drawn, Staged(), difference), await self._count_found(drawn, staged, difference)
        )
        self.marks += marks
        return marks.after >= marks.before

    async def _drawn(self, loaded: Loaded, difference: Difference) -> dict[int, str]:
        """Return canaries: messages by key, with questions that should find them, of the sources of the work and of the domain."""
        rests = sorted({item for items in difference.cited.values() for item in items})
        first, last = await exchanges.span(self._db, self._domain)
        spread = [first + (last - first) * n // _OF_THE_DOMAIN for n in range(_OF_THE_DOMAIN)]
        anywhere = [item for at in spread if (item := await said.first(self._db, self._domain, at)) is not None]
        step = max(1, len(rests) // _OF_THE_WORK)
        found: dict[int, str] = {}
        for item in (*rests[::step][:_OF_THE_WORK], *anywhere):
            if question := _question(await said.text(self._db, item), loaded):
                found[item] = question
        return found

    async def _count_found(self, canaries: Mapping[int, str], staged: Staged, difference: Difference) -> int:
        found = 0
        for canary, question in canaries.items():
            query = Query(question, _K, (MESSAGES, GISTS, ERAS))
            hits = [hit.item for hit in await self._recall.find(query, [self._domain.key], staged=staged)]
            found += canary in hits or await self._rests(hits, canary, difference)
        return found

    async def _rests(self, hits: Collection[int], on: int, difference: Difference) -> bool:
        if any(on in difference.cited.get(hit, ()) for hit in hits):
            return True
        standing = [hit for hit in hits if hit not in difference.cited]
        row = await self._db.one(
            f"SELECT 1 AS yes FROM lineage WHERE parent = :on AND cited = 1 AND child IN ({placeholders('h', standing)})",
            {"on": on, **bound("h", standing)},
        )
        return row is not None


def _question(text: str, loaded: Loaded) -> str:
    """Return the rarest words of a text, in its order; '' if it has hardly any."""
    terms = lexical.query_terms(text[:_LOOKED_AT], sorted({ENGLISH, *loaded.languages}))
    postings = loaded.domain_indexes[MESSAGES].postings
    held = {word: sum(len(postings.find(term)[0]) for term in found) for word, found in terms.items()}
    rare = sorted(held, key=lambda word: (held[word], word))[:_WORDS]
    return " ".join(word for word in held if word in rare) if len(rare) > 1 else ""
