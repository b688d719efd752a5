"""A question split into the time it asks about and the rest; and whether it is about the present, the past or a habit.

The time may also be relative to an event that is in no calendar: "two weeks before the move".
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from memory.index.when.codes import Code, compiled
from memory.index.when.days import DAY, EARLIEST, LATEST, LocalCalendar
from memory.index.when.distances import AWAY, distance
from memory.index.when.expressions import Rank
from memory.index.when.parsing import Parse
from memory.index.when.ranges import take_ranges
from memory.index.when.time_parts import join_parts
from memory.index.when.tokens import TimeTokens, cut
from memory.index.when.values import AroundEvent, TimedQuestion, Window
from memory.index.when.vocabulary import PAST
from memory.text.language_detection import language

_NOW = frozenset(
    """currently nowadays presently lately recently jetzt derzeit momentan zurzeit aktuell heutzutage maintenant actuellement
    ahora actualmente adesso attualmente agora atualmente momenteel tegenwoordig""".split()
)
_NEWEST = frozenset("latest newest current anymore".split())
_NOW_UNLESS_PAST = frozenset("now still today heute aujourd'hui hoy oggi hoje vandaag".split())
_PHRASES = [
    phrase.split()
    for phrase in "these days|at the moment|at present|right now|en ce moment|most recent|no longer|any more|as of now".split("|")
]
_BEGINNINGS = frozenset(phrase[0] for phrase in _PHRASES)
_OLD = frozenset(
    """ever never first always once originally initially previously formerly before earlier former just original
    damals früher jamais avant antes prima mai vroeger""".split()
)
_USED_TO = ("used", "to")
_GERMAN = frozenset("ich wir ist sind hab habe haben mach mache machen steht gibt muss passiert".split())
_ASKING = frozenset("what where who whom whose which when why how".split())
_ASKING_IS = frozenset("what's where's who's how's when's".split())
_PRESENT = frozenset("do does is are am don't doesn't isn't aren't".split())
_DOES = frozenset("do does don't doesn't".split())
_OTHER_TENSE = PAST | frozenset("have has haven't hasn't will would could should can can't might may must shall been".split())


def _is_now(tokens: TimeTokens) -> bool:
    """Return whether a question is about the present, by its words alone."""
    words = frozenset(tokens.words)
    if ("just" in words and "now" in words) or not _OLD.isdisjoint(words) or _USED_TO in pairwise(tokens.words):
        return False
    if words & _NOW or words & _NEWEST or _phrases(tokens.words):
        return True
    past = not PAST.isdisjoint(words)
    if (not past and words & _NOW_UNLESS_PAST) or (past and _last_time(tokens)):
        return True
    return _verb(tokens) in _PRESENT


def speaks_german(words: Sequence[str]) -> bool:
    """Return whether words are German, in which "was" asks."""
    return language(words) == "german" or not _GERMAN.isdisjoint(words)


def _is_past(tokens: TimeTokens) -> bool:
    """Return whether a question is about the past."""
    words = frozenset(tokens.words)
    if speaks_german(tokens.words):
        words -= {"was"}
    return not words.isdisjoint(PAST) or not words.isdisjoint(_OLD) or _USED_TO in pairwise(tokens.words)


def _is_habit(tokens: TimeTokens) -> bool:
    """Return whether a question is about a habit."""
    return _verb(tokens) in _DOES


def _words_of_now(tokens: TimeTokens) -> list[tuple[int, int]]:
    """Return the spans of words that only mean "now"."""
    alone = [(n, n + 1) for n, word in enumerate(tokens.words) if word in _NOW or word == "now"]
    return alone + _phrases(tokens.words)


def _phrases(words: list[str]) -> list[tuple[int, int]]:
    begun = [n for n, word in enumerate(words) if word in _BEGINNINGS]
    return [(n, n + len(phrase)) for n in begun for phrase in _PHRASES if words[n : n + len(phrase)] == phrase]


def _last_time(tokens: TimeTokens) -> bool:
    """Return whether a question asks for the last occurrence of something: "when did I last see her"."""
    at = tokens.words.index("last") if "last" in tokens.words else 0
    return (
        at > 0
        and tokens.codes[at - 1] in (Code.FUNCTION, Code.OTHER, Code.CAPITALIZED)
        and tokens.codes[at + 1 : at + 2] == Code.OTHER
    )


def _verb(tokens: TimeTokens) -> str:
    """Return the auxiliary after the question word; '' if there is none."""
    asking = False
    for word in tokens.words:
        if word in _ASKING_IS:
            return "is"
        if asking and (word in _PRESENT or word in _OTHER_TENSE):
            return word
        asking = asking or word in _ASKING
    return ""


_EVENT = compiled(rf"(?:[IN ON DURING]? (?P<away>{AWAY}))? (?P<near>NEAR?) (?P<side>[SINCE UNTIL BEFORE AFTER AGO_BEFORE])")
_ENGLISH = {"since": Code.SINCE, "until": Code.UNTIL, "till": Code.UNTIL, "before": Code.BEFORE, "after": Code.AFTER}
_EVENT_ASKING = frozenset("what where who whom whose which when why how what's where's who's how's".split())
_DETERMINED = frozenset("the my our your his her their its this that these those a an".split())
_VERBS = frozenset("do does did is are was were am have has had will would can could should".split())
_NO_EVENT = frozenset(
    """work school class classes college church practice training dinner lunch breakfast brunch supper meal meals bed bedtime sleep
    sleeping waking eating dark midnight noon midday dawn dusk sunrise sunset hours long all now then bad good going getting
    answering replying asking life christ time times""".split()
)
_NO_TIME = frozenset(
    "look looks looked looking named name takes taking chase chased chasing call called inquire inquired".split()
)
_SUBJECTS = frozenset("i you we he she they it there all both".split())
_PERFECT = frozenset("have has haven't hasn't had been i've you've we've changed".split())
_STOP = frozenset("to of in on at for with and or from by up off out".split())
_LEADING = frozenset((Code.IN, Code.ON, Code.DURING, Code.FROM, Code.AND, Code.HYPHEN))
_TELLING = frozenset(
    (Code.OTHER, Code.CAPITALIZED, Code.ORDINAL, Code.FEAST, Code.SEASON, Code.HALF, Code.PART_OF_DAY, Code.NUMBER)
)
_SIDES = (Code.SINCE, Code.UNTIL, Code.BEFORE, Code.AFTER, Code.AGO_BEFORE)
_ENDS = frozenset((Code.MARK, Code.PERIOD, Code.TAKEN, Code.MORE, Code.UNDERSTOOD, Code.NO_TIME, *_SIDES))
_LONGEST = 12
_REACH = 90 * DAY
_NEAR = 14 * DAY
_EVER = 3650 * DAY


def take_event(reading: Parse, habit: bool) -> tuple[AroundEvent, list[tuple[int, int]]] | None:
    """Return the first time told relative to an event, and its span without the event's words.

    In a question about a `habit`, only a distance counts: "what do I drink after a run" names no time.
    """
    for m in _EVENT.finditer(reading.codes):
        words, at = reading.tokens.words, m.start("side")
        side = _ENGLISH.get(words[at])
        before = words[m.start() - 1] if m.start() else ""
        if side is None or before in _NO_TIME or before in ("many", "long") or (habit and not m["away"]):
            continue
        anchor = _anchor(reading, at + 1, side)
        if anchor and (offsets := _offsets(reading, m, side)):
            return AroundEvent(anchor, *offsets), [(m.start(), at + 1)]
    return None


def _anchor(reading: Parse, start: int, side: str) -> str:
    """Return the event named from a position on; '' if there is none."""
    tokens, words, end = reading.tokens, reading.tokens.words, start
    noun = start < len(words) and words[start] in _DETERMINED
    while end < min(len(words), start + _LONGEST) and not _ends(reading, end) and not (noun and words[end] in _VERBS):
        end += 1
    if side == Code.SINCE and _is_reason(tokens, start, end):
        return ""
    while end > start and (words[end - 1] in _STOP or reading.codes[end - 1] in _LEADING):
        end -= 1
    telling = any(reading.codes[n] in _TELLING and words[n] not in _NO_EVENT for n in range(start, end))
    if not telling or reading.codes[start] == Code.AND:
        return ""
    return tokens.text[tokens.spans[start][0] : tokens.spans[end - 1][1]]


def _ends(reading: Parse, at: int) -> bool:
    """Return whether a word ends the name of an event: punctuation, a time, a question word or a dash."""
    if reading.codes[at] == Code.HYPHEN:
        first = reading.tokens.spans[at][0]
        return reading.tokens.text[first - 1 : first].isspace()
    return reading.codes[at] in _ENDS or reading.tokens.words[at] in _EVENT_ASKING


def _is_reason(tokens: TimeTokens, start: int, end: int) -> bool:
    """Return whether "since" gives a reason: "since I love dogs", but not "what have I done since I moved"."""
    clause = tokens.words[start : end + 1]
    if not _VERBS.isdisjoint(clause) or not clause:
        return True
    return clause[0] in _SUBJECTS and not tokens.has(_PERFECT)


def _offsets(reading: Parse, m: re.Match[str], side: str) -> tuple[int, int] | None:
    """Return the range of offsets from the event, in microseconds."""
    sign = -1 if side in (Code.BEFORE, Code.UNTIL) else 1
    if m["away"]:
        if side in (Code.SINCE, Code.UNTIL):
            return None
        away = distance(reading.tokens, m.start("away"), m.end("away"))
        slack = max(away.slack(away.length), DAY)
        low = 0 if m["away"][0] == Code.THE else away.length - slack
        high = away.length + slack
    else:
        near = m["near"] and reading.tokens.values[m.start("near")] == 1
        low, high = -DAY, _NEAR if near else _EVER if side == Code.SINCE else _REACH
    return (low, high) if sign > 0 else (-high, -low)


_OF_TIME = compiled(
    "[MONTH WEEKDAY SHORT_WEEKDAY SEASON FEAST DAY_FROM_TODAY KIND_OF_DAY PART_OF_DAY UNIT QUARTER DATE YEAR DAYS SHORT_DATE"
    " OTHER_DAY JUST_NOW WEEKDAY_PART MONTH_WEEK SEVERAL SECOND_LAST ORDINAL SINCE UNTIL BEFORE AFTER AGO_BEFORE]"
)
_OF_DATES = frozenset((Code.MONTH, Code.YEAR, Code.WEEKDAY, Code.DATE, Code.DIGITS, Code.ORDINAL, Code.SEASON, Code.FEAST))
_MARKS = tuple("?.!,;:…")
_WORD = re.compile(r"\w")
Spans = list[tuple[int, int]]


def parse_question(text: str, now: int, time_zone: str) -> TimedQuestion:
    """Return what a question asks about, asked at an instant (microseconds UTC) in an IANA time zone.

    Of several times, the highest-ranked one decides, narrowed by those that overlap it. Raises ZoneInfoNotFoundError.
    """
    calendar = LocalCalendar.at(now, time_zone)
    tokens = cut(text)
    window: Window | None = None
    around: AroundEvent | None = None
    spans: Spans = []
    if _OF_TIME.search(tokens.codes):
        reading = Parse.of(tokens)
        join_parts(reading)
        take_ranges(reading)
        window, spans = _window(reading, calendar)
        if event := take_event(reading, _is_habit(tokens)):
            around, words = event
            spans += words
    present = _is_now(tokens) and around is None
    if present and _is_today_as_now(tokens, spans):
        window = None
    present = present and (window is None or window.start <= calendar.now < window.end)
    if present:
        spans += _words_of_now(tokens)
    return TimedQuestion(
        window, around, _without(tokens, spans) if spans else text, present, _dated(tokens, spans), _is_past(tokens)
    )


def _is_today_as_now(tokens: TimeTokens, spans: Spans) -> bool:
    """Return whether "today" only means "these days": "where do I live today"."""
    return _is_habit(tokens) and len(spans) == 1 and tokens.words[slice(*spans[0])] == ["today"]


def _window(reading: Parse, calendar: LocalCalendar) -> tuple[Window | None, Spans]:
    """Return the window that all expressions give together, and the spans of those used."""
    window: Window | None = None
    rank, told_at, spans = Rank.FROM_NOW, calendar.today, []
    for start, end, piece in sorted(reading.found, key=lambda found: found[2].rank):
        found = piece.resolve(calendar, told_at if piece.rank is Rank.LOOSE else calendar.today)
        found = found and _clamped(found)
        if found is None:
            continue
        if window is None:
            window, rank = found, piece.rank
        elif found.start < window.end and window.start < found.end:
            window = Window(max(found.start, window.start), min(found.end, window.end))
        elif piece.rank is not rank:
            continue
        elif rank is not Rank.FROM_NOW or found.start == window.end or window.start == found.end:
            window = Window(min(found.start, window.start), max(found.end, window.end))
        else:
            # "A year ago today" is that very day a year ago.
            farther, nearer = sorted((found, window), key=lambda each: -abs(each.start - calendar.now))
            day = calendar.day_of(farther.heart) if farther.heart is not None and nearer.holds(calendar.now) else None
            window = (calendar.window((day, day + 1)) if day is not None else None) or farther
        if piece.closed and piece.rank is not Rank.LOOSE:
            # "On Monday" along with "last week" is the Monday of that week.
            told_at = calendar.day_of(window.end - 1)
        spans.append((start, end))
    return window, spans


def _clamped(window: Window) -> Window | None:
    start, end = max(window.start, EARLIEST), min(window.end, LATEST)
    return replace(window, start=start, end=end) if start < end else None


def _dated(tokens: TimeTokens, spans: Spans) -> bool:
    """Return whether any word in these spans belongs to a calendar date."""
    return any(tokens.codes[n] in _OF_DATES for start, end in spans for n in range(start, end) if " " not in tokens.words[n])


def _without(tokens: TimeTokens, spans: Spans) -> str:
    """Return the text without these spans and the gaps they leave."""
    rest, after = "", 0
    for start, end in [*sorted(spans), (len(tokens.words), 0)]:
        first = tokens.spans[start][0] if start < len(tokens.spans) else len(tokens.text)
        piece = tokens.text[after:first].strip()
        rest += piece if not rest or piece.startswith(_MARKS) else f" {piece}" if piece else ""
        after = max(after, tokens.spans[end - 1][1])
    return rest.lstrip(" ,;:–—-") if _WORD.search(rest) else ""
