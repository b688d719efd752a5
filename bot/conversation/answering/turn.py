"""A turn: the messages are stored, then answered from what may be known here, and the answer is stored before it is sent."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial

from adapters.base import Adapter
from bot.admission.allowance import Allowance, Grant
from bot.conversation.answering.discretion_answers import DiscretionAnswers
from bot.conversation.answering.generation import Generation
from bot.conversation.answering.renewed_answers import answer_actions
from bot.conversation.answering.streaming import AnswerPreview, EditedPreview, WordPreview
from bot.conversation.answering.turn_validity import require_readers
from bot.conversation.answering.unanswered import Unanswered
from bot.conversation.conversation_threads import ConversationThreads
from bot.conversation.inbox_events import HeardMessage
from bot.conversation.intake import Intake
from bot.conversation.introduction import introduce, kept_anyway_notice, thoughts_offer
from bot.conversation.mailbox import Ticket
from bot.conversation.one_turn import GeneratedAnswer, ReadersChanged, RunningAnswers, TooLate, Turn
from bot.conversation.people import is_operator
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.dreams.reflection_posting import NAME as REFLECTIONS
from bot.errors import AnswerEnded, ModelError
from bot.reconciliation.message_verification import MessageVerification
from bot.rights import unstored_answers
from bot.service.priority import Priority
from bot.service.runtime_metrics import measures
from memory.errors import DatabaseBusy, SourceGone
from memory.journal.journal import OutboxRow, Part
from memory.text.display_names import LYRA
from memory.types import Kind, NewExchange
from memory.view.view import Answer

_TRIES = 3
_KEPT_AT_ONCE = 8
"""The number of places whose messages are stored concurrently: in a burst more would starve the event loop."""
_PATIENCE = 60.0
"""Seconds to wait for another process that is forgetting something; the sweep finishes what it leaves undone."""


class Turns:
    """Runs turns, with everything a turn needs."""

    def __init__(
        self,
        services: Services,
        intake: Intake,
        generation: Generation,
        verification: MessageVerification,
        priority: Priority,
        allowance: Allowance,
        running_answers: RunningAnswers,
    ) -> None:
        self._services = services
        self._intake = intake
        self._allowance = allowance
        self._generation = generation
        self._verification = verification
        self._priority = priority
        self._running_answers = running_answers
        self._unanswered = Unanswered(services)
        self._discretion = DiscretionAnswers(services)
        self._threads = ConversationThreads(services, allowance)
        self._keeping = asyncio.Semaphore(_KEPT_AT_ONCE)

    async def keep(self, heard: Sequence[HeardMessage], adapter: Adapter) -> None:
        """Store these messages of one person before their turn, and confirm what was understood of a request for discretion.

        Raises PlaceUnknown where it is not known who reads the place now.
        """
        turn = await self._intake.keep(await self._threads.opened(heard, adapter), adapter)
        if isinstance(turn, Turn):
            await self._discretion.confirm(turn)
        else:
            await self._tell_why_not(turn)

    async def take(self, heard: Sequence[HeardMessage], adapter: Adapter, ticket: Ticket) -> None:
        """Store these messages of one place and answer them; stale ones get a one-line notice instead, forgotten ones are
        dropped silently.

        Several turns may run at a place: `ticket` gives the order in which they are stored and answered. Raises PlaceUnknown if
        the readers of the place are unknown.
        """
        # Counted before anything is read, so that a gap that opens meanwhile is noticed.
        gaps = self._verification.unverified.gaps
        async with ticket.storing():
            heard = await self._threads.opened(heard, adapter)
            with measures.stage("keep"):
                async with self._keeping:
                    turn = await self._intake.keep(heard, adapter)
        if not isinstance(turn, Turn):
            await self._tell_why_not(turn)
            return
        await self._remove_stale_previews(turn)
        if adapter.introduces:
            await introduce(self._services, turn.place, turn.view, turn.session, adapter.prefix)
        await self._discretion.confirm(turn)
        await self._tell_what_is_kept(turn)
        grant, seconds = await self._allowance.take(turn.person, turn.place, turn.questions[-1].said_at, turn.chosen)
        if grant in (Grant.DECLINED, Grant.IGNORED):
            # Somebody who asked privately waits for each answer.
            await self._unanswered.decline(turn, seconds if grant is Grant.DECLINED or turn.reply_address else 0)
            return
        turn = replace(turn, frugal=grant is not Grant.FULL, cheaper=grant is Grant.CHEAPER_MODEL)
        await self._answer_and_send(turn, heard, gaps, ticket)
        self._services.maintenance.poke(turn.view.home, turn.session)

    async def _tell_why_not(self, unanswered: TooLate | ReadersChanged | None) -> None:
        if isinstance(unanswered, TooLate):
            await self._remove_stale_previews(unanswered)
            await self._unanswered.late(unanswered)
        elif isinstance(unanswered, ReadersChanged):
            await self._unanswered.moved(unanswered)

    async def _remove_stale_previews(self, kept: Turn | TooLate) -> None:
        """Remove what a kill left of answers that will not be finished."""
        for preview in kept.stale_previews:
            await self._services.outgoing.remove_preview(kept.place.platform, kept.place.key, preview)

    async def _answer_and_send(self, turn: Turn, heard: Sequence[HeardMessage], gaps: int, ticket: Ticket) -> None:
        place, arrived = turn.place, True
        async with AsyncExitStack() as sending_lock:
            with self._priority.running_turn():
                async with turn.adapter.thinking(place.key):
                    first, later = await self._answered(turn, heard, gaps, ticket, sending_lock)
            if first:
                with measures.stage("send"):
                    arrived = await self._services.outgoing.send(place.platform, first, later)
            elif later:
                await sending_lock.aclose()
                await self._services.outgoing.flush(place.platform, place.key, later)
        if not arrived:
            await self._unanswered.left_behind(turn)

    async def _offered(self, turn: Turn) -> Sequence[Part]:
        """Return the one-time offer, in private, to hear her thoughts; () if it is not due."""
        if turn.shared or turn.chosen.on(turn.person, REFLECTIONS):
            return ()
        if not await turn.view.thoughts.are_to_offer():
            return ()
        parts = await self._services.outgoing.composer.parts(
            turn.place.platform, thoughts_offer(turn.adapter.prefix), links=NO_LINKS
        )
        return parts if await turn.view.thoughts.offer(turn.session, parts) else ()

    async def _tell_what_is_kept(self, turn: Turn) -> None:
        """Say in a DM or a pipe that a message was kept which asks for the contrary; at a screen it was offered to keep none of it.

        Without a model, that is the answer.
        """
        if not turn.is_kept_against_a_wish or self._services.models.chat is None:
            return
        told = kept_anyway_notice(turn.adapter.prefix)
        if is_operator(turn.place.platform):
            turn.adapter.note(told)
            return
        queue = partial(turn.view.notices.queue, turn.session, finishes=(), answers=turn.reply_target)
        await self._services.outgoing.say(turn.place, told, queue)

    async def _answered(
        self, turn: Turn, heard: Sequence[HeardMessage], gaps: int, ticket: Ticket, sending_lock: AsyncExitStack
    ) -> tuple[OutboxRow | None, Sequence[Part]]:
        """Answer and store the answer, again if its sources change meanwhile; return the part being sent (or None) and those that wait.

        `gaps` is the number of gaps before the turn. The part being sent is sent before `sending_lock` is left.
        """
        preview = self._preview(turn, ticket)
        try:
            for _ in range(_TRIES):
                try:
                    return await self._attempt(turn, gaps, ticket, preview, sending_lock)
                except SourceGone:
                    await sending_lock.aclose()
                    if preview:
                        await preview.withhold()
                    # Forgetting hides the whole domain until it is known what goes along.
                    await self._services.memory.settled()
                    await turn.view.validity.readable(_PATIENCE)
                    gaps = self._verification.unverified.gaps
                    kept = await self._intake.keep(heard, turn.adapter)
                    if not isinstance(kept, Turn):
                        await self._tell_why_not(kept)
                        replaces = await self._replaced(turn, preview)
                        return None, await self._unanswered.give_up(turn, heard, replaces, told=kept is not None)
                    turn = replace(kept, frugal=turn.frugal, cheaper=turn.cheaper)
            return None, await self._unanswered.postpone(turn, await self._replaced(turn, preview))
        except AnswerEnded:
            return None, await self._unanswered.stopped(turn, await self._replaced(turn, preview))
        except DatabaseBusy:
            if preview:
                await preview.drop()
            raise
        except ModelError as error:
            if preview:
                await preview.drop()
            replaces = await self._replaced(turn, preview)
            if not await self._services.memory.journal.open_payloads(turn.inbox_keys):
                return None, await self._unanswered.give_up(turn, heard, replaces)
            return None, await self._unanswered.hold(turn, error, replaces)
        finally:
            self._running_answers.finish(ticket)
            if isinstance(preview, EditedPreview):
                preview.cancel()

    async def _attempt(
        self, turn: Turn, gaps: int, ticket: Ticket, preview: AnswerPreview | None, sending_lock: AsyncExitStack
    ) -> tuple[OutboxRow | None, Sequence[Part]]:
        """Answer once and store the answer, as `_answered`. Raises SourceGone if something that it rests on changed meanwhile."""
        self._running_answers.begin(ticket, turn)
        with measures.stage("answer"):
            answer = await self._generation.answer(turn, preview)
        await ticket.wait_for_earlier()
        await require_readers(self._services.domains, turn)
        place = (turn.place.platform, turn.session.ref.place)
        await self._verification.require_standing(answer.used, answer.asides, place, gaps)
        if turn.off_record:
            shown = [*(one.id for one in answer.asides), *(one.source_id for one in turn.unstored_history)]
            async with self._intake.changes_held_off(turn, shown):
                first, later = None, await unstored_answers.hold_reply(self._services, turn, answer)
        else:
            with measures.stage("store"):
                first, later = await self._store(turn, answer, await self._replaced(turn, preview), sending_lock)
        measures.turns["answered"] += 1
        self._allowance.record(turn.person, turn.place, answer.tokens, turn.chosen)
        return first, later

    def _preview(self, turn: Turn, ticket: Ticket) -> AnswerPreview | None:
        """Return where the answer is shown while it is made, None if it comes as a whole."""
        on_screen = turn.adapter.preview(turn.place.key)
        if on_screen:
            return WordPreview(on_screen, turn.place.platform, self._services.outgoing)
        if turn.off_record or not turn.adapter.edit_seconds or not turn.chosen.streams(turn.place, turn.person):
            return None
        if turn.leftover_preview or turn.anew:
            # A leftover preview becomes the answer; a second one beside it would leave it half done. For a regenerated answer,
            # nothing would find the leftover of a kill.
            return None
        return EditedPreview(turn, ticket, self._services.outgoing)

    async def _replaced(self, turn: Turn, preview: AnswerPreview | None) -> str:
        """Return the key of the preview that the answer replaces: this turn's, or one that a kill left behind."""
        key = await preview.stop() if isinstance(preview, EditedPreview) else ""
        return key or turn.leftover_preview

    async def _store(
        self, turn: Turn, generated: GeneratedAnswer, replaces: str, sending_lock: AsyncExitStack
    ) -> tuple[OutboxRow | None, Sequence[Part]]:
        """T3: store the reply, its sources and parts, and close what it answers; return its first part and the others."""
        question = turn.questions[-1]
        reply = NewExchange(
            Kind.REPLY, generated.text, turn.reply_id, max(self._services.clock.now(), question.said_at + 1), LYRA,
            "assistant", None, generated.echo,
        )  # fmt: skip
        actions = answer_actions(question.source_id, turn.reply_id) if turn.chosen.offers(turn.place, turn.person) else ()
        parts = await self._services.outgoing.composer.parts(
            turn.place.platform, generated.text, links=generated.links, actions=actions, replaces=replaces
        )
        answer = Answer(
            reply, generated.sources, turn.inbox_keys, parts, turn.questions, turn.reply_target, generated.seen, generated.asides, generated.read_at,
            generated.raised,
        )  # fmt: skip
        # Nobody else sends at the place until the first part is sent.
        await sending_lock.enter_async_context(self._services.outgoing.place_lock(turn.place.platform, turn.place.key))
        async with self._intake.changes_held_off(turn, [one.id for one in generated.asides]):
            replied = await turn.view.answer(turn.session, answer)
        if replied is None:
            return None, ()
        return replied.first, [*parts[1:], *(await self._offered(turn) if replied.thoughts_wait else ())]
