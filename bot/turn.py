"""A turn: what was said is kept, then answered from what may be known here, and the answer is kept before it is sent."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adapters.base import Adapter, Message, Place, Preview
from bot.config import Settings
from bot.domains import Domains
from bot.errors import ContextTooLong, ModelDenied, ModelError
from bot.log import log
from bot.model import closing
from bot.models import Models
from bot.offline import Asked, OfflineVoice
from bot.outgoing import Outgoing
from bot.prompt import Prompt, Recollection, build
from bot.scheduler import Keeper
from memory.errors import SourceGone
from memory.journal import Heard, Journal, Part
from memory.lexical import key_words
from memory.ports import Clock
from memory.types import MINUTE, Exchange, Hit, Identity, Kind, NewExchange, Session
from memory.view import Answer, View

NAME = "Lyra"
_WIDE = 50
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Spoken:
    """An answer before it is kept: its text, the keys it rests on, and whether it only repeats memory."""

    text: str
    sources: frozenset[int]
    echo: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """One burst of messages to be answered together."""

    view: View
    session: Session
    place: Place
    asked: Sequence[Exchange]
    finishes: Sequence[int]


class Turns:
    """Takes turns, with everything a turn needs."""

    def __init__(
        self, domains: Domains, journal: Journal, models: Models, outgoing: Outgoing, keeper: Keeper, persona: str,
        settings: Settings, clock: Clock,
    ) -> None:  # fmt: skip
        self._domains = domains
        self._journal = journal
        self._models = models
        self._outgoing = outgoing
        self._keeper = keeper
        self._persona = persona
        self._settings = settings
        self._clock = clock
        self._voice = OfflineVoice()
        self.show_prompt: Callable[[Prompt], None] | None = None

    async def take(self, heard: Sequence[tuple[Heard, Message]], adapter: Adapter) -> None:
        """Keep these messages of one place and answer them; a stale or forgotten one is kept or dropped without a word."""
        turn = await self._keep(heard)
        if turn is None:
            return
        place = turn.place
        for left in reversed(range(_TRIES)):
            preview = adapter.preview(place.key)
            try:
                parts = await self._store(turn, await self._answer(turn, preview))
                break
            except SourceGone:
                if preview:
                    await preview.drop()
                if not left or (turn := await self._keep(heard)) is None:
                    await self._journal.drop([event.key for event, _ in heard])
                    return
            except ModelError as error:
                if preview:
                    await preview.drop()
                parts = await self._hold(turn, error)
                break
        await self._outgoing.flush(place.platform, place.key, parts)
        self._keeper.poke(turn.view.home, turn.session)

    async def _keep(self, heard: Sequence[tuple[Heard, Message]]) -> Turn | None:
        """T2: keep what was said; return the turn to take, or None where nothing is to be answered."""
        place = heard[-1][1].place
        view = await self._domains.view(place, heard[-1][1].person)
        session = await self._domains.session(view, place)
        await view.say(session, [_said(message) for _, message in heard])
        kept = [(event, message, await view.heard(session, message.id)) for event, message in heard]
        oldest = self._clock.now() - self._settings.answer_within_minutes * MINUTE
        fresh = [(event, exchange) for event, message, exchange in kept if exchange and message.said_at >= oldest]
        await self._journal.drop([event.key for event, message, exchange in kept if not exchange or message.said_at < oldest])
        if not fresh:
            return None
        held = await self._journal.held(place.platform, place.key)
        finishes = sorted({*held, *(event.key for event, _ in fresh)})
        return Turn(view, session, place, [exchange for _, exchange in fresh], finishes)

    async def _answer(self, turn: Turn, preview: Preview | None) -> Spoken:
        if self._models.chat is None:
            return await self._speak_offline(turn)
        try:
            return await self._speak(turn, preview, self._settings.context_tokens)
        except ContextTooLong:
            return await self._speak(turn, preview, self._settings.context_tokens // 2)
        except ModelError as error:
            if not self._models.voice_last:
                raise
            log.warning("model.failed", model=self._models.chat.name, why=str(error))
            if preview:
                await preview.drop()
            return await self._speak_offline(turn)

    async def _speak(self, turn: Turn, preview: Preview | None, budget: int) -> Spoken:
        """Ask the model, showing the answer as it comes where the place can."""
        assert self._models.chat is not None
        memory = await self._recollect(turn)
        zone = turn.view.home.time_zone
        prompt = build(self._persona, memory, turn.asked, self._clock.now(), zone, budget)
        if self.show_prompt:
            self.show_prompt(prompt)
        pieces: list[str] = []
        async with closing(self._models.chat.stream(prompt.messages)) as stream:
            async for piece in stream:
                pieces.append(piece)
                if preview:
                    await preview.show(piece)
            for name, error in getattr(stream, "passed_over", ()):
                log.warning("model.passed_over", model=name, error=type(error).__name__)
        foreign = any(hit.exchange.domain != turn.view.home.key for hit in memory.hits)
        return Spoken("".join(pieces).strip(), prompt.sources | {e.key for e in turn.asked}, foreign)

    async def _speak_offline(self, turn: Turn) -> Spoken:
        text = "\n".join(exchange.text for exchange in turn.asked)
        hits = await turn.view.recall(text, _WIDE, exclude=[exchange.key for exchange in turn.asked])
        asked = Asked(text, turn.asked[-1].speaker, self._clock.now(), turn.view.home.time_zone)
        held = _stems(hits)
        answer = self._voice.answer(asked, hits, lambda stem: stem in held)
        sources = {hit.exchange.key for hit in answer.cites} | {exchange.key for exchange in turn.asked}
        return Spoken(answer.text, frozenset(sources), answer.echo)

    async def _recollect(self, turn: Turn) -> Recollection:
        """Bring to mind what belongs to a turn, leaving out what is in view already."""
        text = "\n".join(exchange.text for exchange in turn.asked)
        asked = {exchange.key for exchange in turn.asked}
        window = await turn.view.window(turn.session, 2 * self._settings.recent_turns)
        recent = [exchange for exchange in window if exchange.key not in asked]
        beginning = window[0].said_at if window else self._clock.now()
        earlier = await turn.view.frontier(turn.session)
        summary = [digest for digest in earlier if digest.first_at < beginning]
        hits = await turn.view.recall(text, self._settings.recall_k, exclude={exchange.key for exchange in window} | asked)
        gists = await turn.view.gists(text, self._settings.gists_k, exclude={digest.key for digest in earlier})
        return Recollection(summary, recent, gists, hits)

    async def _store(self, turn: Turn, spoken: Spoken) -> Sequence[Part]:
        """T3: the reply, what it rests on, its parts and the end of what it answers; return the parts."""
        question = turn.asked[-1]
        reply = NewExchange(
            Kind.REPLY, spoken.text, f"reply:{question.source_id}", max(self._clock.now(), question.said_at + 1), NAME,
            "assistant", None, spoken.echo,
        )  # fmt: skip
        parts = self._outgoing.parts(spoken.text)
        await turn.view.answer(turn.session, Answer(reply, spoken.sources, turn.finishes, parts))
        return parts

    async def _hold(self, turn: Turn, error: ModelError) -> Sequence[Part]:
        """Keep the question for when the model is back; return what says so."""
        if isinstance(error, ModelDenied):
            log.error("model.denied", why=str(error))
        may_pass = error.transient or isinstance(error, ModelDenied)
        await self._journal.hold(turn.finishes, type(error).__name__, None if may_pass else _TRIES)
        parts = self._outgoing.parts(f"{error} Your message is kept; I answer it when the model does.")
        await turn.view.notify(turn.session, parts, [])
        return parts


def _said(message: Message) -> NewExchange:
    identity = Identity(message.person.platform, message.person.id)
    return NewExchange(Kind.SAID, message.text, message.id, message.said_at, message.person.name, "user", identity)


def _stems(hits: Sequence[Hit]) -> set[str]:
    statements = [hit.exchange.text for hit in hits if hit.exchange.kind is Kind.SAID]
    return {stem for text in statements if not text.rstrip().endswith("?") for stem in key_words(text).values()}
