"""What she says: an answer from the model, or from the offline voice, before it is kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bot.errors import ContextTooLong, ModelError
from bot.house import House
from bot.intake import Turn
from bot.links import given
from bot.log import log
from bot.model import closing
from bot.offline import Asked, OfflineVoice
from bot.prompt import Prompt, Question, draft, finish
from bot.recollection import recalled, standing
from bot.streaming import Showing
from memory.lexical import key_words
from memory.types import Exchange, Hit, Kind

_WIDE = 50


@dataclass(frozen=True, slots=True)
class Spoken:
    """An answer before it is kept: its text, the keys it rests on, whether it only repeats memory, and the links it may show."""

    text: str
    sources: frozenset[int]
    echo: bool
    links: frozenset[str]


class Speaking:
    """Answers turns. `show_prompt` is given every prompt before the model is."""

    def __init__(self, house: House, show_prompt: Callable[[Prompt], None] | None = None) -> None:
        self._h = house
        self._voice = OfflineVoice()
        self._show_prompt = show_prompt

    async def answer(self, turn: Turn, shown: Showing | None) -> Spoken:
        """Return the answer to a turn, showing it as it comes where the place can. Raises ModelError."""
        chat, budget = self._h.models.chat, self._h.settings.context_tokens
        if chat is None:
            return await self._offline(turn)
        try:
            return await self._speak(turn, shown, budget)
        except ContextTooLong:
            return await self._speak(turn, shown, budget // 2)
        except ModelError as error:
            if not self._h.models.voice_last:
                raise
            log.warning("model.failed", model=chat.name, why=str(error))
            if shown:
                await shown.drop()
            return await self._offline(turn)

    async def _speak(self, turn: Turn, shown: Showing | None, budget: int) -> Spoken:
        assert self._h.models.chat is not None
        settings, zone = self._h.settings, turn.view.home.time_zone
        question = Question(turn.asked, turn.quotes, turn.aside, turn.images if self._h.models.sees else (), turn.shared)
        there = await standing(turn, settings)
        begun = draft(self._h.persona, there, question, self._h.clock.now(), zone, budget)
        came = await recalled(turn, settings, begun.in_view, begun.since)
        prompt = finish(begun, came)
        if self._show_prompt:
            self._show_prompt(prompt)
        links = await _said_here([*there.recent, *(hit.exchange for hit in came.hits)], question)
        if shown:
            shown.allow(links)
        pieces: list[str] = []
        async with closing(self._h.models.chat.stream(prompt.messages)) as stream:
            async for piece in stream:
                pieces.append(piece)
                if shown:
                    await shown.show(piece)
            for name, error in getattr(stream, "passed_over", ()):
                log.warning("model.passed_over", model=name, error=type(error).__name__)
        text = self._h.outgoing.printed("".join(pieces))
        sources = prompt.sources(text) | {exchange.key for exchange in turn.asked}
        return Spoken(text, sources, await turn.view.foreign(prompt.shown), links)

    async def _offline(self, turn: Turn) -> Spoken:
        text = "\n".join(exchange.text for exchange in turn.asked)
        hits = await turn.view.recall(
            text, _WIDE, exclude=[exchange.key for exchange in turn.asked], asker=turn.asked[-1].speaker
        )
        asked = Asked(text, turn.asked[-1].speaker, self._h.clock.now(), turn.view.home.time_zone)
        held = _stems(hits)
        answer = self._voice.answer(asked, hits, lambda stem: stem in held)
        sources = {hit.exchange.key for hit in answer.cites} | {exchange.key for exchange in turn.asked}
        links = await given([*turn.asked, *(hit.exchange for hit in hits)])
        return Spoken(answer.text, frozenset(sources), answer.echo, links)


async def _said_here(remembered: Sequence[Exchange], question: Question) -> frozenset[str]:
    """Return the addresses that people in view said: an answer may show no others as such."""
    quotes = [quote.text for quote in (*question.aside, *question.quotes) if not quote.own]
    return await given([*remembered, *question.asked], quotes)


def _stems(hits: Sequence[Hit]) -> set[str]:
    statements = [hit.exchange.text for hit in hits if hit.exchange.kind is Kind.SAID]
    return {stem for text in statements if not text.rstrip().endswith("?") for stem in key_words(text).values()}
