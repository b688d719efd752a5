"""Things announced, and later news of them: the day for which a message announces something ("my exam is on Friday"), and whether one
tells that it is called off, moved to another day, or over.

Recognized by rule; news only from statements of fact: whoever wonders whether an exam will be cancelled still has it ahead.
"""

from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from enum import Enum, auto

from memory.text.language_detection import function_words
from memory.text.lazy_patterns import lazy_pattern
from memory.text.lexical import key_words
from memory.text.numbers import COUNT_WORDS
from memory.text.questions import is_question
from memory.text.time.dates import MONTHS, WEEKDAYS, dates
from memory.text.time.relative_dates import DatedText, ordinals

_AHEAD = lazy_pattern(
    r"(?i)\b(?:tomorrow|next|will|going|plan|planned|i['’]ll|we['’]ll|have|has|is|are|am|i['’]m|we['’]re|meet|fly|leave|starts?|begins?|move"
    r"|morgen|übermorgen|werde|habe|haben|ist|sind|fliege|fliegen|treffe|mañana|tengo|tenemos|voy|vamos|demain|j['’]ai|vais)\b"
)
OVER = lazy_pattern(
    r"(?i)\b(?:was|were|had|did|went|got|came|yesterday|ago|last|war|hatte|lief|gestern|fue|ayer|hier|every|each|usually|always|often|never"
    r"|jeden|immer|siempre|cada|\w{3,}ed)\b"
)
"""Signs that a message is about the past, or about something recurring."""
_STANDS = lazy_pattern(
    r"(?i)\b(?:is|are|am|be|get|gets|getting|['’](?:m|re|s)) (?:now |already |both |all |so |very |finally )?(?:married|engaged|scheduled|planned"
    r"|booked|arranged|registered|invited|expected|supposed|needed|excited|worried|scared)\b|\bspeed\b"
)
"""What ends like the past and is none: "my surgery is scheduled", "we are getting married"."""
_CALLED_OFF = lazy_pattern(
    r"(?i)\b(?:cancel(?:l?ed|s)\b|call(?:ed|ing)? (?:it |that |everything )?off|fell through|backed out|(?:is|are|['’]s) off\b"
    r"|(?:no longer|not|isn['’]t|aren['’]t|won['’]t)\b[^.!?\n]{0,60}\b(?:after all|any ?more|any longer|happening|taking place|going ahead)"
    r"|(?:won['’]t|will not) (?:happen|take place|be held|go ahead)|(?:don['’]t|doesn['’]t)\b[^.!?\n]{0,60}\b(?:after all|any ?more|any longer)"
    r"|abgesagt|abgeblasen|ausgefallen|gestrichen|storniert|(?:fällt|fallen)\b[^.!?\n]{0,30}\baus\b"
    r"|(?:findet|finden)\b[^.!?\n]{0,30}\bnicht (?:mehr )?statt|(?:doch|jetzt) (?:nicht\b(?! am| an)|kein\w{0,2}\b)"
    r"|(?:habe|haben|muss|müssen)\b[^.!?\n]{0,40}\b(?:nicht|kein\w{0,2}) mehr\b)"
)
_MOVED = lazy_pattern(
    r"(?i)\b(?:moved|postponed|rescheduled|shifted|pushed|put off|put back|delayed|deferred|brought forward|adjourned|verschoben|verlegt"
    r"|vorverlegt|vorgezogen)\b"
)
_UNSURE = lazy_pattern(
    r"(?i)\b(?:if|might|may|could|maybe|perhaps|probably|hope|hoping|afraid|worried|fear|unless|whether|wish|almost|nearly|would|should"
    r"|(?:not|never|wasn['’]t|isn['’]t|hasn['’]t|won['’]t) (?:been |be )?(?:cancel\w*|called off|postponed|moved|abgesagt|verschoben)"
    r"|falls|wenn|vielleicht|könnte|hoffe|hoffentlich|ob|beinahe|fast|würde|sollte)\b"
)
"""Signs of doubt: the message states nothing as fact."""
_MOST_CHARACTERS = 600
_LONGEST = 400
_DAY = "|".join(
    sorted({*WEEKDAYS, *MONTHS, *COUNT_WORDS, "tomorrow", "morgen", "übermorgen", "week", "month", "woche", "monat"}, key=len)[
        ::-1
    ]
)
_LEADING = r"(?:(?:on|the|next|this|coming|am|an|den|dem|die|der|in|nächste\w{0,2}|kommende\w{0,2}) )*"
_DATED = rf"{_LEADING}(?:\d[\w.]*(?: (?:{_DAY}))?|(?:{_DAY})\b(?: \d[\w.]*| days?| weeks?| months?)?)"
# To what day something is moved, and what day no longer applies.
_THEN = lazy_pattern(rf"(?i)\b(?:to|until|till|auf|bis|for|zu[mr]?) (?P<day>{_DATED})")
_NOT_THEN = lazy_pattern(rf"(?i)\b(?:not|instead of|rather than|from|nicht|statt|anstatt|von|vom) {_DATED}")
_CORRECTED = lazy_pattern(
    r"(?i)\b(?:sorry|actually|i meant|i mean|correction|i was wrong|turns out|instead|rather|(?:is|are|['’]s|['’]re) (?:now|really)|"
    r"(?:ist|sind) (?:jetzt|nun|doch)|doch (?:erst|schon)|nicht (?:am|an)|not (?:on|at|in|tomorrow|next)|sondern|statt|entschuldigung"
    r"|(?:ich )?meinte|stimmt nicht|now on)\b"
)
_CLAUSE = lazy_pattern(r"(?i)[.!?;:\n]+|,\s|\b(?:because|since|as|so|and|but|weil|denn|da|und|aber|deshalb)\b")
_NO_THING = frozenset(
    """cancelled canceled cancel cancels called call moved postponed rescheduled shifted pushed delayed deferred brought forward
    adjourned verschoben verlegt vorverlegt abgesagt ausgefallen gestrichen storniert fällt findet statt sorry actually meant mean
    correction wrong turns instead rather now tomorrow today tonight week weeks month months day days next coming got get going go
    plan planned plans happening take place took taking longer anymore morgen heute übermorgen woche monat tag tage nächste
    nächsten nächster kommende kommenden hab wurde doch jetzt nun keinen erst schon sondern back put think know guess
    unfortunately luckily leider glück meiner abgeblasen till aus beim last year""".split()
) | {*WEEKDAYS, *MONTHS, *COUNT_WORDS}  # fmt: skip
_DEFINITE = lazy_pattern(r"(?i)\b(?:my|our|the|his|her|their|mein\w{0,2}|unser\w{0,2}|d(?:er|ie|as|en|em)|im|am)\b")


def is_over(text: str) -> bool:
    """Return whether a message is about the past, or about something recurring."""
    return OVER.search(_STANDS.sub(" ", text)) is not None


def coming(text: str, at: date) -> date | None:
    """Return the latest day that a message said on day `at` looks forward to, None if it announces nothing.

    If something is moved, only its new day counts; if it is called off, none does.
    """
    if len(text) > _MOST_CHARACTERS or is_question(text):
        return None
    moved = _MOVED.search(text)
    if moved and (then := _THEN.search(text)) and not _UNSURE.search(text):
        return max(ahead(then["day"], at), default=None)
    if moved or is_over(text) or not _AHEAD.search(text) or (_CALLED_OFF.search(text) and not _UNSURE.search(text)):
        return None
    return max(ahead(_NOT_THEN.sub(" ", text), at), default=None)


def ahead(text: str, at: date) -> list[date]:
    """Return the days after `at` named by a text said on that day; a day without a year is the next one."""
    told = [*DatedText(at, text).days, *(one for _, readings in dates(text) for one in readings)]
    found = [day for one in told if (day := _day(at, *one)) and 0 < (day - at).days <= _LONGEST]
    # "The 12th" is the next one only, not also that of the month after.
    later = {day for number in ordinals(text) for day in sorted(one for one in found if one.day == number)[1:]}
    return [day for day in found if day not in later]


def _day(at: date, year: int | None, month: int | None, day: int | None) -> date | None:
    """Return a day; the next one after `at` if its year is not told. None if it is not a day, or not told in full."""
    if not month or not day:
        return None
    for one in (year,) if year else (at.year, at.year + 1):
        with suppress(ValueError):
            if (found := date(one, month, day)) > at or year:
                return found
    return None


class ChangeOfPlan(Enum):
    """What a message says about something announced."""

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
    if len(text) > _MOST_CHARACTERS or is_question(text):
        return None
    day, named = coming(text, at), frozenset(ahead(text, at))
    found = next((match for pattern in (_MOVED, _CALLED_OFF, _CORRECTED) if (match := pattern.search(text))), None)
    if found and not _UNSURE.search(text):
        told = ChangeOfPlan.OFF if found.re is _CALLED_OFF else ChangeOfPlan.MOVED
        if told is ChangeOfPlan.MOVED and day is None and found.re is _CORRECTED:
            return None
        return Plan(ChangeOfPlan.OFF if day is None else told, thing(_clause(text, found.start())) or thing(text), named, day)
    if day:
        return Plan(ChangeOfPlan.AGAIN, thing(text), named, day)
    return Plan(ChangeOfPlan.OVER, thing(text), named, None) if is_over(text) else None


def _clause(text: str, at: int) -> str:
    ends = [0, *(match.start() for match in _CLAUSE.finditer(text)), len(text)]
    begin = max(end for end in ends if end <= at)
    return text[begin : min(end for end in ends if end > at)]
