"""The report of a pass: what was sensed, done and left, and why, in numbers and fixed phrases. It contains nobody's words."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from memory.dream.regression_check import CheckResult
from memory.journal.usage import Spent
from memory.tiers.drives import Drives, Signal


@dataclass(frozen=True, slots=True)
class Step:
    """One drive's step: its level, its threshold, how many pieces were made, and why no more, '' for no reason."""

    drive: str
    level: float
    threshold: float
    acted: bool
    made: int = 0
    why: str = ""


@dataclass
class Report:
    """The report of a pass.

    `failed` says what interrupted it, '' if nothing did; `rested` that nothing was left to do; `heard` is the last message
    there was when it began.
    """

    before: Drives = Drives()
    after: Drives = Drives()
    sensed: dict[str, Signal] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)
    regression_check: CheckResult = CheckResult()
    mood: tuple[float, float] = (0.0, 0.0)
    energy: tuple[float, float] = (0.0, 0.0)
    reflection: str = ""
    spent: Spent = Spent()
    failed: str = ""
    rested: bool = False
    heard: int = 0

    def as_json(self) -> Mapping[str, Any]:
        """Return the part that is stored, as JSON-compatible values."""
        return {
            "before": _rounded(self.before),
            "sensed": {name: {"signal": round(one.value, 3), **one.counts} for name, one in self.sensed.items()},
            "steps": [{**asdict(step), "level": round(step.level, 3)} for step in self.steps],
            "exam": asdict(self.regression_check),
            "after": _rounded(self.after),
            "mood": [round(one, 3) for one in self.mood],
            "energy": [round(one, 3) for one in self.energy],
            "reflection": self.reflection,
            "calls": self.spent.calls,
            "tokens": self.spent.tokens,
            "failed": self.failed,
        }


def _rounded(drives: Drives) -> dict[str, float]:
    return {name: round(level, 3) for name, level in asdict(drives).items()}
