"""The times that a message tells of: "yesterday" on 4 November is 3 November, "in October we were in Rome" is October.

Each sentence is read by itself; times within the message's own day are ignored. A sentence about the future means the next such
time, any other the last.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from memory.index.when.codes import Code
from memory.index.when.days import DAY, EARLIEST, LATEST, LocalCalendar
from memory.index.when.further_languages import MONTHS, TenseSigns, in_english, languages_of, signs_of, times_in_english
from memory.index.when.question_times import parse_question, speaks_german
from memory.index.when.ranges import one_range
from memory.index.when.tokens import TimeTokens, cut
from memory.index.when.values import TimedQuestion, Window
from memory.index.when.vocabulary import ENGLISH_WEEKDAYS, LEXICON, MONTHS_OR_NAMES
from memory.text.language_detection import language
from memory.text.lazy_patterns import lazy_pattern
from memory.text.lexical import tokens
from memory.text.questions import is_question
from memory.text.sentence_splitting import sentences
from memory.text.told.announcements import OVER
from memory.text.told.named_values import ValueKind, kinds_of
from memory.text.word_forms.verb_forms import is_past
from memory.text.wordings import read_wordings

MOST_CHARACTERS = 2_000
_MOST_SENTENCES = 40
_QUOTED = lazy_pattern("«[^«»]*»|《[^《》]*》|「[^「」]*」|『[^『』]*』|„[^„“”]*[“”]|“[^“”]*”")
"""Titles and quotations: their times are not relative to the message."""
_OPEN = lazy_pattern(r"(?:on|in|\d+) [A-Z][a-z]+")
"""A weekday, month or day of a month, for which only the context tells whether it is past or to come."""
_SMALL_TALK = 4
"""Sentences with fewer words than this tell nothing by themselves."""
LONGEST_STAY = 27 * DAY
"""What is told of so many days or more is told of none of them."""
_LONGEST = 400 * DAY
_LONG_AGO = 45 * DAY
_WEEK, _YEAR = 7 * DAY, 365 * DAY
_NEAR = 60 * DAY
_COMES_AGAIN = frozenset((Code.MONTH, Code.SEASON, Code.FEAST))
_WEEKDAYS = frozenset((Code.WEEKDAY, Code.SHORT_WEEKDAY, Code.WEEKDAY_PART))
_DAYS_OF_A_MONTH = frozenset((Code.DIGITS, Code.ORDINAL, Code.SHORT_DATE))
_WEEKENDS = frozenset("weekend wochenende".split())
_GONE = (Code.AGO, Code.AGO_BEFORE, Code.LAST, Code.PAST, Code.LAST_BEHIND, Code.SECOND_LAST)
_BACK = frozenset((*_GONE, Code.YEAR, Code.DATE))
_NAMES_A_TIME = frozenset(
    (*_COMES_AGAIN, *_WEEKDAYS, Code.DAY_FROM_TODAY, Code.KIND_OF_DAY, Code.OTHER_DAY, Code.MONTH_WEEK, Code.QUARTER)
)
_FROM_NOW = frozenset((*_GONE, Code.NEXT, Code.NEXT_BEHIND, Code.NUMBER))


def _words(codes: frozenset[Code]) -> frozenset[str]:
    return frozenset(part for word, (code, _) in LEXICON.items() if code in codes for part in re.findall(r"[^\W_]+", word))


_TIMES, _UNITS, _DISTANCES = _words(_NAMES_A_TIME), _words(frozenset((Code.UNIT,))), _words(_FROM_NOW)
_A_WORD = lazy_pattern(r"[^\W_]+")
_PLANS_FOR = (
    (lazy_pattern(r"(?i)\b(plans?|planned|planning) for the (?=weekend\b)"), r"\1 this "),
    (lazy_pattern(r"(?i)\b(plans?|planned|planning) for (?=(?:mon|tues|wednes|thurs|fri|satur|sun)day\b)"), r"\1 on "),
    (lazy_pattern(rf"\b(plans?|planned|planning) for (?=(?:{'|'.join(MONTHS)})\b)"), r"\1 in "),
)
"""What stands before a time in a question about plans, and before the same time elsewhere."""
_INTENDS = lazy_pattern(r"(?i)(?<=\w) vor(?=\W*$)|\bse passe\b")
"""The end of "was habe ich am Samstag vor", which is no time before another; and "il se passe quoi", which asks about no past."""
_SUBJECTS = frozenset("i we he she they you ich wir er sie du je j'ai tu il elle nous vous yo".split())
"""What no note without a verb has: "I quit on 3 December" tells of what was, though "quit" is present and past."""
_WHAT = lazy_pattern(r"(?i)\bwas\b")
_WAS = frozenset("was were went came war waren fue fueron était étaient".split())


@cache
def _signs() -> Mapping[str, re.Pattern[str]]:
    """Return the signs of all languages by what they tell, as told_times.toml has and explains them."""
    found: dict[str, list[str]] = {}
    for signs in read_wordings(__file__).values():
        for told, patterns in signs.items():
            found.setdefault(told, []).extend(patterns)
    return {told: lazy_pattern("|".join(patterns), re.IGNORECASE) for told, patterns in found.items()}


def _signs_in(text: str) -> Mapping[str, re.Pattern[str]]:
    """Return the signs of a text's language, of all if its words do not tell which it is."""
    words = tokens(text)
    return _signs_of(language(words) or ("english" if not ENGLISH_WEEKDAYS.isdisjoint(words) else ""))


@cache
def _signs_of(spoken: str) -> Mapping[str, re.Pattern[str]]:
    signs = read_wordings(__file__).get(spoken)
    return {told: lazy_pattern("|".join(one), re.IGNORECASE) for told, one in signs.items()} if signs else _signs()


def _has_sign(told: str, text: str) -> bool:
    return _signs()[told].search(text) is not None


def _is_done(text: str) -> bool:
    """Return whether a text has a verb in the past, of its own language if its words tell which."""
    return _signs_in(text)["done"].search(text) is not None


@lru_cache(maxsize=64)
def _is_over(text: str) -> bool:
    """Return whether a text is about the past, or about something recurring; in German "was" is "what"."""
    return OVER.search(_WHAT.sub(" ", text) if speaks_german(tokens(text)) else text) is not None or _is_done(text)


@dataclass(frozen=True, slots=True)
class ToldTimes:
    """The times that a message tells of besides its own; `elsewhere` says that it tells of nothing but what was or will be then."""

    times: tuple[Window, ...] = ()
    elsewhere: bool = False

    def within(self, window: Window, until: int = LATEST) -> Window | None:
        """Return the earliest of these times that starts by `until` and lies at least half in a window, or None.

        So does one of several days, but less than a month, that has the whole window in it: "from 20 to 27 December" has the 23rd.
        """
        for one in sorted(self.times, key=lambda one: one.start):
            inside = min(one.end, window.end) - max(one.start, window.start)
            has_it = inside == window.end - window.start and one.end - one.start < LONGEST_STAY
            if one.start <= until and (2 * inside >= one.end - one.start or has_it):
                return one
        return None


def times_told(text: str, said_at: int, time_zone: str) -> ToldTimes:
    """Return the times that a message told, said at an instant (microseconds UTC); a question tells none."""
    text = text[:MOST_CHARACTERS]
    further = languages_of(text)
    if is_question(text) or not (further or _may_tell(text)):
        return ToldTimes()
    day = LocalCalendar.at(said_at, time_zone)
    today = day.window((day.today, day.today + 1))
    times: list[Window] = []
    elsewhere = True
    for sentence in [part for one in sentences(text) for part in one.split("; ")][:_MOST_SENTENCES]:
        window = _of(sentence, further, said_at, time_zone)
        if window is None or today is None or (window.start < today.end and window.end > today.start):
            elsewhere = elsewhere and window is None and len(_A_WORD.findall(sentence)) < _SMALL_TALK
            continue
        elsewhere = elsewhere and (window.end <= today.start or _is_still_to_come(sentence))
        if window not in times:
            times.append(window)
    return ToldTimes(tuple(times), elsewhere and bool(times))


def asked_ahead(text: str, now: int, time_zone: str) -> TimedQuestion:
    """Like `parse_question`, in the further languages too; in a question that is not about the past, a weekday, or a month or feast
    without a year, is the next one with the last one as `instead`.
    """
    text = one_range(text)
    for plans, alike in _PLANS_FOR:
        text = plans.sub(alike, text)
    english = in_english(text)
    question = parse_question(english, now, time_zone)
    if english != text and not question.window:
        english, question = text, parse_question(text, now, time_zone)
    last = question.window
    if last is None or last.end > now or _has(cut(_INTENDS.sub("", english)), _BACK):
        return question
    signs = [signs_of(name) for name in languages_of(text)] if english != text else []
    ahead = _has_sign("asks_ahead", text) or any(one.ahead.search(text) for one in signs)
    over = question.past or _is_over(text) or any(one.back.search(text) for one in signs)
    cuts = cut(english)
    weekly = _is_weekly(cuts)
    then = parse_question(english, now + (_WEEK if weekly else _YEAR), time_zone).window
    near = then is not None and not weekly and then.end - then.start <= DAY and then.start - now <= _NEAR
    comes_again = weekly or _has(cuts, _COMES_AGAIN)
    if then and then.start > now and (((ahead or not over) and comes_again) or (near and not over)):
        return replace(question, window=replace(then, instead=last))
    return question


def asks_ahead(text: str, window: Window, now: int) -> bool:
    """Return whether a question about a time asks about the future."""
    return window.start > now or (window.end > now and _has_sign("asks_ahead", text))


def _may_tell(text: str) -> bool:
    """Return whether a text has time words or digits; texts without are not parsed."""
    words = frozenset(map(str.lower, _A_WORD.findall(text)))
    if not words.isdisjoint(_TIMES) or not (words.isdisjoint(_UNITS) or words.isdisjoint(_DISTANCES)):
        return True
    return any(word[0].isdigit() for word in words)


def _of(sentence: str, further: Sequence[str], said_at: int, time_zone: str) -> Window | None:
    """Return the time that a sentence tells of; None if it has none, asks about it, or leaves it open-ended."""
    if (one := one_range(sentence)) != sentence:
        sentence, further = in_english(one), ()
    if is_question(sentence) or _has_sign("recurring", sentence):
        return None
    for name in further:
        times, rest = times_in_english(_QUOTED.sub(" ", sentence), name)
        if times:
            again = signs_of(name).none.search(sentence)
            window = None if again else _read_further(times[0], signs_of(name), rest, said_at, time_zone)
            break
    else:
        window = _read(sentence, said_at, time_zone) if _may_tell(sentence) else None
    if window is None or window.start <= EARLIEST or window.end >= LATEST or window.end - window.start > _LONGEST:
        return None
    return _of_a_day(window, said_at, time_zone)


def _read_further(time: str, signs: TenseSigns, sentence: str, said_at: int, time_zone: str) -> Window | None:
    """Resolve a time translated into English by the rest of its sentence; None if that does not tell past from future."""
    back, ahead = (sign.search(sentence) is not None for sign in (signs.back, signs.ahead))
    if time.endswith("from now") and back and not ahead:
        return None
    window = parse_question(time, said_at, time_zone).window
    if not _OPEN.fullmatch(time):
        return window
    ahead = ahead or (not back and signs.own.search(sentence) is not None)
    if back == ahead:
        return None
    if ahead and window and window.end <= said_at:
        return parse_question(time, said_at + (_WEEK if time.startswith("on ") else _YEAR), time_zone).window
    return window


def _read(sentence: str, said_at: int, time_zone: str) -> Window | None:
    """Return the time that a sentence tells of; without a verb that says so, a day of the next two months is still to come."""
    tokens = cut(sentence)
    if named := _named_first(tokens):
        return parse_question(named, said_at, time_zone).window
    window = parse_question(sentence, said_at, time_zone).window
    if window is None or window.end > said_at or _has(tokens, _BACK):
        return window
    if not _looks_ahead(sentence):
        return _soon(sentence, tokens, said_at, time_zone) or window
    for comes_again, later in ((_is_weekly(tokens), _WEEK), (_has(tokens, _COMES_AGAIN), _YEAR)):
        then = parse_question(sentence, said_at + later, time_zone).window if comes_again else None
        if then and then.start > said_at:
            return then
    return window


def _soon(sentence: str, tokens: TimeTokens, said_at: int, time_zone: str) -> Window | None:
    """Return the day of a note without a verb ("dentist 3 December") within the next two months; a weekday only of an appointment."""
    if _is_over(sentence) or any(word == "born" or is_past(word) for word in tokens.words):
        return None
    if not _SUBJECTS.isdisjoint(tokens.words):
        return None
    appointed = _has_sign("appointment", sentence)
    weekly = appointed and _is_weekly(tokens)
    dated = _has(tokens, _DAYS_OF_A_MONTH) and (appointed or not _has_sign("of_a_day", sentence))
    if not (weekly or dated):
        return None
    then = parse_question(sentence, said_at + (_WEEK if weekly else _YEAR), time_zone).window
    return then if then and then.end - then.start <= DAY and said_at < then.start <= said_at + _NEAR else None


def _is_weekly(tokens: TimeTokens) -> bool:
    return _has(tokens, _WEEKDAYS) or not _WEEKENDS.isdisjoint(tokens.words)


def _has(tokens: TimeTokens, codes: frozenset[Code]) -> bool:
    return any(code in codes for code in tokens.codes)


def _named_first(tokens: TimeTokens) -> str:
    """Return the time at the start of a sentence about the past, as in "Halloween was lovely"; '' if there is none."""
    words: Sequence[str] = tokens.words
    if len(words) > 1 and words[1] in _WAS and words[0] not in MONTHS_OR_NAMES and tokens.codes[0] in _COMES_AGAIN:
        return f"at {words[0]}" if tokens.codes[0] == Code.FEAST else f"in {words[0]}"
    return ""


def _looks_ahead(sentence: str) -> bool:
    """Return whether a sentence is about the future, by its verbs."""
    if _has_sign("ahead", sentence):
        return True
    if _is_over(sentence) or _has_sign("present", sentence):
        return not _is_over(sentence)
    has_past = any(map(is_past, _A_WORD.findall(sentence.casefold())))
    subject = _signs_in(sentence)["subject"].search(sentence)
    return not has_past and (subject is not None or bool(kinds_of(sentence) & ValueKind.TIME))


def _is_still_to_come(sentence: str) -> bool:
    """Return whether a sentence about a later time tells of nothing that is done already, as "booked the ferry for May" does."""
    return _looks_ahead(sentence) and not (_is_done(sentence) or _has_sign("arranged", sentence))


def _of_a_day(window: Window, said_at: int, time_zone: str) -> Window | None:
    """Narrow a time told by its distance to its day, unless that is far away."""
    if window.heart is None or abs(window.heart - said_at) > _LONG_AGO:
        return Window(window.start, window.end)
    calendar = LocalCalendar.at(said_at, time_zone)
    day = calendar.day_of(window.heart)
    return calendar.window((day, day + 1))
