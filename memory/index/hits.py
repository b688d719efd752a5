"""What recall returns: messages, gists and months, each with the signals that found it and a certainty. All are frozen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, chain, zip_longest
from typing import NamedTuple

from localization.sentences import marked
from memory.tiers.statements import INDEXED
from memory.types import Digest, Exchange, Statement

FAR_BELOW = 0.6
CORRECTED = marked("corrected later")
CORRECTS = marked("it corrects what was found")


class Certainty(StrEnum):
    """How certain it is that a recalled item is about what was asked."""

    SURE = "sure"
    LIKELY = "likely"
    WEAK = "weak"


class RawHit(NamedTuple):
    """A scored item before it is read, the keys of its neighbours (None at the ends of a session), and the signals that found it.

    `certainty` tells how certain it is that the item is about the question. `words` are those of the question that it holds,
    `cosine` is its nearness in meaning as `why` shows it, None if it is not near at all.
    """

    item: int
    kind: int
    score: float
    why: tuple[str, ...]
    before: int | None
    after: int | None
    said_at: int
    certainty: Certainty = Certainty.SURE
    words: tuple[str, ...] = ()
    cosine: float | None = None


class Hit(NamedTuple):
    """A recalled message with its session, place and neighbours, and the signals that found it.

    `corrected` is the key of the later message that corrected this one, `correction` that message itself if it was read, too.
    `corrects` is the message that this one puts right without saying what it is about ("no wait, at 6"). None if there is none.
    `only_hers` is an answer of Lyra's that no person's words bear out. `words` and `cosine` are as in RawHit, and those of what it
    corrects for such a one.
    """

    exchange: Exchange
    session: str
    score: float
    why: tuple[str, ...]
    before: Exchange | None = None
    after: Exchange | None = None
    platform: str = ""
    place: str = ""
    corrected: int | None = None
    certainty: Certainty = Certainty.SURE
    words: tuple[str, ...] = ()
    cosine: float | None = None
    correction: Exchange | None = None
    corrects: Exchange | None = None
    only_hers: bool = False

    def corrected_by(self, other: "Hit") -> "Hit":
        """Return this hit, marked as corrected by a later one."""
        return self._replace(corrected=other.exchange.key, correction=other.exchange, why=(*self.why, CORRECTED))


@dataclass(frozen=True, slots=True)
class Condensed:
    """A recalled gist or month paragraph with the messages it rests on, oldest first.

    `where` is the session that a gist condenses, or the month. `first_at` is the instant of the earliest message covered.
    """

    id: str
    tier: str
    where: str
    text: str
    first_at: int
    score: float
    why: tuple[str, ...]
    sources: tuple[Exchange, ...]
    certainty: Certainty


@dataclass(frozen=True, slots=True)
class DigestHit:
    """A recalled digest with the session it condenses."""

    digest: Digest
    session: str
    score: float


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


def apart_from_sure(hits: Mapping[int, Hit]) -> Mapping[int, Hit]:
    """Return hits, marking as weak those likely ones that score far below a sure one: they only share a word with the question.

    Of talk between friends and with an assistant this takes the mark from 6 and 5 in a hundred of the hits beside the evidence,
    and from 1 and 2 of the evidence (docs/measured.md).
    """
    sure = [hit.score for hit in hits.values() if hit.certainty is Certainty.SURE]
    least = max(sure, default=0.0) * FAR_BELOW
    far = [key for key, hit in hits.items() if hit.score < least and hit.certainty is Certainty.LIKELY]
    return {**hits, **{key: hits[key]._replace(certainty=Certainty.WEAK) for key in far}} if far else hits


def merged(lists: Sequence[Sequence[RawHit]]) -> list[RawHit]:
    """Merge several lists by score, each keeping its own order: a hit counts no higher than those before it in its list."""
    placed = [
        (score, hit) for found in lists for score, hit in zip(accumulate((hit.score for hit in found), min), found, strict=True)
    ]
    return [hit for _, hit in sorted(placed, key=lambda one: -one[0])]


def each_once(*lists: Sequence[RawHit]) -> list[RawHit]:
    """Return the concatenation of several lists without duplicates."""
    placed: dict[int, RawHit] = {}
    for hit in chain(*lists):
        placed.setdefault(hit.item, hit)
    return list(placed.values())


def with_what_corrects(found: Sequence[RawHit], came: Mapping[int, Hit]) -> list[RawHit]:
    """Return hits with a place for each message that was read because it puts one of them right."""
    known = {hit.item for hit in found}
    right: dict[int, list[int]] = {}
    for item, one in came.items():
        if one.corrects and item not in known:
            right.setdefault(one.corrects.key, []).append(item)
    return [one for hit in found for one in (hit, *(hit._replace(item=key) for key in right.get(hit.item, ())))]


def interleaved(lists: Sequence[Recalled]) -> Recalled:
    """Interleave the recall of several questions: the best of each, then the second best of each, without duplicates."""
    every = [one for row in zip_longest(*(some.ranked for some in lists)) for one in row if one is not None]
    return Recalled(list({_key(one): one for one in reversed(every)}.values())[::-1])


def _key(one: Hit | DigestHit | Statement) -> int:
    return one.exchange.key if isinstance(one, Hit) else one.digest.key if isinstance(one, DigestHit) else one.key
