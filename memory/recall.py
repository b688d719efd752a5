"""Recall: which messages answer a question, without a model.

Words score by BM25 (Robertson & Zaragoza 2009; k1 1.5, b 0.75) with statistics summed over exactly the domains in view,
so that nothing elsewhere moves a rank. Where an embedder is configured, the cosine of its vectors is added, both scaled to
their best. A message then takes half of its neighbours' score, because answers stand beside what was asked, and a share of
its session's best, because a conversation is about something. Candidates are the union: neither signal drops the other's.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory import lexical
from memory.errors import EmbeddingFailed
from memory.index import MESSAGES, DomainIndex, Floats, Indexes
from memory.ports import Vectors
from memory.vectors import VectorStore

K1 = 1.5
B = 0.75
NEIGHBOUR = 0.5
SESSION = 0.3


@dataclass(frozen=True, slots=True)
class Found:
    """A scored item with its neighbours' keys (None at the ends of a session) and the signals that found it."""

    item: int
    score: float
    why: tuple[str, ...]
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Query:
    """A question: its text, how many hits, and what kind is wanted, of which session."""

    text: str
    k: int
    kind: int = MESSAGES
    session: int | None = None
    exclude: Collection[int] = ()


class Recall:
    """Ranks the items of some domains for a question."""

    def __init__(self, indexes: Indexes, vectors: VectorStore | None) -> None:
        self._indexes = indexes
        self._vectors = vectors

    async def find(self, query: Query, domains: Sequence[int]) -> list[Found]:
        """Return the best k items of these domains, best first; ties in the order they were stored."""
        shards = [index for index in [await self._indexes.of(domain) for domain in domains] if len(index)]
        words = lexical.key_words(query.text)
        lexically = _bm25(shards, words, query.kind)
        meant = await self._meaning(query.text, shards, query.kind)
        ranked = [
            _rank(index, words_score, meaning, query)
            for index, words_score, meaning in zip(shards, _scaled(lexically), _scaled(meant), strict=True)
        ]
        return _best(shards, ranked, words, meant, query.k)

    async def _meaning(self, text: str, shards: Sequence[DomainIndex], kind: int) -> list[Floats]:
        nothing = [np.zeros(len(index), np.float32) for index in shards]
        if self._vectors is None or not shards:
            return nothing
        try:
            asked = await self._vectors.query(text)
        except EmbeddingFailed:
            return nothing
        scores = [await self._cosine(index, asked) for index in shards]
        return [np.where(index.kinds == kind, score, np.float32(0)) for index, score in zip(shards, scores, strict=True)]

    async def _cosine(self, index: DomainIndex, asked: Vectors) -> Floats:
        assert self._vectors is not None
        items, matrix = await self._vectors.of(index.domain, asked.shape[0])
        scores = np.zeros(len(index), np.float32)
        documents = np.searchsorted(index.items, items)
        there = (documents < len(index)) & (index.items[np.minimum(documents, len(index) - 1)] == items)
        np.maximum.at(scores, documents[there], (matrix @ asked)[there])
        return scores


def _bm25(shards: Sequence[DomainIndex], words: dict[str, str], kind: int) -> list[Floats]:
    """Score what is of a kind, with the statistics of that kind: a digest never weakens what it was made from."""
    scores = [np.zeros(len(index), np.float32) for index in shards]
    wanted = [index.kinds == kind for index in shards]
    total = sum(int(kind.sum()) for kind in wanted)
    if not total:
        return scores
    average = max(1.0, sum(float(index.lengths[mask].sum()) for index, mask in zip(shards, wanted, strict=True)) / total)
    for stem in dict.fromkeys(words.values()):
        term = lexical.term(stem)
        postings = [
            [(documents[mask[documents]], counts[mask[documents]]) for documents, counts in index.find(term)]
            for index, mask in zip(shards, wanted, strict=True)
        ]
        holding = sum(len(documents) for found in postings for documents, _ in found)
        weight = np.float32(np.log(1 + (total - holding + 0.5) / (holding + 0.5)))
        for index, score, found in zip(shards, scores, postings, strict=True):
            for documents, counts in found:
                norm = K1 * (1 - B + B * index.lengths[documents] / average)
                score[documents] += weight * counts * (K1 + 1) / (counts + norm)
    return scores


def _scaled(scores: Sequence[Floats]) -> list[Floats]:
    top = max((float(score.max(initial=0)) for score in scores), default=0.0)
    return [score / top if top > 0 else score for score in scores]


def _rank(index: DomainIndex, words: Floats, meaning: Floats, query: Query) -> Floats:
    own = words + meaning
    wanted = index.kinds == query.kind
    if query.session is not None:
        wanted &= index.sessions == query.session
    if query.exclude:
        wanted &= ~np.isin(index.items, np.fromiter(query.exclude, np.int64))
    own[index.kinds != query.kind] = 0
    score = own
    if query.kind == MESSAGES:
        # A missing neighbour is -1: it reads the zero put behind the last score.
        padded = np.append(own, np.float32(0))
        score = own + NEIGHBOUR * (padded[index.before] + padded[index.after]) / 2
        _, session = np.unique(index.sessions, return_inverse=True)
        best = np.zeros(int(session.max(initial=0)) + 1, np.float32)
        np.maximum.at(best, session, score)
        score = np.where(score > 0, score + SESSION * best[session], score)
    return np.where(wanted, score, np.float32(0))


def _best(
    shards: Sequence[DomainIndex], ranked: Sequence[Floats], words: dict[str, str], meant: Sequence[Floats], k: int
) -> list[Found]:
    candidates = [(-float(score[document]), at, int(document)) for at, score in enumerate(ranked) for document in _top(score, k)]
    return [
        Found(
            int(shards[at].items[document]),
            round(-score, 4),
            _why(shards[at], document, words, float(meant[at][document])),
            _item(shards[at], shards[at].before[document]),
            _item(shards[at], shards[at].after[document]),
        )
        for score, at, document in sorted(candidates)[:k]
    ]


def _top(score: Floats, k: int) -> NDArray[np.int64]:
    """Return the numbers of the k best positive scores; among equals, the one stored first."""
    positive = np.flatnonzero(score > 0)
    if len(positive) > k:
        border = np.partition(score[positive], len(positive) - k)[len(positive) - k]
        positive = positive[score[positive] >= border]
    return positive[np.lexsort((positive, -score[positive]))][:k]


def _item(index: DomainIndex, document: int) -> int | None:
    return int(index.items[document]) if document >= 0 else None


def _why(index: DomainIndex, document: int, words: dict[str, str], cosine: float) -> tuple[str, ...]:
    held = [
        word for word, stem in words.items()
        if any(np.isin(document, documents) for documents, _ in index.find(lexical.term(stem)))
    ]  # fmt: skip
    signals = [f"words: {', '.join(held)}"] if held else []
    if cosine > 0:
        signals.append(f"meaning {cosine:.2f}")
    return tuple(signals or ["beside a hit"])
