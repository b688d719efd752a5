"""Runtime metrics: counts, amounts and durations. Names and labels come from fixed lists, never from people's words."""

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from memory.journal.usage import UsageTotals

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""The upper bounds of the duration buckets, in seconds; longer ones go into the unbounded bucket."""


@dataclass(slots=True)
class Durations:
    """A histogram of durations, and their sum."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        """Add one duration."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds


class RuntimeMetrics:
    """The metrics of this process."""

    def __init__(self) -> None:
        self.turns: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()
        self.stages: dict[str, Durations] = {}
        self._taken: dict[tuple[str, str], UsageTotals] = {}

    def count_call(self, purpose: str, backend: str, tokens_in: int, tokens_out: int = 0) -> None:
        """Count a call of a backend for a purpose, with its tokens."""
        self.calls[purpose] += 1
        self.tokens[purpose] += tokens_in + tokens_out
        so_far = self._taken.get((purpose, backend), UsageTotals())
        self._taken[purpose, backend] = so_far + UsageTotals(1, tokens_in, tokens_out)

    def take_usage(self) -> dict[tuple[str, str], UsageTotals]:
        """Return the usage per purpose and backend since the last call of this."""
        taken, self._taken = self._taken, {}
        return taken

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage of a turn, however it ends."""
        begun = time.monotonic()
        try:
            yield
        finally:
            self.stages.setdefault(name, Durations()).add(time.monotonic() - begun)


measures = RuntimeMetrics()
