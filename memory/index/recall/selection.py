"""Selection of the top results: of messages with the same words, the best stands for all.

A shorter list is a prefix of a longer one, so that results can be paged.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import NamedTuple

import numpy as np

from memory.index.indexing import MESSAGES, OWN
from memory.index.recall.breadth import Breadth
from memory.index.recall.columns import Floats, Ints, reached
from memory.index.recall.documents import NONE
from memory.index.recall.ranking import Scored
from memory.ports import Vectors

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


_Candidate = tuple[float, int, int, int]
"""The negative score of a document, the domain index it is in, its number there and its fingerprint: they sort best first."""


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
    for place, (_, at, document, _) in enumerate(_candidates(scored, _AMONG)):
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
        # What has no words has no fingerprint, and stands for itself.
        alike = [fingerprint or (at, document) for _, at, document, fingerprint in candidates]
        counted = Counter(alike)
        if len(counted) >= k or len(candidates) < wanted:
            break
        wanted *= 8
    first = dict(zip(reversed(alike), reversed(candidates), strict=True))
    return [_selected(first[key], scored, several=counted[key] > 1) for key in [*counted][:k]]


def _selected(candidate: _Candidate, scored: Sequence[Scored], *, several: bool) -> SelectedDocument:
    """Return a candidate with the number of its duplicates among all scored documents, if there are `several`."""
    score, at, document, fingerprint = candidate
    same = [(one.domain_index.documents.fingerprints.now == fingerprint) & (one.score > 0) for one in scored if several]
    return SelectedDocument(at, document, -score, max(0, sum(int(some.sum()) for some in same) - 1))


def _candidates(scored: Sequence[Scored], n: int) -> list[_Candidate]:
    """Return the n best candidates, best first."""
    found: list[_Candidate] = []
    for at, one in enumerate(scored):
        best, documents = _top(one.score, n), one.domain_index.documents
        score, document, fingerprint = ((-one.score[best]).tolist(), best.tolist(), documents.fingerprints.now[best].tolist())
        found += zip(score, repeat(at), document, fingerprint)
    found.sort()
    return found[:n]


def _top(score: Floats, n: int) -> Ints:
    """Return the indices of the n best positive scores; among equals, those stored first."""
    least = reached(score, n)
    best = np.flatnonzero(score >= least) if least > 0 else np.flatnonzero(score > 0)
    return best[np.lexsort((best, -score[best]))][:n]
