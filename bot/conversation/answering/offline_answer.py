"""An answer without a model: what was said, quoted in the offline voice."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bot.context.turn_retrieval import SearchResult, search_parts
from bot.conversation.answer_language import LOOKED_BACK
from bot.conversation.answering.generated_answer import GeneratedAnswer
from bot.conversation.one_turn import Turn
from bot.delivery.links import written_urls
from bot.models.offline.spoken_languages import detect_language, newest_language
from bot.models.offline.spoken_manner import manner
from bot.models.offline.voice import OfflineVoice, VoiceAnswer, VoiceQuestion
from bot.reconciliation.message_verification import MessageVerification, RequestBudget
from bot.reconciliation.used_messages import used_in
from memory.index.hits import Hit
from memory.ports import Clock
from memory.text.lexical import key_words
from memory.text.off_loop import off_loop
from memory.types import Kind, Statement


class OfflineAnswers:
    """Answers turns from memory alone."""

    def __init__(self, voice: OfflineVoice, verification: MessageVerification, clock: Clock) -> None:
        self._voice = voice
        self._verification = verification
        self._clock = clock

    async def answer(self, turn: Turn, request_budget: RequestBudget, *, too_long: bool = False) -> GeneratedAnswer:
        """Return the answer to a turn; if a prompt was `too_long` for a model, it says so first."""
        wanted_manner = manner(await turn.view.digests.wanted_by(turn.questions[-1:]))
        question = replace(voice_question(turn, self._clock.now()), manner=wanted_manner, too_long=too_long)
        if not (wanted_manner.language or detect_language(question.text)):
            question = replace(question, written=await _written_language(turn))
        read_at = question.now
        result = SearchResult()

        async def search() -> Sequence[Hit]:
            nonlocal read_at, result
            read_at = self._clock.now()
            result = await search_parts(turn, self._voice, question)
            return result.hits

        hits = await self._verification.hits(search, request_budget)
        length = len(question.text) + sum(len(hit.exchange.text) for hit in hits)
        answer = await off_loop(length, partial(self._quoting_answer, question, hits, result.above))
        links = await written_urls([*turn.questions, *(hit.exchange for hit in hits)])
        # Written by code, so of all hits it contains only those it quotes.
        cited = {hit.exchange.key: hit.exchange.text for hit in answer.cites} | {one.key: one.text for one in answer.above}
        seen = cited | {one.key: one.text for one in wanted_manner.rests_on}
        sources = cited.keys() | {exchange.key for exchange in turn.questions}
        return GeneratedAnswer(answer.text, frozenset(sources), answer.echo, links, read_at, seen, used=used_in(answer.cites))

    def _quoting_answer(self, question: VoiceQuestion, hits: Sequence[Hit], above: Sequence[Statement]) -> VoiceAnswer:
        stems = _stems(hits)
        return self._voice.answer(question, hits, lambda stem: stem in stems, above)


def voice_question(turn: Turn, now: int) -> VoiceQuestion:
    """Return what a turn asks, as of `now` (microseconds UTC)."""
    text = "\n".join(exchange.text for exchange in turn.questions)
    return VoiceQuestion(text, turn.questions[-1].speaker, now, turn.view.home.time_zone, kept=not turn.off_record)


async def _written_language(turn: Turn) -> str:
    """Return the language in which the asker wrote before."""
    asker = turn.questions[-1].identity
    unstored_language = newest_language(
        [one.text for one in turn.unstored_history if one.kind is Kind.SAID and one.identity == asker]
    )
    return unstored_language or (newest_language(await turn.view.messages.last_said(LOOKED_BACK, asker)) if asker else "")


def _stems(hits: Sequence[Hit]) -> set[str]:
    statements = [hit.exchange.text for hit in hits if hit.exchange.kind is Kind.SAID]
    return {stem for text in statements if not text.rstrip().endswith("?") for stem in key_words(text).values()}
