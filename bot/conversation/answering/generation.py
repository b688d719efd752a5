"""Generating an answer, from the model or the offline voice, before it is stored."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from bot.context import tools
from bot.context.persona import Persona
from bot.context.prompt import Prompt, PromptDraft, PromptQuestion, draft
from bot.context.turn_retrieval import SearchResult, recalled, sought, standing
from bot.conversation.answer_language import LOOKED_BACK
from bot.conversation.answering.source_watch import SourceWatch
from bot.conversation.answering.streaming import AnswerPreview
from bot.conversation.answering.tool_calls import ROUNDS, SHARE, Reads, ToolCalls
from bot.conversation.one_turn import Turn
from bot.conversation.services import Services
from bot.delivery.links import given
from bot.errors import AnswerEnded, ContextTooLong, ModelError, ModelGarbled
from bot.models.offline.spoken_languages import told, told_by
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
from memory.tiers.asides import Aside
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

    `seen` is what was in view, as read from `begun` on, `asides` the messages in view that are not stored. `used` are the
    stored messages it may rest on, with where they were said. `raised` is the open topic it was asked to bring up. `tokens` counts
    those sent and received.
    """

    text: str
    sources: frozenset[int]
    echo: bool
    links: frozenset[str]
    begun: int
    seen: Mapping[int, str] = field(default_factory=dict)
    asides: frozenset[Aside] = frozenset()
    used: Sequence[UsedMessage] = ()
    raised: frozenset[int] = frozenset()
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class _Start:
    """The inputs of an answer: when and after which commit they were read, the recent messages, the draft, and what was recalled."""

    at: int
    commits: int
    recent: Sequence[Exchange]
    draft: PromptDraft
    came: Recalled


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

    async def answer(self, turn: Turn, shown: AnswerPreview | None) -> GeneratedAnswer:
        """Return the answer to a turn, streaming it where the place supports that.

        If the person stops it, return what was generated so far. Raises ModelError, and AnswerEnded if that is nothing.
        """
        models, budget, looks = self._services.models, self._services.settings.context_tokens, RequestBudget()
        chat, rounds = self._chat(turn), ROUNDS if models.offers_tools else 0
        if turn.frugal:
            budget, rounds = max(budget // _FRUGAL, _LEAST), 0
        if chat is None:
            return await self._offline(turn, looks)
        try:
            return await self._fitting(turn, shown, min(budget, await chat.room() or budget), looks, rounds)
        except ModelError as error:
            # A prompt that cannot get shorter would not fit later either, and a second empty answer is final.
            twice = isinstance(error, ModelGarbled) and (turn.again or error.asked > 1)
            lasts = isinstance(error, ContextTooLong) or twice
            if not (models.voice_last or lasts):
                raise
            log.warning("model.failed", model=chat.name, why=str(error))
            if shown:
                await shown.drop()
            return await self._offline(turn, looks)

    def _chat(self, turn: Turn) -> Model | None:
        """Return the model that answers a turn, or None."""
        models = self._services.models
        return (models.cheaper if turn.cheaper else None) or models.chat

    async def _fitting(
        self, turn: Turn, shown: AnswerPreview | None, budget: int, looks: RequestBudget, rounds: int
    ) -> GeneratedAnswer:
        """Answer, shortening the prompt until the model accepts it. Raises ModelError."""
        refused: int | None = None
        for left in range(_SHRINKS, -1, -1):
            try:
                return await self._speak(turn, shown, budget, looks, rounds, refused)
            except ContextTooLong as error:
                if not left or (refused is not None and error.size is not None and error.size >= refused):
                    raise
                if shown:
                    await shown.drop()
                budget, rounds, refused = min(error.room or budget // 2, budget - 1), 0, error.size
        raise AssertionError("the last try returns or raises")

    async def _speak(
        self, turn: Turn, shown: AnswerPreview | None, budget: int, looks: RequestBudget, rounds: int, refused: int | None = None
    ) -> GeneratedAnswer:
        """Answer with a prompt of `budget` tokens and at most `rounds` lookups.

        A prompt that is no shorter than the one `refused` is not sent. Raises ModelError.
        """
        chat = self._chat(turn)
        assert chat is not None
        question = PromptQuestion(
            turn.asked, turn.quotes, turn.aside, turn.images if self._services.models.sees else (), turn.shared
        )
        start = await self._started(turn, question, budget - tools.COST * bool(rounds), looks)
        links: frozenset[str] = frozenset()

        def used() -> list[UsedMessage]:
            kept = (*used_at(turn.session, start.recent), *used_in([*start.came.hits, *lookups.hits.values()]))
            seen = lookups.seen
            return [one for one in kept if one.exchange.key in seen]

        async def allow() -> None:
            nonlocal links
            links = await _said_here([one.exchange for one in used()], question)
            if shown:
                shown.allow(links, basis)

        reads = Reads(turn, partial(self._verification.hits, looks=looks), allow)
        lookups = ToolCalls(reads, start.draft, start.came, rounds, int(SHARE * budget), start.at, self._show_prompt)
        basis = SourceWatch(turn, start.at, start.commits, lambda: lookups.seen, lambda: lookups.whole.asides)
        messages = await lookups.begin()
        await allow()
        if refused is not None and (shortest := size(messages)) >= refused:
            raise ContextTooLong(lazy("The model {name} cannot take a prompt that long.", name=chat.name), size=shortest)
        pieces: list[str] = []
        with measures.stage("model"):
            whole = await basis.bear(self._stream(chat, lookups, shown, pieces))
        took = size(messages) + tokens("".join(pieces))
        text = self._services.outgoing.composer.printed("".join(pieces))
        if not whole:
            if not text:
                raise AnswerEnded(lazy("The answer was ended before it began."))
            text = f"{text} […]"
        prompt = lookups.whole
        # Off the event loop, because long messages in view take long to compare.
        sources = await asyncio.to_thread(prompt.sources, text) | {exchange.key for exchange in turn.asked}
        quotes = (*question.aside, *question.quotes)
        asides = {Aside(one.id, one.said_at, one.edited_at, turn.began) for one in quotes if one.id in prompt.asides}
        return GeneratedAnswer(text, sources, False, links, start.at, prompt.seen, frozenset(asides), used(), prompt.raised, took)

    async def _started(self, turn: Turn, question: PromptQuestion, room: int, looks: RequestBudget) -> _Start:
        """Return the inputs of an answer, within `room` tokens, once none of them has changed at its place."""
        settings, verification = self._services.settings, self._verification
        while True:
            at, commits = self._services.clock.now(), await turn.view.lasting.commits()
            there = await standing(turn, settings)
            recent = sorted([*there.recent, *turn.before], key=lambda one: one.said_at) if turn.before else there.recent
            sure = await verification.sure(used_at(turn.session, recent), looks)
            there = replace(there, recent=[one for one in recent if one.key in sure.keys])
            longest = max(len(one.text) for one in (*there.recent, *turn.asked))
            zone = turn.view.home.time_zone
            begun = await off_loop(longest, partial(draft, self._persona.current(), there, question, at, zone, room))
            with measures.stage("recall"):
                came = await recalled(turn, settings, begun.in_view, begun.since, self._parts(turn, at))
            found = await verification.sure(used_in(came.hits), looks)
            if not (sure.changed or found.changed):
                return _Start(at, commits, there.recent, begun, came.narrowed(only(came.hits, found)))

    async def _stream(self, chat: Model, lookups: ToolCalls, shown: AnswerPreview | None, pieces: list[str]) -> None:
        """Collect the model's output in `pieces`, showing it as it arrives."""
        async with closing(chat.stream(lookups.prompt(plain=False), lookups)) as stream:
            async for piece in stream:
                pieces.append(piece)
                if isinstance(piece, Restart):
                    pieces.clear()
                    if shown:
                        await shown.drop()
                elif shown:
                    await shown.show(piece)
            for name, error in getattr(stream, "passed_over", ()):
                log.warning("model.passed_over", model=name, error=type(error).__name__)

    def _parts(self, turn: Turn, now: int) -> Sequence[str]:
        """Return the separate queries: the parts of the question at the end of the message."""
        asked = _question(turn, now)
        return [part.sought for part in self._voice.parts(replace(asked, text=asked.text[-_MOST_OF_A_QUESTION:]))]

    async def _offline(self, turn: Turn, looks: RequestBudget) -> GeneratedAnswer:
        wanted = manner(await turn.view.digests.wanted_by(turn.asked[-1:]))
        asked = replace(_question(turn, self._services.clock.now()), manner=wanted)
        if not (wanted.language or told(asked.text)):
            asked = replace(asked, written=await _written(turn))
        begun = asked.now
        came = SearchResult()

        async def found() -> Sequence[Hit]:
            nonlocal begun, came
            begun = self._services.clock.now()
            came = await sought(turn, self._voice, asked)
            return came.hits

        hits = await self._verification.hits(found, looks)
        read = len(asked.text) + sum(len(hit.exchange.text) for hit in hits)
        answer = await off_loop(read, partial(self._answer, asked, hits, came.above))
        links = await given([*turn.asked, *(hit.exchange for hit in hits)])
        # Written by code, so of all hits it contains only those it quotes.
        cited = {hit.exchange.key: hit.exchange.text for hit in answer.cites} | {one.key: one.text for one in answer.above}
        seen = cited | {one.key: one.text for one in wanted.rests_on}
        sources = cited.keys() | {exchange.key for exchange in turn.asked}
        return GeneratedAnswer(answer.text, frozenset(sources), answer.echo, links, begun, seen, used=used_in(answer.cites))

    def _answer(self, asked: VoiceQuestion, hits: Sequence[Hit], above: Sequence[Statement]) -> VoiceAnswer:
        held = _stems(hits)
        return self._voice.answer(asked, hits, lambda stem: stem in held, above)


async def _written(turn: Turn) -> str:
    """Return the language in which the asker wrote before."""
    asker = turn.asked[-1].identity
    unkept = told_by([one.text for one in turn.before if one.kind is Kind.SAID and one.identity == asker])
    return unkept or (told_by(await turn.view.messages.last_said(LOOKED_BACK, asker)) if asker else "")


def _question(turn: Turn, now: int) -> VoiceQuestion:
    text = "\n".join(exchange.text for exchange in turn.asked)
    return VoiceQuestion(text, turn.asked[-1].speaker, now, turn.view.home.time_zone, kept=not turn.off_record)


async def _said_here(remembered: Sequence[Exchange], question: PromptQuestion) -> frozenset[str]:
    """Return the URLs that people in view wrote: an answer may show no others as links."""
    quotes = [quote.text for quote in (*question.aside, *question.quotes) if not quote.own]
    return await given([*remembered, *question.asked], quotes)


def _stems(hits: Sequence[Hit]) -> set[str]:
    statements = [hit.exchange.text for hit in hits if hit.exchange.kind is Kind.SAID]
    return {stem for text in statements if not text.rstrip().endswith("?") for stem in key_words(text).values()}
