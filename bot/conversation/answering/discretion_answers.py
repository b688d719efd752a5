"""What somebody is told of a request for discretion or of its end: what is kept from whom now, or that nothing is."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from bot.conversation.discretion_notices import (
    VoicedNotices,
    discretion_confirmation,
    discretion_ended_notice,
    discretion_not_ended_notice,
    kept_elsewhere,
    nothing_kept_elsewhere,
    the_rest_is_kept,
)
from bot.conversation.one_turn import Turn
from bot.conversation.preferences import LANGUAGE
from bot.conversation.services import Services
from bot.models.offline.spoken_languages import SPOKEN, detect_language
from localization.current_language import ENGLISH, LANGUAGES, current
from memory.text.off_loop import off_loop
from memory.text.told.discretion import request_in, without_request
from memory.text.told.retellings import may_retell
from memory.types import Discretion
from memory.view.confidence_view import ConfidedMessage


@dataclass(frozen=True, slots=True)
class DiscretionAnswers:
    """Confirms once what was understood of requests for discretion, in a DM after it was carried out where others read."""

    _services: Services

    async def confirm(self, turn: Turn) -> None:
        """Say what the messages of a turn keep from whom, or permit; nothing if they ask for neither."""
        if turn.off_record:
            return
        if not turn.place.is_private:
            await self._in_shared(turn)
        elif text := await self._from_private(turn):
            await self._say(turn, text)

    async def _in_shared(self, turn: Turn) -> None:
        """Confirm what was kept or may be told as the messages were stored, or say that everything is still kept."""
        read = await _read(turn)
        requests = [
            one
            for one in turn.questions
            if one.key in turn.discretion_scopes
            or read[one.key]
            or await off_loop(len(one.text), partial(_may_tell_anew, one.text))
        ]
        ends = {key: ask for key, ask in read.items() if ask and ask.ends}
        kept = await turn.view.confidences.confided(requests) if requests else []
        # A permission that frees nothing is kept itself, as it may name what is kept.
        confided = [one for one in kept if one.exchange.key not in ends]
        voice = self._voice(turn, [one.text for one in requests])
        if not confided and not turn.ended_confidences:
            if kept:
                text = voice.still_kept() if voice else discretion_not_ended_notice(turn.adapter.prefix)
                await self._say(turn, text, kept)
            return
        if voice:
            text = voice.kept(confided, turn.discretion_scopes) if confided else voice.ended(turn.ended_confidences)
        elif confided:
            text = discretion_confirmation(confided, turn.discretion_scopes, turn.adapter.prefix)
        else:
            named = list(dict.fromkeys(name for ask in ends.values() if not ask.declined for name in ask.names))
            text = discretion_ended_notice(turn.ended_confidences, named if all(ask.names for ask in ends.values()) else ())
            if any(not (ask.back or ask.topic or ask.every) for ask in ends.values()) and await self._keeps(turn):
                text = f"{text} {the_rest_is_kept(turn.adapter.prefix)}"
        await self._say(turn, f"{text} {await self._services.outgoing.remove_thread_names()}".rstrip(), confided)

    def _voice(self, turn: Turn, asked: Sequence[str]) -> VoicedNotices | None:
        """Return how to say it in the language of what was asked, None where that is one of the program's, or another one is set or
        was written before.
        """
        code = next((SPOKEN[name] for text in asked if (name := detect_language(text)) in SPOKEN), ENGLISH)
        if code in LANGUAGES or current() != ENGLISH or turn.chosen.value(turn.place, LANGUAGE) not in {"", "auto"}:
            return None
        return VoicedNotices(code, turn.adapter.prefix)

    async def _say(self, turn: Turn, text: str, told: Sequence[ConfidedMessage] = ()) -> None:
        """Say something of messages told in confidence, once."""
        queue = partial(turn.view.confidences.queue_notice, turn.session, told, answers=turn.reply_target)
        await self._services.outgoing.say(turn.place, text, queue)

    async def _keeps(self, turn: Turn) -> bool:
        tellers = await self._services.domains.accounts(turn.person)
        return any([await turn.view.confidences.told_by(one) for one in tellers])

    async def _from_private(self, turn: Turn) -> str:
        """Keep what was said elsewhere about the topics of requests that are made in private; return what to say of it."""
        if turn.retried or turn.anew:
            return ""
        asks = {key: ask for key, ask in (await _read(turn)).items() if ask and (ask.back or ask.ends)}
        return "\n".join([text for key, ask in asks.items() if (text := await self._elsewhere(turn, ask, key))])

    async def _elsewhere(self, turn: Turn, ask: Discretion, request: int) -> str:
        tellers = await self._services.domains.accounts(turn.person)
        views = (
            await self._services.domains.shared_anywhere(turn.person) if ask.topic or ask.ends or ask.every or ask.talk else ()
        )
        if (
            ask.ends
            and ask.topic
            and not ask.told
            and (ended := sum([await view.confidences.end_about(tellers, ask, request) for view in views]))
        ):
            return discretion_ended_notice(ended, elsewhere=True)
        if ask.ends:
            kept = any([await view.confidences.told_by(one) for view in views for one in tellers])
            return discretion_not_ended_notice(turn.adapter.prefix) if kept else ""
        found, places = [], dict[str, None]()
        for view in views:
            if told := await view.confidences.put_about(tellers, ask, request):
                found += told
                names = {session.key: session.name for session in await view.sessions.all()}
                places |= dict.fromkeys(names.get(one.exchange.session, "") for one in told)
                self._services.maintenance.poke(view.home)
        if not found:
            return nothing_kept_elsewhere(named=bool(ask.topic or ask.talk) or ask.every)
        await self._services.outgoing.remove_thread_names()
        return kept_elsewhere(found, [one for one in places if one], turn.adapter.prefix)


async def _read(turn: Turn) -> dict[int, Discretion | None]:
    """Return the request for discretion in each message of a turn, by its key."""
    return {one.key: await off_loop(len(one.text), partial(request_in, one.text)) for one in turn.questions}


def _may_tell_anew(text: str) -> bool:
    return may_retell(without_request(text))
