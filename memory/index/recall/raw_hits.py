"""What a question finds: the keys of items with their scores, before anything of them is read."""

from typing import NamedTuple

from memory.index.hits import Certainty


class RawHit(NamedTuple):
    """A scored item, the keys of its neighbours (None at the ends of a session), and the signals that found it.

    `certainty` tells how certain it is that the item is about the question.
    """

    item: int
    kind: int
    score: float
    why: tuple[str, ...]
    before: int | None
    after: int | None
    said_at: int
    certainty: Certainty = Certainty.SURE
