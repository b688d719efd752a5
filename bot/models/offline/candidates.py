"""Candidates for quotation, and the choice of the best: for a fact, for a time, for a day."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.models.offline.message_kinds import tells_nothing_of
from bot.models.offline.spoken_languages import detect_language
from memory.index.hits import Certainty, Hit
from memory.index.when.told_times import times_told
from memory.index.when.values import Window
from memory.text.lexical import stem
from memory.text.told.claims import claims
from memory.text.told.named_things import KIN
from memory.text.told.related_words import singles
from memory.types import MINUTE, Exchange, Kind

MOST_LISTED = 12
_SAME_WORDS = 3  # of a message, one is its speaker's name
_HALF_A_DAY = 12 * 60 * MINUTE
_FEW = 2
_NEAR = 0.1  # scores within a tenth of the best count as equal
NOT_NOW = re.compile(
    r"(?i)\b(?:when(?! (?:is|are|do|does)\b)|first|ever|before|once|originally|used to|back then|wann(?! ist\b)|zuerst|quand"
    r"|premi[eè]re?|cuándo(?! es\b)|primer[oa]?)\b"
)
_CHANGED = re.compile(r"(?i)\b(?:now|correction|no longer|not any ?more|instead|change of plan|jetzt|nicht mehr|ahora|ya no)\b")
_DENIES = re.compile(
    r"(?i)\b(?:no longer|not any ?more|(?:is|are|was|were|do|does)(?:n['’]t| not)|ex-\w+|nicht mehr|kein\w*|ya no|ne \w+ plus|n['’]\w+ plus)\b"
)
NEGATES = re.compile(r"(?i)\b(?:no|not|never|\w+n['’]t|nicht|nie|kein\w*)\b")
_STILL = re.compile(r"(?i)\b(?:now|instead|but|jetzt|sondern|ahora|sino|maintenant|mais)\b")
_LAST = re.compile(r"(?i)\bwhen\b.*\blast\b|\blast time\b|\bmost recent|\bzuletzt\b|\bletzte[ns]? mal\b")
_FIRST = re.compile(r"(?i)\bwhen\b.*\bfirst\b|\bfirst time\b|\bzuerst\b|\berste[ns]? mal\b")
_WHO_IS = re.compile(
    r"(?i)^\W*(?:(?:and|und)\s+)?(?:who(?:['’]?s| is| was)|wer (?:ist|war|sind))\s+(?-i:[A-ZÀ-ÖØ-Þ])\w+(?:\s+(?:nochmal|again|eigentlich))?\W*$"
)
_NAME = re.compile(r"(?<=[\w,] )[A-Z][^\W_]+(?:['’]s)?")
IN_MEANING = 0.4
"""How near in meaning a statement is that may answer in other words; what was never told is seldom as near."""
_NUMBER = r"\w*\d\w*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
_TITLE = "Dr|Mr|Mrs|Ms|Prof|Professor|Herr|Frau"
# The shape of an answer to each kind of question.
_SHAPES = (
    (r"name|called|hei(?:ß|ss)\w*|appel\w*|llama\w*", r"name[ds]?|call(?:ed|s)?|hei(?:ß|ss)\w*|appel\w*|llama\w*"),
    (
        r"who(?:['’]s| is| was)|wer (?:ist|war)",
        rf"(?:my|our|mein\w*|unser\w*) (?:\w+ )?(?:{KIN}),? (?-i:[A-ZÄÖÜ]\w+)|(?-i:(?:{_TITLE})\.? [A-ZÄÖÜ]\w+)",
    ),
    (r"how old|age|wie alt", r"years? old|turned|aged|born|jahre alt|(?:is|am|are|ist|bin|sind|wird|wurde) \d{1,3}"),
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

    def is_across(self, question: str) -> bool:
        """Return whether it was told in another language than a question: then they share meaning alone, not the names in it."""
        told, asked = (detect_language(text) for text in (self.hit.exchange.text, question))
        return bool(told and asked) and told != asked

    @property
    def rank(self) -> tuple[int, bool, int, bool, bool]:
        """The sort key, most important criterion first."""
        return len(self.covers), self.hit.certainty is not Certainty.WEAK, len(self.near), self.shaped, self.own


def any_of(said: Sequence[Exchange], window: Window, time_zone: str) -> bool:
    """Return whether any message was said in a window or names a time in it."""
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
    """Return the candidate that covers most; if the question is about now, the newest of near-equals and contradictions.

    Of candidates that cover the same words, the latest is taken for "the last time", and the earliest for "the first time" and for
    who somebody is, since that is said when a name first comes up.
    """
    top = max(found, key=lambda one: one.rank)  # ties: recall's order
    if _LAST.search(question) or _FIRST.search(question) or (not top.shaped and _WHO_IS.search(question)):
        times = [one for one in found if one.covers == top.covers and (one.rank[1] or not top.rank[1])]
        times = [one for one in times if not NEGATES.search(one.hit.exchange.text)] or times
        return (max if _LAST.search(question) else min)(times, key=lambda one: one.at)
    if NOT_NOW.search(question):
        return top
    least = top.hit.score - abs(top.hit.score) * _NEAR
    single = singles(top.covers)
    equals = [
        one
        for one in found
        if (one.rank == top.rank or (one.rank[2:] == top.rank[2:] and _reworded(top, one, stems)))
        and one.covers == top.covers
        and (
            one.hit.score >= least
            or single & singles(stems[id(one.hit)])
            or _CHANGED.search(one.hit.exchange.text)
            or _reworded(top, one, stems)
        )
    ]
    return max(equals, key=lambda one: (not _is_over(one.hit.exchange.text, question), one.hit.exchange.said_at), default=top)


def that_tell(question: str, found: Sequence[Candidate]) -> list[Candidate]:
    """Return candidates without those that tell nothing of what is asked for, if another covers as much: "I need my pin"."""
    empty = {id(one) for one in found if tells_nothing_of(one.hit.exchange.text, question)}
    telling = [one.covers for one in found if id(one) not in empty]
    return [one for one in found if id(one) not in empty or not any(one.covers <= more for more in telling)]


def _reworded(one: Candidate, other: Candidate, stems: dict[int, frozenset[str]]) -> bool:
    """Return whether two messages differ in one word: "a C in Latin", "an A in Latin"."""
    first, second = stems[id(one.hit)], stems[id(other.hit)]
    return len(first & second) > _SAME_WORDS and len(first - second) <= 1 and len(second - first) <= 1


def _is_over(text: str, question: str) -> bool:
    """Return whether a text only tells what is no more, or denies something, and the question does not ask for that."""
    denies = _DENIES.search(text) and not _STILL.search(text) and not _DENIES.search(question)
    return bool(denies or claims(text).past)


def near_in_meaning(found: Sequence[Candidate], across: str = "") -> Candidate | None:
    """Return the candidate nearest in meaning to a question, if it is near; only of those in another language than `across`, if given."""
    found = [one for one in found if one.is_across(across)] if across else found
    best = max(found, key=lambda one: one.hit.cosine or 0.0, default=None)
    return best if best and (best.hit.cosine or 0.0) >= IN_MEANING else None


def is_shaped(question: str, text: str) -> bool:
    """Return whether a text has what the question asks for: a number after "how many", a place after "where"."""
    return any(re.search(rf"(?i)\b(?:{asks})\b", question) and re.search(rf"(?i)\b(?:{has})\b", text) for asks, has in _SHAPES)


def most_covered(found: Sequence[Candidate]) -> int:
    """Return how many stems of the question the best of the candidates covers."""
    return max((len(one.covers) for one in found), default=0)


def of_names(found: Sequence[Candidate], question: str) -> list[Candidate]:
    """Return the candidates that cover a name of the question; all of them if none does."""
    names = frozenset(stem(word.casefold().removesuffix("'s")) for word in _NAME.findall(question))
    return [one for one in found if (one.covers | one.near) & names] or list(found)


def is_said(exchange: Exchange) -> bool:
    """Return whether a person said a message here, in words of their own."""
    return (
        exchange.kind is Kind.SAID
        and exchange.role not in ("assistant", "system")
        and not exchange.echo
        and bool(exchange.text.strip())
    )


def is_imported_answer(exchange: Exchange) -> bool:
    """Return whether another assistant said a message, in a conversation that was imported."""
    return exchange.role == "assistant" and not exchange.echo and not is_lyra(exchange) and bool(exchange.text.strip())


def is_lyra(exchange: Exchange) -> bool:
    """Return whether Lyra said a message."""
    return exchange.speaker.casefold().partition("#")[0] == "lyra"
