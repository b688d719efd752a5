"""The scope of a transaction: the less it names, the more runs beside it in stores with several writers."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Self

Key = int | str
"""A domain by its key, or the name of something else that is written."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a transaction writes, and what it only reads and needs unchanged until its commit."""

    writes: frozenset[Key] = frozenset()
    rests_on: frozenset[Key] = frozenset()

    @classmethod
    def of(cls, *writes: Key, rests_on: Iterable[Key] = ()) -> Self:
        """Return bounds for these writes; keys in both are only listed as writes."""
        return cls(frozenset(writes), frozenset(rests_on) - frozenset(writes))

    def conflict_with(self, writes: Collection[Key], rests_on: Collection[Key]) -> bool:
        """Return whether these bounds conflict with others' writes and reads."""
        return not (self.writes.isdisjoint(writes) and self.writes.isdisjoint(rests_on) and self.rests_on.isdisjoint(writes))


def require_within(bounds: Bounds | None, domain: int) -> None:
    """Raise AssertionError if a transaction writes a domain outside its bounds, where another may be writing."""
    if bounds is not None and domain not in bounds.writes:
        raise AssertionError(f"a transaction bound to {sorted(map(str, bounds.writes))} writes domain {domain}")
