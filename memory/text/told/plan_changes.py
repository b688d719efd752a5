"""Later news of something announced: it is called off, is moved to another day, or is over.

Recognized by rule, and only from statements of fact: whoever wonders whether an exam will be cancelled still has it ahead.
"""

import re
from dataclasses import dataclass
from datetime import date
from enum import Enum, auto

from memory.text.language_detection import function_words
from memory.text.lexical import key_words
from memory.text.numbers import COUNT_WORDS
from memory.text.questions import is_question
from memory.text.time.dates import MONTHS, WEEKDAYS
from memory.text.told.announcements import CALLED_OFF, MOST_CHARACTERS, MOVED, UNSURE, ahead, coming, is_over

_CORRECTED = re.compile(
    r"(?i)\b(?:sorry|actually|i meant|i mean|correction|i was wrong|turns out|instead|rather|(?:is|are|['’]s|['’]re) (?:now|really)|"
    r"(?:ist|sind) (?:jetzt|nun|doch)|doch (?:erst|schon)|nicht (?:am|an)|not (?:on|at|in|tomorrow|next)|sondern|statt|entschuldigung"
    r"|(?:ich )?meinte|stimmt nicht|now on)\b"
)
_CLAUSE = re.compile(r"(?i)[.!?;:\n]+|,\s|\b(?:because|since|as|so|and|but|weil|denn|da|und|aber|deshalb)\b")
_NO_THING = frozenset(
    """cancelled canceled cancel cancels called call off moved postponed rescheduled shifted pushed delayed deferred brought forward
    adjourned verschoben verlegt vorverlegt abgesagt ausgefallen gestrichen storniert fällt findet statt sorry actually meant mean
    correction wrong turns instead rather really now tomorrow today tonight week weeks month months day days next coming got get going
    go plan planned plans happening take place took taking longer anymore morgen heute übermorgen woche monat tag tage nächste nächsten
    nächster kommende kommenden habe hab haben ist sind wird wurde doch jetzt nun nicht kein keine keinen mehr erst schon sondern back
    put think know guess unfortunately luckily leider zum glück mein meine meinen meiner unser unsere abgeblasen until till aus beim am im last year
    """.split()
) | {*WEEKDAYS, *MONTHS, *COUNT_WORDS}  # fmt: skip
_DEFINITE = re.compile(r"(?i)\b(?:my|our|the|his|her|their|mein\w{0,2}|unser\w{0,2}|d(?:er|ie|as|en|em)|im|am)\b")


class ChangeOfPlan(Enum):
    """What a message tells of something announced."""

    OFF = auto()
    MOVED = auto()
    OVER = auto()
    AGAIN = auto()


@dataclass(frozen=True, slots=True)
class Plan:
    """News of something announced: `thing` are its words, `named` the days that the message names.

    `day` is its new day, None if it is not to come.
    """

    told: ChangeOfPlan
    thing: frozenset[str]
    named: frozenset[date]
    day: date | None

    def is_of(self, other: frozenset[str]) -> bool:
        """Return whether this is about a thing announced in other words."""
        shared = self.thing & other
        return bool(shared) and (shared in (self.thing, other) or len(shared) > 1)


def thing(text: str) -> frozenset[str]:
    """Return the words of what a text announces, without words of time and of change."""
    empty = function_words().get("german", frozenset())
    words = key_words(text)
    return frozenset(
        stem for word, stem in words.items() if word not in _NO_THING and word not in empty and not word[0].isdigit()
    )


def definite(text: str) -> bool:
    """Return whether a text is about a definite thing ("my exam"), not any ("an exam")."""
    return bool(_DEFINITE.search(text))


def plan(text: str, at: date) -> Plan | None:
    """Return the news of something announced in a message said on day `at`, None if there is none."""
    if len(text) > MOST_CHARACTERS or is_question(text):
        return None
    day, named = coming(text, at), frozenset(ahead(text, at))
    found = next((match for pattern in (MOVED, CALLED_OFF, _CORRECTED) if (match := pattern.search(text))), None)
    if found and not UNSURE.search(text):
        told = ChangeOfPlan.OFF if found.re is CALLED_OFF else ChangeOfPlan.MOVED
        if told is ChangeOfPlan.MOVED and day is None and found.re is _CORRECTED:
            return None
        return Plan(ChangeOfPlan.OFF if day is None else told, thing(_clause(text, found.start())) or thing(text), named, day)
    if day:
        return Plan(ChangeOfPlan.AGAIN, thing(text), named, day)
    return Plan(ChangeOfPlan.OVER, thing(text), named, None) if is_over(text) else None


def _clause(text: str, at: int) -> str:
    """Return the clause around a position in a text."""
    ends = [0, *(match.start() for match in _CLAUSE.finditer(text)), len(text)]
    begin = max(end for end in ends if end <= at)
    return text[begin : min(end for end in ends if end > at)]
