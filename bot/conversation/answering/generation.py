"""Generating an answer, from the model or the offline voice, before it is stored."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from bot.context import tools
from bot.context.persona import Persona
from bot.context.prompt import Prompt, PromptDraft, draft_prompt
from bot.context.prompt_question import PromptQuestion
from bot.context.turn_retrieval import SearchResult, recall_items, search_parts, standing_layers
from bot.conversation.answer_language import LOOKED_BACK
from bot.conversation.answering.source_watch import SourceWatch
from bot.conversation.answering.streaming import AnswerPreview
from bot.conversation.answering.tool_calls import ROUNDS, SHARE, Reads, ToolCalls
from bot.conversation.one_turn import Turn
from bot.conversation.services import Services
from bot.delivery.links import written_urls
from bot.errors import AnswerEnded, ContextTooLong, ModelError, ModelGarbled
from bot.models.offline.spoken_languages import detect_language, newest_language
from bot.models.offline.spoken_manner import manner
from bot.models.offline.voice import OfflineVoice, VoiceAnswer, VoiceQuestion
from bot.models.port import Model, Restart, closing, size
from bot.reconciliation.message_verification import MessageVerification, RequestBudget
from bot.reconciliation.used_messages import UsedMessage, only, used_at, used_in
from bot.service.log import log
from bot.service.runtime_metrics import measures
from localization.sentences import lazy
from memory.index.hits import Hit
from memory.text.budget import tokens
from memory.text.lexical import key_words
from memory.text.off_loop import off_loop
from memory.tiers.messages.asides import Aside
from memory.types import Exchange, Kind, Statement
from memory.view.recalled import Recalled

_SHRINKS = 6
_FRUGAL, _LEAST = 4, 500
"""The factor by which a prompt shrinks for heavy users, and its minimum size in tokens."""
_MOST_OF_A_QUESTION = 1_000
"""The maximum length (characters) of a question that is split into parts; more would block others."""


@dataclass(frozen=True, slots=True)
class GeneratedAnswer:
    """An answer before it is stored: its text, the keys of its sources, whether it only quotes memory, and the links it may show.

    `seen` is what was in view, as read from `read_at` (microseconds UTC) on, `asides` the messages in view that are not stored. `used` are the
    stored messages it may rest on, with where they were said. `raised` is the open topic it was asked to bring up. `tokens` counts
    those sent and received.
    """

    text: str
    sources: frozenset[int]
    echo: bool
    links: frozenset[str]
    read_at: int
    seen: Mapping[int, str] = field(default_factory=dict)
    asides: frozenset[Aside] = frozenset()
    used: Sequence[UsedMessage] = ()
    raised: frozenset[int] = frozenset()
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class _Start:
    """The inputs of an answer: when and after which commit they were read, the recent messages, the draft, and what was recalled."""

    read_at: int
    commits: int
    recent: Sequence[Exchange]
    draft: PromptDraft
    recalled: Recalled


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
        self._show_prompt = show_prompt

    async def answer(self, turn: Turn, preview: AnswerPreview | None) -> GeneratedAnswer:
        """Return the answer to a turn, streaming it where the place supports that.

        If the person stops it, return what was generated so far. Raises ModelError, and AnswerEnded if that is nothing.
        """
        models, budget, request_budget = self._services.models, self._services.settings.context_tokens, RequestBudget()
        chat, rounds = self._chat(turn), ROUNDS if models.offers_tools else 0
        if turn.frugal:
            budget, rounds = max(budget // _FRUGAL, _LEAST), 0
        if chat is None:
            return await self._answer_offline(turn, request_budget)
        try:
            return await self._answer_shortening(turn, preview, min(budget, await chat.room() or budget), request_budget, rounds)
        except ModelError as error:
            # A prompt that cannot get shorter would not fit later either, and a second empty answer is final.
            failed_twice = isinstance(error, ModelGarbled) and (turn.retried or error.attempts > 1)
            is_final = isinstance(error, ContextTooLong) or failed_twice
            if not (models.voice_last or is_final):
                raise
            log.warning("model.failed", model=chat.name, why=str(error))
            if preview:
                await preview.drop()
            return await self._answer_offline(turn, request_budget, too_long=isinstance(error, ContextTooLong))

    def _chat(self, turn: Turn) -> Model | None:
        """Return the model that answers a turn, or None."""
        models = self._services.models
        return (models.cheaper if turn.cheaper else None) or models.chat

    async def _answer_shortening(
        self, turn: Turn, preview: AnswerPreview | None, budget: int, request_budget: RequestBudget, rounds: int
    ) -> GeneratedAnswer:
        """Answer, shortening the prompt until the model accepts it. Raises ModelError."""
        refused_size: int | None = None
        for tries_left in range(_SHRINKS, -1, -1):
            try:
                return await self._answer_within(turn, preview, budget, request_budget, rounds, refused_size)
            except ContextTooLong as error:
                if not tries_left or (refused_size is not None and error.size is not None and error.size >= refused_size):
                    raise
                if preview:
                    await preview.drop()
                budget, rounds, refused_size = min(error.room or budget // 2, budget - 1), 0, error.size
        raise AssertionError("the last try returns or raises")

    async def _answer_within(
        self,
        turn: Turn,
        preview: AnswerPreview | None,
        budget: int,
        request_budget: RequestBudget,
        rounds: int,
        refused_size: int | None = None,
    ) -> GeneratedAnswer:
        """Answer with a prompt of `budget` tokens and at most `rounds` lookups.

        A prompt of `refused_size` tokens was refused: one that is no shorter is not sent. Raises ModelError.
        """
        chat = self._chat(turn)
        assert chat is not None
        question = PromptQuestion(
            turn.questions, turn.quotes, turn.aside, turn.images if self._services.models.sees else (), turn.shared
        )
        inputs = await self._read_inputs(turn, question, budget - tools.COST * bool(rounds), request_budget)
        links: frozenset[str] = frozenset()

        def used() -> list[UsedMessage]:
            read = (*used_at(turn.session, inputs.recent), *used_in([*inputs.recalled.hits, *lookups.hits.values()]))
            seen = lookups.seen
            return [one for one in read if one.exchange.key in seen]

        async def allow_links() -> None:
            nonlocal links
            links = await _said_here([one.exchange for one in used()], question)
            if preview:
                preview.allow(links, source_watch)

        reads = Reads(turn, partial(self._verification.hits, requests=request_budget), allow_links)
        lookups = ToolCalls(reads, inputs.draft, inputs.recalled, rounds, int(SHARE * budget), inputs.read_at, self._show_prompt)
        source_watch = SourceWatch(turn, inputs.read_at, inputs.commits, lambda: lookups.seen, lambda: lookups.last_prompt.asides)
        messages = await lookups.begin()
        await allow_links()
        if refused_size is not None and (prompt_size := size(messages)) >= refused_size:
            raise ContextTooLong(lazy("The model {name} cannot take a prompt that long.", name=chat.name), size=prompt_size)
        pieces: list[str] = []
        with measures.stage("model"):
            is_complete = await source_watch.run(self._stream(chat, lookups, preview, pieces))
        total_tokens = size(messages) + tokens("".join(pieces))
        text = self._services.outgoing.composer.printed("".join(pieces))
        if not is_complete:
            if not text:
                raise AnswerEnded(lazy("The answer was ended before it began."))
            text = f"{text} […]"
        prompt = lookups.last_prompt
        # Off the event loop, because long messages in view take long to compare.
        sources = await asyncio.to_thread(prompt.sources, text) | {exchange.key for exchange in turn.questions}
        quotes = (*question.aside, *question.quotes)
        asides = {Aside(one.id, one.said_at, one.edited_at, turn.began_at) for one in quotes if one.id in prompt.asides}
        return GeneratedAnswer(
            text,
            sources,
            echo=False,
            links=links,
            read_at=inputs.read_at,
            seen=prompt.seen,
            asides=frozenset(asides),
            used=used(),
            raised=prompt.raised,
            tokens=total_tokens,
        )

    async def _read_inputs(self, turn: Turn, question: PromptQuestion, room: int, request_budget: RequestBudget) -> _Start:
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
                return _Start(read_at, commits, layers.recent, prompt_draft, recall.narrowed(only(recall.hits, usable_hits)))

    async def _stream(self, chat: Model, lookups: ToolCalls, preview: AnswerPreview | None, pieces: list[str]) -> None:
        """Collect the model's output in `pieces`, showing it as it arrives."""
        async with closing(chat.stream(lookups.prompt(plain=False), lookups)) as stream:
            async for piece in stream:
                pieces.append(piece)
                if isinstance(piece, Restart):
                    pieces.clear()
                    if preview:
                        await preview.drop()
                elif preview:
                    await preview.show(piece)
            for name, error in getattr(stream, "passed_over", ()):
                log.warning("model.passed_over", model=name, error=type(error).__name__)

    def _queries(self, turn: Turn, now: int) -> Sequence[str]:
        """Return the separate queries: the parts of the question at the end of the message."""
        question = _question(turn, now)
        return [part.sought for part in self._voice.parts(replace(question, text=question.text[-_MOST_OF_A_QUESTION:]))]

    async def _answer_offline(self, turn: Turn, request_budget: RequestBudget, *, too_long: bool = False) -> GeneratedAnswer:
        """Answer without a model; if a prompt was `too_long` for it, say so first."""
        wanted_manner = manner(await turn.view.digests.wanted_by(turn.questions[-1:]))
        question = replace(_question(turn, self._services.clock.now()), manner=wanted_manner, too_long=too_long)
        if not (wanted_manner.language or detect_language(question.text)):
            question = replace(question, written=await _written(turn))
        read_at = question.now
        result = SearchResult()

        async def search() -> Sequence[Hit]:
            nonlocal read_at, result
            read_at = self._services.clock.now()
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


async def _written(turn: Turn) -> str:
    """Return the language in which the asker wrote before."""
    asker = turn.questions[-1].identity
    unstored_language = newest_language(
        [one.text for one in turn.unstored_history if one.kind is Kind.SAID and one.identity == asker]
    )
    return unstored_language or (newest_language(await turn.view.messages.last_said(LOOKED_BACK, asker)) if asker else "")


def _question(turn: Turn, now: int) -> VoiceQuestion:
    text = "\n".join(exchange.text for exchange in turn.questions)
    return VoiceQuestion(text, turn.questions[-1].speaker, now, turn.view.home.time_zone, kept=not turn.off_record)


async def _said_here(remembered: Sequence[Exchange], question: PromptQuestion) -> frozenset[str]:
    """Return the URLs that people in view wrote: an answer may show no others as links."""
    quotes = [quote.text for quote in (*question.aside, *question.quotes) if not quote.own]
    return await written_urls([*remembered, *question.asked], quotes)


def _stems(hits: Sequence[Hit]) -> set[str]:
    statements = [hit.exchange.text for hit in hits if hit.exchange.kind is Kind.SAID]
    return {stem for text in statements if not text.rstrip().endswith("?") for stem in key_words(text).values()}
