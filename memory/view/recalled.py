"""What comes up for a question: how much of it is wanted, and what was found."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from memory.index.hits import DigestHit, Hit
from memory.tiers.statements import INDEXED
from memory.types import Statement


@dataclass(frozen=True, slots=True)
class Wanted:
    """How many messages, digests, and paragraphs of eras or bullets of a bank are asked for at most."""

    messages: int
    digests: int
    eras: int


@dataclass(frozen=True, slots=True)
class Recalled:
    """What comes up for a question, of every domain that may be read, best first: messages, gists, and paragraphs of eras (where
    home is shared, bullets of its bank).
    """

    ranked: Sequence[Hit | DigestHit | Statement] = ()

    @property
    def hits(self) -> list[Hit]:
        """The messages."""
        return [one for one in self.ranked if isinstance(one, Hit)]

    @property
    def gists(self) -> list[DigestHit]:
        """The gists."""
        return [one for one in self.ranked if isinstance(one, DigestHit)]

    @property
    def eras(self) -> list[Statement]:
        """The paragraphs of eras, or bullets of the bank."""
        return [one for one in self.ranked if isinstance(one, Statement) and one.tier in INDEXED]

    @property
    def facts(self) -> list[Statement]:
        """What else stands of who and what is named: facts and arcs."""
        return [one for one in self.ranked if isinstance(one, Statement) and one.tier not in INDEXED]

    def narrowed(self, hits: Sequence[Hit]) -> "Recalled":
        """Return this with these messages alone, and all that stands above messages."""
        left = {hit.exchange.key: hit for hit in hits}
        ranked = (left.get(one.exchange.key) if isinstance(one, Hit) else one for one in self.ranked)
        return Recalled([one for one in ranked if one is not None])


def in_turn(lists: Sequence[Recalled]) -> Recalled:
    """Return what comes up for several questions as one list: the best of each, then the second of each, each once."""
    every = [one for row in zip_longest(*(some.ranked for some in lists)) for one in row if one is not None]
    return Recalled(list({_key(one): one for one in reversed(every)}.values())[::-1])


def _key(one: Hit | DigestHit | Statement) -> int:
    return one.exchange.key if isinstance(one, Hit) else one.digest.key if isinstance(one, DigestHit) else one.key
