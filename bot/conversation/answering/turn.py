"""A turn: the messages are stored, then answered from what may be known here, and the answer is stored before it is sent."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial

from adapters.base import Adapter
from bot.admission.allowance import Allowance, Grant
from bot.conversation.answering import readers
from bot.conversation.answering.lateness import Lateness
from bot.conversation.answering.speaking import Speaking, Spoken
from bot.conversation.answering.streaming import Showing, Streamed, WordByWord
from bot.conversation.answering.threads import Threads
from bot.conversation.answering.unanswered import Unanswered
from bot.conversation.answering.under_way import UnderWay
from bot.conversation.heard import Heard
from bot.conversation.intake import Intake
from bot.conversation.introduction import ended, introduction, offer, onward, understood
from bot.conversation.mailbox import Ticket
from bot.conversation.offering import under_answer
from bot.conversation.one_turn import Moved, TooLate, Turn
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS
from bot.dreams.reflections import NAME as REFLECTIONS
from bot.errors import AnswerEnded, ModelError
from bot.reconciliation.verifying import Verifying
from bot.rights import unkept
from bot.service.measures import measures
from bot.service.priority import Priority
from memory.errors import DatabaseBusy, SourceGone
from memory.journal.journal import OutboxRow, Part
from memory.text.apart import apart
from memory.text.told import confidence
from memory.types import Kind, NewExchange
from memory.view.view import Answer

NAME = "Lyra"
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
        speaking: Speaking,
        verifying: Verifying,
        priority: Priority,
        allowance: Allowance,
        under_way: UnderWay,
    ) -> None:
        self._services = services
        self._intake = intake
        self._allowance = allowance
        self._speaking = speaking
        self._verifying = verifying
        self._priority = priority
        self._under_way = under_way
        self._lateness = Lateness(services)
        self._unanswered = Unanswered(services)
        self._threads = Threads(services, allowance)
        self._keeping = asyncio.Semaphore(_KEPT_AT_ONCE)

    async def keep(self, heard: Sequence[Heard], adapter: Adapter) -> None:
        """Store these messages of one person before their turn, and confirm what was understood of a request for discretion.

        Raises PlaceUnknown where it is not known who reads the place now.
        """
        turn = await self._intake.keep(await self._threads.opened(heard, adapter), adapter)
        if isinstance(turn, Turn):
            await self._say_understood(turn, adapter.prefix)
        elif isinstance(turn, Moved):
            await self._unanswered.moved(turn)

    async def take(self, heard: Sequence[Heard], adapter: Adapter, ticket: Ticket) -> None:
        """Store these messages of one place and answer them; stale ones get a one-line notice instead, forgotten ones are
        dropped silently.

        Several turns may run at a place: `ticket` gives the order in which they are stored and answered. Raises PlaceUnknown if
        the readers of the place are unknown.
        """
        gaps = self._verifying.gaps
        async with ticket.keeping:
            heard = await self._threads.opened(heard, adapter)
            with measures.stage("keep"):
                async with self._keeping:
                    turn = await self._intake.keep(heard, adapter)
        if isinstance(turn, TooLate):
            await self._lateness.tell(turn)
        if isinstance(turn, Moved):
            await self._unanswered.moved(turn)
        if not isinstance(turn, Turn):
            return
        place = turn.place
        if adapter.introduces:
            await self._introduce(turn, adapter.prefix)
        await self._say_understood(turn, adapter.prefix)
        grant, seconds = await self._allowance.take(turn.person, place, turn.asked[-1].said_at, turn.chosen)
        if grant in (Grant.TOLD, Grant.NOTHING):
            # Somebody who asked privately waits for each answer.
            await self._unanswered.decline(turn, seconds if grant is Grant.TOLD or turn.to else 0)
            return
        turn = replace(turn, frugal=grant is not Grant.FULL, cheaper=grant is Grant.LEAST)
        arrived = True
        async with AsyncExitStack() as alone:
            with self._priority.taken():
                async with adapter.thinking(place.key):
                    first, later = await self._answered(turn, heard, adapter, gaps, ticket, alone)
            if first:
                with measures.stage("send"):
                    arrived = await self._services.outgoing.send(place.platform, first, later)
            elif later:
                await alone.aclose()
                await self._services.outgoing.flush(place.platform, place.key, later)
        if not arrived:
            if moved := await readers.moved(turn, adapter):
                await self._unanswered.moved(moved)
            await self._unanswered.left_behind(turn, adapter)
        self._services.maintenance.poke(turn.view.home, turn.session)

    async def _offered(self, turn: Turn, adapter: Adapter) -> Sequence[Part]:
        """Return the one-time offer, in private, to hear her thoughts; () if it is not due."""
        if turn.shared or turn.off_record or turn.chosen.on(turn.person, REFLECTIONS):
            return ()
        parts = await self._services.outgoing.composer.parts(turn.place.platform, offer(adapter.prefix), links=NO_LINKS)
        return parts if await turn.view.thoughts.offer(turn.session, parts) else ()

    async def _say_understood(self, turn: Turn, prefix: str) -> None:
        """Confirm once what was understood of a confidence, or of its end."""
        shown = () if turn.place.is_private or turn.off_record else turn.asked
        asking = [one for one in shown if await apart(len(one.text), partial(confidence.asked, one.text))]
        told = await turn.view.confidences.understood(asking) if asking else []
        if not told and not turn.ended:
            return
        text = understood(told, turn.covered, prefix) if told else ended(turn.ended)
        text = f"{text} {await self._services.outgoing.unname()}".rstrip()
        parts = await self._services.outgoing.composer.parts(turn.place.platform, text, links=NO_LINKS)
        if await turn.view.confidences.tell(turn.session, told, parts, turn.answers):
            await self._services.outgoing.flush(turn.place.platform, turn.place.key, parts)

    async def _introduce(self, turn: Turn, prefix: str) -> None:
        place = turn.place
        if place.earlier and turn.view.also:
            if await turn.view.notices.has_gone_on(place.channel, turn.session):
                return
            outgoing = self._services.outgoing
            waits = await outgoing.waits_in(place.platform, {circle.id for circle in place.earlier})
            parts = await outgoing.composer.parts(place.platform, onward(prefix, waits=waits), links=NO_LINKS)
            said = await turn.view.notices.go_on(place.channel, turn.session, parts)
        else:
            text = introduction(self._services.models.goes_to, prefix, shared=turn.shared)
            parts = await self._services.outgoing.composer.parts(place.platform, text, links=NO_LINKS)
            said = await turn.view.notices.greet(turn.session, parts)
        if said:
            await self._services.outgoing.flush(place.platform, place.key, parts)

    async def _answered(
        self, turn: Turn, heard: Sequence[Heard], adapter: Adapter, gaps: int, ticket: Ticket, alone: AsyncExitStack
    ) -> tuple[OutboxRow | None, Sequence[Part]]:
        """Answer and store the answer; return the part being sent (or None) and those that wait.

        `gaps` is the number of gaps before the turn. The part being sent is sent before `alone` is left.
        """
        shown, streamed = self._preview(turn, adapter, ticket)
        try:
            for _ in range(_TRIES):
                try:
                    self._under_way.begin(ticket, turn)
                    with measures.stage("answer"):
                        spoken = await self._speaking.answer(turn, shown)
                    await ticket.come_up()
                    await readers.require_readers(self._services.domains, turn, adapter)
                    place = (turn.place.platform, turn.session.ref.place)
                    await self._verifying.require_standing(spoken.used, spoken.asides, place, gaps)
                    if turn.off_record:
                        first, later = None, await unkept.told(self._services, turn, spoken)
                    else:
                        with measures.stage("store"):
                            first, later = await self._store(turn, spoken, await self._replaced(turn, streamed), alone)
                    measures.turns["answered"] += 1
                    self._allowance.had(turn.person, turn.place, spoken.tokens, turn.chosen)
                    return first, [*later, *await self._offered(turn, adapter)]
                except SourceGone:
                    await alone.aclose()
                    if shown:
                        await shown.withhold()
                    # Forgetting hides the whole domain until it is known what goes along.
                    await self._services.memory.settled()
                    await turn.view.lasting.readable(_PATIENCE)
                    gaps = self._verifying.gaps
                    again = await self._intake.keep(heard, adapter)
                    if not isinstance(again, Turn):
                        return None, await self._unanswered.give_up(turn, heard, await self._replaced(turn, streamed))
                    turn = replace(again, frugal=turn.frugal, cheaper=turn.cheaper)
            return None, await self._unanswered.put_off(turn, await self._replaced(turn, streamed))
        except AnswerEnded:
            return None, await self._unanswered.stopped(turn, await self._replaced(turn, streamed))
        except DatabaseBusy:
            if shown:
                await shown.drop()
            raise
        except ModelError as error:
            if shown:
                await shown.drop()
            replaces = await self._replaced(turn, streamed)
            if not await self._services.memory.journal.open_payloads(turn.finishes):
                return None, await self._unanswered.give_up(turn, heard, replaces)
            return None, await self._unanswered.hold(turn, error, replaces)
        finally:
            self._under_way.over(ticket)
            if streamed:
                streamed.cancel()

    def _preview(self, turn: Turn, adapter: Adapter, ticket: Ticket) -> tuple[Showing | None, Streamed | None]:
        shown = adapter.preview(turn.place.key)
        if shown:
            return WordByWord(shown, turn.place.platform, self._services.outgoing), None
        if turn.off_record or not adapter.edit_seconds or not turn.chosen.streams(turn.place, turn.person):
            return None, None
        if turn.left_over or turn.anew:
            # A leftover preview becomes the answer; a second one beside it would leave it half done. For a regenerated answer,
            # nothing would find the leftover of a kill.
            return None, None
        streamed = Streamed(turn, ticket, adapter, self._services.outgoing)
        return streamed, streamed

    async def _replaced(self, turn: Turn, streamed: Streamed | None) -> str:
        """Return the key of the preview that the answer replaces: this turn's, or one that a kill left behind."""
        key = await streamed.stop() if streamed else ""
        return key or turn.left_over

    async def _store(
        self, turn: Turn, spoken: Spoken, replaces: str, alone: AsyncExitStack
    ) -> tuple[OutboxRow | None, Sequence[Part]]:
        """T3: store the reply, its sources and parts, and close what it answers; return its first part and the others."""
        question = turn.asked[-1]
        reply = NewExchange(
            Kind.REPLY, spoken.text, turn.reply_id, max(self._services.clock.now(), question.said_at + 1), NAME,
            "assistant", None, spoken.echo,
        )  # fmt: skip
        actions = under_answer(question.source_id, turn.reply_id) if turn.chosen.offers(turn.place, turn.person) else ()
        parts = await self._services.outgoing.composer.parts(
            turn.place.platform, spoken.text, links=spoken.links, actions=actions, replaces=replaces
        )
        answer = Answer(
            reply, spoken.sources, turn.finishes, parts, turn.asked, turn.answers, spoken.seen, spoken.asides, spoken.begun,
            spoken.raised,
        )  # fmt: skip
        # Nobody else sends at the place until the first part is sent.
        await alone.enter_async_context(self._services.outgoing.alone(turn.place.platform, turn.place.key))
        async with self._intake.undisturbed(turn, [one.id for one in spoken.asides]):
            replied = await turn.view.answer(turn.session, answer)
        return (replied.first, parts[1:]) if replied else (None, ())
