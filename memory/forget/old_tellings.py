"""What goes when somebody puts right what they said: whatever tells the old, until it is made again of both. All else stays.

A sentence tells the old if it cites what was corrected, unless it shares words with what else that says and none with the old, and
names no day, time or number where one was corrected: a writer may have told any of them in other words.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memory.forget import erase
from memory.store.database import Transaction
from memory.store.domains import by_domain
from memory.store.lineage import paged
from memory.text.told.correction_wordings import Correction, correction
from memory.text.told.named_values import TYPED, Correctable
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
    texts = {key: one.text for key, one in (await exchanges.among(tx, sorted(corrected))).items()}
    put_right: dict[int, list[Correction]] = {}
    for row in await paged(tx, _PUT_RIGHT, sorted(corrected)):
        put_right.setdefault(row["corrects"], []).extend(filter(None, [correction(row["text"])]))
    old = {key: _Old.of(texts[key], found) for key, found in put_right.items()}
    telling = set[int]()
    for row in await paged(tx, _CITING, sorted(corrected)):
        text = row["text"] if row["line"] < 0 else row["text"].split("\n")[row["line"]]
        if row["said"] not in old or old[row["said"]].may_stand_in(text):
            telling.add(row["item"])
    for domain, those in await by_domain(tx, sorted(telling)):
        await erase.let_go(tx, domain, those, now, again=True)


_PUT_RIGHT = "SELECT c.corrects, e.text FROM corrections c JOIN exchanges e ON e.item = c.item WHERE c.corrects IN ({within})"


@dataclass(frozen=True, slots=True)
class _Old:
    """What of a message was corrected, and what was not, by the stems of their words; `figures` if days, times or numbers were."""

    words: frozenset[str]
    others: frozenset[str]
    figures: bool

    @staticmethod
    def of(text: str, put_right: Sequence[Correction]) -> "_Old":
        clauses = [Correctable(clause) for clause in _CLAUSE.split(text)]
        old = [one for one in clauses if any(found.is_of(one) for found in put_right)] or clauses
        words = frozenset[str]().union(*(one.stems for one in old))
        others = frozenset[str]().union(*(one.stems for one in clauses if one not in old))
        return _Old(words, others - words, any(found.kinds & TYPED for found in put_right))

    def may_stand_in(self, text: str) -> bool:
        told = Correctable(text)
        return not self.others & told.stems or bool(self.words & told.stems) or (self.figures and bool(told.figures))
