"""What values a text names: times, days, numbers, names, places; and what is left of it without them."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import Flag, auto
from functools import cached_property, lru_cache
from itertools import pairwise

from memory.text.function_words import ARTICLES, FUNCTION_WORDS
from memory.text.lazy_patterns import lazy_pattern
from memory.text.lexical import STOP_WORDS, stem
from memory.text.numbers import COUNT_WORDS
from memory.text.time.dates import MONTHS, WEEKDAYS
from memory.text.wordings import any_of, read_wordings

_WORDINGS = read_wordings(__file__, MONTH="|".join(sorted(MONTHS, key=len, reverse=True)))
_SAID = {name: any_of(said) for name, said in _WORDINGS.items()}

_ORDINALS = frozenset("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split())
_COUNT = "|".join(
    sorted(
        (word for word, n in COUNT_WORDS.items() if 0 < n < 13 and len(word) > 2 and word not in _ORDINALS), key=len, reverse=True
    )
)
_HOUR = rf"(?:\d{{1,2}}(?:[:.h]\d{{2}})?|(?:{_COUNT}|{_SAID['hours']}))"
_TIME = lazy_pattern(
    rf"(?i)\b(?:(?:{_SAID['at']}) {_HOUR}(?!\.? ?(?:{'|'.join(MONTHS)})\b)\b(?! ?(?:euros?|kilo|km|%|percent|prozent|degrees|grad|°))"
    rf"|\d{{1,2}}:\d{{2}}|\d{{1,2}} ?h ?(?:\d{{2}})?\b|\d{{1,2}} ?(?:{_SAID['clock']})\b|(?:{_SAID['noon']})\b)"
)
_DAY = lazy_pattern(
    rf"(?i)\b(?:(?:{'|'.join(sorted(WEEKDAYS, key=len, reverse=True))}|{_SAID['weekdays']})s?\b|(?:{_SAID['days']})\b)"
)
NUMBER = lazy_pattern(rf"(?i)\b(?:\w*\d[\w.,]*\b|(?:{_COUNT})\b)")
_ALONE = lazy_pattern(rf"(?i)(?:1?\d|2[0-4]|{_COUNT})")
_PLACE = lazy_pattern(rf"(?i)\b(?:{_SAID['placed']}) (?:(?:{_SAID['articles']})\s?)*[^\W\d_]{{3}}")
WORD = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_STATES = lazy_pattern(rf"(?i)(?:['’](?:s|re|m)\b|\b(?:{_SAID['states']})\b)")
_PAST = lazy_pattern(rf"(?i)\b(?:{_SAID['past']})\b(?! moved)")
_CONTRACTED = frozenset({"'s", "’s"})
_HAS = lazy_pattern(r"(?i)\b(?:has|have|hat)\b")
_ONESELF = lazy_pattern(r"\bI(?:['’]\w+)?(?=\W|$)")
_BREAK = lazy_pattern(r"[,;:.!?\n]")
_CLOCK_HOUR = lazy_pattern(r"(\d{1,2})(?:am|pm|h|uhr)")
_EMPTY = (
    FUNCTION_WORDS
    | STOP_WORDS
    | frozenset(
        """now please one day morning afternoon evening night early late o'clock uhr jetzt nun doch erst schon bitte morgens
        abends früh spät vormittag nachmittag abend matin soir après-midi maintenant plutôt mañana tarde noche ahora pm h euro
        euros dollars bucks pounds kg km percent moved changed rather verlegt verschoben wurde alle ore ora adesso om uur nu às já
        agora feira""".split()
    )
)
_DETERMINERS = ARTICLES | frozenset(
    """the a an my our your his her their this that every eine einen einem einer eines meine meinen meinem meiner unser unsere unseren
    unserem vom zum zur am im ins beim keine kein diese dieser dieses notre nos votre au aux cette nuestro nuestra al esta este""".split()
)


_SORTS: dict[str, str] = {stem(word): sort for sort, words in _WORDINGS["sorts"].items() for word in words.split()}
NAMED = r"(?-i:[^\W\d_a-zß-ÿа-яё][^\W\d_]+)"
LINKED = lazy_pattern(
    rf"(?i)(?<!\w)(?P<link>{_SAID['links']}) (?:(?:{_SAID['articles']}|my|our) )?(?P<name>{NAMED})"
    rf"|(?P<joined>{_SAID['joined_links']})(?P<value>[\u3400-\u9fff]{{1,4}})(?=\W|$)"
)
_POSSESSIVE, _MINE = lazy_pattern(r"\b([A-ZÄÖÜÉÁ][^\W\d_]+)['’]s\b"), re.compile(rf"(?i)\b(?:{_SAID['mine']})\b")
_KNOWN = {name: sort for sort, names in _WORDINGS["known"].items() for name in names.split()}
_AT_A_PLACE = lazy_pattern(rf"(?i)\b(?:{_SAID['before_places']})\s+([^\W\d_]+)")


class ValueKind(Flag):
    """What sort of values a text names."""

    NONE = 0
    TIME = auto()
    DAY = auto()
    NUMBER = auto()
    NAME = auto()
    PLACE = auto()


TYPED = ValueKind.TIME | ValueKind.DAY | ValueKind.NUMBER


@dataclass(frozen=True)
class Correctable:
    """What a text may be corrected in."""

    text: str

    @cached_property
    def kinds(self) -> ValueKind:
        """The sorts of values that it names."""
        return kinds_of(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its words without those that carry no meaning."""
        return stems_of(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """All its words, folded, and the hours in them as well: "3pm" is "3"."""
        words = frozenset(map(folded, WORD.findall(self.text)))
        return words.union(found[1] for word in words if (found := _CLOCK_HOUR.fullmatch(word)))

    @cached_property
    def names(self) -> frozenset[str]:
        """The words in it that may name somebody or something, folded; none that begins it where it tells what was, or is all it tells."""
        words = WORD.findall(without_figures(self.text))
        begins = 1 if words and (_PAST.search(self.text) or words[0].endswith(("ing", "ed"))) else 0
        found = frozenset(
            word
            for before, named in list(pairwise(["", *words]))[begins:]
            if named[0].isupper() and tells(named) and (word := folded(named)) and folded(before) not in _DETERMINERS
        )
        return found if self.stems - frozenset(map(stem, found)) else frozenset()

    def names_beside(self, name: str) -> frozenset[str]:
        """Its names without those known to be of another sort than this one: a person does not replace a place."""
        sort, placed = _KNOWN.get(name), frozenset(map(folded, _AT_A_PLACE.findall(self.text)))
        sorts = {one: _KNOWN.get(one, "places" if one in placed else None) for one in self.names}
        return frozenset(one for one, other in sorts.items() if sort in (None, other) or other is None)

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The days, times and numbers that it names, in order."""
        return tuple(found.lower() for pattern in (_DAY, _TIME, NUMBER) for found in pattern.findall(self.text))

    @cached_property
    def named(self) -> frozenset[str]:
        """Its figures and names."""
        return self.names.union(self.figures)

    @cached_property
    def subject(self) -> frozenset[str]:
        """The content words before the verb: what the sentence is about; none if that is more than a name."""
        found = _STATES.search(self.text)
        # "Tom's surgery is on Monday" is about the surgery.
        if found and found.group() in _CONTRACTED:
            told = _STATES.search(self.text, found.end()) or _HAS.search(self.text, found.end())
            found = told if told and not _BREAK.search(self.text[: told.start()]) else found
        return stems_of(self.text[: found.start()]) if found and not _BREAK.search(self.text[: found.start()]) else frozenset()

    def opens_with(self, words: Collection[str]) -> bool:
        """Return whether its first word is one of these, folded."""
        first = WORD.search(self.text)
        return first is not None and folded(first.group()) in words

    @property
    def past(self) -> bool:
        """Whether it is about the past."""
        return _PAST.search(self.text) is not None

    @property
    def states(self) -> bool:
        """Whether it is about the present or the future rather than the past."""
        return _STATES.search(self.text) is not None and not _PAST.search(self.text)


# A message is compared with each later one that was found, in every recall.
correctable = lru_cache(maxsize=2_000)(Correctable)


def kinds_of(text: str) -> ValueKind:
    """Return the sorts of values that a text names."""
    # A number that stands alone may be an hour.
    found, rest = ValueKind.TIME if _ALONE.fullmatch(text.strip()) else ValueKind.NONE, text
    for kind, pattern in ((ValueKind.DAY, _DAY), (ValueKind.TIME, _TIME)):
        if pattern.search(rest):
            found |= kind
            rest = pattern.sub(" ", rest)
    if NUMBER.search(rest):
        found |= ValueKind.NUMBER
    if _PLACE.search(rest):
        found |= ValueKind.PLACE
    words = WORD.findall(_ONESELF.sub(" ", rest))
    if any(word[0].isupper() for word in words[0 if len(rest.split()) < 3 else 1 :]):
        found |= ValueKind.NAME
    return found


def without_figures(text: str) -> str:
    """Return a text without the days, times and numbers in it."""
    for pattern in (_DAY, _TIME, NUMBER):
        text = pattern.sub(" ", text)
    return text


def left_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that are no days, times or numbers."""
    return stems_of(without_figures(text))


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text without those that carry no meaning."""
    return frozenset(stem(word) for found in WORD.findall(text) if tells(found) and len(word := folded(found)) > 1)


def values_of(text: str) -> frozenset[str]:
    """Return the words of a text, folded, without those that carry no meaning; all of them if none is left."""
    words = frozenset(folded(word) for word in WORD.findall(text))
    return words - _EMPTY or words


def whose(text: str) -> frozenset[str]:
    """Return the people whose something is in a text: known names, names in the possessive, and "" for the speaker."""
    words = [folded(word) for word in WORD.findall(text)]
    known = [one for word in words for one in (word, word.removesuffix("s")) if _KNOWN.get(one) == "people"]
    return frozenset([*known, *map(str.lower, _POSSESSIVE.findall(text)), *([""] if _MINE.search(text) else [])])


def links_of(text: str) -> frozenset[tuple[str, str]]:
    """Return the names in a text that stand directly behind a word such as "for", each behind that word, in lower case."""
    found = (one.groupdict() for one in LINKED.finditer(text))
    return frozenset(((one["link"] or one["joined"]).lower(), (one["name"] or one["value"]).lower()) for one in found)


def sort_of(stemmed: str) -> str:
    """Return the sort of a word that tells one of a few sorts, such as colours; '' for any other."""
    return _SORTS.get(stemmed, "")


def tells(word: str) -> bool:
    """Return whether a word carries meaning, as a name does that is a function word of some language as well ("Mia")."""
    return (small := folded(word)) not in _EMPTY or (word[0].isupper() and small in _KNOWN)


def folded(word: str) -> str:
    """Return a word in lower case, without its possessive ending."""
    return word.lower().replace("’", "'").removesuffix("'s")
