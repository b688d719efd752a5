"""What was said at a time, in the order in which it was said, whatever it is about."""

from collections.abc import Sequence

import numpy as np

from memory.index.indexing import MESSAGES, OWN
from memory.index.recall.domain_indexes import Loaded
from memory.index.recall.finder import Found
from memory.index.when.values import Window

WHY = ("the time that is asked for",)


def during(loaded: Sequence[Loaded], window: Window, k: int, speaker: str = "") -> list[Found]:
    """Return k of what people, or the one of a name, said at a time, in its order; of more, some from all over it."""
    indexes = [one.domain_indexes[MESSAGES] for one in loaded]
    there = []
    for documents in (index.documents for index in indexes):
        times = documents.times.now
        then = (times >= window.start) & (times < window.end) & ((documents.traits.now & OWN) == 0)
        if speaker:
            named = [n for name, n in documents.names.items() if name.casefold() == speaker.casefold()]
            then &= np.isin(documents.speakers.now, named)
        there.append(np.flatnonzero(then))
    whose = np.repeat(np.arange(len(there)), [len(some) for some in there])
    documents_then = np.concatenate(there) if there else np.empty(0, np.int64)
    said_at = np.concatenate(
        [index.documents.times.now[some] for index, some in zip(indexes, there, strict=True)] or [documents_then]
    )
    order = np.lexsort((documents_then, whose, said_at))
    if len(order) > k:
        order = order[np.linspace(0, len(order) - 1, k).round().astype(np.int64)]
    found = []
    for at in order.tolist():
        index, document = indexes[whose[at]], int(documents_then[at])
        before, after = (index.item(int(column.now[document])) for column in (index.documents.before, index.documents.after))
        item = int(index.documents.items.now[document])
        found.append(Found(item, MESSAGES, 0.0, WHY, before, after, int(said_at[at])))
    return found
