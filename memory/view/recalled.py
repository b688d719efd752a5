"""What is recalled for a question: how much is wanted, and what was found."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from memory.index.hits import DigestHit, Hit
from memory.tiers.statements import INDEXED
from memory.types import Statement


@dataclass(frozen=True, slots=True)
class RecallLimits:
    """The most messages, digests, and era paragraphs or bank entries to recall."""

    messages: int
    digests: int
    eras: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """What a question recalls from every readable domain, best first: messages, gists, and era paragraphs.

    In a shared home, bank entries take the place of era paragraphs.
    """

    ranked: Sequence[Hit | DigestHit | Statement] = ()

    @property
    def hits(self) -> list[Hit]:
        """The recalled messages."""
        return [one for one in self.ranked if isinstance(one, Hit)]

    @property
    def gists(self) -> list[DigestHit]:
        """The recalled gists."""
        return [one for one in self.ranked if isinstance(one, DigestHit)]

    @property
    def eras(self) -> list[Statement]:
        """The recalled era paragraphs, or bank entries."""
        return [one for one in self.ranked if isinstance(one, Statement) and one.tier in INDEXED]

    @property
    def facts(self) -> list[Statement]:
        """Other standing statements on whom or what the question names: facts and arcs."""
        return [one for one in self.ranked if isinstance(one, Statement) and one.tier not in INDEXED]

    @property
    def above(self) -> list[int]:
        """The keys of everything above messages."""
        return [_key(one) for one in self.ranked if not isinstance(one, Hit)]

    def narrowed(self, hits: Sequence[Hit]) -> "Recalled":
        """Return a copy with only these messages, and everything above messages."""
        by_key = {hit.exchange.key: hit for hit in hits}
        ranked = (by_key.get(one.exchange.key) if isinstance(one, Hit) else one for one in self.ranked)
        return Recalled([one for one in ranked if one is not None])


def interleaved(lists: Sequence[Recalled]) -> Recalled:
    """Interleave the recall of several questions: the best of each, then the second best of each, without duplicates."""
    every = [one for row in zip_longest(*(some.ranked for some in lists)) for one in row if one is not None]
    return Recalled(list({_key(one): one for one in reversed(every)}.values())[::-1])


def _key(one: Hit | DigestHit | Statement) -> int:
    return one.exchange.key if isinstance(one, Hit) else one.digest.key if isinstance(one, DigestHit) else one.key
