"""Messages of a time, or around a message, in chronological order, whatever they are about."""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from memory.index.hits import RawHit
from memory.index.indexing import MESSAGES, OWN
from memory.index.recall.columns import Ints
from memory.index.recall.documents import NONE, Documents
from memory.index.recall.domain_indexes import Loaded
from memory.index.when.values import Window

WHY = ("the time that is asked for",)
BESIDE = ("beside what was opened",)


def during(loaded: Sequence[Loaded], window: Window, k: int, speaker: str = "", *, ahead: bool = False) -> list[RawHit]:
    """Return k messages of people, or of one speaker, that were said in a window or tell of it, in the order of the events.

    A time after the message that tells of it counts only if the window lies `ahead`. Of more than k, the ones nearest to the
    window's heart are taken, or, without a heart, an even sample. If there are none, the window's `instead` is tried.
    """
    every = [one.domain_indexes[MESSAGES].documents for one in loaded]
    there, was_at = [], []
    for documents in every:
        then, when = documents.then(window, ahead=ahead)
        then &= (documents.traits.now & OWN) == 0
        if speaker:
            then &= documents.said_by(documents.numbers(speaker))
        there.append(np.flatnonzero(then))
        was_at.append(when[there[-1]])
    whose = np.repeat(np.arange(len(there)), [len(some) for some in there])
    documents_then = np.concatenate(there) if there else np.empty(0, np.int64)
    was = np.concatenate(was_at or [documents_then])
    order = np.lexsort((documents_then, whose, was))
    if len(order) > k and window.heart is not None:
        nearest = np.argsort(np.abs(was[order] - window.heart), kind="stable")[:k]
        order = order[np.sort(nearest)]
    elif len(order) > k:
        order = order[np.linspace(0, len(order) - 1, k).round().astype(np.int64)]
    found = []
    for at in order.tolist():
        documents, one = every[whose[at]], documents_then[at : at + 1]
        (before,), (after,) = (documents.items_beside(column, one) for column in (documents.before, documents.after))
        found.append(_hit(documents, int(one[0]), WHY, before, after))
    return found or (during(loaded, window.instead, k, speaker, ahead=ahead) if window.instead else [])


def around(loaded: Sequence[Loaded], item: int, n: int) -> list[RawHit]:
    """Return a message with the n before and the n after it in its conversation, each with the one before it; nothing if it is not
    indexed here.
    """
    for index in (one.domain_indexes[MESSAGES] for one in loaded):
        documents = index.documents
        at = documents.number(item)
        if at == NONE:
            continue
        before = list(islice(_along(documents.before.now, at), n))
        there = [*reversed(before), at, *islice(_along(documents.after.now, at), n)]
        first = int(documents.before.now[there[0]])
        return [
            _hit(documents, one, BESIDE, None if before == NONE else int(documents.items.now[before]))
            for before, one in zip((first, *there), there, strict=False)
        ]
    return []


def _along(beside: Ints, document: int) -> Iterator[int]:
    while (document := int(beside[document])) != NONE:
        yield document


def _hit(documents: Documents, at: int, why: tuple[str, ...], before: int | None = None, after: int | None = None) -> RawHit:
    return RawHit(int(documents.items.now[at]), MESSAGES, 0.0, why, before, after, int(documents.times.now[at]))
