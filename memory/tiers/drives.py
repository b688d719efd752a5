"""The drives, Lyra's motivation: each a level in [0, 1], computed from counts and nothing else.

A drive builds while its signal s is present and decays towards its baseline b otherwise:

    dL/dt = k (1 - L) - (L - b) / tau,   k = -ln(1 - s) / BUILD,   tau = HALF_LIFE / ln 2

so that within BUILD a signal s raises a drive by the share s of the gap to 1, and two passes in quick succession raise it
no more than one. It is solved exactly for a signal constant since the last pass. A signal of 1 raises it to 1 at once.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memory.types import MINUTE

HOUR = 60 * MINUTE
BUILD = 4 * HOUR
HALF_LIFE = 24 * HOUR
CONTINUITY, COHERENCE, CURIOSITY, STABILITY = NAMES = ("continuity", "coherence", "curiosity", "stability")
BASELINE = 0.1


@dataclass(frozen=True, slots=True)
class Drives:
    """The level of each drive. Stability is not an urge but a readout of how caught up she is."""

    continuity: float = BASELINE
    coherence: float = BASELINE
    curiosity: float = BASELINE
    stability: float = 0.5

    def __getitem__(self, name: str) -> float:
        return float(getattr(self, name))


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The level from which each drive acts; below the threshold of stability, no thought is posted."""

    continuity: float = 0.5
    coherence: float = 0.5
    curiosity: float = 0.6
    stability: float = 0.5

    def __getitem__(self, name: str) -> float:
        return float(getattr(self, name))


@dataclass(frozen=True, slots=True)
class Signal:
    """The strength of a signal, in [0, 1], and the counts it was computed from."""

    value: float
    counts: Mapping[str, int] = field(default_factory=dict)


def combine(shares: Iterable[float]) -> float:
    """Combine signals: each takes its share of what the others leave."""
    total = 0.0
    for share in shares:
        total += (1 - total) * min(1.0, max(0.0, share))
    return total


def saturate(amount: float, half: float) -> float:
    """Map an amount to [0, 1): 0.5 at `half`, 0.75 at twice that."""
    return float(1 - 2 ** (-amount / half))


def build_level(level: float, signal: float, elapsed: int) -> float:
    """Return the level of a drive after `elapsed` microseconds with a signal."""
    if signal >= 1:
        return 1.0
    build, decay = -math.log1p(-signal) / BUILD, math.log(2) / HALF_LIFE
    towards = (build + BASELINE * decay) / (build + decay)
    return towards + (level - towards) * math.exp(-(build + decay) * max(0, elapsed))


def calm_level(level: float, before: float, left: float) -> float:
    """Return the level of a drive after it acted: it falls in proportion to its signal, down to its baseline."""
    share = left / before if before else 0.0
    return min(level, max(BASELINE, level * share))
