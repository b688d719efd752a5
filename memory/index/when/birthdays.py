"""Birthdays as times: "on my birthday", "how was Nora's birthday?". The date is looked up in what people said."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.index.when.days import DAY, LocalCalendar, Range, month_of, months, on
from memory.index.when.question_times import parse_question
from memory.index.when.values import Window
from memory.text.lazy_patterns import lazy_pattern
from memory.text.questions import is_question
from memory.text.sentence_splitting import sentences
from memory.text.time.dates import dates
from memory.text.time.times import local
from memory.types import Exchange, Kind

_NOUN = r"(?:birthday|b-?day|geburtstag\w*|cumpleaños)"
_MY = r"(?:my|our|mein\w*|unser\w*|mis?)"
_WHICH = r"(?:(?:last|next|own|past|letzte\w*|nächste\w*|\d+(?:st|nd|rd|th|\.)?)\s+)?"
_ONE = r"[^\W\d_]+"
_NOBODY = r"(?:his|this|its|yours|ours|das|dieses|eines|jedes)"
_PHRASE = lazy_pattern(
    r"(?i)\b(?:(?:on|an|en|for|at|during|zu|spen[dt]|celebrated?)\s+|(?:how|what) (?:was|were|did)\s+|wie war\s+|cómo fue\s+)"
    rf"(?:{_MY}\s+{_WHICH}{_NOUN}|(?P<mine>{_MY}\s+)?(?!{_NOBODY}\b)(?P<owner>{_ONE})(?:['’]s?|(?<=s))\s+{_WHICH}{_NOUN})\b"
    rf"|\b(?:am|wie war der)\s+geburtstag\s+(?:von\s+(?:{_MY}\s+)?|(?P<of_mine>{_MY}\s+))(?P<of>{_ONE})"
)
_TOLD_OF_ONESELF = lazy_pattern(
    rf"(?i)\b{_MY}\s+{_WHICH}{_NOUN}\b|\bi(?:['’]m|\s+was|\s+am)\s+born\b|\bi\s+have\s+(?:my\s+)?birthday\b|\bich\b.*\bgeboren\b|\bnací\b"
    r"|\b(?:ich\s+ha(?:be?|tte)|ha(?:be?|tte)\s+ich)\b.*(?<!s)(?<!['’])(?<!\bzum)(?<!\bden)(?<!\bam)(?<!\bseinen)(?<!\bihren)\s+geburtstag\b"
)
_CLAUSE = lazy_pattern(r";|,?\s+(?:but|aber)\b")
_BEHIND = lazy_pattern(
    rf"(?i)\b(?:for|before|after|about|until|zu[mr]?|vor|nach|bis|für|über|de|para)\s+{_MY}\s+{_WHICH}{_NOUN}\b"
)
_SAYING = lazy_pattern(r"(?i)\b(?:is|was|it['’]s|falls|born|ist|war|fällt|geboren|habe?|hat|have|has|es|fue|nací|nació)\b|[:(=]")
_STROKE = lazy_pattern(r"(?<![\d/])(\d\d?)/(\d\d?)(?![\d/])")
_YEARS_BACK = 9
_LONGEST_DAY = DAY + DAY // 12


@dataclass(frozen=True, slots=True)
class Birthday:
    """A birthday that a question names as its time: the phrase, and whose it is, '' for the asker's own.

    `of_mine` says that the owner is related to the asker: "my sister's birthday".
    """

    phrase: str
    owner: str
    of_mine: bool = False

    @property
    def sought(self) -> str:
        """A query that finds the messages which tell the date."""
        return f"{self.owner} birthday born Geburtstag geboren cumpleaños".strip()

    def mentioned(self, clause: str, by_owner: bool) -> bool:
        """Return whether a clause names this birthday, said by its owner or by somebody else."""
        if not self.owner or by_owner:
            return _TOLD_OF_ONESELF.search(clause) is not None
        # German genitives have no apostrophe.
        name = rf"\b{re.escape(self.owner)}(?:['’]?s|['’])?"
        return (
            re.search(
                rf"(?i){name}\s+{_WHICH}{_NOUN}|{name}\b.*\b(?:born|geboren|nació)\b|{name}\s+ha[st]\b.*\b{_NOUN}"
                rf"|{_NOUN}\s+(?:(?:of|von|de)\s+)?(?:{_MY}\s+)?{name}\b|\bhat\s+{name}\b.*\b{_NOUN}",
                clause,
            )
            is not None
        )


@dataclass(frozen=True, slots=True, order=True)
class _Told:
    """A birthday's date by one message, with its certainty (2: stated, 1: a time alongside, 0: only named)."""

    sure: int
    said_at: int
    month: int
    day: int
    """0 if only the month is known"""


def birthday(question: str) -> Birthday | None:
    """Return the birthday that a question names as its time, None if it names none."""
    found = _PHRASE.search(question)
    if not found:
        return None
    owner = found["owner"] or found["of"] or ""
    # In "Noras Geburtstag" the owner is Nora.
    if owner and found["owner"] and question[found.end("owner")] not in "'’":
        owner = owner[:-1]
    if found["of_mine"]:
        owner = re.sub(r"(?<=[^aeiou])e?s$", "", owner)
    return Birthday(found[0], owner, bool(found["mine"] or found["of_mine"]))


def celebrated(
    whose: Birthday, told: Sequence[Exchange], asker: str, now: int, time_zone: str, within: Window | None = None
) -> Window | None:
    """Return the latest day of a birthday as of `now`, by what people said, None if nobody said when it is.

    If it fell `within` a window, that day is returned. The newest message that states the date decides, else the newest that
    has a date alongside, else the newest that names the birthday. "My birthday" is the speaker's own, so only what `asker` said
    counts, or anybody's words if that is ''. If only the month is known, the window is that month.
    """
    days = [
        day
        for one in told
        if one.kind is Kind.SAID and one.role == "user" and not is_question(one.text)
        for day in _days(whose, one, asker, time_zone)
    ]
    return _anniversary(max(days), now, time_zone, within) if days else None


def _days(whose: Birthday, one: Exchange, asker: str, time_zone: str) -> Iterator[_Told]:
    speaker = one.speaker.casefold()
    if (not whose.owner or whose.of_mine) and asker and speaker != asker.casefold():
        return
    by_owner = bool(whose.owner) and speaker.partition(" ")[0] == whose.owner.casefold()
    for clause in (part for sentence in sentences(one.text) for part in _CLAUSE.split(sentence)):
        if whose.mentioned(clause, by_owner):
            beside = _BEHIND.search(clause) is not None
            if day := _dated(clause) or (None if beside else _by_the_calendar(clause, one.said_at, time_zone)):
                yield _Told(0 if beside else 2 if _SAYING.search(clause) else 1, one.said_at, *day)
            elif not beside:
                then = local(one.said_at, time_zone)
                yield _Told(0, one.said_at, then.month, then.day)


def _dated(clause: str) -> tuple[int, int] | None:
    """Return the month and day of a date written in a clause."""
    readings = [(month, day) for _, some in dates(clause) for _, month, day in some if month and day]
    if stroke := _STROKE.search(clause):
        one, two = int(stroke[1]), int(stroke[2])
        readings += [(two, one), (one, two)]
    return next(((month, day) for month, day in readings if on(2024, month, day)), None)


def _by_the_calendar(clause: str, said_at: int, time_zone: str) -> tuple[int, int] | None:
    """Return the month and day of any other time expression in a clause, such as "today"; day 0 for a month."""
    when = parse_question(clause, said_at, time_zone).window
    if when is None:
        return None
    then, length = local(when.start, time_zone), when.end - when.start
    if length <= _LONGEST_DAY:
        return then.month, then.day
    return (then.month, 0) if then.day == 1 and 27 * DAY < length < 32 * DAY else None


def _anniversary(told: _Told, now: int, time_zone: str, within: Window | None) -> Window | None:
    """Return the latest occurrence of a day or month that has begun by today, preferably one within a window."""
    calendar = LocalCalendar.at(now, time_zone)
    this = month_of(calendar.today) // 12
    found = [calendar.window(days) for year in range(this, this - _YEARS_BACK, -1) if (days := _days_in(told, year))]
    begun = [one for one in found if one and one.start <= calendar.now]
    inside = [one for one in begun if within and within.start <= one.start < within.end]
    return next(iter([*inside, *begun]), None)


def _days_in(told: _Told, year: int) -> Range | None:
    return on(year, told.month, told.day) if told.day else months(year * 12 + told.month - 1)
