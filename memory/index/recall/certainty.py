"""How certain it is that a hit is about the question; whether it answers the question, only reading it can tell.

The score is a sum of two parts: the share of the question's words that the hit holds, weighted by rarity, and how far its
cosine to the question exceeds that of an average message of this conversation. Each stands for the other where that cannot
tell: a hit without a vector has its word share counted twice, and where a question is compared across languages, which share no
words, the cosine counts at least twice. In the space of an embedder that has all languages in one, the cosine tells more than words:
there it counts by how far it rises of what is left above the average, so that it says the same in talk that keeps to one subject,
and answers in other words stand on it alone. Of a long question the rarest few words count as all of it, because what answers it
holds nothing of the story around it; and a word that was taken for another one counts less than one that is there as it was
typed. Beside a hit that holds every word of the question, those that are farther in meaning and hold only some are one step
less certain: they share a word. Where a question names who it asks about, what somebody else said without that name is weak: it
is about somebody else.

Both thresholds were calibrated on conversations between friends (LoCoMo): few questions that their own conversation answers
fall below LIKELY, few that it does not answer reach SURE; the two weights of the one space on sets of our own (tests/sets/languages,
asked, precise), so that about as many things told are not weak as things never told are recognized. docs/measured.md has the shares.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from memory.index.hits import Certainty, Hit
from memory.index.indexing import ASKS, MESSAGES
from memory.index.recall.columns import Ints, Mask
from memory.index.recall.query import ParsedQuery
from memory.index.recall.ranking import FEW, Scored
from memory.text.lexical import all_stems
from memory.text.questions import is_question
from memory.text.told.related_words import Sought, telling

LIKELY = 0.5
SURE = 0.9
ASKED = 6
LEAST_ASKED = 2
MISTYPED = 0.4
FARTHER = 0.1
SHARED, RISEN = 0.75, 0.7
"""What the share of words counts in the one space of all languages, and what the cosine counts in its stead if that is more."""
LEFT = 0.01
"""The least that counts as left above the average, where nearly all messages are the question itself."""


@dataclass(frozen=True, slots=True)
class CertaintyJudge:
    """The grading of one question's hits: how rare its words are in view, and the average cosine of a message to it.

    `asked` is the sum of the rarities of the words that it is asked by.
    """

    question: ParsedQuery
    rarities: Mapping[str, float]
    asked: float
    usual: float

    def nearest_of_all_words(self, one: Scored, documents: Ints, words: Sequence[tuple[str, ...]]) -> float | None:
        """Return the best cosine of those of these documents that hold every word of the question and tell something."""
        if max(map(len, words), default=0) < len(self.rarities):
            return None
        asks = one.domain_index.documents.traits.now[documents] & ASKS
        every = zip(one.cosine[documents].tolist(), asks.tolist(), words, strict=True)
        return max([cosine for cosine, asking, some in every if not asking and len(some) >= len(self.rarities)], default=None)

    def each(self, one: Scored, documents: Ints, words: Sequence[tuple[str, ...]], nearest: float | None) -> list[Certainty]:
        """Return the certainty of each of these documents, which hold these words of the question.

        `nearest` is the best cosine of a hit that holds every word, None without one.
        """
        first = np.zeros(len(documents), np.bool_)
        if self.question.at_large:
            first |= one.timely[documents]
        if self.question.alone:
            first |= one.voice[documents]
        asks = one.domain_index.documents.traits.now[documents] & ASKS
        columns = (column.tolist() for column in (first, self._by_others(one, documents), one.cosine[documents], asks))
        shares = {some: self._share(some) for some in set(words)}
        return [
            Certainty.SURE
            if sure
            else Certainty.WEAK
            if others and self.question.naming.isdisjoint(some)
            else self._beside(nearest, cosine, some, self._of(cosine, asking, shares[some]))
            for sure, others, cosine, asking, some in zip(*columns, words, strict=True)
        ]

    def _by_others(self, one: Scored, documents: Ints) -> Mask:
        """Return a mask of the messages by others than the speakers that the question names."""
        if self.question.naming and self.question.voices and one.domain_index.kind == MESSAGES:
            of = one.domain_index.documents
            return ~of.said_by([of.names[name] for name in self.question.voices if name in of.names])[documents]
        return np.zeros(len(documents), np.bool_)

    def _beside(self, nearest: float | None, cosine: float, words: Sequence[str], certainty: Certainty) -> Certainty:
        if nearest is None or len(words) >= len(self.rarities) or (nearest and cosine >= nearest - FARTHER):
            return certainty
        return Certainty.LIKELY if certainty is Certainty.SURE else Certainty.WEAK

    def _share(self, words: Sequence[str]) -> float:
        """Return how much of the question these of its words are."""
        if not self.asked or (self.question.voices and self.question.naming.issuperset(words)):
            # Who is asked about by name is mostly only addressed by it.
            return 0.0
        return min(1.0, sum([self.rarities.get(word, 0.0) for word in words]) / self.asked)

    def _of(self, cosine: float, asks: int, share: float) -> Certainty:
        if asks:
            # What asks tells nothing about the answer, however near it is.
            return Certainty.WEAK
        near = self._near(share, cosine)
        if near >= SURE:
            return Certainty.SURE
        return Certainty.LIKELY if near >= LIKELY else Certainty.WEAK

    def _near(self, share: float, cosine: float) -> float:
        """Return the score of a share of words and a cosine, 0 without a vector."""
        above = max(0.0, cosine - self.usual) if cosine else share
        if self.question.as_one and cosine:
            risen = above / max(LEFT, 1 - self.usual)
            return max(SHARED * share, RISEN * risen) + risen
        return max(share, above) + above if self.question.across else share + above


def judge(question: ParsedQuery, scored: Sequence[Scored]) -> CertaintyJudge:
    """Return the judge of a question, calibrated on the messages among the ranked items."""
    told = [one for one in scored if one.domain_index.kind == MESSAGES] or scored
    passages = sum(len(one.domain_index.owners) for one in told)
    terms = {term for some in question.words.values() for term in some}
    held = [one.domain_index.postings.find_each(terms) for one in told]
    holding = {word: sum(len(here[term][0]) for here in held for term in some) for word, some in question.words.items()}
    meant = sum(np.count_nonzero(one.cosine) for one in told)
    usual = sum(float(one.cosine.sum()) for one in told) / (meant + FEW)
    # Where nobody is called by name, the name of a speaker is in no message, and says nothing about what it lacks.
    unsaid = {word for word in question.naming if question.voices and not holding.get(word)}
    rarities = {word: rarity(min(n, passages), passages) for word, n in holding.items() if word not in unsaid}
    asked = sum(sorted(rarities.values(), reverse=True)[: _asked_by(question.names)])
    rarities |= {word: rarities[word] * MISTYPED for word in question.mistyped}
    return CertaintyJudge(question, rarities, asked, usual)


def _asked_by(names: int) -> int:
    """Return how many words count as all of a question; one that lists names is answered by hits that hold one of them each."""
    return max(LEAST_ASKED, ASKED // names) if names else ASKED


def rarity(holding: int, passages: int) -> float:
    """Return the BM25 inverse document frequency of a word held by `holding` of `passages` passages."""
    return log(1 + (passages - holding + 0.5) / (holding + 0.5))


def likelier_as_told(sought: Sought, hits: Mapping[int, Hit], asker: str) -> Mapping[int, Hit]:
    """Return hits with those likely that were weak, and answer in other words what a question asks for.

    These tell of the asker ('' for whoever speaks) a detail that it asks of oneself, or hold what tells its only word: "married" for "wedding".
    The very hits are returned if none is likelier.
    """
    detail = sought.detail
    related = telling(next(iter(sought.stems))) if len(sought.stems) == 1 else frozenset()
    if not (detail or related):
        return hits
    texts = {key: hit.exchange.text for key, hit in hits.items() if hit.exchange.role == "user"}
    own = [text for key, text in texts.items() if asker in ("", hits[key].exchange.speaker)]
    told = detail.surest(own) if detail else ()
    likelier = [
        key
        for key, text in texts.items()
        if hits[key].certainty is Certainty.WEAK and (text in told or (not is_question(text) and related & all_stems(text)))
    ]
    return {**hits, **{key: hits[key]._replace(certainty=Certainty.LIKELY) for key in likelier}} if likelier else hits
