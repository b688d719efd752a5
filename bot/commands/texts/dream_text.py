"""Rendering of a dream's report: what was found, done and left, and why, in numbers. It contains nobody's words."""

from collections.abc import Callable, Iterator, Mapping

from bot.commands.texts.ladder_text import drive_name
from localization.numerals import number, signed
from localization.sentences import Sentence, _, lazy_plural, ngettext
from memory.dream.report import Report, Step
from memory.tiers.drives import Signal

_COUNTED: Mapping[str, Callable[[int], Sentence]] = {
    "messages": lambda n: lazy_plural("{n} message", "{n} messages", n),
    "gists": lambda n: lazy_plural("{n} gist", "{n} gists", n),
    "months": lambda n: lazy_plural("{n} month", "{n} months", n),
    "stale": lambda n: lazy_plural("{n} tier", "{n} tiers", n),
    "contradictions": lambda n: lazy_plural("{n} contradiction", "{n} contradictions", n),
    "orphans": lambda n: lazy_plural("{n} orphan", "{n} orphans", n),
    "names": lambda n: lazy_plural("{n} new name", "{n} new names", n),
    "topics": lambda n: lazy_plural("{n} new word", "{n} new words", n),
    "questions": lambda n: lazy_plural("{n} open question", "{n} open questions", n),
    "standing": lambda n: lazy_plural("{n} standing line", "{n} standing lines", n),
    "ended": lambda n: lazy_plural("{n} replaced line", "{n} replaced lines", n),
    "hours": lambda n: lazy_plural("{n} hour", "{n} hours", n),
}


def render(report: Report) -> str:
    """Return a pass, one line per drive."""
    return "\n".join(_lines(report))


def render_preview(report: Report) -> str:
    """Return what a pass would do now."""
    return "\n".join(_step(step, report.sensed, would=True) for step in report.steps)


def _lines(report: Report) -> Iterator[str]:
    for step in report.steps:
        yield _step(step, report.sensed)
    counts = _counts(report.sensed["stability"])
    yield f"{drive_name('stability')} {number(report.after.stability, digits=2)} ({counts})"
    if report.regression_check.asked:
        yield _(
            "exam: of {questions} {before} found before, {after} after",
            questions=ngettext("{n} question", "{n} questions", report.regression_check.asked),
            before=report.regression_check.before,
            after=report.regression_check.after,
        )
    if report.reflection:
        yield _("reflection: {reflection}", reflection=_(report.reflection))
    yield (
        _(
            "mood {mood} to {mood2}, energy {energy} to {energy2}; {calls}, {tokens} tokens",
            mood=signed(report.mood[0], digits=2),
            mood2=signed(report.mood[1], digits=2),
            energy=number(report.energy[0], digits=2),
            energy2=number(report.energy[1], digits=2),
            calls=ngettext("{n} call", "{n} calls", report.spent.calls),
            tokens=number(report.spent.tokens),
        )
    )
    if report.failed:
        yield _(report.failed)


def _step(step: Step, sensed: Mapping[str, Signal], *, would: bool = False) -> str:
    level = _(
        "{drive} {level} of {threshold} ({counts})",
        drive=drive_name(step.drive),
        level=number(step.level, digits=2),
        threshold=number(step.threshold, digits=2),
        counts=_counts(sensed[step.drive]),
    )
    why = _(step.why) if step.why else ""
    if would:
        return f"{level}: {_('would act') if step.acted else why}"
    done = _("{n} made", n=step.made) if step.made else ""
    return f"{level}: {', '.join(filter(None, (done, why))) or _('done')}"


def _counts(signal: Signal) -> str:
    counts = [str(_COUNTED[what](n)) for what, n in signal.counts.items() if n]
    return ", ".join(counts) or _("nothing")
