"""Sums over a message's neighbours and its stretch.

Messages are mostly stored in the order they were said, one conversation after the other. Then the neighbours' scores are the
score array shifted by one and a stretch is a slice, which takes a fifth of the time of index lookups. Both paths give the same
result.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memory.index.recall.columns import Floats, Ints


class MessageOrder(NamedTuple):
    """The first and last messages of sessions, and the first messages and lengths of stretches."""

    firsts: Ints
    lasts: Ints
    starts: Ints
    lengths: Ints


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """How messages adjoin each other.

    `before` and `after` are the numbers of the neighbours, -1 for none; `stretches` is the number of the first message of each
    one's stretch; `order` is None if the messages are not all stored in order.
    """

    before: Ints
    after: Ints
    stretches: Ints
    order: MessageOrder | None

    @classmethod
    def of(cls, before: Ints, after: Ints, stretches: Ints) -> "Neighbourhood":
        """Return the neighbourhood of messages, with its order if they are stored in order."""
        here = np.arange(len(before))
        behind = bool(((before == here - 1) | (before < 0)).all() and (stretches[1:] >= stretches[:-1]).all())
        if not (behind and len(before)):
            return cls(before, after, stretches, None)
        starts = np.flatnonzero(np.append(True, stretches[1:] != stretches[:-1]))
        lengths = np.diff(np.append(starts, len(before)))
        return cls(before, after, stretches, MessageOrder(np.flatnonzero(before < 0), np.flatnonzero(after < 0), starts, lengths))

    def beside(self, scores: Floats) -> Floats:
        """Return for each message the sum of its neighbours' scores."""
        if self.order is None:
            # A missing neighbour is -1 and so reads the zero appended to the scores.
            padded = np.append(scores, np.float32(0))
            sums: Floats = padded.take(self.before, mode="wrap") + padded.take(self.after, mode="wrap")
            return sums
        both = np.empty_like(scores)
        both[1:] = scores[:-1]
        both[self.order.firsts] = 0
        before = both[self.order.lasts]
        both[:-1] += scores[1:]
        both[self.order.lasts] = before
        return both

    def best_around(self, scores: Floats) -> Floats:
        """Return for each message the best score in its stretch, at least 0."""
        if self.order is None:
            best = np.zeros(len(scores), np.float32)
            np.maximum.at(best, self.stretches, scores)
            return best[self.stretches]
        best = np.maximum(np.maximum.reduceat(scores, self.order.starts), np.float32(0))
        return np.repeat(best, self.order.lengths)
