"""Lyra in conversation: wires what hears, answers and sends, for as long as somebody talks with her."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial

from adapters.base import Adapter
from bot.admission.access import Access
from bot.admission.allowance import Allowance
from bot.app import App
from bot.commands.discretion_commands import Once
from bot.commands.table import Commands
from bot.context.prompt import Prompt
from bot.conversation.answer_language import AnswerLanguage
from bot.conversation.answering.generation import Generation
from bot.conversation.answering.turn import Turns
from bot.conversation.intake import Intake
from bot.conversation.listening import Listening
from bot.conversation.mailboxes import Mailboxes
from bot.conversation.one_turn import RunningAnswers
from bot.conversation.services import Services
from bot.delivery.composer import Composer
from bot.delivery.outgoing import Outgoing
from bot.delivery.pending_sends import BlockedPlaces
from bot.dreams.reflection_posting import ReflectionPosting
from bot.imports import imported
from bot.models.connect import Connector
from bot.models.embedders import missing_model_notice
from bot.printing import note
from bot.reconciliation.history_comparison import HistoryComparison
from bot.reconciliation.reconciliation import Reconciliation
from bot.rights.off_record import OffRecord
from bot.service.log import carried_on
from memory.errors import EmbeddingFailed
from memory.store.peers import Peers
from memory.types import MINUTE

_POLL_SECONDS = 5.0
_JOB = "elsewhere"
HEARD, QUEUED = "inbox", "outbox"
TURN_SECONDS = 5.0
"""How long shutdown waits for answers in progress: with the steps after it, the process ends within ten seconds."""

_AFTER_SECONDS = 0.05
"""How long after the start the rest is loaded: it takes a sixth of a start, and nobody sees it."""


class OtherProcesses:
    """Signals the processes that share a memory what waits at their places; a no-op if there are none."""

    def __init__(self, peers: Peers | None) -> None:
        self._peers = peers
        self._told: set[str] = set()
        self._woken = asyncio.Event()

    def tell(self, what: str, platform: str, place: str) -> None:
        """Signal the holder of a place that an event waits there (HEARD), or a part to be sent (QUEUED)."""
        if self._peers is not None:
            self._peers.call(f"{what} {platform} {place}")

    async def run(self, adapters: Mapping[str, Adapter], mailboxes: Mailboxes, outgoing: Outgoing) -> None:
        """Handle what others signal, and poll every few seconds for what was not signalled, until cancelled."""
        if self._peers is None:
            return
        self._peers.listen(self._hear)
        while True:
            try:
                async with asyncio.timeout(_POLL_SECONDS):
                    await self._woken.wait()
            except TimeoutError:
                self._told.update(f"{HEARD} {platform}" for platform, one in adapters.items() if one.divided)
            self._woken.clear()
            told, self._told = self._told, set()
            for word in sorted(told):
                kind, platform, *place = word.split(" ", 2)
                if platform not in adapters or adapters[platform].unit < 0 or not all(map(adapters[platform].holds, place)):
                    continue
                if kind == HEARD:
                    await carried_on(mailboxes.recover(platform, *place, fresh=True), _JOB)
                elif place:
                    await carried_on(outgoing.flush(platform, place[0]), _JOB)

    def _hear(self, words: Collection[str]) -> None:
        self._told.update(word for word in words if word.startswith((f"{HEARD} ", f"{QUEUED} ")))
        if self._told:
            self._woken.set()


@dataclass(frozen=True, slots=True)
class Talk:
    """The wired conversation: shared services, listeners, mailboxes, and what sends."""

    services: Services
    listeners: Mapping[str, Listening]
    mailboxes: Mailboxes
    running_answers: RunningAnswers
    outgoing: Outgoing
    reflections: ReflectionPosting
    history_comparison: HistoryComparison
    allowance: Allowance
    commands: Commands

    async def resume_place(self, platform: str, place: str) -> None:
        """Send what was queued for a place, and answer what was asked there before the last shutdown or crash."""
        await self.outgoing.flush(platform, place)
        await (await self.mailboxes.recover(platform, place))

    async def tick(self) -> None:
        """Retry what is left over: undelivered parts, questions, thoughts to be posted, unread histories, cursors."""
        await self.outgoing.retry()
        await self.mailboxes.retry()
        for listener in self.listeners.values():
            await listener.answer_unseen()
        await self.reflections.tick()
        self.history_comparison.tick()
        await self.settle()

    async def settle(self) -> None:
        """Save cursors, and what was used up of allowances."""
        for listener in self.listeners.values():
            await listener.settle()
        await self.allowance.save()


@asynccontextmanager
async def talking(
    app: App, adapters: Mapping[str, Adapter], show_prompt: Callable[[Prompt], None] | None = None
) -> AsyncIterator[Talk]:
    """Hear and answer the adapters' messages until the block ends, then finish what is in progress."""
    base = app.base
    app.domains.connect(adapters)
    elsewhere = OtherProcesses(app.memory.db.peers)
    services = _services(app, adapters, elsewhere)
    outgoing, within = services.outgoing, base.settings.answer_within_minutes
    access = Access(base.settings, adapters, base.clock)
    intake = Intake(app.memory, app.domains, app.preferences, access, base.clock, within, services.off_record)
    reconciliation = await Reconciliation.open(services, intake, adapters, app.priority)
    comparison, verification = reconciliation.history_comparison, reconciliation.verification
    reflections = ReflectionPosting(services, adapters)
    connector = Connector(app.models, base.environment, _local_models, app.reloading.try_reload)
    # Fail before anybody talks if the persona cannot be read.
    app.persona.current()
    generation = Generation(services, verification, app.persona, show_prompt)
    allowance = Allowance(base.settings, app.memory.settings, app.domains.people, base.clock)
    await allowance.open()
    once = Once(services, intake, generation, app.priority, allowance)
    running_answers = RunningAnswers()
    commands = Commands(app, services, adapters, reconciliation, connector, once, running_answers, allowance)
    turns = Turns(services, intake, generation, verification, app.priority, allowance, running_answers)
    if news := await missing_model_notice(app.embedder_choice, app.memory.settings):
        note(news)
    async with asyncio.TaskGroup() as group:
        mailboxes = Mailboxes(services, turns, commands, adapters, group, base.environment.home, partial(elsewhere.tell, HEARD))
        listeners = {
            platform: Listening(adapter, services, intake, commands, mailboxes, reconciliation, access)
            for platform, adapter in adapters.items()
        }
        listening = elsewhere.run(adapters, mailboxes, outgoing)
        background = [group.create_task(work) for work in (comparison.run(), outgoing.run(), listening, _load(app))]
        talk = Talk(services, listeners, mailboxes, running_answers, outgoing, reflections, comparison, allowance, commands)
        try:
            yield talk
        finally:
            for task in background:
                task.cancel()
            await reconciliation.vanishing.close()
            await mailboxes.drain(TURN_SECONDS)
            await carried_on(talk.settle(), "settle")


def _services(app: App, adapters: Mapping[str, Adapter], elsewhere: OtherProcesses) -> Services:
    base, off_record = app.base, OffRecord()
    blocked = BlockedPlaces(base.clock, base.settings.answer_within_minutes * MINUTE)
    outgoing = Outgoing(
        app.memory.journal, app.domains, adapters, Composer(adapters, base.ids, base.settings.exit.allowed), blocked,
        on_sent_off_record=off_record.note, on_held_elsewhere=partial(elsewhere.tell, QUEUED),
    )  # fmt: skip
    return Services(
        app.memory, app.domains, app.preferences, app.models, app.maintenance, outgoing, base.settings, base.clock, off_record,
        AnswerLanguage(app.preferences, app.domains),
    )  # fmt: skip


async def _local_models(url: str) -> list[str]:
    """Return the models of a server on this machine. What asks for them is loaded only then."""
    found: list[str] = await imported("bot.models.endpoints.probing:local_models")(url)
    return found


async def _load(app: App) -> None:
    """Preload what the first question would wait for, after everything shown at the start."""
    await asyncio.sleep(_AFTER_SECONDS)
    if app.embedder_choice.embedder:
        # Whoever embeds is told why it failed; nobody waits for it here.
        with suppress(EmbeddingFailed):
            await app.embedder_choice.embedder.warm()
    if app.models.chat:
        await asyncio.to_thread(imported, "bot.models.endpoints.llm")
    _keep_loaded()


@cache
def _keep_loaded() -> None:
    """Exclude everything loaded by now from garbage collection, once per process.

    A full collection would scan all of it, more than 100,000 objects that live until exit, and block everything for 70 ms.
    """
    gc.freeze()
