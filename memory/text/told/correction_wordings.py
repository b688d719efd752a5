"""Corrections said as messages of their own: "no wait, at 6", "I meant Saturday", "scratch that, we moved it to the park".

Recognized by rule. Such a message names a value and seldom what it is the value of, so what it corrects is the last thing its
speaker said before that has a value of that kind. What begins alike and tells something else ("actually I like it") is none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache

from memory.text.function_words import SPEAKER
from memory.text.lazy_patterns import lazy_pattern
from memory.text.questions import is_question
from memory.text.time.dates import MONTHS
from memory.text.told.named_things import KIN
from memory.text.told.named_values import (
    LINKED,
    NAMED,
    TYPED,
    WORD,
    Correctable,
    ValueKind,
    folded,
    kinds_of,
    left_of,
    links_of,
    sort_of,
    stems_of,
    tells,
    values_of,
    whose,
)
from memory.text.wordings import any_of, read_wordings

_MOST_CHARACTERS, _LONGEST_CORRECTED = 160, 600
_FRAGMENT, _LOOSE_FRAGMENT, _FEW = 2, 5, 4
"""The most words of a correction that are no value, after a word that may mean anything and after one that says so."""
_NEAREST, _CLOSE, _NEAR, _FAR = 4, 6, 12, 30
"""How many messages of its speaker a correction looks back over."""
_ALIKE = 0.5
_HOUR = ValueKind.TIME | ValueKind.NUMBER
_SET = ValueKind.DAY | ValueKind.TIME

_MONTHS = "|".join(sorted(MONTHS, key=len, reverse=True))
_WORDINGS = read_wordings(__file__, MONTH=_MONTHS)
_SAID = {name: any_of(said) for name, said in _WORDINGS.items() if name not in ("parts", "patterns")}

_PAUSE = r"[\s,:;.!…–—،，、。！-]*"
_MAY_MEAN_ANYTHING = "|".join(_SAID[table] for table in ("denies", "halts", "fills"))
_STRONG = lazy_pattern(rf"(?i)^\W*(?:(?:{_SAID['before']}|{_MAY_MEAN_ANYTHING})\b{_PAUSE})*(?:{_SAID['says_so']})\b{_PAUSE}")
_WEAK = lazy_pattern(rf"(?i)^\W*(?:(?:{_MAY_MEAN_ANYTHING})\b{_PAUSE})+(?:that )?")
_DENIES = lazy_pattern(rf"(?i)\b(?:{_SAID['denies']}|{_SAID['slips']})\b")
_FILLS = lazy_pattern(rf"(?i)\b(?:{_SAID['fills']})\b|\W+")
_BEHIND = lazy_pattern(rf"(?i)[\s,–—-]+(?:(?P<surely>{_SAID['behind']})|{_SAID['behind_perhaps']})\W*$")
_ABOUT = lazy_pattern(rf"(?i)^(?:{_SAID['about']}) (?P<what>.{{2,40}}?) ?[:,–—-] (?P<rest>.+)")
_STARRED = lazy_pattern(r"\*(?P<before>[^\s*](?:[^*]*[^\s*])?)$|(?P<behind>[^\s*](?:[^*]*[^\s*])?)\*$")
_OTHERWISE = lazy_pattern(rf"(?i){_SAID['otherwise']}")
_RIGHT = lazy_pattern(rf"(?i)\s+(?:{_SAID['was_right']})\W*$")
_ONLY_NO = lazy_pattern(rf"(?i)^\W*(?:{_SAID['only_no']})\b[\s,]*(?!wait|warte|attends|espera|wacht|aspetta)")
_IT_IS = lazy_pattern(rf"(?i)^(?:but |aber |mais |pero )?(?:{_SAID['it_is']})\s*")
_NOW = lazy_pattern(
    rf"(?i)^(?=.*\b(?:{_SAID['now']})\b)(?:(?:{_SAID['now']}) )?"
    rf"(?:(?:it|es|c|das|die|der|het|il|elle)(?:['’ ]?(?:s|is|ist|est)| will be)|es|è|é|ist (?:es|das))\b|^(?:{_SAID['now']})\b(?: doch)? "
)
_LONG_NUMBER = lazy_pattern(rf"(?i)(?<![\w.,:])(?!(?:19|20)\d\d\b)\d{{3,}}(?: (?:{_SAID['now']}))?\W*$")
_MOVED = lazy_pattern(rf"(?i)\b(?:{_SAID['moved']})\b")
_MOVED_TO, _NOT = ([lazy_pattern(f"(?i){one}") for one in _WORDINGS["patterns"][name]] for name in ("moved_to", "not"))
_OFF = [lazy_pattern(rf"(?i)\W*(?:(?:{_SAID['gives_up']})\b{_PAUSE})*(?:{one})\W*") for one in _WORDINGS["patterns"]["off"]]
_PLACED = frozenset("in at im à en a em w na в на في op nel".split())
_TIMED = _PLACED | frozenset("on um am le el a alle op om às na".split())
_THING = lazy_pattern(
    rf"(?i)(?:{_SAID['things']})\b|(?:{_SAID['named_places']}) (?-i:[^\W\d_a-zß-ÿа-яё])|في \w+$|[^\W\d_]+ (?:\d+|[a-z])$"
)
_CALLED = lazy_pattern(rf"(?i)\b(?:{_SAID['called']}) {NAMED}\W*$")
_MONTH, _DAY_ALONE = lazy_pattern(rf"(?i)\b(?:{_MONTHS})\b"), re.compile(r"\d{1,2}\.?")
_KIN = lazy_pattern(f"(?i){KIN}")
_OWNERS = frozenset("my our his her their".split())
_NOBODY = lazy_pattern(rf"(?i){KIN}|{_SAID['nobody']}")
_I = lazy_pattern(rf"(?i)\b(?:{SPEAKER})\b(?! (?:think|guess|believe|mean|glaube|denke|crois|creo)\b)")
_TAIL = lazy_pattern(r"(?i)[,;.!–—]\s+(?=(?:i|my|the|ich|je|me|sorry|of course|obviously|natürlich|bien sûr|claro)\b).*$")


@dataclass(frozen=True, slots=True)
class Correction:
    """What a message corrects: the `kinds` of the values it names, those `values`, what it says it is `about`, and what holds `no_more`.

    It is `certain` where its words say that it corrects, an `answer` where they may as well answer a question, and `topical` where it
    says what it is about as well as what holds, and `whose` that is. One that is `alike` may call somebody, and corrects only a name
    spelled like it, or by which somebody is called. A value of a `sort` corrects one of that sort, one behind a `link` one behind the same.
    What is `off` is a day or time, of what it is about if that is named.
    """

    kinds: ValueKind
    values: frozenset[str]
    about: frozenset[str] = frozenset()
    no_more: frozenset[str] = frozenset()
    certain: bool = False
    answer: bool = False
    topical: bool = False
    alike: bool = False
    whose: frozenset[str] = frozenset()
    sort: str = ""
    link: str = ""
    off: bool = False

    @property
    def is_name(self) -> bool:
        """Whether it is nothing but a name: "no, Priya"."""
        return self.kinds is ValueKind.NAME and not (self.about or self.no_more or self.link)

    @property
    def reach(self) -> int:
        """How many messages of its speaker it may look back over."""
        if self.certain and ((self.kinds & TYPED and not self.off) or self.no_more or self.about):
            return _FAR
        loosely = self.sort or self.link or self.kinds in (ValueKind.NAME, ValueKind.PLACE)
        return _NEAREST if self.off or (not self.certain and loosely) else _NEAR

    def is_of(self, told: Correctable) -> bool:
        """Return whether this corrects what an earlier message said: it has another value of that kind, or the one that is no more."""
        if is_question(told.text) or len(told.text) > _LONGEST_CORRECTED or self.values <= told.words:
            return False
        if self.off:
            return bool(told.kinds & _SET) and not told.past and (not self.about or bool(self.about & told.stems))
        if self.is_name:
            pairs = ((one, other) for one in self.values for other in told.names_beside(one))
            return any(not self.alike or _alike(*pair) or _CALLED.search(told.text) for pair in pairs)
        if self.sort:
            return self.sort in map(sort_of, told.stems)
        if self.link and any(link == self.link and name not in self.values for link, name in links_of(told.text)):
            return True
        if self.whose and (theirs := whose(told.text)) and not self.whose & theirs:
            return False
        if self.no_more:
            return self.no_more <= told.words
        if typed := self.kinds & TYPED:
            return bool(typed & told.kinds) and (not self.about or bool(self.about & told.stems))
        if self.about & told.stems or (self.kinds & told.kinds & ValueKind.PLACE and self.values & _PLACED & told.words):
            # "I was wrong about Tom, he's nice" puts right that he is mean, but no day on which he does something.
            of_it = told.subject and told.subject <= self.about and not told.kinds & TYPED
            return told.states and bool(self.kinds or not self.topical or of_it)
        return self.certain and not self.topical and bool(self.kinds & told.kinds) and told.states

    def reaches(self, told: Correctable, back: int) -> bool:
        """Return whether this may correct what its speaker said `back` messages ago; less far back if both share only a kind of value."""
        bound = self.is_name or self.no_more or self.kinds & TYPED or self.about & told.stems
        return back < (self.reach if bound else min(self.reach, _CLOSE))

    def names(self, told: Correctable) -> bool:
        """Return whether this corrects what a message said and names what that is about, so that it is clear in any conversation."""
        named = told.subject <= self.about if told.subject else self.about <= told.stems
        return bool(self.about) and named and self.is_of(told)

    def leaves(self, other: "Correction") -> bool:
        """Return whether something of an earlier correction of the same holds beside this one."""
        left = ValueKind.NONE if self.off else other.kinds & ~self.kinds
        # What stands alone may be an hour or a number.
        return bool(left & ~_HOUR if len(other.values) == 1 and self.kinds & _HOUR else left)

    def shares(self, other: "Correction") -> bool:
        """Return whether an earlier correction of the same has a value of a kind that this one has, too, or one that is no more."""
        return self.off or other.off or bool(self.kinds & other.kinds) or bool(self.no_more & other.values)


@lru_cache(maxsize=10_000)
def correction(text: str) -> Correction | None:
    """Return what a message corrects by its words; None if it is no correction."""
    if len(text) > _MOST_CHARACTERS or is_question(text):
        return None
    text = " ".join(text.split())
    if found := next((found for one in _OFF if (found := one.fullmatch(text))), None):
        return Correction(_SET, values_of(text), stems_of(found["what"] or ""), certain=True, off=True)
    if (starred := _STARRED.match(text)) and len(text.split()) <= _FEW:
        return _read(starred["before"] or starred["behind"], certain=True)
    if named := _ABOUT.match(text):
        return _about(named, correction(named["rest"]))
    behind = _BEHIND.search(text)
    text = text[: behind.start()] if behind else text
    strong = _STRONG.match(text)
    instead = _NOT[1].match(text)
    weak = None if strong or (instead and _alike_kinds(instead)) else _WEAK.match(text)
    says = strong is not None or (behind is not None and behind["surely"] is not None)
    marked = strong or weak
    if marked or (behind and len(text.split()) <= _FEW):
        rest = text[marked.end() :] if marked else text
        if strong and (named := _ABOUT.match(rest)):
            return _about(named, _read(named["rest"], certain=True))
        read = _read(rest, certain=says, answer=not (says or behind) and bool(_ONLY_NO.match(text)))
        if read and read.is_name and not says and not (weak and _DENIES.search(weak[0])):
            return replace(read, alike=True)
        # "Ok, at 6 then" agrees.
        agrees = weak and not behind and not _FILLS.sub("", weak[0])
        slips = read and (read.is_name or read.kinds & TYPED) and weak and _DENIES.search(weak[0])
        return None if agrees and not slips and read and not (read.about or read.no_more) else read
    return _unmarked(text)


def _unmarked(text: str) -> Correction | None:
    """Return what a text corrects that neither begins nor ends with the wording of a correction."""
    if found := _first(_NOT, text):
        if about := stems_of(text[: found.start()]):
            both = all(kinds_of(found[part]) & TYPED for part in ("new", "old"))
            of = whose(text[: found.start()])
            return replace(_instead(found, certain=True), about=about, topical=True, whose=of) if both else None
        return _instead(found, certain=False, answer=True) if _alike_kinds(found) or found.re is _NOT[1] else None
    if moved := _first(_MOVED_TO, text):
        return _moved(moved["what"], moved["to"])
    for clause in re.split(r"[,;.!–—]\s+", text):
        if (_NOW.match(clause) or (_IT_IS.match(clause) and _MOVED.search(text))) and (read := _read(clause, certain=False)):
            if about := stems_of(text) - stems_of(clause):
                return replace(read, about=about, certain=True, topical=True)
            # "It's at 6 now" moves what was told; "it's 6 now" tells the time, and "it's Monday now" the day; "it's 4412 now" is neither.
            is_set = read.kinds & (ValueKind.DAY | ValueKind.TIME) or (read.kinds & TYPED and read.about)
            is_set = is_set and _TIMED.intersection(clause.lower().split())
            return read if is_set or _LONG_NUMBER.search(clause) else None
    return None


def _about(named: re.Match[str], found: Correction | None) -> Correction | None:
    about, of = stems_of(named["what"]), whose(named["what"])
    return replace(found, about=found.about | about, topical=True, whose=of) if found and found.certain and about else None


def _first(patterns: Sequence[re.Pattern[str]], text: str) -> re.Match[str] | None:
    return next((found for one in patterns if (found := one.search(text))), None)


def _alike(one: str, other: str) -> bool:
    return one[0] == other[0] and SequenceMatcher(None, one, other).ratio() >= _ALIKE


def _instead(found: re.Match[str], *, certain: bool, answer: bool = False) -> Correction:
    new, old = found["new"], _whole(found)
    return Correction(kinds_of(new), values_of(new), no_more=values_of(old), certain=certain, answer=answer)


def _alike_kinds(found: re.Match[str]) -> ValueKind:
    """Return the kinds of figures or names that both the new and the old value have."""
    if _NOBODY.fullmatch(found["new"]):
        return ValueKind.NONE
    return kinds_of(found["new"]) & kinds_of(_whole(found)) & (TYPED | ValueKind.NAME)


def _whole(found: re.Match[str]) -> str:
    """Return what does not hold, with the month that is said only once: "4 March, not 3"."""
    month = _MONTH.search(found["new"])
    return f"{found['old']} {month[0]}" if month and _DAY_ALONE.fullmatch(found["old"]) else str(found["old"])


def _moved(what: str, to: str) -> Correction | None:
    of = WORD.findall(what)
    if of and all(word[0].isupper() or word in _OWNERS or _KIN.fullmatch(word) for word in of):
        # "Ada moved to Graz in May": somebody alone moves to no day.
        to = to if kinds_of(" ".join(to.split()[:2])) & (ValueKind.DAY | ValueKind.TIME) else ""
    # "Pushed to May": a month alone is a day after "in".
    kinds, about = kinds_of(to) | kinds_of(f"in {to}") & ValueKind.DAY, stems_of(what)
    if not kinds & (TYPED | ValueKind.PLACE if about else _SET) or len(about) > _LOOSE_FRAGMENT:
        return None
    return Correction(kinds & ~ValueKind.NAME, values_of(to), about, certain=True, topical=bool(about), whose=whose(what))


def _read(rest: str, *, certain: bool, answer: bool = False) -> Correction | None:
    rest = _TAIL.sub("", rest.strip(" \t,:;.!–—-")).strip()
    rest = _RIGHT.sub("", rest)
    if not certain and (linked := LINKED.fullmatch(rest)) and not kinds_of(rest) & TYPED:
        ((link, name),) = links_of(rest)
        is_one = not (linked["name"] and _NOBODY.fullmatch(name))
        return Correction(kinds_of(rest), values_of(rest) | {name}, answer=answer, link=link) if is_one else None
    if not rest or _OTHERWISE.match(rest):
        return None
    if found := _first(_NOT, rest):
        return _instead(found, certain=certain, answer=answer)
    moved = _MOVED.search(rest) is not None
    body = _IT_IS.sub("", rest)
    kinds, left = kinds_of(body), left_of(body)
    if not certain and not left and _I.search(rest):
        return None  # "sorry, I'm late on Tuesday", "actually tomorrow I can't"
    if kinds & TYPED:
        if len(left) > (_LOOSE_FRAGMENT if certain else _FRAGMENT):
            return None
        return Correction(kinds & ~ValueKind.NAME, values_of(body), left, certain=certain, answer=answer)
    words = frozenset(map(folded, WORD.findall(body)))
    read = Correction(kinds, words, left, certain=certain, answer=answer)
    if kinds is ValueKind.NAME and len(words) <= _FRAGMENT + 1 and _is_name(body):
        return replace(read, about=frozenset())
    if len(left) == 1 and (sort := sort_of(*left)):
        return Correction(ValueKind.NONE, values_of(body), certain=certain, answer=answer, sort=sort)
    if not left or len(WORD.findall(body)) > (_LOOSE_FRAGMENT + 1 if certain else _LOOSE_FRAGMENT):
        return None
    if certain:
        return replace(read, kinds=ValueKind.PLACE) if moved and not kinds else read
    # "No, the south gate", "er, hall C", "ah non, à Nantes": a thing alone, beside something of that name or place.
    return read if _THING.match(body) and len(left) <= _FRAGMENT else None


def _is_name(text: str) -> bool:
    words = WORD.findall(text)
    return bool(words) and all(word[0].isupper() and not _NOBODY.fullmatch(word) and tells(word) for word in words)
