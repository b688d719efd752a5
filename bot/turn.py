"""A turn: what was said is kept, then answered from what may be known here, and the answer is kept before it is sent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adapters.base import Adapter, Preview
from bot.errors import ContextTooLong, ModelDenied, ModelError
from bot.gate import addresses, gated
from bot.house import House
from bot.intake import Intake, Turn
from bot.introduction import introduction
from bot.log import log
from bot.model import closing
from bot.offline import Asked, OfflineVoice
from bot.prompt import Prompt, Question, Recollection, build
from bot.streaming import Streamed
from bot.telling import told
from bot.verbs.being import owned
from memory.errors import SourceGone
from memory.journal import Heard, Part
from memory.lexical import key_words
from memory.types import Exchange, Hit, Kind, NewExchange
from memory.view import Answer

NAME = "Lyra"
_WIDE = 50
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Spoken:
    """An answer before it is kept: its text, the keys it rests on, and whether it only repeats memory."""

    text: str
    sources: frozenset[int]
    echo: bool


class Turns:
    """Takes turns, with everything a turn needs."""

    def __init__(self, house: House, intake: Intake) -> None:
        self._h = house
        self._intake = intake
        self._voice = OfflineVoice()
        self.show_prompt: Callable[[Prompt], None] | None = None

    async def take(self, heard: Sequence[Heard], adapter: Adapter) -> None:
        """Keep these messages of one place and answer them; a stale or forgotten one is kept or dropped without a word.

        Raises PlaceUnknown where it is not known who reads the place now.
        """
        turn = await self._intake.keep(heard, adapter)
        if turn is None:
            return
        place = turn.place
        if adapter.introduces:
            await self._introduce(turn, adapter.prefix)
        async with adapter.thinking(place.key):
            parts = await self._answered(turn, heard, adapter)
        await self._h.outgoing.flush(place.platform, place.key, parts)
        self._h.keeper.poke(turn.view.home, turn.session)

    async def _introduce(self, turn: Turn, prefix: str) -> None:
        place = turn.place
        parts = self._h.outgoing.parts(place.platform, introduction(self._h.models.where, prefix, shared=turn.shared))
        if await turn.view.greet(turn.session, parts):
            await self._h.outgoing.flush(place.platform, place.key, parts)

    async def _answered(self, turn: Turn, heard: Sequence[Heard], adapter: Adapter) -> Sequence[Part]:
        """Answer, and keep the answer; return the parts that are to be sent."""
        shown, streamed = await self._preview(turn, adapter)
        try:
            for _ in range(_TRIES):
                try:
                    spoken = await self._answer(turn, shown)
                    return await self._store(turn, spoken, await self._replaced(turn, streamed))
                except SourceGone:
                    if shown:
                        await shown.drop()
                    again = await self._intake.keep(heard, adapter)
                    if again is None:
                        break
                    turn = again
            return await self._give_up(turn, heard, await self._replaced(turn, streamed))
        except ModelError as error:
            if shown:
                await shown.drop()
            replaces = await self._replaced(turn, streamed)
            if not await self._h.memory.journal.open_payloads(turn.finishes):
                return await self._give_up(turn, heard, replaces)
            return await self._hold(turn, error, replaces)
        finally:
            if streamed:
                streamed.cancel()

    async def _preview(self, turn: Turn, adapter: Adapter) -> tuple[Preview | None, Streamed | None]:
        shown = adapter.preview(turn.place.key)
        if shown or not adapter.edit_seconds or not await self._h.preferences.streams(turn.place, turn.person):
            return shown, None
        if await self._left_over(turn):
            # It becomes the answer; a second one beside it would leave it half done.
            return None, None
        links = addresses("\n".join(exchange.text for exchange in turn.asked))
        streamed = Streamed(turn, adapter, self._h.outgoing, links)
        return streamed, streamed

    async def _replaced(self, turn: Turn, streamed: Streamed | None) -> str:
        """Return the key of the preview that the answer takes the place of: this turn's, or one that a kill left behind."""
        key = await streamed.stop() if streamed else ""
        return key or await self._left_over(turn)

    async def _left_over(self, turn: Turn) -> str:
        """Return the key of a preview that a kill left behind, '' where there is none."""
        for exchange in reversed(turn.asked):
            left = await self._h.memory.journal.preview_of(turn.place.platform, turn.place.key, exchange.source_id)
            if left:
                return left
        return ""

    async def _answer(self, turn: Turn, shown: Preview | None) -> Spoken:
        chat, budget = self._h.models.chat, self._h.settings.context_tokens
        if chat is None:
            return await self._speak_offline(turn)
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
            return await self._speak_offline(turn)

    async def _speak(self, turn: Turn, shown: Preview | None, budget: int) -> Spoken:
        """Ask the model, showing the answer as it comes where the place can."""
        assert self._h.models.chat is not None
        memory = await self._recollect(turn)
        question = Question(turn.asked, turn.quotes, turn.aside, turn.images if self._h.models.sees else (), turn.shared)
        prompt = build(self._h.persona, memory, question, self._h.clock.now(), turn.view.home.time_zone, budget)
        if self.show_prompt:
            self.show_prompt(prompt)
        pieces: list[str] = []
        async with closing(self._h.models.chat.stream(prompt.messages)) as stream:
            async for piece in stream:
                pieces.append(piece)
                if shown:
                    await shown.show(piece)
            for name, error in getattr(stream, "passed_over", ()):
                log.warning("model.passed_over", model=name, error=type(error).__name__)
        text = gated(self._h.outgoing.printed("".join(pieces)), _said_here(memory, question))
        return Spoken(text, prompt.sources | {e.key for e in turn.asked}, await turn.view.foreign(prompt.sources))

    async def _speak_offline(self, turn: Turn) -> Spoken:
        text = "\n".join(exchange.text for exchange in turn.asked)
        hits = await turn.view.recall(text, _WIDE, exclude=[exchange.key for exchange in turn.asked])
        asked = Asked(text, turn.asked[-1].speaker, self._h.clock.now(), turn.view.home.time_zone)
        held = _stems(hits)
        answer = self._voice.answer(asked, hits, lambda stem: stem in held)
        sources = {hit.exchange.key for hit in answer.cites} | {exchange.key for exchange in turn.asked}
        return Spoken(answer.text, frozenset(sources), answer.echo)

    async def _recollect(self, turn: Turn) -> Recollection:
        """Bring to mind what belongs to a turn, leaving out what is in view already."""
        settings = self._h.settings
        text = "\n".join(exchange.text for exchange in turn.asked)
        asked = {exchange.key for exchange in turn.asked}
        window = await turn.view.window(turn.session, 2 * settings.recent_turns)
        recent = [exchange for exchange in window if exchange.key not in asked]
        beginning = window[0].said_at if window else self._h.clock.now()
        earlier = await turn.view.frontier(turn.session)
        summary = [digest for digest in earlier if digest.first_at < beginning]
        hits = await turn.view.recall(text, settings.recall_k, exclude={exchange.key for exchange in window} | asked)
        gists = await turn.view.gists(text, settings.gists_k, exclude={digest.key for digest in earlier})
        return Recollection(summary, recent, gists, hits)

    async def _store(self, turn: Turn, spoken: Spoken, replaces: str) -> Sequence[Part]:
        """T3: the reply, what it rests on, its parts and the end of what it answers; return the parts."""
        question = turn.asked[-1]
        reply = NewExchange(
            Kind.REPLY, spoken.text, f"reply:{question.source_id}", max(self._h.clock.now(), question.said_at + 1), NAME,
            "assistant", None, spoken.echo,
        )  # fmt: skip
        parts = self._h.outgoing.parts(turn.place.platform, spoken.text, replaces=replaces)
        answer = Answer(reply, spoken.sources, turn.finishes, parts, turn.asked, turn.answers)
        await turn.view.answer(turn.session, answer)
        return parts

    async def _hold(self, turn: Turn, error: ModelError, replaces: str) -> Sequence[Part]:
        """Keep the question for when the model is back; return what says so, once."""
        if isinstance(error, ModelDenied):
            log.error("model.denied", why=str(error))
        may_pass = error.transient or isinstance(error, ModelDenied)
        await self._h.memory.journal.hold(turn.finishes, type(error).__name__, None if may_pass else _TRIES)
        why = told(error, owner=owned(turn.place.platform))
        text = f"{why} Your message is kept; I answer it when the model does."
        if not turn.again:
            parts = self._h.outgoing.parts(turn.place.platform, text, replaces=replaces)
        else:
            parts = self._h.outgoing.removal(replaces) if replaces else ()
        await turn.view.notify(turn.session, parts, [], turn.answers)
        return parts

    async def _give_up(self, turn: Turn, heard: Sequence[Heard], replaces: str) -> Sequence[Part]:
        """Drop what was taken back, and what was shown of an answer to it."""
        await self._h.memory.journal.drop([event.key for event in heard])
        parts = self._h.outgoing.removal(replaces) if replaces else ()
        await turn.view.notify(turn.session, parts, [])
        return parts


def _said_here(memory: Recollection, question: Question) -> frozenset[str]:
    """Return the addresses that people in view said: an answer may show no others as such."""
    exchanges: list[Exchange] = [*memory.recent, *question.asked, *(hit.exchange for hit in memory.hits)]
    quotes = [quote.text for quote in (*question.aside, *question.quotes) if not quote.own]
    return addresses("\n".join([*(e.text for e in exchanges if e.kind is Kind.SAID), *quotes]))


def _stems(hits: Sequence[Hit]) -> set[str]:
    statements = [hit.exchange.text for hit in hits if hit.exchange.kind is Kind.SAID]
    return {stem for text in statements if not text.rstrip().endswith("?") for stem in key_words(text).values()}
