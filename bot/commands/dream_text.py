"""How a dream is told: what was found, done and left, and why, in numbers. It holds nobody's words."""

from collections.abc import Iterator, Mapping

from memory.dream.report import Report, Step
from memory.text.quantities import counted
from memory.tiers.drives import Signal
from memory.types import Domain

_COUNTED = {
    "messages": "message", "gists": "gist", "months": "month", "stale": "tier", "contradictions": "contradiction",
    "orphans": "orphan", "names": "new name", "topics": "new word", "questions": "open question", "standing": "standing line",
    "ended": "replaced line", "hours": "hour",
}  # fmt: skip


def name(domain: Domain) -> str:
    """Return what kind of place a domain is, without saying which."""
    return f"{domain.ref.kind.value} on {domain.ref.platform}"


def told(report: Report) -> str:
    """Return a pass, a line a drive."""
    return "\n".join(_lines(report))


def found(report: Report) -> str:
    """Return what a pass would do now."""
    return "\n".join(_step(step, report.sensed, would=True) for step in report.steps)


def _lines(report: Report) -> Iterator[str]:
    for step in report.steps:
        yield _step(step, report.sensed)
    yield f"stability {report.after.stability:.2f} ({_counts(report.sensed['stability'])})"
    if report.regression_check.asked:
        yield f"exam: of {counted(report.regression_check.asked, 'question')} {report.regression_check.before} found before, {report.regression_check.after} after"
    if report.reflection:
        yield f"reflection: {report.reflection}"
    yield (
        f"mood {report.mood[0]:+.2f} to {report.mood[1]:+.2f}, energy {report.energy[0]:.2f} to {report.energy[1]:.2f}; "
        f"{counted(report.spent.calls, 'call')}, {report.spent.tokens:,} tokens"
    )
    if report.failed:
        yield report.failed


def _step(step: Step, sensed: Mapping[str, Signal], *, would: bool = False) -> str:
    level = f"{step.drive} {step.level:.2f} of {step.threshold:.2f} ({_counts(sensed[step.drive])})"
    if would:
        return f"{level}: {'would act' if step.acted else step.why}"
    done = f"{step.made} made" if step.made else ""
    return f"{level}: {', '.join(filter(None, (done, step.why))) or 'done'}"


def _counts(signal: Signal) -> str:
    said = [counted(n, _COUNTED[what]) for what, n in signal.counts.items() if n]
    return ", ".join(said) or "nothing"
