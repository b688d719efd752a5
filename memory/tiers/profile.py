"""The profile: standing facts about the people of a domain, each a statement with its sources.

It is updated from new gists and the facts they touch, so that its cost does not grow with its age. A line that cites a known
fact along with something new replaces the fact; the older one stays as history. A known fact that comes up again counts as seen
again. In a shared domain, a fact about a member must rest on that member's own words.
"""

import hmac
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from memory.derive import progress
from memory.derive.progress import Progress
from memory.derive.work import Work
from memory.errors import NotFound
from memory.forget import erase
from memory.index.mentions import members_named
from memory.places import opted_out
from memory.ports import Entry, Task
from memory.store.database import Reader, Transaction
from memory.store.lineage import Seal, paged, parents
from memory.text.lexical import key_words
from memory.text.told.named_things import spelled_names
from memory.text.wordings import read_wordings
from memory.tiers import exchanges, manners, statements, summaries
from memory.tiers.messages import said
from memory.tiers.source_lines import SourceLine, grounds, of_gists, of_statements, replaced, split_prefix
from memory.tiers.statements import Grounds, NewStatement
from memory.types import Domain, DomainKind, Exchange, Statement

if TYPE_CHECKING:
    from memory.derive.context import Context

_STEMS = " ".join(read_wordings(__file__)["sensitive"].values()).split()
_SENSITIVE = re.compile(r"(?i)\b(?:" + "|".join(stem.replace("*", r"\w*") for stem in _STEMS) + r")\b")
"""Subjects that must not be inferred."""
TIER = "profile"
NOTHING_NEW = "Nothing new."
"""The sentence of a writer that has no fact to add."""
MOST_GISTS = 16
FIRST_GISTS = 4
_MOST_FACTS = 40
_MOST_LINES = 12
_ALIKE = 0.7


async def due(context: "Context", *, asked: bool) -> Work | None:
    """Return the next piece of work: the oldest gists not scanned yet, once there are enough, or any if `asked`."""
    before = await progress.read(context.db, context.domain, TIER)
    gists = await summaries.unprofiled(context.db, context.domain, MOST_GISTS)
    # If facts were removed, their sources are scanned again at once.
    enough = 1 if asked or (before and before.stale) else MOST_GISTS if before else FIRST_GISTS
    if len(gists) < enough:
        return None
    gists.sort(key=lambda row: (row["first_at"], row["item"]))
    lines = await of_gists(context.db, context.domain, gists)
    known = _touched(await statements.standing(context.db, context.domain, TIER), lines)
    facts = await of_statements(context.db, context.domain, known, "f")
    members = await said.speakers(context.db, context.domain) if context.domain.ref.kind is not DomainKind.DM else []
    unwanted = [
        row["mark"] for row in await context.db.all("SELECT mark FROM unwanted WHERE domain = :d", {"d": context.domain.key})
    ]
    keys = [row["item"] for row in gists]

    async def publish(tx: Transaction, entries: Sequence[Entry] | None, writer: str, now: int) -> None:
        by_label, by_form = {line.source.label: line for line in facts}, {_same(fact.text): fact for fact in known}
        keeping = _Keeping(context, tx, lines, by_label, by_form, members, unwanted, writer, now)
        for entry in entries or ():
            await keeping.keep(entry)
        await summaries.mark_profiled(tx, keys)

    texts = {row["item"]: row["text"] for row in gists} | {fact.key: fact.text for fact in known}
    now_at = Progress("/".join(map(str, keys)), max(keys), (before.size if before else 0) + len(keys), 0, stale=False)
    most = _MOST_LINES if before else max(_MOST_LINES, len(lines))  # the first time, everything is new
    task = Task("profile", tuple(line.source for line in (*facts, *lines)), most)
    return Work(TIER, "", task, texts, now_at, publish, before)


@dataclass(slots=True)
class _Keeping:
    """The storing of one answer's facts: `facts` are the lines shown of `known` ones, by label and by normal form."""

    context: "Context"
    tx: Transaction
    lines: Sequence[SourceLine]
    facts: Mapping[str, SourceLine]
    known: Mapping[str, Statement]
    members: Sequence[str]
    unwanted: Sequence[str]
    writer: str
    now: int

    async def keep(self, entry: Entry) -> None:
        """Store a fact if it is allowed and new."""
        if adds_nothing(entry):
            return
        kind, text = split_prefix(entry.text, {"inferred"})
        rests = grounds(entry, self.lines)
        if rests is None or not await self._may_stand(kind, text, rests):
            return
        again = self.known.get(_same(text))
        cited = [self.facts[label] for label in entry.cites if label in self.facts]
        later = again.last_at if again else 0
        older = [
            line
            for line in replaced(text, cited)
            if line.last_at <= max(later, rests.last_at if _holds(text, line.source.text) else self._newest(entry, line.said))
            and await self._may_tell(line.source.text, rests)
        ]
        if again is not None:
            await statements.seen_again(self.tx, again.key, rests)
            others = [line.item for line in older if line.item != again.key]
            await statements.end(self.tx, self.context.domain, others, self.now, again.key)
            return
        if await self._is_overtaken(entry, text, rests):
            return
        rests = replace(
            rests,
            items=tuple(dict.fromkeys((*rests.items, *(line.item for line in older)))),
            first_at=min([rests.first_at, *(line.first_at for line in older)]),
        )
        new = NewStatement(TIER, "", kind or "said", text, self.writer, rests)
        key = await statements.publish(self.tx, self.context.seal, self.context.domain, new, self.now)
        await statements.end(self.tx, self.context.domain, [line.item for line in older], self.now, key)

    async def _may_stand(self, kind: str, text: str, rests: Grounds) -> bool:
        if kind == "inferred" and _SENSITIVE.search(text):
            return False
        words = set(mark(self.context.seal.key, self.context.domain, text).split())
        forgotten = [set(one.split()) for one in self.unwanted] if words else []
        if any(len(words & one) >= _ALIKE * len(words | one) for one in forgotten):
            return False
        if await opted_out.is_named(self.tx, self.context.seal, self.context.domain, text):
            return False
        return await self._may_tell(text, rests)

    def _newest(self, entry: Entry, beside: Collection[int]) -> int:
        """Return when the newest was said that an entry rests on beside some messages, or of these if on nothing else."""
        rests = [line for line in self.lines if line.said and line.source.label in entry.cites]
        return max(line.last_at for line in [line for line in rests if not set(line.said) <= set(beside)] or rests)

    async def _is_overtaken(self, entry: Entry, text: str, rests: Grounds) -> bool:
        """Return whether a fact was replaced, or corrected, by something said after the words it rests on."""
        for before, successor in await statements.overtaken(self.tx, self.context.domain, TIER, rests.first_at):
            likeness = _likeness(text, before)
            if likeness >= _ALIKE and likeness > _likeness(text, successor.text):
                said = [item for item in await parents(self.tx, successor.key) if item in rests.said]
                if self._newest(entry, said) < successor.last_at:
                    return True
        return False

    async def _may_tell(self, text: str, rests: Grounds) -> bool:
        """Return whether a fact may stand or end for these grounds: one about members takes the words of one of them."""
        about = members_named(text, self.members)
        rows = (
            await paged(self.tx, "SELECT DISTINCT speaker FROM exchanges WHERE item IN ({within})", rests.said) if about else ()
        )
        return not about or not about.isdisjoint(row["speaker"] for row in rows)


def _likeness(text: str, other: str) -> float:
    """Return the share of the words of two texts that both have."""
    words, others = _stems(text), _stems(other)
    return len(words & others) / max(1, len(words | others))


@lru_cache(maxsize=1_000)
def _stems(text: str) -> frozenset[str]:
    return frozenset(key_words(text).values())


async def correct(tx: Transaction, seal: Seal, domain: Domain, public_id: str, correction: Exchange, now: int) -> Statement:
    """Replace a standing fact by a message; return the new fact. Raises NotFound."""
    fact = await standing(tx, domain, public_id)
    new = NewStatement(TIER, "", "said", correction.text, correction.speaker, Grounds.of(correction))
    key = await statements.publish(tx, seal, domain, new, now)
    await statements.end(tx, domain, [fact.key], now, key)
    row = await tx.one(statements.SELECT + "WHERE s.item = :item", {"item": key})
    assert row is not None
    return statements.statement(row)


async def forget_fact(tx: Transaction, seal: Seal, domain: Domain, public_id: str, now: int) -> list[Exchange]:
    """Remove a fact with the older ones it replaced, and mark their content as unwanted; return the messages it rested on.

    Raises NotFound.
    """
    fact = await standing(tx, domain, public_id)
    rows = await tx.all(
        "WITH RECURSIVE line (item) AS (SELECT CAST(:item AS BIGINT) UNION SELECT s.item FROM statements s JOIN line ON s.successor = line.item) "
        "SELECT s.item, s.text FROM statements s JOIN line ON line.item = s.item",
        {"item": fact.key},
    )
    said = await tx.all(
        f"{exchanges.SELECT}JOIN lineage l ON l.parent = e.item WHERE l.child = :item AND l.cited = 1 ORDER BY e.said_at, e.item",
        {"item": fact.key},
    )
    await tx.many(
        "INSERT INTO unwanted (domain, mark) VALUES (:domain, :mark) ON CONFLICT DO NOTHING",
        ({"domain": domain.key, "mark": mark(seal.key, domain, row["text"])} for row in rows),
    )
    items = [row["item"] for row in rows]
    looked = await summaries.profiled_below(tx, items)
    await erase.retire(tx, domain, items, now)
    # Nothing was lost, so these gists need no new scan.
    await summaries.mark_profiled(tx, looked)
    await progress.outdate(tx, domain, TIER, stale=False)
    return [exchanges.exchange(row) for row in said]


async def standing(kept: Reader, domain: Domain, public_id: str) -> Statement:
    """Return a standing fact or manner of a domain by its public id. Raises NotFound."""
    found = await statements.by_id(kept, domain, (TIER, manners.TIER), public_id)
    if found is None:
        raise NotFound("There is no fact with that id here. The profile shows the id of each.")
    return found


def mark(key: bytes, domain: Domain, text: str) -> str:
    """Return keyed hashes of the words of a fact, by which a forgotten fact is recognized without being kept."""
    return " ".join(hmac.digest(key, f"{domain.key}\n{stem}".encode(), sha256).hex()[:8] for stem in sorted(_stems(text)))


def _same(text: str) -> str:
    """Return a normal form of a fact: the stems of its words in order."""
    return " ".join(key_words(text).values()) or text.casefold()


def _holds(text: str, fact: str) -> bool:
    """Return whether a text has all the names and numbers of a fact, and so is about it rather than about what it replaced."""
    telling = named_stems(fact)
    return bool(telling) and telling <= _stems(text)


def named_stems(text: str) -> set[str]:
    """Return the stems of names and numbers in a sentence; the first word is capitalized anyway and does not count."""
    named = spelled_names(text)
    return {stem for word, stem in key_words(text).items() if word.removesuffix("'s") in named or any(map(str.isdigit, word))}


def adds_nothing(entry: Entry) -> bool:
    """Return whether a writer says that there is no fact to add."""
    return _same(entry.text) == _same(NOTHING_NEW)


def _touched(facts: Sequence[Statement], lines: Sequence[SourceLine]) -> list[Statement]:
    """Return the facts that share most words with new lines, in their own order; all of them if there are few."""
    if len(facts) <= _MOST_FACTS:
        return list(facts)
    new = frozenset[str]().union(*(_stems(line.source.text) for line in lines))
    ranked = sorted(facts, key=lambda fact: (-len(new & _stems(fact.text)), -fact.last_at, fact.key))
    return sorted(ranked[:_MOST_FACTS], key=lambda fact: fact.key)
