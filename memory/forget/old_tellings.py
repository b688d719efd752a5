"""What goes when somebody puts right what they said: each sentence that tells the old, until all is made again of both. All else stays.

A sentence tells the old if it cites what was corrected, unless it says only what else stands there, in its words: any other word may
stand for the old, as "thirtieth" for 30, "alle sette" for 7 or "Italy" for Rome.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memory.forget import erase
from memory.store import lineage
from memory.store.database import Transaction
from memory.store.domains import by_domain
from memory.store.lineage import Seal, paged
from memory.text.told.correction_wordings import Correction, correction
from memory.text.told.discretion import without_request
from memory.text.told.named_values import TYPED, Correctable, stems_of
from memory.tiers import episodes, exchanges, summaries
from memory.tiers.summaries import DigestLine, DigestPlace, WrittenDigest
from memory.types import Domain, Session, SessionRef

_CLAUSE = re.compile(r"[.,:;!?]\s+|\n+")
_CITING = (
    "SELECT d.item, d.text, c.line, c.item AS said FROM cites c JOIN digests d ON d.item = c.digest AND d.tier = 'gist' "
    "WHERE c.item IN ({within}) UNION ALL SELECT s.item, s.text, -1 AS line, l.parent AS said FROM lineage l "
    "JOIN statements s ON s.item = l.child AND s.tier <> 'manner' WHERE l.cited = 1 AND l.parent IN ({within})"
)
"""Sentences that cite messages. Wishes are read by rule as a message is stored, and by nobody again: they stand."""


async def retire(tx: Transaction, corrected: Collection[int], now: int, seal: Seal) -> None:
    """Remove the statements and sentences of gists that tell the old of these messages, and what was merged from the gists.

    All of it is to be written again. What a model wrote beside such a sentence stands until then.
    """
    told = await exchanges.among(tx, sorted(corrected))
    put_right: dict[int, list[Correction]] = {}
    for row in await paged(tx, _PUT_RIGHT, sorted(corrected)):
        put_right.setdefault(row["corrects"], []).extend(filter(None, [correction(without_request(row["text"]))]))
    old = {key: OldTelling.of(told[key].text, told[key].speaker, found) for key, found in put_right.items()}
    telling: dict[int, set[int]] = {}
    for row in await paged(tx, _CITING, sorted(corrected)):
        text = row["text"] if row["line"] < 0 else row["text"].split("\n")[row["line"]]
        if row["said"] not in old or old[row["said"]].may_stand_in(text):
            telling.setdefault(row["item"], set()).add(row["line"])
    for domain, those in await by_domain(tx, sorted(telling)):
        left = await _left(tx, {item: telling[item] for item in those})
        await erase.remove_to_rewrite(tx, domain, those, now)
        for gist in left:
            await gist.put(tx, seal, domain, now)


async def _left(tx: Transaction, telling: Mapping[int, Collection[int]]) -> list["_GistLeft"]:
    """Return what is left of gists without these lines, by gist; nothing of those that are written by rule, as that takes no time."""
    rows = await paged(tx, _WRITTEN, sorted(telling))
    cites: dict[tuple[int, int], list[int]] = {}
    for row in await paged(tx, "SELECT digest, line, item FROM cites WHERE digest IN ({within})", [row["item"] for row in rows]):
        cites.setdefault((row["digest"], row["line"]), []).append(row["item"])
    found: list[_GistLeft] = []
    for row in rows:
        every = enumerate(row["text"].split("\n"))
        lines = [
            DigestLine(text, tuple(cites.get((row["item"], at), ()))) for at, text in every if at not in telling[row["item"]]
        ]
        if lines and all(one.cited for one in lines):
            parents = tuple(await lineage.parents(tx, row["item"]))
            written = WrittenDigest(tuple(lines), row["writer"], False, row["first_at"], row["last_at"], parents)
            ref = SessionRef(row["platform"], row["place"], row["epoch"])
            session = Session(
                row["session"], row["public_id"], row["domain"], ref, row["name"], row["started_at"], row["last_said"]
            )
            found.append(_GistLeft(session, row["position"], written, bool(row["profiled"]), bool(row["aged"])))
    return found


@dataclass(frozen=True, slots=True)
class _GistLeft:
    """What is left of a gist at its place, and whether it is in facts and in an era already."""

    session: Session
    position: int
    written: WrittenDigest
    profiled: bool
    aged: bool

    async def put(self, tx: Transaction, seal: Seal, domain: Domain, now: int) -> None:
        """Let it stand until its episode is digested anew."""
        place = DigestPlace("gist", 0, self.position)
        key = await summaries.publish(tx, seal, domain, self.session, place, self.written, now)
        if key is None:
            return
        await episodes.mark_undigested(tx, [key])
        if self.profiled:
            await summaries.mark_profiled(tx, [key])
        if self.aged:
            await summaries.mark_aged(tx, [key])


_WRITTEN = (
    "SELECT d.*, s.public_id, s.platform, s.place, s.epoch, s.name, s.started_at, s.last_at AS last_said FROM digests d "
    "JOIN sessions s ON s.id = d.session WHERE d.tier = 'gist' AND d.extractive = 0 AND d.item IN ({within})"
)
_PUT_RIGHT = "SELECT c.corrects, e.text FROM corrections c JOIN exchanges e ON e.item = c.item WHERE c.corrects IN ({within})"


@dataclass(frozen=True, slots=True)
class OldTelling:
    """What a message says beside what was corrected, and its speaker, by the stems of their words; `figures` if days, times or numbers were."""

    others: frozenset[str]
    speaker: frozenset[str]
    figures: bool

    @staticmethod
    def of(text: str, speaker: str, put_right: Sequence[Correction]) -> "OldTelling":
        """Return it of a message with this text."""
        clauses = [Correctable(clause) for clause in _CLAUSE.split(text)]
        old = [one for one in clauses if any(found.is_of(one) for found in put_right)] or clauses
        others = frozenset[str]().union(*(one.stems for one in clauses if one not in old)).difference(*(one.stems for one in old))
        return OldTelling(others, stems_of(speaker), any(found.kinds & TYPED for found in put_right))

    def may_stand_in(self, text: str) -> bool:
        """Return whether a sentence may tell what was corrected."""
        told = Correctable(text)
        says = told.stems - self.speaker
        # A figure of one digit is no word.
        return not says or not says <= self.others or (self.figures and bool(told.figures))
