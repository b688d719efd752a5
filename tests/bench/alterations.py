"""Good sentences made wrong, by rule and from a fixed seed: what a check of digests has to find.

Of a sentence and the sources that its writer was given there is at most one alteration of each sort: another name that is
known, another number, another date, the opposite, another speaker. Half of the numbers and dates are taken from what else the
writer was given, where there is any, the others are new. This was written before the check it measures, and does not know it.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from memory.ports import Source

SORTS = ("name", "number", "date", "negation", "speaker")
_MONTHS = "January February March April May June July August September October November December".split()
_DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
_COUNTED = "two three four five six seven eight nine ten eleven twelve".split()
_MONTH = "|".join(_MONTHS)
_DATE = re.compile(rf"\b(?:\d{{1,2}} )?(?:{_MONTH})(?: \d{{4}})?\b|\b(?:{'|'.join(_DAYS)})(?=s?\b)|\b(?:19|20)\d\d\b")
_NUMBER = re.compile(rf"(?<![\w.,:])\d[\d.,:]*\d(?![\w])|(?<![\w.,:])\d(?![\w.,:]*\d)|\b(?:{'|'.join(_COUNTED)})\b")
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w'’]*[^\W_](?: [A-ZÀ-Þ][\w]+)*")
_UNNAMED = frozenset([*_MONTHS, *_DAYS, "Lyra", "Inferred", "Arc", "Trend", "Callback", "Every", "For"])
_AUXILIARY = re.compile(r"\b(is|are|was|were|has|had|have|will|would|can|could|should|must|may)\b(?! not\b)")
_NEGATED = re.compile(r"\b(?:not|never|no longer|no) |n['’]t\b")
_VERBS = {"said": "say", "asked": "ask", "told": "tell", "wants": "want", "wanted": "want", "gave": "give", "got": "get",
          "took": "take", "went": "go", "ate": "eat", "came": "come", "found": "find", "chose": "choose", "bought": "buy",
          "knows": "know", "felt": "feel", "ran": "run", "makes": "make", "lives": "live", "gets": "get"}  # fmt: skip
_REGULAR = re.compile(r"\b([a-z]{3,})(ed)\b(?! by\b)")


@dataclass(frozen=True, slots=True)
class Alteration:
    """A sentence made wrong: how, what it says now, and which words of it."""

    sort: str
    text: str
    word: str


class Alterer:
    """Alters sentences; `names` are all that are known, `speakers` all who ever spoke. Equal seeds alter equally."""

    def __init__(self, names: Sequence[str], speakers: Sequence[str], seed: int = 15) -> None:
        self._names = sorted(set(names))
        self._speakers = sorted(set(speakers))
        self._random = random.Random(seed)

    def alterations(self, text: str, sources: Sequence[Source]) -> Iterator[Alteration]:
        """Yield what can be made wrong of a sentence, one of each sort."""
        ways: tuple[Callable[[str, str], tuple[str, str] | None], ...] = (
            self._name, self._number, self._date, self._negation, self._speaker,
        )  # fmt: skip
        given = "\n".join(f"{source.said_at[:10]} {source.text}" for source in sources)
        for sort, way in zip(SORTS, ways, strict=True):
            made = way(text, given)
            if made and made[0] != text:
                yield Alteration(sort, *made)

    def _name(self, text: str, _: str) -> tuple[str, str] | None:
        found = [m for m in _NAME.finditer(text) if m.group() in self._names]
        if not found:
            return None
        old = self._random.choice(found)
        others = [name for name in self._names if name.casefold() not in text.casefold() and name not in _UNNAMED]
        return _put(text, old, self._random.choice(others))

    def _number(self, text: str, given: str) -> tuple[str, str] | None:
        dates = [m.span() for m in _DATE.finditer(text)]
        found = [m for m in _NUMBER.finditer(text) if not any(a <= m.start() < b for a, b in dates)]
        if not found:
            return None
        old = self._random.choice(found)
        if old.group() in _COUNTED:
            return _put(text, old, self._random.choice([word for word in _COUNTED if word not in text]))
        others = [m.group() for m in _NUMBER.finditer(_DATE.sub("", given)) if m.group() not in text and m.group()[0].isdigit()]
        if others and self._random.random() < 0.5:
            return _put(text, old, self._random.choice(others))
        digits = [at for at, c in enumerate(old.group()) if c.isdigit()]
        at = self._random.choice(digits)
        lowest = "1" if at == 0 else "0"
        new = self._random.choice([d for d in "0123456789" if d >= lowest and d != old.group()[at]])
        return _put(text, old, old.group()[:at] + new + old.group()[at + 1 :])

    def _date(self, text: str, given: str) -> tuple[str, str] | None:
        found = list(_DATE.finditer(text))
        if not found:
            return None
        old = self._random.choice(found)
        shape = [_shape(part) for part in old.group().split()]
        others = [m.group() for m in _DATE.finditer(given) if [_shape(part) for part in m.group().split()] == shape]
        others = [one for one in others if one not in text]
        if others and self._random.random() < 0.5:
            return _put(text, old, self._random.choice(others))
        parts = old.group().split()
        at = self._random.randrange(len(parts))
        parts[at] = self._other(parts[at])
        return _put(text, old, " ".join(parts))

    def _other(self, part: str) -> str:
        for row in (_MONTHS, _DAYS):
            if part in row:
                return self._random.choice([one for one in row if one != part])
        if len(part) == 4:
            return str(int(part) + self._random.choice([-2, -1, 1, 2]))
        return str(self._random.choice([day for day in range(1, 29) if day != int(part)]))

    def _negation(self, text: str, _: str) -> tuple[str, str] | None:
        if negated := _NEGATED.search(text):
            return text[: negated.start()] + text[negated.end() :], negated.group()
        found = list(_AUXILIARY.finditer(text))
        if found:
            old = self._random.choice(found)
            return _put(text, old, f"{old.group()} not")
        plain = [m for m in re.finditer(r"\b[a-z]+\b", text) if m.group() in _VERBS]
        if plain:
            old = self._random.choice(plain)
            return _put(text, old, f"did not {_VERBS[old.group()]}")
        regular = _REGULAR.search(text)
        return _put(text, regular, f"did not {regular.group(1)}") if regular else None

    def _speaker(self, text: str, _: str) -> tuple[str, str] | None:
        found = [m for m in re.finditer(rf"\b(?:{'|'.join(self._speakers)})\b(?!['’]s)", text)]
        if not found:
            return None
        old = found[0]
        return _put(text, old, self._random.choice([one for one in self._speakers if one not in text] or ["Lyra"]))


def known_names(texts: Sequence[str]) -> list[str]:
    """Return the names in sentences: what is written with a capital where no sentence begins, in runs."""
    found: set[str] = set()
    for text in texts:
        for m in _NAME.finditer(text):
            before = text[: m.start()].rstrip()
            if before and before[-1] not in '.!?:;"“' and not any(part in _UNNAMED for part in m.group().split()):
                found.add(re.sub(r"['’]s$", "", m.group()))
    return sorted(found)


def _put(text: str, old: re.Match[str], new: str) -> tuple[str, str]:
    return text[: old.start()] + new + text[old.end() :], new


def _shape(part: str) -> str:
    return "month" if part in _MONTHS else "day" if part in _DAYS else f"{'year' if len(part) == 4 else 'number'}"
