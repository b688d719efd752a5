"""What is looked for where no model answers: each part of a question by itself, and each message found once."""

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
"""How many messages are read for when a birthday is."""


@dataclass(frozen=True, slots=True)
class Sought:
    """Messages, the best of each part first, and the facts or paragraphs of months that are asked for."""

    hits: Sequence[Hit] = ()
    above: Sequence[Statement] = ()


async def sought(turn: Asking, voice: OfflineVoice, asked: VoiceQuestion) -> Sought:
    """Return what comes up for each part of what is asked: nothing for what asks nothing."""
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
            # Who asks for a distance from now asks for a day, and the months around it tell of many.
            above += await turn.view.digests.months(window) if window.heart is None else []
            hits = {hit.exchange.key: hit for hit in await turn.view.recall.during(window, _OF_A_TIME, ahead=ahead)} | hits
    return Sought([hit for hit in hits.values() if hit.exchange.key not in here], above)


async def _facts(turn: Asking, asker: str) -> list[Statement]:
    """Return what the profile says of who asks; of a person alone, where it names nobody, all of it."""
    facts = await turn.view.digests.statements(profile.TIER)
    named = [fact for fact in facts if asker.casefold() in fact.text.casefold()]
    return named or (facts if turn.view.home.ref.kind is DomainKind.DM else [])
