"""Retrieval for a turn: the standing layers, independent of the question, and what is recalled for it.

For the offline voice each part of a question is searched separately, and each message found once.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.config.settings import Settings
from bot.models.offline.question_analysis import Aim
from bot.models.offline.voice import VoiceQuestion
from memory.bank.block import Block
from memory.index.hits import DigestHit, Hit, Recalled, RecallLimits, interleaved
from memory.index.when.told_times import asks_ahead
from memory.text.off_loop import off_loop
from memory.tiers import manners, profile
from memory.tiers.selfstate import SelfState
from memory.types import MINUTE, Digest, DomainKind, Exchange, Kind, Session, Statement
from memory.view.digests import Tiers
from memory.view.view import View

_SPARE_DIGESTS = 4
_DISLIKED = 3
_LEFT_OPEN = "callback"
_NEW_CONVERSATION = 180 * MINUTE
"""A pause after which a new conversation begins, in microseconds."""
_OFFLINE_HITS = 50
_HITS_OF_A_TIME = 96
_DATE_MESSAGES = 100
"""How many messages are searched for the date of a birthday."""


class RetrievalRequest(Protocol):
    """A turn, as far as retrieval needs it: where it is, and what was said."""

    @property
    def view(self) -> View: ...

    @property
    def session(self) -> Session: ...

    @property
    def questions(self) -> Sequence[Exchange]: ...


@dataclass(frozen=True, slots=True)
class StandingLayers:
    """The standing layers, from the home domain alone: statements, self-state, this conversation's digests and its end.

    `shared` says that the home has more than one reader: then it may have a bank, which replaces the eras. `manners` are those
    of the people being answered, `open_thing` is a topic to bring up with them now, `disliked` are her latest answers here that
    were marked as bad.
    """

    profile: Sequence[Statement]
    narrative: Sequence[Statement]
    bank: Block
    self_state: SelfState
    summary: Sequence[Digest]
    recent: Sequence[Exchange]
    shared: bool
    manners: Sequence[Statement] = ()
    open_thing: Statement | None = None
    disliked: Sequence[Exchange] = ()


async def standing_layers(turn: RetrievalRequest, settings: Settings) -> StandingLayers:
    """Load the standing layers of a turn. The summary covers what was said before the recent messages."""
    view = turn.view
    window = await view.messages.window(turn.session, 2 * settings.recent_turns)
    window_start = min((exchange.said_at for exchange in window), default=turn.questions[0].said_at)
    question_keys = {exchange.key for exchange in turn.questions}
    tiers = await view.digests.tiers(turn.session, settings.memory_bank_max_tokens)
    recent = [exchange for exchange in window if exchange.key not in question_keys and not _answers(exchange, turn.questions)]
    return StandingLayers(
        tiers.profile,
        [line for line in tiers.narrative if line.kind != _LEFT_OPEN],
        tiers.bank,
        tiers.self_state,
        [digest for digest in tiers.frontier if digest.first_at < window_start],
        recent,
        shared=view.home.ref.kind is not DomainKind.DM,
        manners=manners.of_speakers(tiers.manners, turn.questions),
        open_thing=_open_thing(turn.questions, recent, tiers),
        disliked=[exchange for exchange in window if exchange.disliked][-_DISLIKED:],
    )


def _answers(exchange: Exchange, questions: Sequence[Exchange]) -> bool:
    """Return whether a message is an earlier answer to the question, which is now answered again."""
    return exchange.kind is Kind.REPLY and any(exchange.source_id.endswith(f":{one.source_id}") for one in questions)


def _open_thing(questions: Sequence[Exchange], recent: Sequence[Exchange], tiers: Tiers) -> Statement | None:
    """Return a topic to bring up at the start of a conversation: announced by its speakers, else left open.

    Their recent messages that no model answered belong to that start: the failed answer brought up nothing.
    """
    askers = {manners.speaker_key(one) for one in questions}
    conversation_start = questions[0].said_at
    for one in reversed(recent):
        if conversation_start - one.said_at >= _NEW_CONVERSATION:
            break
        unanswered = one.echo if one.role == "assistant" else manners.speaker_key(one) in askers
        if not unanswered:
            return None
        conversation_start = one.said_at
    announced = [one for one in tiers.announced if one.period in askers]
    left_open = sorted((one for one in tiers.narrative if one.kind == _LEFT_OPEN), key=lambda one: -one.last_at)
    return next(iter([*announced, *left_open]), None)


async def recall_items(
    turn: RetrievalRequest, settings: Settings, in_view: Collection[int], since: int, parts: Sequence[str] = ()
) -> Recalled:
    """Recall items for the question, except those in view, and this conversation's gists from `since` on.

    For several `parts`, the best results for the whole and for each part take turns.
    """
    text, session_key, k = "\n".join(exchange.text for exchange in turn.questions), turn.session.key, settings.gists_k
    limits = RecallLimits(settings.recall_k, 3 * k + _SPARE_DIGESTS if k else 0, settings.eras_k)
    texts = [text, *(parts if len(parts) > 1 else ())]
    found = interleaved([await turn.view.recall.at_once(one, limits, in_view, turn.questions[-1].speaker) for one in texts])
    # Whatever is derived from gists repeats them.
    earlier_gists = [
        one
        for one in found.gists
        if one.digest.tier == "gist" and (one.digest.session != session_key or one.digest.last_at < since)
    ]
    earlier_answers = [one for one in found.hits if _answers(one.exchange, turn.questions)]

    def is_wanted(item: Hit | DigestHit | Statement) -> bool:
        return item in earlier_gists[:k] if isinstance(item, DigestHit) else item not in earlier_answers

    return Recalled([item for item in found.ranked if is_wanted(item)])


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The messages found, the best of each part first, and the facts or month paragraphs asked for."""

    hits: Sequence[Hit] = ()
    above: Sequence[Statement] = ()


async def search_parts(turn: RetrievalRequest, question: VoiceQuestion) -> SearchResult:
    """Search for each part of a question; nothing is found for a message that asks nothing."""
    question_keys = {exchange.key for exchange in turn.questions}
    hits: dict[int, Hit] = {}
    statements: list[Statement] = []
    for part in await off_loop(len(question.text), question.parts):
        if part.aim is Aim.ASKER and (facts := await _facts(turn, question.asker)):
            statements += facts
            continue
        window = part.window
        if part.day:
            date_messages = await turn.view.recall.messages(
                part.day.sought, _DATE_MESSAGES, exclude=question_keys, asker=question.asker
            )
            window = question.window(part, date_messages)
            hits |= {hit.exchange.key: hit for hit in date_messages if hit.exchange.key not in hits}
        if part.aim is not Aim.TIME or window is None:
            found = await turn.view.recall.messages(part.sought, _OFFLINE_HITS, exclude=question_keys, asker=question.asker)
            hits = {hit.exchange.key: hit for hit in found} | hits
        if part.aim is Aim.TIME and window:
            is_future = asks_ahead(part.text, window, question.now)
            # A distance from now means a day, and the paragraphs of the months around it are about many.
            statements += await turn.view.digests.months(window) if window.heart is None else []
            hits = {
                hit.exchange.key: hit for hit in await turn.view.recall.during(window, _HITS_OF_A_TIME, ahead=is_future)
            } | hits
    return SearchResult([hit for hit in hits.values() if hit.exchange.key not in question_keys], statements)


async def _facts(turn: RetrievalRequest, asker: str) -> list[Statement]:
    """Return the profile's facts that name the asker; in a private conversation, all facts if none does."""
    facts = [one for one in await turn.view.digests.statements(profile.TIER) if one.tier == profile.TIER]
    named = [fact for fact in facts if asker.casefold() in fact.text.casefold()]
    return named or (facts if turn.view.home.ref.kind is DomainKind.DM else [])
