"""The drives: what makes her want to do something, each in [0, 1], from what is counted and from nothing else.

A drive builds while its signal s stands and decays towards its baseline b when it does not:

    dL/dt = k (1 - L) - (L - b) / tau,   k = -ln(1 - s) / BUILD,   tau = HALF_LIFE / ln 2

so that in BUILD a signal s lifts a drive by the share s of what it lacks, and that two passes soon after each other raise it
no more than one. It is solved exactly for a signal that stands since the last pass. A signal of 1 lifts it to 1 at once.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

from memory.types import MINUTE

HOUR = 60 * MINUTE
BUILD = 4 * HOUR
HALF_LIFE = 24 * HOUR
CONTINUITY, COHERENCE, CURIOSITY, STABILITY = NAMES = ("continuity", "coherence", "curiosity", "stability")
BASELINE = 0.1


@dataclass(frozen=True, slots=True)
class Drives:
    """The level of each. Stability is no urge but a readout: how caught up she is."""

    continuity: float = BASELINE
    coherence: float = BASELINE
    curiosity: float = BASELINE
    stability: float = 0.5

    def __getitem__(self, name: str) -> float:
        return float(getattr(self, name))

    def but(self, **levels: float) -> "Drives":
        """Return them with other levels of some."""
        return Drives(**{**asdict(self), **levels})


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From which level on each drive acts; below that of stability nothing she thinks is said aloud."""

    continuity: float = 0.5
    coherence: float = 0.5
    curiosity: float = 0.6
    stability: float = 0.5

    def __getitem__(self, name: str) -> float:
        return float(getattr(self, name))


@dataclass(frozen=True, slots=True)
class Signal:
    """How strongly something calls, in [0, 1], and the counts that it comes from."""

    value: float
    counts: Mapping[str, int] = field(default_factory=dict)


def together(shares: Iterable[float]) -> float:
    """Return how strongly several things call together: each takes its share of what the others leave."""
    whole = 0.0
    for share in shares:
        whole += (1 - whole) * min(1.0, max(0.0, share))
    return whole


def saturating(amount: float, half: float) -> float:
    """Return an amount on the scale of [0, 1): 0.5 at `half`, 0.75 at twice that."""
    return float(1 - 2 ** (-amount / half))


def built(level: float, signal: float, elapsed: int, baseline: float = BASELINE) -> float:
    """Return the level of a drive after so many microseconds with a signal."""
    if signal >= 1:
        return 1.0
    build, decay = -math.log1p(-signal) / BUILD, math.log(2) / HALF_LIFE
    towards = (build + baseline * decay) / (build + decay)
    return towards + (level - towards) * math.exp(-(build + decay) * max(0, elapsed))


def calmed(level: float, before: float, left: float, baseline: float = BASELINE) -> float:
    """Return the level of a drive that was acted on: it falls as its signal did, down to its baseline."""
    share = left / before if before else 0.0
    return min(level, max(baseline, level * share))
