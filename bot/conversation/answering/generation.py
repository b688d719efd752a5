"""Generating an answer, from the model or the offline voice, before it is stored."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from adapters.plain_words import Offer, asks_for_no_record, offered
from bot.context.persona import Persona
from bot.context.prompt import Prompt, draft_prompt
from bot.context.prompt_messages import PromptQuestion
from bot.context.turn_retrieval import SearchResult, recall_items, search_parts, standing_layers
from bot.conversation.answer_language import LOOKED_BACK
from bot.conversation.answering.model_answer import Inputs, ModelAnswer, PromptLimits
from bot.conversation.answering.streaming import AnswerPreview
from bot.conversation.introduction import kept_anyway_notice
from bot.conversation.one_turn import GeneratedAnswer, Turn
from bot.conversation.services import Services
from bot.delivery.links import NO_LINKS, written_urls
from bot.errors import ContextTooLong, ModelError, ModelGarbled
from bot.models.offline.phrases import Phrases
from bot.models.offline.question_analysis import as_meant, pieces
from bot.models.offline.spoken_languages import SPOKEN, newest_language, spoken_language
from bot.models.offline.voice import Manner, VoiceAnswer, VoiceQuestion, manner
from bot.models.port import Model
from bot.reconciliation.message_verification import MessageVerification, RequestBudget
from bot.reconciliation.used_messages import used_at, used_in, verified_hits
from bot.service.log import log
from bot.service.runtime_metrics import measures
from memory.index.hits import Hit
from memory.text.lexical import key_words
from memory.text.off_loop import off_loop
from memory.text.passages import only_asks
from memory.types import Exchange, Kind, Statement

_SHRINKS = 6
_FRUGAL, _LEAST = 4, 500
"""The factor by which a prompt shrinks for heavy users, and its minimum size in tokens."""
_MOST_OF_A_QUESTION = 1_000
"""The maximum length (characters) of a question that is split into parts; more would block others."""


class Generation:
    """Answers turns. `show_prompt` receives every prompt before the model does."""

    def __init__(
        self,
        services: Services,
        verification: MessageVerification,
        persona: Persona,
        show_prompt: Callable[[Prompt], None] | None = None,
    ) -> None:
        self._services = services
        self._verification = verification
        self._persona = persona
        self._show_prompt = show_prompt

    async def answer(self, turn: Turn, preview: AnswerPreview | None) -> GeneratedAnswer:
        """Return the answer to a turn, streaming it where the place supports that.

        If the person stops it, return what was generated so far. Raises ModelError, and AnswerEnded if that is nothing.
        """
        models, request_budget = self._services.models, RequestBudget()
        chat = (models.cheaper if turn.cheaper else None) or models.chat
        if hint := await self._command_hint(turn, with_model=chat is not None):
            return hint
        await self._services.maintenance.open_to(turn.view.home, turn.questions[-1].text)
        if chat is None:
            return await self._answer_offline(turn, request_budget)
        budget, lookups = self._services.settings.context_tokens, models.offers_tools
        if turn.frugal:
            budget, lookups = max(budget // _FRUGAL, _LEAST), False
        try:
            limits = PromptLimits(min(budget, await chat.room() or budget), lookups)
            answer = await self._answer_shortening(chat, turn, preview, limits, request_budget)
        except ModelError as error:
            # A prompt that cannot get shorter would not fit later either, and a second empty answer is final.
            failed_twice = isinstance(error, ModelGarbled) and (turn.retried or error.attempts > 1)
            is_final = isinstance(error, ContextTooLong) or failed_twice
            if not (models.voice_last or is_final):
                raise
            log.warning("model.failed", model=chat.name, why=str(error))
            if preview:
                await preview.drop()
            return await self._answer_offline(turn, request_budget, error)
        models.outage.over()
        return answer

    async def _answer_shortening(
        self, chat: Model, turn: Turn, preview: AnswerPreview | None, limits: PromptLimits, request_budget: RequestBudget
    ) -> GeneratedAnswer:
        sees = self._services.models.sees
        question = PromptQuestion(turn.questions, turn.quotes, turn.aside, turn.images if sees else (), turn.shared)
        usable, printed = partial(self._verification.hits, requests=request_budget), self._services.outgoing.composer.printed
        for tries_left in range(_SHRINKS, -1, -1):
            inputs = await self._read_inputs(turn, question, limits.draft_tokens, request_budget)
            answer = ModelAnswer(turn, question, inputs, limits, usable, preview, self._show_prompt)
            try:
                return await answer.write(chat, printed)
            except ContextTooLong as error:
                refused_before = limits.refused_size is not None and error.size is not None and error.size >= limits.refused_size
                if refused_before or not tries_left:
                    raise
                if preview:
                    await preview.drop()
                limits = PromptLimits(
                    min(error.room or limits.tokens // 2, limits.tokens - 1), lookups=False, refused_size=error.size
                )
        raise AssertionError("the last try returns or raises")

    async def _read_inputs(self, turn: Turn, question: PromptQuestion, room: int, request_budget: RequestBudget) -> Inputs:
        """Return the inputs of an answer, within `room` tokens, once none of them has changed at its place."""
        settings, verification = self._services.settings, self._verification
        while True:
            read_at = self._services.clock.now()
            layers = await standing_layers(turn, settings)
            recent = layers.recent
            if turn.unstored_history:
                recent = sorted([*recent, *turn.unstored_history], key=lambda message: message.said_at)
            usable_recent = await verification.usable(used_at(turn.session, recent), request_budget)
            layers = replace(layers, recent=[one for one in recent if one.key in usable_recent.keys])
            longest = max(len(one.text) for one in (*layers.recent, *turn.questions))
            zone = turn.view.home.time_zone
            prompt_draft = await off_loop(
                longest, partial(draft_prompt, self._persona.current(), layers, question, read_at, zone, room)
            )
            with measures.stage("recall"):
                recall = await recall_items(
                    turn, settings, prompt_draft.in_view, prompt_draft.since, self._queries(turn, read_at)
                )
            usable_hits = await verification.usable(used_in(recall.hits), request_budget)
            above = prompt_draft.in_view.union(recall.above)
            changed = usable_recent.changed or usable_hits.changed or await verification.changes_sources(above, request_budget)
            if not changed:
                return Inputs(read_at, layers.recent, prompt_draft, recall.narrowed(verified_hits(recall.hits, usable_hits)))

    def _queries(self, turn: Turn, now: int) -> Sequence[str]:
        """Return the separate queries: the parts of the question at the end of the message, none if it has but one."""
        question = _voice_question(turn, now)
        text = question.text[-_MOST_OF_A_QUESTION:]
        return [part.sought for part in replace(question, text=text).parts()] if len(pieces(text)) > 1 else ()

    async def _command_hint(self, turn: Turn, *, with_model: bool) -> GeneratedAnswer | None:
        """Return which command does what the last message asks for in plain words, or that this is kept; None if it asks for none.

        No model answers a request to forget: it cannot, and may claim that it did. All else is a model's to answer.
        """
        asked, sign = turn.questions[-1], turn.adapter.prefix or "/"
        if turn.is_kept_against_a_wish and not with_model:
            return self._from_code(turn, kept_anyway_notice(sign), seen={})
        offer = offered(asked.text, sign)
        if offer is None or asks_for_no_record(asked.text) or (with_model and not offer.forgets):
            return None
        replied_to = await _own_message_replied_to(turn) if offer.means_last else None
        if replied_to:
            offer = replace(offer, line=f"{sign}forget {replied_to.id}")
        wanted_manner = manner(await turn.view.digests.wanted_by([asked]))
        hint = _hint(asked.text, offer, wanted_manner, asks_first=offer.forgets and not replied_to)
        return self._from_code(turn, hint, seen={one.key: one.text for one in wanted_manner.rests_on})

    def _from_code(self, turn: Turn, text: str, seen: Mapping[int, str]) -> GeneratedAnswer:
        sources = frozenset(exchange.key for exchange in turn.questions)
        return GeneratedAnswer(text, sources, True, NO_LINKS, self._services.clock.now(), seen)

    async def _answer_offline(
        self, turn: Turn, request_budget: RequestBudget, error: ModelError | None = None
    ) -> GeneratedAnswer:
        """Answer from memory alone, where there is no model or it failed with an `error`; if the prompt was too long for it, the answer says so first."""
        wanted_manner = manner(await turn.view.digests.wanted_by(turn.questions[-1:]))
        question = replace(_voice_question(turn, self._services.clock.now()), manner=wanted_manner)
        if error:
            question = replace(question, has_model=True, too_long=isinstance(error, ContextTooLong))
        if not (wanted_manner.language or spoken_language(question.text)):
            question = replace(question, written=await _written_language(turn))
        read_at = question.now
        result = SearchResult()

        async def search() -> Sequence[Hit]:
            nonlocal read_at, result
            read_at = self._services.clock.now()
            result = await search_parts(turn, question)
            return result.hits

        hits = await self._verification.hits(search, request_budget)
        while await self._verification.changes_sources([one.key for one in result.above], request_budget):
            hits = await self._verification.hits(search, request_budget)
        length = len(question.text) + sum(len(hit.exchange.text) for hit in hits)
        answer = await off_loop(length, partial(_quoting_answer, question, hits, result.above))
        links = await written_urls([*turn.questions, *(hit.exchange for hit in hits)])
        # Written by code, so of all hits it contains only those it quotes.
        cited = {hit.exchange.key: hit.exchange.text for hit in answer.cites} | {one.key: one.text for one in answer.above}
        seen = cited | {one.key: one.text for one in wanted_manner.followed_in(answer.text)}
        sources = cited.keys() | {exchange.key for exchange in turn.questions}
        return GeneratedAnswer(answer.text, frozenset(sources), answer.echo, links, read_at, seen, used=used_in(answer.cites))


async def _own_message_replied_to(turn: Turn) -> Exchange | None:
    """Return the stored message that a turn replies to, if the same person said it."""
    own = [quote.id for quote in turn.quotes if quote.person == turn.person.id]
    return await turn.view.messages.find(turn.place.platform, None, own[0]) if len(own) == 1 else None


def _quoting_answer(question: VoiceQuestion, hits: Sequence[Hit], above: Sequence[Statement]) -> VoiceAnswer:
    said = _statements(hits)
    stems = {stem for text in said for stem in key_words(text).values()}
    return replace(question, text=as_meant(question.text, said)).answer(hits, stems.__contains__, above)


def _hint(text: str, offer: Offer, wanted: Manner, *, asks_first: bool) -> str:
    """Return the sentence that names an offered command: a mere word does nothing."""
    unclear = not (wanted.language or spoken_language(text))
    told = Phrases(offer.language) if unclear and offer.language in SPOKEN.values() else wanted.phrases(text)
    if asks_first:
        return told.framed("Nothing is forgotten yet. {command} does it, and asks once more first.", command=offer.line)
    return told.framed("{command} does that.", command=offer.line)


def _voice_question(turn: Turn, now: int) -> VoiceQuestion:
    """Return what a turn asks, as of `now` (microseconds UTC)."""
    text = "\n".join(exchange.text for exchange in turn.questions)
    return VoiceQuestion(text, turn.questions[-1].speaker, now, turn.view.home.time_zone, kept=not turn.off_record)


async def _written_language(turn: Turn) -> str:
    asker = turn.questions[-1].identity
    unstored_language = newest_language(
        [one.text for one in turn.unstored_history if one.kind is Kind.SAID and one.identity == asker]
    )
    return unstored_language or (newest_language(await turn.view.messages.last_said(LOOKED_BACK, asker)) if asker else "")


def _statements(hits: Sequence[Hit]) -> list[str]:
    return [hit.exchange.text for hit in hits if hit.exchange.kind is Kind.SAID and not only_asks(hit.exchange.text)]
