"""What tells anew what was told before, with another value: "ahora vivo en Sevilla" after "vivo en Madrid", "locker code: 4412".

Read by rule, without grammar, so that it holds in any language whose words are listed: what both say alike is what they tell of, and
beside it each has one value of the same sort, or the same. It is read where something is kept from somebody, and there too much is kept
rather than told; where it decides what holds, `replacements` is read.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache

from memory.text.function_words import FUNCTION_WORDS
from memory.text.language_detection import function_words
from memory.text.lazy_patterns import lazy_pattern
from memory.text.lexical import STOP_WORDS, key_words, unspaced
from memory.text.questions import is_question
from memory.text.told.named_things import KIN
from memory.text.told.named_values import Correctable, ValueKind, kinds_of
from memory.text.told.replacements import reads_as_correction, tells_anew
from memory.text.wordings import any_of, read_wordings

_MOST_CHARACTERS, _MOST_CLAUSES = 600, 8
_WORDINGS = read_wordings(__file__)
_NOW = lazy_pattern(rf"(?i)\b(?:{any_of(_WORDINGS['now'])})\b|{any_of(_WORDINGS['now_unspaced'])}")
_SORT, _OWN, _PLACED, _UNITS, _RIGHT, _DEFINITE, _PARTLY, _DENIES, _TOUCHY = (
    frozenset(_WORDINGS[name]["all"].split())
    for name in ("sort", "own", "placed", "units", "right", "definite", "part", "denies", "touchy")
)
ALIKE = {word: f"#{thing}" for thing, words in _WORDINGS["alike"].items() for word in words.split()}
_ALIKE_UNSPACED = {word: thing for word, thing in ALIKE.items() if unspaced(word)}
_WORD = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_CLAUSE = lazy_pattern(r"[.!?;\n،؛。！？；—–]+\s*")
_PART = lazy_pattern(r"[,，、]\s*")
_KIN = lazy_pattern(rf"(?i)\b(?:{KIN})\b")
_DIGITS = lazy_pattern(r"\d+")
_RIGHT_UNSPACED = lazy_pattern(any_of(_WORDINGS["right_unspaced"]))
_PASSWORD = lazy_pattern(r"(?a:\b(?=[a-zA-Z]*\d)(?=\d*[a-zA-Z])[a-zA-Z\d]{5,}\b)")
_GROUPED = lazy_pattern(r"(?<=\d)[ .,'’-](?=\d)")
_KANJI = lazy_pattern("[\u3400-\u9fff]")
_ONESELF = lazy_pattern("^(?:我们?|私は?|僕は?|俺は?)")
_BESIDES, _BESIDES_SURELY, _BESIDES_CODES = 1, 3, 4
"""How many other words stand beside a value: where it is no figure, where a word before it or what it is of says so too, and beside a code."""
_STEM, _MOST_FORMS = 4, 8
"""With how many letters the forms of a word begin, and how many words of a clause that begin so are compared with one of another clause."""
_LONGEST_VALUE, _LITTLE_UNSPACED = 8, 2
"""The most characters of a value, and beside a figure that say nothing else, in a script without spaces."""
_LONG, _FEW, _CODED = 7, 2, 3
"""From so many letters on a word is rather rare; so few words tell nothing but what another text told, if that has them; from so many
digits on a number is a code or an amount rather than an hour or a count."""


def retells(newer: str, older: str) -> bool:
    """Return whether a later text by the same person tells what an earlier one told, again or with another value."""
    anew = _comparable(newer, older) and any(_anew(now, was) for now in _clauses(newer) for was in _clauses(older))
    return anew or _again(newer, older) or tells_anew(newer, older)


def follows_up(newer: str, older: str) -> bool:
    """Return whether a text said soon after another tells its figure or a part of it anew, names a thing of it, or denies it."""
    alike = {len(one) for one in _codes(older) if one.isdigit()}
    figure = bool(alike and _DIGITS.search(newer)) and any(_is_little_but_a_figure(one, alike) for one in _clauses(newer))
    return figure or denies(newer) or _again(newer, older, soon=True)


def denies(text: str) -> bool:
    """Return whether a text denies in a few words what was told just before, and puts another value for it."""
    words = _WORD.findall(text.lower())
    return 1 < len(words) <= 2 * _FEW and words[0] in _DENIES and not is_question(text)


def may_retell(text: str) -> bool:
    """Return whether a text may tell anything again or anew, or put it right: it has a figure, or is neither long nor a question."""
    return may_change(text) or (len(text) <= _MOST_CHARACTERS and not is_question(text))


def may_change(text: str) -> bool:
    """Return whether a text puts something right, tells that it is so since now, or has a figure: most that tell anything anew do."""
    return bool(_DIGITS.search(text)) or reads_as_correction(text) or (len(text) <= _MOST_CHARACTERS and bool(_NOW.search(text)))


def _again(newer: str, older: str, *, soon: bool = False) -> bool:
    """Return whether a text has a figure of another or, where that has none, all that it told, much and a rare word of it, or nothing else.

    A thing that was known before ("the kitchen") is no such word, unless it is told of `soon` or since now.
    """
    if not _comparable(newer, older):
        return not _codes(older).isdisjoint(_codes(newer))
    old, new = ({key: one for clause in _clauses(text) for key, one in clause.words.items()} for text in (older, newer))
    few = len(newer.split()) <= _FEW
    nothing_else = bool(new) and new.keys() <= old.keys() and (few or any(one.tells for key, one in old.items() if key in new))
    if nothing_else or (
        few and any(len(a.unspaced) > 1 and a.unspaced in b.unspaced for a in _clauses(newer) for b in _clauses(older))
    ):
        return True
    if codes := _codes(older):
        return not codes.isdisjoint(_codes(newer))
    told = {key: one for key, one in old.items() if not (one.is_figure or unspaced(key)) and key not in _SORT | _UNITS}
    held = [told[key] for key in told.keys() & new.keys()]
    rare = [one for one in held if (soon if one.named else len(one.said) >= _LONG)]
    rare = [one for one in rare if soon or not one.known or any(clause.is_now for clause in _clauses(newer))]
    touchy = any(one.key in _TOUCHY for one in held) and not (_KIN.search(newer) and not _KIN.search(older))
    return touchy or (bool(held) and (len(held) == len(told) or (2 * len(held) >= len(told) and bool(rare))))


@lru_cache(maxsize=2_000)
def _codes(text: str) -> frozenset[str]:
    found = (*_DIGITS.findall(text), *_DIGITS.findall(_GROUPED.sub("", text)))
    digits = frozenset("".join(str(int(char)) for char in one) for one in found if len(one) >= _CODED)
    return digits.union(one.lower() for one in _PASSWORD.findall(text))


def _is_little_but_a_figure(clause: "_Clause", alike: Collection[int]) -> bool:
    partly = not _PARTLY.isdisjoint(_WORD.findall(clause.text.lower()))
    lengths = range(1, max(alike) + 1) if partly else alike
    figure = next((one for one in _DIGITS.finditer(clause.text) if len(one.group()) in lengths), None)
    if figure is None or clause.unspaced:
        return figure is not None and len(_RIGHT_UNSPACED.sub("", _DIGITS.sub("", clause.unspaced))) <= _LITTLE_UNSPACED
    nothing = _little() | _SORT | _RIGHT | _PARTLY
    behind = _WORD.search(_NOW.sub(" ", clause.text[figure.end() :]))
    counted = behind and clause.text[figure.end() : figure.end() + 1] == " " and behind.group().lower() not in nothing
    besides = [one for one in clause.words.values() if not (one.has_digit or one.key.startswith("#")) and one.said not in nothing]
    return not counted and len(besides) <= (0 if partly else _BESIDES)


def _comparable(newer: str, older: str) -> bool:
    return not is_question(newer) and max(len(newer), len(older)) <= _MOST_CHARACTERS


@dataclass(frozen=True)
class _Word:
    """A word that tells something, in lower case: what it is compared by, whether it may be a name, what stands before it, and whether
    it is the first word, or named as the speaker's ("my aunt") or as known already ("the kitchen")."""

    said: str
    key: str
    named: bool
    link: str
    first: bool
    owned: bool
    known: bool = False

    @property
    def coded(self) -> bool:
        return sum(char.isdigit() for char in self.key) >= _CODED

    @property
    def has_digit(self) -> bool:
        return any(char.isdigit() for char in self.key)

    @property
    def is_figure(self) -> bool:
        return self.has_digit or bool(kinds_of(self.said) & ValueKind.DAY)

    @property
    def tells(self) -> bool:
        return self.named or self.is_figure or len(self.said) >= _LONG

    def is_form_of(self, other: "_Word") -> bool:
        """Return whether both may be forms of one word: "abito", "abitiamo"."""
        alike = _begin_alike(self.said, other.said)
        plain = not (self.named or other.named or self.has_digit)
        return plain and alike >= _STEM and alike * 2 >= max(len(self.said), len(other.said))


@dataclass(frozen=True)
class _Clause:
    """A part of a text that is compared by itself."""

    text: str

    @cached_property
    def is_now(self) -> bool:
        """Whether it says that it is so since now."""
        return _NOW.search(self.text) is not None

    @cached_property
    def states(self) -> bool:
        """Whether it tells what is so."""
        return Correctable(self.text).states or ":" in self.text

    @cached_property
    def own(self) -> bool:
        """Whether it tells of the speaker by a word of its own."""
        return any(word in _OWN for found in _WORD.findall(self.text.lower()) for word in (found, *re.split("['’]", found)))

    @cached_property
    def words(self) -> dict[str, _Word]:
        """Its words that tell something, by what they are compared by."""
        found: dict[str, _Word] = {}
        link, before, little = "", "", _little()
        for at, one in enumerate(_WORD.findall(_NOW.sub(" ", self.text))):
            word = _bare(one)
            folded = word.lower()
            if folded in little:
                link, before = folded if folded in _PLACED else link, folded
                continue
            stemmed = key_words(word).get(folded, folded)
            key = ALIKE.get(folded) or ALIKE.get(stemmed) or stemmed
            ending = folded[-1] if "\uac00" <= folded[-1] < "\ud7a4" else ""
            capital = word[0].isupper()
            named, known = capital and (at > 0 or one != word), before in _DEFINITE
            found.setdefault(key, _Word(folded, key, named, ending or link, capital and at == 0, before in _OWN, known))
            link = before = ""
        for word, key in _ALIKE_UNSPACED.items() if not self.text.isascii() else ():
            if word in self.text:
                found.setdefault(key, _Word(word, key, named=False, link="", first=False, owned=False))
        return found

    @cached_property
    def beginnings(self) -> dict[str, list[_Word]]:
        """These words, by the letters that they begin with: to compare each with each takes long."""
        found: dict[str, list[_Word]] = {}
        for word in self.words.values():
            found.setdefault(word.said[:_STEM], []).append(word)
        return found

    @cached_property
    def unspaced(self) -> str:
        """Its letters and digits without what says that it is so since now, if its script has no spaces."""
        joined = "".join(_WORD.findall(_NOW.sub("", self.text)))
        return _ONESELF.sub("", joined) if unspaced(joined) and not re.search("[\uac00-\ud7a3]", joined) else ""


@lru_cache(maxsize=2_000)
def _clauses(text: str) -> tuple[_Clause, ...]:
    return tuple(dict.fromkeys(_Clause(one) for one in _every_clause(text)))[:_MOST_CLAUSES]


def _every_clause(text: str) -> Iterator[str]:
    for sentence in filter(str.strip, _CLAUSE.split(text)):
        yield sentence
        yield from (part for part in _PART.split(sentence) if part.strip())


def _anew(now: _Clause, was: _Clause) -> bool:
    if now.unspaced and was.unspaced:
        return _anew_unspaced(now, was)
    shared = {key for key in now.words.keys() & was.words.keys() if key not in _UNITS and not key.isdigit()}
    others = [word for word in now.words.values() if word.key not in shared]
    alike = [(word, one) for word in others for one in was.beginnings.get(word.said[:_STEM], ())[:_MOST_FORMS]]
    shared |= {key for word, one in alike if one.key not in shared and word.is_form_of(one) for key in (word.key, one.key)}
    new, old = ([one for key, one in side.words.items() if key not in shared] for side in (now, was))
    if not shared or not new or not old or (_KIN.search(now.text) and not _KIN.search(was.text)):
        return False
    subject, of = next(iter(now.words.values())), next(iter(was.words))
    if now.is_now and subject.key == of and (subject.known or subject.owned):
        return True  # "the gift is a drone now"
    if new[0].first and not new[0].has_digit and new[0].key not in _SORT and not now.own:
        return False  # "Tom lives in Graz now"
    holds = now.is_now or (now.states and was.states)
    figures = [[one for one in some if one.is_figure] for some in (new, old)]
    if all(figures):
        coded = all(any(one.coded for one in some) for some in figures)
        besides = [one for one in new if not one.is_figure and one.key not in _SORT | _UNITS and one.key != "#code"]
        return (coded or holds) and len(besides) <= (_BESIDES_CODES if coded else _BESIDES)
    if any(figures) or not holds:
        return False
    before = list(now.words)[: next(at for at, key in enumerate(now.words) if key in shared)]
    if any(now.words[key].owned for key in before) and not any(one.owned for one in old):
        return False  # "my aunt lives in Graz now"
    links = {one.link for one in new if one.link} & {one.link for one in old if one.link}
    named = [sum(one.named for one in some) for some in (new, old)]
    values = sum(one.named or one.link in links for one in new)
    surely = now.is_now and (bool(links) or any(key.startswith("#") for key in shared))
    besides_it = len(new) - values <= (_BESIDES_SURELY if surely else _BESIDES)
    return bool(all(named) or links) and besides_it and (surely or named[0] <= named[1] + 1)


def _anew_unspaced(now: _Clause, was: _Clause) -> bool:
    a, b = now.unspaced, was.unspaced
    new, old = (_DIGITS.search(one) for one in (a, b))
    if new and old:
        if new.group() == old.group():
            return False
        coded = min(len(new.group()), len(old.group())) >= _CODED
        same = SequenceMatcher(None, a[: new.start()], b[: old.start()], autojunk=False).find_longest_match()
        return (coded or now.is_now) and same.size >= 2
    begins = _begin_alike(a, b)
    left = a[begins:], b[begins:]
    ends = _begin_alike(left[0][::-1], left[1][::-1])
    values = [one[: len(one) - ends] for one in left]
    alike = begins >= 2 or (ends >= 2 and bool(_KANJI.search(left[0][len(left[0]) - ends :])))
    return now.is_now and alike and all(0 < len(one) <= _LONGEST_VALUE for one in values)


def _begin_alike(one: str, other: str) -> int:
    return next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other)))


def _bare(word: str) -> str:
    """Return a word without an article, pronoun or ending joined to it by an apostrophe: "j'habite", "Ankara'da"."""
    before, joint, behind = word.replace("’", "'").partition("'")
    return word if not joint else behind if len(before) <= 2 else before


@lru_cache(maxsize=1)
def _little() -> frozenset[str]:
    return (FUNCTION_WORDS | STOP_WORDS | _OWN | _PLACED).union(*function_words().values()) - ALIKE.keys()
