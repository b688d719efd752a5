"""Selection of the top results: duplicates are merged, and no speaker floods the list.

Of messages with the same words, the best stands for all. Of one run of a speaker, at most half of the list so far is shown, but
always up to three; the rest waits until others stand before it. A shorter list is a prefix of a longer one, so that results can
be paged.
"""

from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from memory.index.indexing import MESSAGES, OWN
from memory.index.recall.breadth import Breadth
from memory.index.recall.columns import Floats, Ints, reached
from memory.index.recall.documents import NONE
from memory.index.recall.ranking import Scored
from memory.ports import Vectors

LEAST_OF_A_RUN = 3
STAYING = 5
LESS = 0.1
THEME = 10
_AMONG = 500
_MORE = 16


class SelectedDocument(NamedTuple):
    """A selected document of one of the ranked domain indexes, with the number of its duplicates."""

    at: int
    document: int
    score: float
    others: int


_Fields = tuple[float, int, int, int, int]


class _Candidate(NamedTuple):
    """A document of one of the domain indexes with its run and fingerprint; as its score is negative, candidates sort best first.

    They are plain tuples of these fields until one is placed: most questions look at a hundred, and need no more of most.
    """

    score: float
    at: int
    document: int
    run: int
    fingerprint: int


def select(scored: Sequence[Scored], k: int, breadth: Breadth = Breadth.ONE) -> list[SelectedDocument]:
    """Return the best k documents with a positive score; ties in the order they were stored, domain index by domain index."""
    picked = _best(_spread(scored) if breadth.spread else scored, k)
    return _with_replies(picked, scored)[:k] if breadth.with_replies else picked


def theme(ranked: Sequence[Scored], asked: Mapping[int, Vectors]) -> dict[int, Vectors]:
    """Return the question's vectors, each moved halfway towards the mean of the first messages found."""
    told = [one for one in ranked if one.domain_index.kind == MESSAGES]
    first = _best(told, THEME)
    moved = {}
    for space, vector in asked.items():
        near = [told[one.at].domain_index.vector(space, one.document) for one in first]
        there = [one for one in near if one is not None and len(one) == len(vector)]
        both = vector + np.mean(there, axis=0) if there else vector
        moved[space] = np.asarray(both / max(float(np.linalg.norm(both)), float(np.finfo(np.float32).tiny)), np.float32)
    return moved


def _spread(scored: Sequence[Scored]) -> list[Scored]:
    """Return scores that, after the first few, fall with the number of higher-ranked messages from the same stretch."""
    before: dict[tuple[int, int], int] = {}
    less = [one.score.copy() for one in scored]
    stretches = [one.domain_index.documents.stretches.now for one in scored]
    for place, (_, at, document, _, _) in enumerate(_candidates(scored, _AMONG)):
        stretch = at, stretches[at].item(document)
        higher = before.get(stretch, 0)
        if higher and place >= STAYING:
            less[at][document] /= 1 + LESS * higher
        before[stretch] = higher + 1
    return [replace(one, score=score) for one, score in zip(scored, less, strict=True)]


def _with_replies(picked: Sequence[SelectedDocument], scored: Sequence[Scored]) -> list[SelectedDocument]:
    """Return messages, each followed by Lyra's reply to it, or by the message it replies to, unless that is filtered out."""
    placed: dict[tuple[int, int], SelectedDocument] = {}
    for one in picked:
        placed.setdefault((one.at, one.document), one)
        of, documents = scored[one.at], scored[one.at].domain_index.documents
        hers = bool(documents.traits.now[one.document] & OWN)
        other = int((documents.before if hers else documents.after).now[one.document])
        if other != NONE and bool(documents.traits.now[other] & OWN) != hers and of.score[other] > 0:
            placed.setdefault((one.at, other), SelectedDocument(one.at, other, one.score, 0))
    return list(placed.values())


def _best(scored: Sequence[Scored], k: int) -> list[SelectedDocument]:
    wanted = 2 * k + _MORE
    while True:
        candidates = _candidates(scored, wanted)
        if _in_order(candidates, k):
            return [SelectedDocument(at, document, -score, 0) for score, at, document, _, _ in candidates[:k]]
        order = _Order(k)
        for one in candidates:
            order.take(_Candidate(*one))
        if len(order.placed) >= k or len(candidates) < wanted:
            return [_counted(one, scored) for one in order.picked()]
        wanted *= 8


def _in_order(candidates: Sequence[_Fields], k: int) -> bool:
    """Return whether the first k are the best k as they are: none is a duplicate, and no run has too many of them."""
    prints = [fingerprint for _, _, _, _, fingerprint in candidates if fingerprint]
    runs = Counter([(at, run) for _, at, _, run, _ in candidates[:k]])
    return len(candidates) >= k and len(set(prints)) == len(prints) and max(runs.values(), default=0) <= LEAST_OF_A_RUN


def _counted(picked: SelectedDocument, scored: Sequence[Scored]) -> SelectedDocument:
    """Return a document with the number of its duplicates among all scored documents."""
    if not picked.others:
        return picked
    own = scored[picked.at].domain_index.documents
    fingerprint = own.fingerprints.now[picked.document]
    same = sum(int(((one.domain_index.documents.fingerprints.now == fingerprint) & (one.score > 0)).sum()) for one in scored)
    return picked._replace(others=same - 1)


@dataclass
class _Order:
    """The list so far, the candidates held back by run (each best first), and all of them by fingerprint."""

    k: int
    placed: list[_Candidate] = field(default_factory=list)
    known: dict[int, _Candidate] = field(default_factory=dict)
    waiting: dict[tuple[int, int], deque[_Candidate]] = field(default_factory=dict)
    said: Counter[tuple[int, int]] = field(default_factory=Counter)
    others: Counter[_Candidate] = field(default_factory=Counter)

    def take(self, candidate: _Candidate) -> None:
        """Place the next best candidate, hold it back, or count it as a duplicate."""
        same = self.known.get(candidate.fingerprint)
        if same:
            self.others[same] += 1
        elif len(self.placed) < self.k:
            if candidate.fingerprint:
                self.known[candidate.fingerprint] = candidate
            run = candidate.at, candidate.run
            if not self.waiting and self._fits(run):
                self._place(candidate)
                return
            self.waiting.setdefault(run, deque()).append(candidate)
            # Whether one fits is the same for its whole run: only the best of each is looked at.
            while fitting := min((held[0] for run, held in self.waiting.items() if self._fits(run)), default=None):
                self._place(self._released((fitting.at, fitting.run)))

    def picked(self) -> list[SelectedDocument]:
        """Return the first k; held-back candidates fill up the end."""
        return [
            SelectedDocument(one.at, one.document, -one.score, self.others[one])
            for one in [*self.placed, *sorted(chain.from_iterable(self.waiting.values()))][: self.k]
        ]

    def _fits(self, run: tuple[int, int]) -> bool:
        return self.said[run] < max(LEAST_OF_A_RUN, (len(self.placed) + 1) // 2)

    def _released(self, run: tuple[int, int]) -> _Candidate:
        held = self.waiting[run]
        best = held.popleft()
        if not held:
            del self.waiting[run]
        return best

    def _place(self, candidate: _Candidate) -> None:
        self.placed.append(candidate)
        self.said[candidate.at, candidate.run] += 1


def _candidates(scored: Sequence[Scored], n: int) -> list[_Fields]:
    """Return the fields of the n best candidates, best first."""
    found: list[_Fields] = []
    for at, one in enumerate(scored):
        best, documents = _top(one.score, n), one.domain_index.documents
        columns = (-one.score[best], best, documents.runs.now[best], documents.fingerprints.now[best])
        score, document, run, fingerprint = (column.tolist() for column in columns)
        found += zip(score, repeat(at), document, run, fingerprint)
    found.sort()
    return found[:n]


def _top(score: Floats, n: int) -> Ints:
    """Return the indices of the n best positive scores; among equals, those stored first."""
    least = reached(score, n)
    best = np.flatnonzero(score >= least) if least > 0 else np.flatnonzero(score > 0)
    return best[np.lexsort((best, -score[best]))][:n]
