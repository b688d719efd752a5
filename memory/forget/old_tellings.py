"""What goes when somebody puts right what they said: whatever tells the old, until it is made again of both. All else stays.

A sentence tells the old if it cites what was corrected, unless it says only what else stands there, in its words: any other word may
stand for the old, as "thirtieth" for 30, "alle sette" for 7 or "Italy" for Rome.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.forget import erase
from memory.store.database import Transaction
from memory.store.domains import by_domain
from memory.store.lineage import paged
from memory.text.told.correction_wordings import Correction, correction
from memory.text.told.discretion import without_request
from memory.text.told.named_values import TYPED, Correctable, stems_of
from memory.tiers import exchanges

_CLAUSE = re.compile(r"[.,:;!?]\s+|\n+")
_CITING = (
    "SELECT d.item, d.text, c.line, c.item AS said FROM cites c JOIN digests d ON d.item = c.digest AND d.tier = 'gist' "
    "WHERE c.item IN ({within}) UNION ALL SELECT s.item, s.text, -1 AS line, l.parent AS said FROM lineage l "
    "JOIN statements s ON s.item = l.child AND s.tier <> 'manner' WHERE l.cited = 1 AND l.parent IN ({within})"
)
"""Sentences that cite messages. Wishes are read by rule as a message is stored, and by nobody again: they stand."""


async def retire(tx: Transaction, corrected: Collection[int], now: int) -> None:
    """Remove the gists and statements that tell the old of these messages, to be written again, with what was merged from the gists."""
    told = await exchanges.among(tx, sorted(corrected))
    put_right: dict[int, list[Correction]] = {}
    for row in await paged(tx, _PUT_RIGHT, sorted(corrected)):
        put_right.setdefault(row["corrects"], []).extend(filter(None, [correction(without_request(row["text"]))]))
    old = {key: OldTelling.of(told[key].text, told[key].speaker, found) for key, found in put_right.items()}
    telling = set[int]()
    for row in await paged(tx, _CITING, sorted(corrected)):
        text = row["text"] if row["line"] < 0 else row["text"].split("\n")[row["line"]]
        if row["said"] not in old or old[row["said"]].may_stand_in(text):
            telling.add(row["item"])
    for domain, those in await by_domain(tx, sorted(telling)):
        await erase.remove_to_rewrite(tx, domain, those, now)


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
