"""Novelty: names and topics new to a domain, and unanswered questions."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from memory.forget.gone import present
from memory.index.indexing import ASKS, ENGLISH, MESSAGES, OWN
from memory.index.recall.documents import NONE
from memory.index.recall.domain_indexes import Loaded
from memory.places.confidences import common
from memory.store.database import DatabaseAccess
from memory.text import lexical
from memory.text.told.named_things import spelled_names
from memory.tiers.exchanges import SELECT, exchange
from memory.types import Domain, Exchange

MOST = 200
_NAME = 3
_LOOKED_AT = 8_000
"""The number of characters of a message that are examined."""


@dataclass(frozen=True, slots=True)
class Novelty:
    """The number of new names, new topics and open questions, and the messages that brought them, most novel first.

    `last` is the key of the newest message examined, 0 for none.
    """

    names: int = 0
    topics: int = 0
    questions: int = 0
    messages: Sequence[Exchange] = ()
    said: int = 0
    last: int = 0


async def novelty(db: DatabaseAccess, domain: Domain, loaded: Loaded, since: int) -> Novelty:
    """Return the novelty of people's messages since an item; if there are too many, only the newest are examined."""
    rows = await db.all(
        SELECT + f"WHERE e.domain = :domain AND e.item > :since AND e.kind = 'said' AND e.echo = 0 AND {present('e')} "
        f"AND {common('e')} ORDER BY e.item DESC LIMIT :most",
        {"domain": domain.key, "since": since, "most": MOST},
    )
    messages = [exchange(row) for row in rows]
    if not messages:
        return Novelty()
    known = _Known(loaded, messages[-1].key)
    named: set[str] = set()
    topics: set[str] = set()
    weights: dict[int, int] = {}
    asking = _unanswered(loaded, messages[-1].key)
    for message in messages:
        # Long messages take time; let others run in between.
        await asyncio.sleep(0)
        text = message.text[:_LOOKED_AT]
        fresh = known.new_words(text)
        called = spelled_names(text)
        called = {word for word in fresh if word.removesuffix("'s") in called}
        weights[message.key] = len(fresh) + _NAME * len(called) + _NAME * (message.key in asking)
        named |= called
        topics |= fresh - called
    bringing = sorted((m for m in messages if weights[m.key]), key=lambda m: (-weights[m.key], -m.key))
    return Novelty(len(named), len(topics), len(asking), bringing, len(messages), messages[0].key)


class _Known:
    """The words of a domain before a message."""

    def __init__(self, loaded: Loaded, first: int) -> None:
        self._domain_index = loaded.domain_indexes[MESSAGES]
        self._first = int(self._domain_index.documents.items.now.searchsorted(first))
        self._languages = sorted({ENGLISH, *loaded.languages})

    def new_words(self, text: str) -> set[str]:
        """Return the words of a text that were never used before; numbers are no topics."""
        terms = lexical.query_terms(text, self._languages)
        return {word for word, some in terms.items() if not any(map(str.isdigit, word)) and not any(map(self._before, some))}

    def _before(self, term: int) -> bool:
        passages, _ = self._domain_index.postings.find(term)
        return bool(len(passages)) and int(self._domain_index.owners.now[passages[0]]) < self._first


def _unanswered(loaded: Loaded, first: int) -> set[int]:
    """Return people's questions, from a message on, after which nothing was said."""
    documents = loaded.domain_indexes[MESSAGES].documents
    at = int(documents.items.now.searchsorted(first))
    traits = documents.traits.now[at:]
    left = ((traits & ASKS) != 0) & ((traits & OWN) == 0) & (documents.after.now[at:] == NONE)
    return set(documents.items.now[at:][left].tolist())
