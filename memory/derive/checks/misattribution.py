"""Who did what: whether a name takes the place of another one in the sources.

The content words before and after a name tell its role. In a message, "I" counts as its speaker.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.derive.checks.written_names import WrittenNames, acts, holds_name, words_of
from memory.ports import Source
from memory.text.display_names import LYRA
from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import STOP_WORDS, stem
from memory.text.time.dates import MONTHS, WORD, Day, dates
from memory.text.time.relative_dates import moments

_TOKEN = re.compile(r"[^\W_]+|[.,;:!?\n]")
_FIRST = frozenset("i we ich wir je nous yo".split())
_THIRD = frozenset("he she they er sie il elle".split())
_LIGHT = STOP_WORDS | FUNCTION_WORDS | MONTHS.keys() | frozenset("said says say told asked lyra".split())
_ENDS = frozenset(".,;:!?\n")
_BESIDE, _AROUND = 2, 5


@dataclass(frozen=True, slots=True)
class _Part:
    """A word, its position, and the content words before and after it in its sentence, nearest first."""

    word: str
    start: int
    before: tuple[str, ...]
    behind: tuple[str, ...]

    def is_like(self, other: "_Part") -> bool:
        """Return whether both have the same word next to them, on the same side."""
        return any(
            not set(mine[:_BESIDE]).isdisjoint(theirs[:_BESIDE])
            for mine, theirs in ((self.before, other.before), (self.behind, other.behind))
        )

    def is_among(self, other: "_Part") -> bool:
        """Return whether any word around the one is around the other."""
        return not {*self.before, *self.behind}.isdisjoint((*other.before, *other.behind))


def _parts(text: str, names: WrittenNames) -> list[_Part]:
    tokens = list(_TOKEN.finditer(text))
    telling = [_telling(token.group().casefold(), names) for token in tokens]
    before, behind = _nearest(telling), _nearest(telling[::-1])[::-1]
    return [
        _Part(token.group().casefold(), token.start(), before[at], behind[at])
        for at, token in enumerate(tokens)
        if telling[at] is not None
    ]


def _telling(word: str, names: WrittenNames) -> str | None:
    """Return the stem of a word, '' if it has no content, None at the end of a sentence."""
    if word in _ENDS:
        return None
    return "" if word in _LIGHT or len(word) == 1 or word.isdecimal() or names.knows(word) else stem(word)


def _nearest(telling: Sequence[str | None]) -> list[tuple[str, ...]]:
    """Return for each token the content words before it in its sentence, nearest first."""
    # In one pass: a message of nothing but single letters has thousands of tokens, and none that ends a backward search.
    found: list[tuple[str, ...]] = []
    near: tuple[str, ...] = ()
    for word in telling:
        found.append(near)
        near = () if word is None else (word, *near)[:_AROUND] if word else near
    return found


def displaced(text: str, cited: Sequence[Source], names: WrittenNames) -> Iterator[str]:
    """Yield the names and months of a sentence that stand where a source has another one, which the sentence leaves out."""
    source_parts = [(source, part) for source in cited for part in _parts(source.text, names)]
    for part in _parts(text, names):
        written = text[part.start : part.start + len(part.word)]
        if not written[0].isupper() or part.word == LYRA.casefold():
            continue
        if part.word in MONTHS:
            wrong = _is_month_displaced(part, text, source_parts, cited)
        else:
            wrong = names.knows(part.word) and _is_name_displaced(part, text, source_parts, cited, names)
        if wrong:
            yield written


def _is_month_displaced(part: _Part, text: str, there: Sequence[tuple[Source, _Part]], cited: Sequence[Source]) -> bool:
    """Return whether a date takes the place of another one in a source, judged by its month."""
    dates = _dates(text)
    claim = dates.get(part.start, [(None, MONTHS[part.word], None)])
    named = [day for days in dates.values() for day in days]
    dates_by_source = {source: _dates(source.text) for source in cited}
    mentions = [
        (source, one, dates_by_source[source].get(one.start, [(None, MONTHS[one.word], None)]))
        for source, one in there
        if one.word in MONTHS
    ]
    own = [(source, one) for source, one, days in mentions if _agree(claim, days)]
    others = [(source, one) for source, one, days in mentions if not _agree(named, days)]
    around = {*part.before, *part.behind}
    if any(part.is_like(one) for _, one in others) and all(around.isdisjoint(words_of(source.text)) for source, _ in own):
        return True
    if claim[0][2] is None:
        return bool(own) and not any(part.is_among(one) for _, one in own) and _is_told_elsewhere(part, own, cited)
    told_of = {source for source, _, days in mentions if _agree(named, days)}
    digests = {source for source, _ in others if not source.speaker} - told_of
    said_on = [(at.year, at.month, at.day) for source in digests for at in moments(source.said_at)]
    return not own and _agree(claim, said_on)


def _dates(text: str) -> dict[int, list[Day]]:
    """Return the readings of the dates of a text by the position of their month."""
    found: dict[int, list[Day]] = {}
    for m, readings in dates(text):
        for word in WORD.finditer(text, m.start(), m.end()):
            if word.group().casefold() in MONTHS:
                found[word.start()] = readings
    return found


def _agree(some: Sequence[Day], others: Sequence[Day]) -> bool:
    return any(
        all(None in pair or pair[0] == pair[1] for pair in zip(one, other, strict=True)) for one in some for other in others
    )


def _is_name_displaced(
    part: _Part, text: str, there: Sequence[tuple[Source, _Part]], cited: Sequence[Source], names: WrittenNames
) -> bool:
    name = WORD.match(text, part.start)
    assert name is not None
    placed = names.is_placed(text, part.start)
    left_out = names.left_out(text, cited, places=True if placed else None) - MONTHS.keys()
    place = names.is_place(part.word)
    does = acts(text, name)
    own = [(source, one) for source, one in there if _is(part.word, one, source)]
    if placed and not place and left_out and not any(names.is_placed(source.text, one.start) for source, one in own):
        return True
    first = {source: min((one.start for where, one in own if where is source), default=0) for source in cited}

    def other(source: Source, one: _Part) -> bool:
        if _is(part.word, one, source):
            return False
        if one.word in left_out or (does and one.word in _THIRD and (place or one.start < first[source])):
            return True
        return does and not place and one.word in _FIRST and bool(source.speaker) and not _mentions(text, source.speaker)

    like = any(part.is_like(one) for source, one in there if other(source, one))
    return like and not any(part.is_among(one) for _, one in own)


def _is_told_elsewhere(month: _Part, holding: Sequence[tuple[Source, _Part]], cited: Sequence[Source]) -> bool:
    """Return whether the surroundings of a month occur in a source that does not name it, and in none that does."""
    around = {*month.before, *month.behind}
    shared = {source: len(around & words_of(source.text)) for source in cited}
    return not any(shared[source] for source, _ in holding) and max(shared.values()) >= _BESIDE


def _is(name: str, part: _Part, source: Source) -> bool:
    return part.word == name or (part.word in _FIRST and holds_name(name, frozenset(source.speaker.casefold().split())))


def _mentions(text: str, speaker: str) -> bool:
    return any(word in text.casefold() for word in speaker.casefold().split())
