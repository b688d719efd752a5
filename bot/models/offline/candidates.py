"""Candidates for quotation: the best for a fact, for a time, for a day; and what of a question the chosen do not hold."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from bot.models.offline.question_analysis import QuestionPart, compound, people, things
from memory.index.hits import Certainty, Hit
from memory.index.when.told_times import times_told
from memory.index.when.values import Window
from memory.text.lexical import all_stems
from memory.text.told.claims import claims
from memory.text.told.named_things import KIN
from memory.text.told.related_words import singles
from memory.types import MINUTE, Exchange

MOST_LISTED = 12
_HALF_A_DAY = 12 * 60 * MINUTE
_FEW = 2
_NEAR = 0.1  # scores within a tenth of the best count as equal
_NOT_NOW = re.compile(
    r"(?i)\b(?:when(?! (?:is|are|do|does)\b)|first|ever|before|once|originally|used to|back then|wann(?! ist\b)|zuerst|quand"
    r"|premi[eè]re?|cuándo(?! es\b)|primer[oa]?)\b"
)
_CHANGED = re.compile(r"(?i)\b(?:now|correction|no longer|not any ?more|instead|change of plan|jetzt|nicht mehr|ahora|ya no)\b")
_DENIES = re.compile(
    r"(?i)\b(?:no longer|not any ?more|(?:is|are|was|were|do|does)(?:n['’]t| not)|ex-\w+|nicht mehr|kein\w*|ya no|ne \w+ plus|n['’]\w+ plus)\b"
)
_STILL = re.compile(r"(?i)\b(?:now|instead|but|jetzt|sondern|ahora|sino|maintenant|mais)\b")
_NUMBER = r"\w*\d\w*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
# The shape of an answer to each kind of question.
_SHAPES = (
    (r"name|called|hei(?:ß|ss)\w*|appel\w*|llama\w*", r"name[ds]?|call(?:ed|s)?|hei(?:ß|ss)\w*|appel\w*|llama\w*"),
    (r"who(?:['’]s| is| was)|wer (?:ist|war)", rf"(?:my|our|mein\w*|unser\w*) (?:\w+ )?(?:{KIN}),? (?-i:[A-ZÄÖÜ]\w+)"),
    (r"how old|age|wie alt", r"years? old|turned|aged|born|jahre alt"),
    (r"how (?:many|much|long|often|far)|what (?:time|year|date|day)|when|number|wie ?viele?|wann", _NUMBER),
    (r"where|wo|où|dónde", r"in|at|near|from|to|nach|im|am|an|auf|aus|zum?|zur|neben|bei|à|aux?|chez|dans|en|al?"),
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit that may be quoted; it `covers` stems of the question itself, and `near` are those covered by messages around it.

    `shaped` says that it has an answer's shape, `own` that the asker says it of themself, `asks` that it is a question,
    `anothers` that another person says it of themself where the asker's own is asked for. `of` is the time it refers to, if a
    time is asked for and that is not the time of the message.
    """

    hit: Hit
    covers: frozenset[str]
    weak: frozenset[str]
    near: frozenset[str]
    shaped: bool
    own: bool
    asks: bool
    anothers: bool = False
    of: Window | None = None

    @property
    def at(self) -> int:
        """The time it refers to, in microseconds UTC: by default, when it was said."""
        return self.of.start if self.of else self.hit.exchange.said_at

    @property
    def rank(self) -> tuple[int, bool, int, bool, bool]:
        """The sort key, most important criterion first."""
        return len(self.covers), self.hit.certainty is not Certainty.WEAK, len(self.near), self.shaped, self.own


def any_of(said: Sequence[Exchange], window: Window, time_zone: str) -> bool:
    """Return whether any message was said in a window or tells of it."""
    return any(window.holds(one.said_at) or times_told(one.text, one.said_at, time_zone).within(window) for one in said)


def spread(found: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates in chronological order; of many, the longest one from each of twelve equal shares."""
    ordered = in_order(found)
    shares = [ordered[len(ordered) * at // MOST_LISTED : len(ordered) * (at + 1) // MOST_LISTED] for at in range(MOST_LISTED)]
    if len(ordered) <= MOST_LISTED:
        return ordered
    return [max(share, key=lambda one: len(one.hit.exchange.text)) for share in shares]


def nearest(found: Sequence[Candidate], heart: int) -> list[Candidate]:
    """Return the candidates of an instant's day, in chronological order; of a day with few, the twelve nearest."""
    by_distance = sorted(found, key=lambda one: abs(one.at - heart))[:MOST_LISTED]
    that_day = [one for one in by_distance if abs(one.at - heart) <= _HALF_A_DAY]
    return in_order(that_day if len(that_day) > _FEW else by_distance)


def in_order(found: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates in the chronological order of what they refer to."""
    return sorted(found, key=lambda one: (one.at, one.hit.exchange.said_at, one.hit.exchange.key))


def best_of(question: str, found: Sequence[Candidate], stems: dict[int, frozenset[str]]) -> Candidate:
    """Return the candidate that covers most; if the question is about now, the newest of near-equals and contradictions."""
    top = max(found, key=lambda one: one.rank)  # ties: recall's order
    if _NOT_NOW.search(question):
        return top
    least = top.hit.score - abs(top.hit.score) * _NEAR
    single = singles(top.covers)
    equals = [
        one
        for one in found
        if one.rank == top.rank
        and one.covers == top.covers
        and (one.hit.score >= least or single & singles(stems[id(one.hit)]) or _CHANGED.search(one.hit.exchange.text))
    ]
    return max(equals, key=lambda one: (not _is_over(one.hit.exchange.text, question), one.hit.exchange.said_at), default=top)


def _is_over(text: str, question: str) -> bool:
    """Return whether a text only tells what is no more, or denies something, and the question does not ask for that."""
    denies = _DENIES.search(text) and not _STILL.search(text) and not _DENIES.search(question)
    return bool(denies or claims(text).past)


def is_shaped(question: str, text: str) -> bool:
    """Return whether a text has what the question asks for: a number after "how many", a place after "where"."""
    return any(re.search(rf"(?i)\b(?:{asks})\b", question) and re.search(rf"(?i)\b(?:{has})\b", text) for asks, has in _SHAPES)


def missing(part: QuestionPart, chosen: Sequence[Candidate], known: Callable[[str], bool]) -> list[str]:
    """Return the words of a question about which nothing is known; beside an answer, names and things alone.

    Where all that was chosen only names whom the question is about, that is every other word of it, whoever else it was used of.
    """
    whole = compound(part.text)
    covered = frozenset().union(*(one.covers | one.near for one in chosen))
    lacking = [stemmed for stemmed in part.about.admit if stemmed not in covered]
    if lacking and chosen and all(_only_names(part, one) for one in chosen):
        return [part.about.admit[stemmed] for stemmed in lacking]
    named = things(part.text)
    if chosen or any(stemmed in named for stemmed in lacking):
        lacking = [stemmed for stemmed in lacking if stemmed in named]
    if whole and (whole.stems | {whole.head}) & set(lacking):
        rest = [part.about.admit[one] for one in lacking if one not in whole.stems | {whole.head} and not known(one)]
        return [*rest, whole.written]
    return [part.about.admit[stemmed] for stemmed in lacking if not known(stemmed)]


def telling(part: QuestionPart, chosen: Sequence[Candidate], lacks: Collection[str]) -> list[Candidate]:
    """Return those of the chosen that are quoted: the best, and what adds to it in its own words.

    Where something is lacking, what barely relates would only mislead.
    """
    if not lacks:
        return [*chosen[:1], *(one for one in chosen[1:] if not _is_small_talk(one))]
    return [one for one in chosen if one.hit.certainty is not Certainty.WEAK and not _only_names(part, one)]


def _only_names(part: QuestionPart, one: Candidate) -> bool:
    """Return whether an answer was found by nothing but the name of whom a question is about."""
    return one.covers <= people(part.text) and not one.shaped and one.hit.cosine is None


def _is_small_talk(one: Candidate) -> bool:
    """Return whether a weak hit has nothing of a question but its speaker's name."""
    weak = one.hit.certainty is Certainty.WEAK
    return weak and bool(one.covers) and one.covers.isdisjoint(all_stems(one.hit.exchange.text))
