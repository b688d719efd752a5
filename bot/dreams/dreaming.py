"""Running dreams: due domains are claimed, processed within the daily budget and behind live conversations, and recorded."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.config.settings import Settings
from bot.imports import deriving
from bot.models.chains import Models, limits
from bot.service.log import carried_on, log
from bot.service.priority import Priority
from memory.core import Memory
from memory.dream.schedule import Slot
from memory.errors import BusyElsewhere
from memory.journal.usage import Spent
from memory.ports import Clock, Progress
from memory.types import Domain

if TYPE_CHECKING:
    from bot.models.writer import Metered
    from memory.dream.dreamer import Dreamer
    from memory.dream.report import Report


@dataclass(frozen=True, slots=True)
class DreamPass:
    """A pass over a domain, and its report; None if another process has claimed it."""

    domain: Domain
    report: "Report | None"


class Dreams:
    """Runs dreams, when due or on request."""

    def __init__(self, memory: Memory, models: Models, settings: Settings, clock: Clock, priority: Priority) -> None:
        self._memory = memory
        self._models = models
        self._settings = settings
        self._clock = clock
        self._priority = priority

    async def tick(self) -> None:
        """Process due domains one by one; if the model is unreachable, the rest waits too."""
        for slot in await self._memory.dreams.due():
            dreamt = await carried_on(self._dream(slot), "dream")
            if dreamt and dreamt.report and dreamt.report.failed:
                return

    async def dream(self, domain: Domain, *, forced: bool = False, tell: Progress = lambda *_: None) -> DreamPass:
        """Process a domain now, on request; `tell` reports progress in conversations. Raises MemoryFailure."""
        return await self._dream(await self._memory.dreams.requested(domain), tell, forced=forced)

    async def feel(self, domain: Domain, *, forced: bool = False) -> "Report":
        """Return what a pass would find and do now, without doing it (dry run)."""
        dreamer = self._dreamer(domain, self._model(domain, self._priority.free))
        return await dreamer.feel(forced=forced)

    async def _dream(self, slot: Slot, tell: Progress = lambda *_: None, *, forced: bool = False) -> DreamPass:
        schedule = self._memory.dreams
        held = await schedule.claim(slot)
        if held is None:
            return DreamPass(slot.domain, None)
        begun = self._clock.now()

        async def before() -> None:
            await self._priority.free()
            if not await schedule.renew(held):
                raise BusyElsewhere("Another process dreams this by now.")

        model = self._model(slot.domain, before)
        try:
            report = await self._dreamer(slot.domain, model).dream(forced=forced, tell=tell)
        except BaseException:
            await schedule.abandon(held)
            raise
        report.spent = model.spent if model else Spent()
        await schedule.finish(
            held, slot, begun, report.as_json(), done=not report.failed, rested=report.rested, heard=report.heard
        )
        log.info("dream.over", kind=slot.kind, calls=report.spent.calls, tokens=report.spent.tokens, failed=bool(report.failed))
        return DreamPass(slot.domain, report)

    def _model(self, domain: Domain, before: Callable[[], Awaitable[None]]) -> "Metered | None":
        return self._models.unasked(domain, self._memory.spending, limits(self._settings, dreaming=True), before)

    def _dreamer(self, domain: Domain, model: "Metered | None") -> "Dreamer":
        extractive = self._models.extractive
        return deriving(self._memory).dreamer(domain, model or extractive, extractive, model)
