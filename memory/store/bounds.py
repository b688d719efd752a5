"""What a transaction is bound to: the fewer it names, the more go on beside it where a store lets several write at once."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Self

Key = int | str
"""A domain by its key, or whatever else is written under one name."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a transaction writes, and what it only rests on: that stays as it is until it is committed."""

    writes: frozenset[Key] = frozenset()
    rests_on: frozenset[Key] = frozenset()

    @classmethod
    def of(cls, *writes: Key, rests_on: Iterable[Key] = ()) -> Self:
        """Return the bounds of what writes these; whatever it writes is not named again among what it rests on."""
        return cls(frozenset(writes), frozenset(rests_on) - frozenset(writes))

    def meets(self, writes: Collection[Key], rests_on: Collection[Key]) -> bool:
        """Say whether it must wait for others who write and rest on these."""
        return not (self.writes.isdisjoint(writes) and self.writes.isdisjoint(rests_on) and self.rests_on.isdisjoint(writes))


def require_within(bounds: Bounds | None, domain: int) -> None:
    """Raise AssertionError where a transaction writes a domain that it is not bound to: another one may be writing there."""
    if bounds is not None and domain not in bounds.writes:
        raise AssertionError(f"a transaction bound to {sorted(map(str, bounds.writes))} writes domain {domain}")
