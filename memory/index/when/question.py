"""A question taken apart: the time it asks about, and the rest of it."""

import re
from dataclasses import replace

from memory.index.when.codes import Code, compiled
from memory.index.when.days import EARLIEST, LATEST, Calendar
from memory.index.when.events import take_event
from memory.index.when.expressions import Rank
from memory.index.when.parsing import Parse
from memory.index.when.parts import join_parts
from memory.index.when.ranges import take_ranges
from memory.index.when.tense import is_habit, is_now, is_past, words_of_now
from memory.index.when.tokens import Tokens, cut
from memory.index.when.values import Around, TimedQuestion, Window

_OF_TIME = compiled(
    "[MONTH WEEKDAY SHORT_WEEKDAY SEASON FEAST DAY_FROM_TODAY KIND_OF_DAY PART_OF_DAY UNIT QUARTER DATE YEAR DAYS SHORT_DATE"
    " OTHER_DAY JUST_NOW WEEKDAY_PART MONTH_WEEK SEVERAL SECOND_LAST ORDINAL SINCE UNTIL BEFORE AFTER AGO_BEFORE]"
)
_OF_DATES = frozenset((Code.MONTH, Code.YEAR, Code.WEEKDAY, Code.DATE, Code.DIGITS, Code.ORDINAL, Code.SEASON, Code.FEAST))
_MARKS = tuple("?.!,;:…")
_WORD = re.compile(r"\w")
Spans = list[tuple[int, int]]


def asked(text: str, now: int, time_zone: str) -> TimedQuestion:
    """Return what a question asks about, told at an instant (microseconds UTC) in an IANA time zone.

    Of several times the more certain one holds, narrowed by those that overlap it. Raises ZoneInfoNotFoundError.
    """
    calendar = Calendar.at(now, time_zone)
    tokens = cut(text)
    window: Window | None = None
    around: Around | None = None
    spans: Spans = []
    if _OF_TIME.search(tokens.codes):
        reading = Parse.of(tokens)
        join_parts(reading)
        take_ranges(reading)
        window, spans = _window(reading, calendar)
        if event := take_event(reading, is_habit(tokens)):
            around, words = event
            spans += words
    present = is_now(tokens) and around is None
    if present and _is_today_as_now(tokens, spans):
        window = None
    present = present and (window is None or window.start <= calendar.now < window.end)
    if present:
        spans += words_of_now(tokens)
    return TimedQuestion(
        window, around, _without(tokens, spans) if spans else text, present, _dated(tokens, spans), is_past(tokens)
    )


def _is_today_as_now(tokens: Tokens, spans: Spans) -> bool:
    """Say whether "today" only means that something is still so: "where do I live today"."""
    return is_habit(tokens) and len(spans) == 1 and tokens.words[slice(*spans[0])] == ["today"]


def _window(reading: Parse, calendar: Calendar) -> tuple[Window | None, Spans]:
    """Return the time that all expressions tell together, and where those stand that count."""
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
        elif rank is not Rank.FROM_NOW or _touch(found, window):
            window = Window(min(found.start, window.start), max(found.end, window.end))
        else:
            # "A year ago today" is not today, and no other day than that.
            farther, nearer = sorted((found, window), key=lambda each: -abs(each.start - calendar.now))
            day = calendar.day_of(farther.heart) if farther.heart is not None and nearer.holds(calendar.now) else None
            window = (calendar.window((day, day + 1)) if day is not None else None) or farther
        if piece.closed and piece.rank is not Rank.LOOSE:
            # "On Monday", said with "last week", is that week's Monday.
            told_at = calendar.day_of(window.end - 1)
        spans.append((start, end))
    return window, spans


def _touch(one: Window, other: Window) -> bool:
    return one.start == other.end or other.start == one.end


def _clamped(window: Window) -> Window | None:
    start, end = max(window.start, EARLIEST), min(window.end, LATEST)
    return replace(window, start=start, end=end) if start < end else None


def _dated(tokens: Tokens, spans: Spans) -> bool:
    """Say whether any of some words is one that dates are written with."""
    return any(tokens.codes[n] in _OF_DATES for start, end in spans for n in range(start, end) if " " not in tokens.words[n])


def _without(tokens: Tokens, spans: Spans) -> str:
    """Return the text without some of its words, and without the gaps that they leave."""
    rest, after = "", 0
    for start, end in [*sorted(spans), (len(tokens.words), 0)]:
        first = tokens.spans[start][0] if start < len(tokens.spans) else len(tokens.text)
        piece = tokens.text[after:first].strip()
        rest += piece if not rest or piece.startswith(_MARKS) else f" {piece}" if piece else ""
        after = max(after, tokens.spans[end - 1][1])
    return rest.lstrip(" ,;:–—-") if _WORD.search(rest) else ""
