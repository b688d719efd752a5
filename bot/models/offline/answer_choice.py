"""The choice of the messages that answer a question, and how well they do."""

import re
from collections.abc import Sequence
from dataclasses import replace

from adapters.plain_words import offered
from bot.models.offline import possession
from bot.models.offline.candidates import (
    MOST_LISTED,
    NEGATES,
    NOT_NOW,
    Candidate,
    best_of,
    in_order,
    is_imported_answer,
    is_lyra,
    is_said,
    is_shaped,
    most_covered,
    near_in_meaning,
    nearest,
    of_names,
    spread,
    that_tell,
)
from bot.models.offline.message_kinds import asks, in_compounds, tells, topic, unelided
from bot.models.offline.question_analysis import Aim, QuestionPart, compound, people, things
from memory.index.hits import Hit
from memory.index.when.days import LATEST
from memory.index.when.told_times import ToldTimes, asks_ahead, times_told
from memory.index.when.values import Window
from memory.text.lexical import STOP_WORDS, all_stems, stem
from memory.text.quotations import one_line
from memory.text.told.claims import asks_for_older
from memory.text.told.named_things import spelled_names
from memory.text.told.related_words import singles, telling
from memory.text.word_forms.verb_forms import past_stems
from memory.types import MINUTE, Exchange

_FURTHER, _TOGETHER = 2, 60 * MINUTE
_ASKED = re.compile(r"(?i)\b(?:i|we) ask(?:ed)? you\b|\bich dich .*\bgefragt\b")
_TOLD = re.compile(
    r"(?i)\b(?:tell|told|say|said|write|wrote|mention|mentioned|talk|talked|erzählt|gesagt|geschrieben|berichtet|dije|dijo|conté|contado|dit|raconté)"
    r"\b(?!.*\b(?:about|of|über|von|sobre|de)\b)"
)
"""Matches a question about what was said at a time, as opposed to what happened then."""
_WITH_PEOPLE = re.compile(rf"(?i)\b(?:with|parents|eltern|(?:{possession.KIN})(?:s|e|n|en|nen)?)\b")
"""People mentioned without a name."""
_MOVES_A_THING = re.compile(r"(?i)\bmov(?:e|ed|ing) (?:it|that|this|them|him|her|(?:the|my|our|his|their) [^\W\d_]+)\b")
_MOVED = frozenset(map(stem, ("move", "moved", "moving")))
"""Says that somebody moved house, unless something else is moved: "they've moved it to room 9"."""


class AnswerChoice:
    """Chooses among the hits for an asker; times are read in a time zone, and `now` tells what lies ahead."""

    def __init__(self, asker: str, hits: Sequence[Hit], time_zone: str, now: int) -> None:
        self._now = now
        self._zone = time_zone
        self._asker = one_line(asker).casefold()
        self._hits = hits
        self._tells: dict[int, ToldTimes] = {}
        near = [one for hit in hits for one in (hit.exchange, hit.before, hit.after) if one and one.role == "assistant"]
        self._assistants = {one.session: one.speaker for one in near if not is_lyra(one)}
        self._stems = {id(hit): all_stems(f"{hit.exchange.speaker}\n{unelided(hit.exchange.text)}") for hit in hits}
        by_key = {hit.exchange.key: hit for hit in hits}
        corrected = by_key.keys() & {hit.corrects.key for hit in hits if hit.corrects}
        self._amended = {key: [hit for hit in hits if hit.corrects and hit.corrects.key == key] for key in corrected}
        self._newer = {id(hit): by_key[new.key] for hit in hits if (new := hit.correction) and new.key in by_key}
        for hit in hits:
            if (newer := self._newer.get(id(hit))) and newer.corrects is None:
                # "We've moved, it is Quay Street now" answers what "I live in Hartley Road" did.
                self._stems[id(newer)] |= self._stems[id(hit)]

    def is_asker(self, exchange: Exchange) -> bool:
        """Return whether the asker said a message."""
        return one_line(exchange.speaker).casefold() == self._asker

    def assistant(self, hit: Hit) -> str:
        """Return the name of the other assistant in a message's conversation; '' if it was Lyra."""
        return self._assistants.get(hit.exchange.session, "")

    def amendments(self, hit: Hit) -> Sequence[Hit]:
        """Return the messages that only put this one right, in order."""
        return sorted(self._amended.get(hit.exchange.key, ()), key=lambda one: one.exchange.said_at)

    def omits(self, window: Window) -> bool:
        """Return whether more was found for a time than is listed."""
        then = (hit.exchange for hit in self._hits if is_said(hit.exchange))
        return sum(window.holds(one.said_at) or self._told(one).within(window) is not None for one in then) > MOST_LISTED

    def answers(self, part: QuestionPart) -> list[Candidate]:
        """Return the answers to a part of a question: for a list in chronological order, else best first."""
        part = replace(part, about=in_compounds(part.about, (hit.exchange.text for hit in self._hits if is_said(hit.exchange))))
        match part.aim:
            case Aim.TIME:
                return self._of_time(part)
            case Aim.ASKER:
                return self._of_asker(part)
            case Aim.DETAIL:
                return self._of_detail(part) or self._answer(part)
            case Aim.ABOUT:
                return self._about(part)
            case Aim.SAID:
                return self._said_by(part) or self._answer(replace(part, about=topic(part.text)))
            case Aim.LIST if len(listed := self._listed(part)) > 1:
                return listed
        return self._answer(part)

    def nearest(self, part: QuestionPart) -> Candidate | None:
        """Return the statement nearest in meaning to a part that no message answers in its words; None if none is near.

        For a question with a name, only messages in another language count: a name pulls the vector towards everything about its bearer.
        """
        return near_in_meaning([one for one in self._quotable(part) if not one.asks], part.text if people(part.text) else "")

    # By aim

    def _of_time(self, part: QuestionPart) -> list[Candidate]:
        window = part.window
        if window is None:
            return []
        own, questions = bool(possession.SPEAKING.search(part.text)), _ASKED.search(part.text) is not None
        every = [one for one in self._quotable(part) if one.asks == questions and (questions or tells(one.hit.exchange.text))]
        said = [one for one in every if window.holds(one.hit.exchange.said_at)]
        then = (
            said
            if questions or _TOLD.search(part.text)
            else self._was(every, window, ahead=asks_ahead(part.text, window, self._now)) or said
        )
        # Imported messages may show the asker under another name.
        whose = [one for one in then if own and self.is_asker(one.hit.exchange)] or then
        if part.people:
            whose = [one for one in whose if _tells_of_people(one.hit.exchange.text)] or whose
        if part.end and whose:
            return [(max if part.end == "last" else min)(whose, key=lambda one: (one.hit.exchange.said_at, one.hit.exchange.key))]
        return spread(whose) if window.heart is None else nearest(whose, window.heart)

    def _was(self, found: Sequence[Candidate], window: Window, *, ahead: bool) -> list[Candidate]:
        """Return what happened in a window: events placed there, and messages of that time that place events nowhere else."""
        then = []
        for one in found:
            exchange = one.hit.exchange
            tells = self._told(exchange)
            of = tells.within(window, LATEST if ahead else exchange.said_at)
            if of or (window.holds(exchange.said_at) and not tells.elsewhere):
                then.append(replace(one, of=of))
        return then

    def _told(self, exchange: Exchange) -> ToldTimes:
        if exchange.key not in self._tells:
            self._tells[exchange.key] = times_told(exchange.text, exchange.said_at, self._zone)
        return self._tells[exchange.key]

    def _of_asker(self, part: QuestionPart) -> list[Candidate]:
        mine = [one for one in self._quotable(part) if self.is_asker(one.hit.exchange) and not one.asks]
        lasting = [one for one in mine if possession.is_lasting(one.hit.exchange.text)]
        chosen: list[Candidate] = []
        known: set[int] = set()
        for one in sorted(lasting, key=lambda one: (possession.is_mood(one.hit.exchange.text), -one.hit.exchange.said_at)):
            kinds = singles(all_stems(possession.without_people(one.hit.exchange.text)))
            if not kinds & known and len(chosen) < MOST_LISTED:
                chosen.append(one)
            known |= kinds
        return sorted(in_order(chosen), key=lambda one: possession.is_mood(one.hit.exchange.text))

    def knows_more(self, part: QuestionPart, listed: Sequence[Candidate]) -> bool:
        """Return whether the asker told more of themself than what is listed."""
        shown = {one.hit.exchange.key for one in listed}
        mine = (one.hit.exchange for one in self._quotable(part) if self.is_asker(one.hit.exchange))
        return any(one.key not in shown and tells(one.text) for one in mine)

    def _of_detail(self, part: QuestionPart) -> list[Candidate]:
        mine = [one for one in self._quotable(part) if self.is_asker(one.hit.exchange)]
        told = part.detail.surest(one.hit.exchange.text for one in mine) if part.detail else ()
        newest = max(
            (one for one in mine if one.hit.exchange.text in told), key=lambda one: one.hit.exchange.said_at, default=None
        )
        return [newest] if newest else []

    def _about(self, part: QuestionPart) -> list[Candidate]:
        whom = part.about.unspaced or part.about.strong  # a Korean name may have a particle behind it
        of = [one for one in self._quotable(part) if whom <= one.covers and not one.asks]
        of.sort(key=lambda one: -max(possession.telling_of(stemmed, one.hit.exchange.text) for stemmed in whom))
        return in_order(of[: MOST_LISTED - 4]) or self._answer(part)

    def _said_by(self, part: QuestionPart) -> list[Candidate]:
        said = [one for one in self._quotable(part) if one.hit.exchange.speaker.casefold() == part.name.casefold()]
        said = [one for one in said if not one.asks and (one.covers or not part.about.strong)]
        return in_order(said[: MOST_LISTED - 4])

    def _listed(self, part: QuestionPart) -> list[Candidate]:
        own = bool(possession.SPEAKING.search(part.text))
        every = [one for one in self._within(part, self._quotable(part)) if not one.asks]
        if not part.name:
            most = most_covered(every)
            return in_order([one for one in every if most and len(one.covers) == most][:MOST_LISTED])
        of = [one for one in every if part.name in one.covers]
        others = (part.about.strong & things(part.text)) - {part.name}
        if others and all(others.isdisjoint(one.covers | one.near) for one in of):
            return []  # "welche Farbe hat mein Fahrrad" is answered by no list of what is blue
        return in_order([one for one in of if one.own or not own][: MOST_LISTED - 4])

    def _answer(self, part: QuestionPart) -> list[Candidate]:
        about = part.about
        found = [one for one in self._quotable(part) if (one.covers if about.strong else one.weak)]
        told = self._with_imported(part, [one for one in found if not one.asks])
        found = that_tell(part.text, told) or [one for one in found if _adds(part, one.hit.exchange.text)]
        own = [one for one in found if not one.anothers]
        found = own if most_covered(own) == most_covered(found) else found
        found = of_names(self._within(part, found), part.text)
        chosen: list[Candidate] = []
        left = about.strong
        while found and len(chosen) <= _FURTHER and (left or not chosen):
            best = best_of(part.text, found, self._stems)
            if chosen and not best.covers:
                break
            chosen.append(best)
            if len(chosen) == 1:
                left &= things(part.text)
            left -= best.covers
            found = [replace(one, covers=one.covers & left, near=one.near & left) for one in found if one is not best]
        return chosen

    def _with_imported(self, part: QuestionPart, found: list[Candidate]) -> list[Candidate]:
        """Return people's messages, and another assistant's answers where these cover more."""
        most = most_covered(found)
        answered = [self._weighed(part, hit) for hit in self._hits if is_imported_answer(hit.exchange)]
        return [*found, *(one for one in answered if len(one.covers) > most and not one.asks)]

    def _within(self, part: QuestionPart, found: Sequence[Candidate]) -> list[Candidate]:
        window = part.window
        then = [one for one in found if window and window.holds(one.hit.exchange.said_at)]
        return then or list(found)

    # Scoring

    def _quotable(self, part: QuestionPart) -> list[Candidate]:
        now = not (NOT_NOW.search(part.text) or asks_for_older(part.text))
        return [self._weighed(part, hit) for hit in self._hits if is_said(hit.exchange) and not self._is_replaced(hit, now=now)]

    def _is_replaced(self, hit: Hit, *, now: bool) -> bool:
        """Return whether a hit is quoted with another one, or not at all where a question is about what is so `now`."""
        if hit.corrects:
            return hit.corrects.key in self._amended
        return now and id(hit) in self._newer and hit.exchange.key not in self._amended

    def _weighed(self, part: QuestionPart, hit: Hit) -> Candidate:
        stems, strong, text = self._stems[id(hit)], part.about.strong, hit.exchange.text
        if hit.before and is_imported_answer(hit.exchange) and asks(hit.before.text):
            stems |= all_stems(hit.before.text)
        covers = frozenset(one for one in strong if _holds(part, one, stems, text))
        covers -= {one for one in covers if possession.is_anothers(one, part.text, text)}
        whole = compound(part.text)
        shaped = is_shaped(part.text, text)
        if whole and whole.head not in stems and not (shaped and whole.head not in strong):
            covers -= whole.stems
        own = self.is_asker(hit.exchange)
        told = covers.union(*map(telling, covers), *(part.about.spelled[one] for one in covers))
        if own and possession.DOING.search(part.text) and possession.tells_of_others(text, told, strong):
            own = False
            covers -= {one for one in covers if singles([one])} if people(part.text) else covers
        return Candidate(
            hit=hit,
            covers=covers,
            weak=part.about.weak & stems,
            near=(strong - covers) & self._beside(hit) if covers else frozenset(),
            shaped=shaped,
            own=bool(possession.OWN.search(part.text)) and own,
            asks=asks(text) or offered(text, "") is not None,  # "forget my locker code" states nothing
            anothers=bool(possession.ALONE.search(part.text))
            and one_line(hit.exchange.speaker).casefold() not in {self._asker, *possession.NAMELESS}
            and possession.tells_of_self(text, told),
        )

    def _beside(self, hit: Hit) -> frozenset[str]:
        """Return the stems of what was said in the same conversation within an hour."""
        at, session = hit.exchange.said_at, hit.session
        near = [one for one in self._hits if one.session == session and abs(one.exchange.said_at - at) <= _TOGETHER]
        return frozenset().union(*(self._stems[id(one)] for one in near))


def _tells_of_people(text: str) -> bool:
    return bool(spelled_names(text) - STOP_WORDS) or _WITH_PEOPLE.search(text) is not None


def _holds(part: QuestionPart, asked: str, stems: frozenset[str], text: str) -> bool:
    """Return whether a text with these stems holds what a stem of a question asks for."""
    stems = stems - _MOVED if asked not in stems and _MOVES_A_THING.search(text) else stems
    others = telling(asked) | past_stems(asked) | part.about.spelled[asked]
    return asked in stems or bool(others & stems) or any(made_of <= stems for made_of in part.about.made_of.get(asked, ()))


def _adds(part: QuestionPart, earlier: str) -> bool:
    """Return whether an earlier question contains more than this one asks for, and is about nobody else."""
    about_asker = possession.DOING.search(earlier) or not possession.DOING.search(part.text)
    # "What don't I like?" is no answer to "what do I like?".
    alike = (NEGATES.search(earlier) is None) is (NEGATES.search(part.text) is None)
    return bool(about_asker and alike and topic(earlier).strong - part.about.strong) and people(earlier) <= people(part.text)
