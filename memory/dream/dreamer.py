"""A pass of the dream over one domain: sense, raise the drives, act on those past their threshold, measure stability.

The drives act in causal order within the pass: continuity closes finished episodes and writes their gists; new gists raise
coherence, which updates profile, eras, narrative and self-narrative; curiosity reflects on what is new. Results must pass a
regression check before anybody sees them. No transaction spans a model call; each piece is claimed, checked and published by
itself, so that an interrupted pass is resumed where it stopped.

Mood and energy move in bounded steps, for countable reasons, and back to their baseline when nothing happens. Energy rises with
the amount of talk and falls with the backlog; mood rises if she is caught up and falls if not, changes with the feeling given
in a reflection, and falls with each disliked answer.
"""

from dataclasses import dataclass, field, replace

from localization.sentences import marked
from memory.derive import progress, refusals
from memory.derive.consolidate import Consolidator
from memory.derive.context import Context
from memory.derive.ladder import Ladder
from memory.dream.novelty import Novelty
from memory.dream.reflecting import Reflected, Reflecting
from memory.dream.regression_check import RegressionCheck
from memory.dream.report import Report, Step
from memory.dream.sensing import Sensor
from memory.errors import BudgetSpent, WriterFailed
from memory.forget import erase
from memory.index.recall.domain_indexes import DomainIndexes
from memory.places.places import Places
from memory.ports import ChatModel, Progress
from memory.tiers import episodes, feedback, profile, selfstate, summaries
from memory.tiers.drives import (
    BASELINE,
    COHERENCE,
    CONTINUITY,
    CURIOSITY,
    HOUR,
    Drives,
    Signal,
    Thresholds,
    build_level,
    calm_level,
    combine,
    saturate,
)
from memory.tiers.messages import said
from memory.tiers.selfstate import StateOfMind
from memory.types import DAY

HALF_LIFE = 48 * HOUR
MOST_STEP = 0.2
_BASE = StateOfMind()
_LIVELY = 40
_TALK, _PILE, _CAUGHT_UP, _FEELING, _DISLIKED = 0.2, 0.1, 0.1, 0.15, 0.05


def evolve(mind: StateOfMind, elapsed: int, said: int, stability: float, feeling: float = 0.0, disliked: int = 0) -> StateOfMind:
    """Return the state of mind after `elapsed` microseconds and `said` messages of people, with a feeling from -1 to 1.

    `disliked` is the number of disliked answers. If nothing was said, only time has an effect.
    """
    rest = 2.0 ** (-max(0, elapsed) / HALF_LIFE)
    mood, energy = (now * rest + base * (1 - rest) for base, now in ((_BASE.mood, mind.mood), (_BASE.energy, mind.energy)))
    if said:
        mood += _bounded(_CAUGHT_UP * (2 * stability - 1) + _FEELING * max(-1.0, min(1.0, feeling)) - _DISLIKED * disliked)
        energy += _bounded(_TALK * saturate(said, _LIVELY) - _PILE * (1 - stability))
    return replace(mind, mood=max(-1.0, min(1.0, mood)), energy=max(0.0, min(1.0, energy)))


def _bounded(step: float) -> float:
    return max(-MOST_STEP, min(MOST_STEP, step))


_ASKED_AGAIN = 7 * DAY
_AGAIN_AT_ONCE = 20
"""How many refused answers a pass discounts; two or three of them are about one piece."""
NO_MODEL = marked("that takes a model")


class Dreamer:
    """The dreamer of one domain. The context's writer writes digests, the chat model reflections, if there is one."""

    def __init__(
        self, context: Context, chat_model: ChatModel | None, domain_indexes: DomainIndexes, thresholds: Thresholds
    ) -> None:
        self._regression_check = RegressionCheck(context.db, context.domain, domain_indexes)
        self._context = replace(context, regression_check=self._regression_check.passed)
        self._chat_model = chat_model
        self._sensor = Sensor(self._context, domain_indexes)
        self._thresholds = thresholds

    async def feel(self, *, forced: bool = False) -> Report:
        """Return what a pass would find and act on now, without doing any of it."""
        findings = await self._findings()
        steps = [self._step(name, findings.drives[name], forced) for name in _ORDER]
        return Report(before=findings.drives, after=findings.drives, sensed=findings.signals, steps=steps)

    async def dream(self, *, forced: bool = False, tell: Progress = lambda *_: None) -> Report:
        """Dream one pass, persist the new state, and return the report; if `forced`, all drives act.

        `tell` reports progress through the sessions as (done, total). If the model is unreachable, the report says so.
        """
        await self._ask_again()
        findings = await self._findings()
        findings.tell = tell
        report = Report(before=findings.drives, sensed=dict(findings.signals), heard=findings.heard)
        acts = {CONTINUITY: self._continue, COHERENCE: self._cohere, CURIOSITY: self._wonder}
        for name in _ORDER:
            step = self._step(name, findings.drives[name], forced)
            if step.acted and not report.failed:
                before = self._regression_check.passed_so_far
                try:
                    step = await acts[name](findings, step, forced)
                except BudgetSpent as spent:
                    step = replace(step, why=str(spent), made=self._regression_check.passed_so_far - before)
                except WriterFailed as failure:
                    report.failed = str(failure)
                    step = replace(step, why=report.failed, made=self._regression_check.passed_so_far - before)
            elif step.acted:
                step = replace(step, acted=False, why=report.failed)
            report.steps.append(step)
        return await self._end(findings, report)

    async def _ask_again(self) -> None:
        """Let some of what the writer would not write be asked of it again; whether it was mended where it is served, nobody tells."""
        context = self._context
        if context.rewriter is None:
            return
        before = context.clock.now() - _ASKED_AGAIN
        if keys := await refusals.stale(context.db, context.domain, context.rewriter, before, _AGAIN_AT_ONCE):
            async with context.db.transaction(bounds=context.bounds) as tx:
                await refusals.discount(tx, keys)

    async def _findings(self) -> "_Findings":
        now, domain = self._context.clock.now(), self._context.domain
        state = await selfstate.state(self._context.db, domain)
        mind = state.mind
        news = await said.after(self._context.db, domain, mind.heard)
        elapsed = now - (state.since or news["first"] or now)
        signals, novelty = await self._sensor.sense()
        levels = {name: build_level(mind.drives[name], one.value, elapsed) for name, one in signals.items()}
        disliked = await feedback.count(self._context.db, domain, state.since)
        return _Findings(
            mind, elapsed, signals, novelty, replace(mind.drives, **levels), news["n"], news["last"] or mind.heard, disliked
        )

    def _step(self, name: str, level: float, forced: bool) -> Step:
        threshold = self._thresholds[name]
        acts = forced or level >= threshold
        return Step(name, level, threshold, acted=acts, why="" if acts else marked("below its threshold"))

    async def _continue(self, findings: "_Findings", step: Step, forced: bool) -> Step:
        """Close finished episodes, and write gists that are missing or extractive; new gists raise coherence."""
        consolidator, domain = Consolidator(self._context), self._context.domain
        keys = {row["session"] for row in await episodes.open_ends(self._context.db, domain)}
        for episode in await episodes.without_gist(self._context.db, domain, redo_for=self._context.rewriter):
            keys.add(episode.session)
        made = 0
        try:
            wanting = [one for one in await Places(self._context.db, self._context.seal).sessions(domain) if one.key in keys]
            for n, session in enumerate(wanting):
                findings.tell(n, len(wanting))
                await consolidator.close_episodes(session, asked=forced)
                made += await consolidator.digest(session, redo=True)
        finally:
            was = findings.signals[COHERENCE]
            is_now = await self._sensor.coherence()
            findings.signals[COHERENCE] = is_now
            findings.drives = replace(
                findings.drives, coherence=combine((findings.drives.coherence, max(0.0, is_now.value - was.value)))
            )
        return self._finished_step(findings, step, made, await self._sensor.continuity())

    async def _cohere(self, findings: "_Findings", step: Step, forced: bool) -> Step:
        """Remove statements whose sources are gone, re-examine contradicting facts, and climb the ladder."""
        if self._context.writer.extractive:
            return replace(step, acted=False, why=NO_MODEL)
        orphans, pairs = await self._sensor.orphans(), await self._sensor.contradicting()
        if orphans or pairs:
            async with self._context.db.transaction(bounds=self._context.bounds) as tx:
                if orphans:
                    await erase.retire(tx, self._context.domain, orphans, self._context.clock.now())
                for one, other in pairs:
                    pair = {"d": self._context.domain.key, "one": one.key, "other": other.key}
                    await tx.run(
                        "INSERT INTO looked_at (domain, first, second) VALUES (:d, :one, :other) ON CONFLICT DO NOTHING", pair
                    )
                    await summaries.look_again(tx, [one.key, other.key])
                    await progress.outdate(tx, self._context.domain, profile.TIER)
        made = await Ladder(self._context).climb(asked=forced)
        return self._finished_step(findings, step, made, await self._sensor.coherence())

    async def _wonder(self, findings: "_Findings", step: Step, forced: bool) -> Step:
        """Reflect on what is new, after which it is no longer new."""
        if self._chat_model is None:
            return replace(step, acted=False, why=NO_MODEL)
        findings.reflected = await Reflecting(self._context, self._chat_model, step.level, findings.novelty).reflect()
        if findings.reflected.again:
            return replace(step, why=findings.reflected.why)
        return self._finished_step(
            findings, replace(step, why=findings.reflected.why), int(findings.reflected.kept is not None), Signal(0.0)
        )

    def _finished_step(self, findings: "_Findings", step: Step, made: int, left: Signal) -> Step:
        level = calm_level(findings.drives[step.drive], findings.signals[step.drive].value, left.value)
        findings.drives = replace(findings.drives, **{step.drive: level})
        findings.left[step.drive] = left.value
        why = step.why or ("" if made else marked("nothing was to be done"))
        if self._regression_check.failed > findings.failed:
            findings.failed = self._regression_check.failed
            why = marked("what was made would be in the way of what was said; it was not published")
        return replace(step, made=made, why=why)

    async def _end(self, findings: "_Findings", report: Report) -> Report:
        stability = await self._sensor.stability()
        report.sensed["stability"] = stability
        drives = replace(findings.drives, stability=stability.value)
        reflected = findings.reflected or Reflected()
        mind = evolve(findings.mind, findings.elapsed, findings.said, stability.value, reflected.feeling, findings.disliked)
        mind = replace(mind, drives=drives, heard=findings.heard)
        async with self._context.db.transaction(bounds=self._context.bounds) as tx:
            await selfstate.keep(tx, self._context.domain, mind, self._context.clock.now())
        report.after = drives
        report.mood, report.energy = (findings.mind.mood, mind.mood), (findings.mind.energy, mind.energy)
        report.regression_check = self._regression_check.marks
        if findings.reflected:
            kept = f"kept: {reflected.why}" if reflected.kept else reflected.why
            report.reflection = marked("waits to be said") if reflected.waits else kept
        calling = [findings.left.get(name, one.value) for name, one in findings.signals.items()]
        report.rested = not report.failed and max(calling) == 0 and max(drives[name] for name in _ORDER) <= BASELINE + _SETTLED
        return report


_ORDER = (CONTINUITY, COHERENCE, CURIOSITY)
_SETTLED = 0.01


@dataclass
class _Findings:
    """What a pass found and its state so far: `said` counts the messages since the last one, `heard` is the key of the newest."""

    mind: StateOfMind
    elapsed: int
    signals: dict[str, Signal]
    novelty: Novelty
    drives: Drives
    said: int
    heard: int
    disliked: int = 0
    reflected: Reflected | None = None
    failed: int = 0
    left: dict[str, float] = field(default_factory=dict)
    tell: Progress = lambda *_: None
