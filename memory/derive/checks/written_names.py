"""Names in written sentences, and the sources of names that the cited messages only refer to as "she".

A capitalized word inside a sentence is a name. So is one at the beginning of a sentence, if it is a name elsewhere in the
writer's input or output, or stands where only a name or a thing can: before a verb. In German, where every noun is capitalized, one
behind an article is none (`common_nouns`). Scripts without capitals are not checked.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from memory.derive.checks.common_nouns import common_nouns
from memory.ports import Source
from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import STOP_WORDS, stem
from memory.text.time.dates import MONTHS, WEEKDAYS, WORD

# Function words of other languages, and words that only join sentences.
_UNNAMED = (
    STOP_WORDS
    | FUNCTION_WORDS
    | WEEKDAYS.keys()
    | {f"{day}s" for day in WEEKDAYS}
    | MONTHS.keys()
    | frozenset("mr mrs ms dr prof st am pm".split())
)
_AUXILIARIES = frozenset(
    "is are was were has had have will would can could should must may might does did do wird war ist hat kann will muss".split()
)
_BEING = frozenset("is are was were".split())
_ACTING = _BEING | frozenset("had has does did do".split())
_DONE_TO = frozenset("to not asked told reminded thanked allowed named called mentioned introduced invited greeted given".split())
_VERBS = frozenset(
    """
    said asked told wants wanted gave got took went ate came found chose bought sold knows knew felt ran makes made lives gets
    drinks swims turns earns thinks thought likes loves plans hopes needs keeps kept says asks works goes takes gives left met
    began began read wrote drove flew slept lost won paid spent built brought held saw heard sent taught grew
    """.split()
)
_ADDRESSING = frozenset("told tells asked asks allowed with to by from wants wanted reminded for about".split())
_AFTER_NOUNS = _AUXILIARIES | frozenset("of in on at to for from with by and or as who that which".split())
_COMMON_ENDING = re.compile(r"(?:tion|sion|ness|ment|ity|ance|ence|ship|ism|ally|ful|ous|able|ible|ers|ies)s?$")
_TITLES = frozenset("mr mrs ms dr prof".split())
_REFERRING = re.compile(
    r"\b(?:he|him|his|she|her|hers|they|them|their|theirs|(?:like|by|of|with) that|er|ihn|ihm|sie|ihr|ihre?n?|il|elle|lui|él|ella)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(r"(?:he|his|she|her|they|their|er|sie|ihre?|il|elle|ils|elles)\b", re.IGNORECASE)
_SLOT = re.compile(r"\b(to|from|for|with|at|in|on)\s+$", re.IGNORECASE)
_REPORTS = frozenset(
    """
    said says asked asks told tells agreed promised answered replied wished congratulated reminded suggested mentioned wondered
    explained introduced thanked named noted allowed admitted sagte fragte erzählte antwortete versprach
    """.split()
)
_PLACED = re.compile(r"\b(?:in|near|nach|at the)\s+$", re.IGNORECASE)
_REPORTING = re.compile(rf"\b(?:he|she|they)\s+(?:{'|'.join(_REPORTS)})\b", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[.;:!?\n]|, (?:and|but|so|und|aber)\b")
_BEFORE, _AFTER, _LINES_BEFORE = 8, 2, 3
_WORDS_BEFORE = 40
_LONGEST_PREPOSITION = 16


class WrittenNames:
    """The names in a writer's input, `episode` and `known` people, and in its output."""

    def __init__(self, episode: Sequence[Source] = (), known: Sequence[Source] = (), written: Sequence[str] = ()) -> None:
        self._episode = episode
        self._known = known
        self._order = {source.label: at for at, source in enumerate(episode)}
        sources = (*episode, *known)
        texts = [*(source.text for source in sources), *written]
        inside = [(text, word) for text in texts for word in _inside(text)]
        named = {word.group().casefold() for _, word in inside}
        small = {word for text in texts for word in WORD.findall(text) if word.islower()}
        named.update(word for source in sources for word in _opening(source.text) if word not in small)
        speakers = {word.casefold() for source in sources for word in WORD.findall(source.speaker)}
        self._common = common_nouns(texts) - speakers
        self._named = frozenset((named | speakers) - _UNNAMED - self._common | (named & _TITLES))
        self._places = frozenset(
            word.group().casefold() for text, word in inside if _directly_before(_PLACED, text, word.start())
        )

    def names_in(self, text: str, words: frozenset[str]) -> Iterator[re.Match[str]]:
        """Yield the names of a text; `words` are all words of its sources."""
        found = list(WORD.finditer(text))
        for at, (word, following) in enumerate(zip_longest(found, found[1:])):
            if not _may_name(word.group()) and not _is_title_alone(text, word):
                continue
            if word.group().casefold() in self._common:
                continue
            if (
                not opens(text, word.start())
                or self._is_opening_name(text, found, at, words)
                or (following is not None and _joined(text, word, following) and _may_name(following.group()))
            ):
                yield word

    def supplier(self, name: re.Match[str], text: str, cited: Sequence[Source], said: frozenset[str]) -> Source | None:
        """Return the source of a name in a sentence that the cited sources do not hold, or None.

        It is searched in the rest of the input, if the cited sources refer to somebody or name nobody whom the sentence leaves
        out. "She" never means a place, and a digest names whom it means.
        """
        near, word = self._near(cited), name.group()
        for other in _beside(name, text):
            if holds_name(other, said) and (one := _holding([*near, *self._known], f"{word} {other}", f"{other} {word}")):
                return one
        if not self._may_be_meant(name, text, cited):
            return None
        telling = [one for one in self._known if self._is_told_of(word, one.text, said)]
        return next((one for one in [*near, *telling] if holds_name(word, words_of(f"{one.speaker} {one.text}"))), None)

    def _may_be_meant(self, name: re.Match[str], text: str, cited: Sequence[Source]) -> bool:
        """Return whether the cited sources may refer to a name in its role, though they do not hold it."""
        refers, place = any(self._refers(source) for source in cited), self.is_place(name.group().casefold())
        if not refers and all(not source.speaker for source in cited):
            return False
        if reports(text, name) and not any(_REPORTING.search(source.text) for source in cited):
            return False
        if acts(text, name) and (place or not refers):
            return False
        if (place or not refers) and self.left_out(text, cited, places=place if refers else None):
            return False
        slot = _directly_before(_SLOT, text, name.start())
        return slot is None or _fills(slot[1], cited) <= words_of(text)

    def _is_told_of(self, name: str, text: str, said: frozenset[str]) -> bool:
        """Return whether a content word next to a name in a text occurs in the sources: "her sister Mina"."""
        telling = [word.casefold() for word in WORD.findall(text) if word.casefold() == name.casefold() or self._tells(word)]
        places = [at for at, word in enumerate(telling) if word == name.casefold()]
        return any(stem(word) in said for at in places for word in telling[max(0, at - 1) : at + 2] if word != name.casefold())

    def _tells(self, word: str) -> bool:
        folded = word.casefold()
        return folded.isalpha() and folded not in _UNNAMED and folded not in _VERBS and folded not in self._named

    def _refers(self, source: Source) -> bool:
        """Return whether a source refers to somebody not named before in its sentence; a digest, if a pronoun opens it."""
        if not source.speaker:
            return _OPENING.match(source.text) is not None
        first: dict[str, re.Match[str]] = {}
        for m in _REFERRING.finditer(source.text):
            first.setdefault(m.group()[:2].casefold(), m)
        before = (re.split(r"[.;:!?\n]", source.text[: m.start()])[-1] for m in first.values())
        return any(self._named.isdisjoint(word.casefold() for word in WORD.findall(some)) for some in before)

    def left_out(self, text: str, cited: Sequence[Source], *, places: bool | None) -> frozenset[str]:
        """Return the names in sources that a sentence leaves out: only `places`, all but places, or (None) all of them."""
        sort = self._named if places is None else self._named & self._places if places else self._named - self._places
        return frozenset({word for source in cited for word in words_of(source.text)} & sort - words_of(text))

    def knows(self, word: str) -> bool:
        """Return whether a lower-case word is a name anywhere in the input or output."""
        return word in self._named

    def is_placed(self, text: str, at: int) -> bool:
        """Return whether the word at a position follows a preposition of place."""
        return _directly_before(_PLACED, text, at) is not None

    def is_place(self, name: str) -> bool:
        """Return whether a name is that of a place: something is said to be in it."""
        return name in self._places

    def _near(self, cited: Sequence[Source]) -> list[Source]:
        """Return the surroundings of the cited sources, nearest first: what follows counts for messages, not for digests."""
        found: dict[int, Source] = {}
        for source in cited:
            before, after = (_BEFORE, _AFTER) if source.speaker else (_LINES_BEFORE, 0)
            if (at := self._order.get(source.label)) is not None:
                found |= dict(enumerate(self._episode[max(0, at - before) : at + after + 1], max(0, at - before)))
        return [found[at] for at in sorted(found, reverse=True) if found[at] not in cited]

    def _is_opening_name(self, text: str, found: Sequence[re.Match[str]], at: int, words: frozenset[str]) -> bool:
        word = found[at].group().casefold()
        if word in self._named or word in _TITLES:
            return True
        following = found[at + 1].group() if at + 1 < len(found) else ""
        if holds_name(word, words) or _COMMON_ENDING.search(word) or (word.endswith("ing") and following in _AUXILIARIES):
            return False
        return _before_verb(text, found, at)


def holds_name(word: str, words: frozenset[str]) -> bool:
    """Return whether words, by letters and stems, hold a name, with or without a plural or genitive s."""
    folded = word.casefold()
    return not words.isdisjoint((folded, stem(folded), folded.removesuffix("s"), folded.removesuffix("es")))


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text and their stems, in lower case."""
    folded = [word.casefold() for word in WORD.findall(text)]
    return frozenset([*folded, *map(stem, folded)])


def acts(text: str, name: re.Match[str], *, light: bool = True) -> bool:
    """Return whether a name is the subject of a verb; unless `light`, verbs such as "should" or "is asked" do not count."""
    found = list(WORD.finditer(text))
    at = next(at for at, word in enumerate(found) if word.start() == name.start())
    following = found[at + 1].group() if at + 1 < len(found) else ""
    is_passive = following in _BEING and found[at + 2 :] and found[at + 2].group() in _DONE_TO
    if not light and (is_passive or following in _AUXILIARIES - _ACTING):
        return False
    return not is_addressed(text, name) and _before_verb(text, found, at)


def is_addressed(text: str, name: re.Match[str]) -> bool:
    """Return whether a name follows "told", "asked", "with" and the like."""
    before = re.search(r"([^\W_]+)\s$", text[max(0, name.start() - _WORDS_BEFORE) : name.start()])
    return bool(before and before[1].casefold() in _ADDRESSING)


def tells_herself(text: str, name: re.Match[str]) -> bool:
    """Return whether a name follows "told", "asked" and the like in a clause of which it is the subject as well."""
    clause = _CLAUSE_ENDS.split(text[: name.start()])[-1]
    before, subject, _ = clause.partition(name.group())
    return bool(subject) and is_addressed(text, name) and not any(map(_may_name, WORD.findall(before)))


def reports(text: str, name: re.Match[str]) -> bool:
    """Return whether a name is followed by a verb of saying."""
    following = WORD.search(text, name.end())
    return bool(following and following.group() in _REPORTS and _joined(text, name, following))


def _directly_before(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    """Match a preposition that ends at a position, in a bounded slice, as all the text before would be searched per name."""
    return pattern.search(text, max(0, at - _LONGEST_PREPOSITION), at)


def _may_name(written: str) -> bool:
    return any(c.isupper() for c in written) and not written[0].isdigit() and written.casefold() not in _UNNAMED


def _is_title_alone(text: str, word: re.Match[str]) -> bool:
    return (
        word.group().casefold() in _TITLES and word.group()[0].isupper() and not re.match(r"\.?\s+[^\W_a-z]", text[word.end() :])
    )


def _inside(text: str) -> Iterator[re.Match[str]]:
    return (word for word in WORD.finditer(text) if word.group()[0].isupper() and not opens(text, word.start()))


def _opening(text: str) -> Iterator[str]:
    """Yield the words, in lower case, that begin a sentence as its subject."""
    found = list(WORD.finditer(text))
    for at, word in enumerate(found):
        if _may_name(word.group()) and opens(text, word.start()) and _before_verb(text, found, at):
            yield word.group().casefold()


def _joined(text: str, word: re.Match[str], following: re.Match[str]) -> bool:
    return not text[word.end() : following.start()].strip(" -'’")


def _beside(name: re.Match[str], text: str) -> Iterable[str]:
    before = re.search(r"([^\W_]+) $", text[max(0, name.start() - _WORDS_BEFORE) : name.start()])
    after = re.match(r" ([^\W_]+)", text[name.end() :])
    return [found[1] for found in (before, after) if found and found[1][0].isupper()]


def _fills(preposition: str, cited: Sequence[Source]) -> set[str]:
    found = (m[1].casefold() for source in cited for m in re.finditer(rf"(?i)\b{preposition}\s+([^\W_]+)", source.text))
    return {word for word in found if word not in _UNNAMED}


def _holding(sources: Iterable[Source], *phrases: str) -> Source | None:
    return next((one for one in sources if any(phrase.casefold() in one.text.casefold() for phrase in phrases)), None)


def _before_verb(text: str, found: Sequence[re.Match[str]], at: int) -> bool:
    """Return whether a word is in subject position: before a verb, "who", or "and" with a name."""
    following = [word.group() for word in found[at + 1 : at + 3]] + ["", ""]
    gap = text[found[at].end() : found[at + 1].start()] if at + 1 < len(found) else "."
    one, two = following[0].casefold(), following[1].casefold()
    if gap.strip() == "." and opens(text, found[at].start()) and one:
        return True
    if gap.strip() == ",":
        return one in {"who", "whose", "whom"} or _may_name(following[0])
    if gap.strip(" ’'"):
        return False
    if one in _AUXILIARIES or one in _VERBS or (one in {"and", "und"} and _may_name(following[1])):
        return True
    return len(one) > len("ones") and (one.endswith("ed") or (one.endswith("s") and two not in _AFTER_NOUNS))


def opens(text: str, at: int) -> bool:
    """Return whether a word starts a sentence, the text after a heading word, or quoted speech."""
    before = re.sub(r"\b(?:Mr|Mrs|Ms|Dr|Prof|St)\.\s*$", "x", text[max(0, at - _WORDS_BEFORE) : at])
    bare = before.rstrip(" \t\"“”„«'‘’([{-*•>#")
    if not bare:
        return at <= _WORDS_BEFORE
    if bare[-1] == ":" and at <= _WORDS_BEFORE and bare[:-1].isalpha():  # Arc: …
        return True
    return bare[-1] in ".!?\n。！？" or (bare[-1] in ":," and any(c in '"“„«' for c in before[len(bare) :]))
