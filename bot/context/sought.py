"""Retrieval for the offline voice: each part of a question is searched separately, and each message found once."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from bot.context.retrieval import Asking
from bot.models.offline.asking import Aim
from bot.models.offline.voice import OfflineVoice, VoiceQuestion
from memory.index.hits import Hit
from memory.index.when.telling import asks_ahead
from memory.text.apart import apart
from memory.tiers import profile
from memory.types import DomainKind, Statement

_WIDE = 50
_OF_A_TIME = 96
_TELLING = 100
"""How many messages are searched for the date of a birthday."""


@dataclass(frozen=True, slots=True)
class Sought:
    """The messages found, the best of each part first, and the facts or month paragraphs asked for."""

    hits: Sequence[Hit] = ()
    above: Sequence[Statement] = ()


async def sought(turn: Asking, voice: OfflineVoice, asked: VoiceQuestion) -> Sought:
    """Search for each part of a question; nothing is found for a message that asks nothing."""
    here = {exchange.key for exchange in turn.asked}
    hits: dict[int, Hit] = {}
    above: list[Statement] = []
    for part in await apart(len(asked.text), partial(voice.parts, asked)):
        if part.aim is Aim.ASKER and (facts := await _facts(turn, asked.asker)):
            above += facts
            continue
        window = part.window
        if part.day:
            telling = await turn.view.recall.messages(part.day.sought, _TELLING, exclude=here, asker=asked.asker)
            window = voice.window(asked, part, telling)
            hits |= {hit.exchange.key: hit for hit in telling if hit.exchange.key not in hits}
        if part.aim is not Aim.TIME or window is None:
            found = await turn.view.recall.messages(part.sought, _WIDE, exclude=here, asker=asked.asker)
            hits = {hit.exchange.key: hit for hit in found} | hits
        if part.aim is Aim.TIME and window:
            ahead = asks_ahead(part.text, window, asked.now)
            # A distance from now means a day, and the paragraphs of the months around it are about many.
            above += await turn.view.digests.months(window) if window.heart is None else []
            hits = {hit.exchange.key: hit for hit in await turn.view.recall.during(window, _OF_A_TIME, ahead=ahead)} | hits
    return Sought([hit for hit in hits.values() if hit.exchange.key not in here], above)


async def _facts(turn: Asking, asker: str) -> list[Statement]:
    """Return the profile's facts that name the asker; in a private conversation, all facts if none does."""
    facts = await turn.view.digests.statements(profile.TIER)
    named = [fact for fact in facts if asker.casefold() in fact.text.casefold()]
    return named or (facts if turn.view.home.ref.kind is DomainKind.DM else [])
