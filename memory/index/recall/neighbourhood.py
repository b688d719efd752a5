"""What stands beside a message, and in the stretch around it, read from scores in the order of messages.

Messages are stored mostly in the order in which they were said, one conversation behind the other. Then their neighbours' scores
are all scores moved by one, and a stretch is a slice, which takes a fifth of the time of looking each up. Both give the same.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memory.index.recall.columns import Floats, Ints


class Order(NamedTuple):
    """The first and the last messages of sessions, and the first ones of stretches with how many each has."""

    firsts: Ints
    lasts: Ints
    starts: Ints
    lengths: Ints


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """How messages stand beside each other.

    `before` and `after` are the numbers of neighbours, -1 for none, `stretches` that of the first message of each one's stretch;
    `order` is None where they do not all stand in order.
    """

    before: Ints
    after: Ints
    stretches: Ints
    order: Order | None

    @classmethod
    def of(cls, before: Ints, after: Ints, stretches: Ints) -> "Neighbourhood":
        """Look at how messages stand."""
        here = np.arange(len(before))
        behind = bool(((before == here - 1) | (before < 0)).all() and (stretches[1:] >= stretches[:-1]).all())
        if not (behind and len(before)):
            return cls(before, after, stretches, None)
        starts = np.flatnonzero(np.append(True, stretches[1:] != stretches[:-1]))
        lengths = np.diff(np.append(starts, len(before)))
        return cls(before, after, stretches, Order(np.flatnonzero(before < 0), np.flatnonzero(after < 0), starts, lengths))

    def beside(self, scores: Floats) -> Floats:
        """Return the sum of both neighbours' scores of each message."""
        if self.order is None:
            # A missing neighbour is -1: it reads the zero put behind the last score.
            padded = np.append(scores, np.float32(0))
            sums: Floats = padded.take(self.before, mode="wrap") + padded.take(self.after, mode="wrap")
            return sums
        both, after = np.zeros_like(scores), np.zeros_like(scores)
        both[1:], after[:-1] = scores[:-1], scores[1:]
        both[self.order.firsts] = after[self.order.lasts] = 0
        both += after
        return both

    def best_around(self, scores: Floats) -> Floats:
        """Return the best score in the stretch of each message, 0 where none is above."""
        if self.order is None:
            best = np.zeros(len(scores), np.float32)
            np.maximum.at(best, self.stretches, scores)
            return best[self.stretches]
        best = np.maximum(np.maximum.reduceat(scores, self.order.starts), np.float32(0))
        return np.repeat(best, self.order.lengths)
