"""Generating an answer, from the model or the offline voice, before it is stored."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from bot.context.persona import Persona
from bot.context.prompt import Prompt, draft_prompt
from bot.context.prompt_question import PromptQuestion
from bot.context.turn_retrieval import recall_items, standing_layers
from bot.conversation.answering.generated_answer import GeneratedAnswer
from bot.conversation.answering.model_answer import Inputs, ModelAnswer, PromptLimits
from bot.conversation.answering.offline_answer import OfflineAnswers, voice_question
from bot.conversation.answering.streaming import AnswerPreview
from bot.conversation.one_turn import Turn
from bot.conversation.services import Services
from bot.errors import ContextTooLong, ModelError, ModelGarbled
from bot.models.offline.voice import OfflineVoice
from bot.models.port import Model
from bot.reconciliation.message_verification import MessageVerification, RequestBudget
from bot.reconciliation.used_messages import only, used_at, used_in
from bot.service.log import log
from bot.service.runtime_metrics import measures
from memory.text.off_loop import off_loop

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
        self._voice = OfflineVoice()
        self._offline = OfflineAnswers(self._voice, verification, services.clock)
        self._show_prompt = show_prompt

    async def answer(self, turn: Turn, preview: AnswerPreview | None) -> GeneratedAnswer:
        """Return the answer to a turn, streaming it where the place supports that.

        If the person stops it, return what was generated so far. Raises ModelError, and AnswerEnded if that is nothing.
        """
        models, request_budget = self._services.models, RequestBudget()
        chat = (models.cheaper if turn.cheaper else None) or models.chat
        if chat is None:
            return await self._offline.answer(turn, request_budget)
        budget, lookups = self._services.settings.context_tokens, models.offers_tools
        if turn.frugal:
            budget, lookups = max(budget // _FRUGAL, _LEAST), False
        try:
            limits = PromptLimits(min(budget, await chat.room() or budget), lookups)
            return await self._answer_shortening(chat, turn, preview, limits, request_budget)
        except ModelError as error:
            # A prompt that cannot get shorter would not fit later either, and a second empty answer is final.
            failed_twice = isinstance(error, ModelGarbled) and (turn.retried or error.attempts > 1)
            is_final = isinstance(error, ContextTooLong) or failed_twice
            if not (models.voice_last or is_final):
                raise
            log.warning("model.failed", model=chat.name, why=str(error))
            if preview:
                await preview.drop()
            return await self._offline.answer(turn, request_budget, too_long=isinstance(error, ContextTooLong))

    async def _answer_shortening(
        self, chat: Model, turn: Turn, preview: AnswerPreview | None, limits: PromptLimits, request_budget: RequestBudget
    ) -> GeneratedAnswer:
        """Answer, shortening the prompt until the model accepts it. Raises ModelError."""
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
            read_at, commits = self._services.clock.now(), await turn.view.validity.commits()
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
            if not (usable_recent.changed or usable_hits.changed):
                return Inputs(read_at, commits, layers.recent, prompt_draft, recall.narrowed(only(recall.hits, usable_hits)))

    def _queries(self, turn: Turn, now: int) -> Sequence[str]:
        """Return the separate queries: the parts of the question at the end of the message."""
        question = voice_question(turn, now)
        return [part.sought for part in self._voice.parts(replace(question, text=question.text[-_MOST_OF_A_QUESTION:]))]
