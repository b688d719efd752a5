"""Requests for discretion: from whom a message is to be kept, or that it may be told now.

The people meant are named in the text; whether these names exist is for the caller to resolve. A message that is nothing but a
request is about what its speaker said before.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from memory.text.lexical import key_words, stem, unspaced
from memory.text.told.people_named import (
    EVERYBODY,
    OWN,
    beside_names,
    clause_of,
    each_name,
    leading_names,
    length_of,
    trailing_names,
)
from memory.text.told.plain_writing import on_one_line, plainly
from memory.text.told.topics import count_held, topic_words
from memory.text.wordings import read_wordings
from memory.types import Discretion

_SENTENCE = re.compile(r"[.!?;:\n–—。！？；：，、؛،]|, | - ")
_AND_BUT = "(?:but|and|aber|und|mais|et|pero|y|ma|e|maar|en|mas)"
_JOINED = re.compile(rf"(?i)^[\s,;:)–—-]*(?:{_AND_BUT}\b)?[\s,]*|[\s,;:(–—-]+(?:{_AND_BUT}\b)?[\s,.;:(–—-]*$", re.MULTILINE)
"""What joins a request to what it stands beside."""
_WORDS = {name: frozenset(words.split()) for name, words in read_wordings(__file__)["words"].items()}
_SUBJECTS, FILLERS, _PERMITTING = (_WORDS[name] for name in ("subjects", "fillers", "permitting"))
_ASKING = FILLERS | EVERYBODY | frozenset("mention tell say talk speak keep know never ever about when while if".split())
_GROUP = re.compile(r"\(\?P<\w+>|\(\?[:!<=]+|\\.")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_LOOKED_AT, _LONG = 8_000, 1_000
"""The most characters of a text that are looked at, and of one that is told from its request: every later message is compared with it."""
_SPOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_DOUBTFUL = re.compile(r"""[?？؟՞¿"“”„«»「」『』~`|]|^\s*>""", re.MULTILINE)
"""What a permission that asks, is quoted, crossed out or hidden has."""
_WHOLE = re.compile(r"[^.!?\n]+")
_LONGEST, _OVERLAP = 300, 80
_ABOUT = "about"
_DECLINES = "slavic"


@dataclass(frozen=True, slots=True)
class _Found:
    """A match of a request: its span, the names (empty for everybody), its own words, what stands for the one thing that it is about (`it`),
    whether its language declines the names, what it says `beside` these, and who may know, of whom no names are told (`but`).
    """

    span: tuple[int, int]
    names: list[str]
    asking: frozenset[str]
    it: str = ""
    declined: bool = False
    beside: str = ""
    but: frozenset[str] | None = None


def request_in(text: str) -> Discretion | None:
    """Return the request in a text, None if there is none; one that takes back discretion counts only if none asks for it.

    Of a very long text only the beginning and end are read.
    """
    if len(text) > _LOOKED_AT:
        text = f"{text[: _LOOKED_AT // 2]}\n{text[-_LOOKED_AT // 2 :]}"
    text, found = _read(text)
    found += [joined for one in found if one.names for joined in _joined(text, one)]
    if found:
        named = [name for one in found for name in one.names]
        everybody = any(not one.names for one in found)
        asks, beside = _parted(text, [one.span for one in found])
        earlier = patterns("every")["said"].search(text)
        clause = ""
        if earlier:
            behind = _SENTENCE.search(text, earlier.end())
            clause = text[earlier.start() : behind.start() if behind else len(text)]
            beside = beside.replace(clause, " ")
        back = FILLERS.issuperset(key_words(beside))
        asking = _ASKING.union(*(one.asking for one in found))
        said = "\n".join(text[slice(*one.span)] for one in found)
        about = frozenset(
            one for one in topic_words(text if back else asks, named, asking) if not (unspaced(one) and one in said)
        )
        about = about.union(*(topic_words(it, named, FILLERS) for it in {one.it for one in found if one.it}))
        if clause:
            topic = patterns("every")["about"].search(clause, 1)
            about = topic_words(topic["topic"], named, FILLERS) if topic else frozenset()
        told = not back and bool(about) and count_held(about, beside) > 0
        every = not (clause and about) and patterns("every")["all"].search(asks) is not None
        names = () if everybody else tuple(dict.fromkeys(named))
        may_know = (
            frozenset.intersection(*(one.but or frozenset() for one in found if not one.names)) if everybody else frozenset[str]()
        )
        return Discretion(
            names, back, topic=frozenset() if every else about, told=told, every=every, talk="" if about else clause,
            but=tuple(sorted(may_know.difference(named))),
        )  # fmt: skip
    return _release_in(text)


def _release_in(text: str) -> Discretion | None:
    """Return what a text permits to tell: what was kept last, the one thing that it names, answers, or that was said just before, or
    everything.

    A text that says anything else permits nothing (`told`): a time ahead, a condition, a denial, what somebody else said.
    """
    found = list(_wording_matches(text, "ends"))
    clear = [one for one in found if not one.beside] or found
    permits = list(_widest(clear))
    if not permits:
        return None
    names = tuple(dict.fromkeys(name for one in permits for name in one.names))
    one_thing = any(one.it for one in permits)
    named = "\n".join(text[slice(*one.span)] for one in permits if one.it == _ABOUT)
    topic = topic_words(named, names, _ASKING.union(*(one.asking for one in permits)))
    every = not topic and patterns("permits")["every"].search(text) is not None
    return Discretion(
        names,
        ends=True,
        back=one_thing and not every,
        topic=topic,
        told=_says_more(text, permits),
        declined=any(one.declined for one in permits),
        every=every,
    )


def _widest(found: Sequence[_Found]) -> Iterator[_Found]:
    """Yield the matches that are no part of another."""
    last = (0, 0)
    for one in sorted(found, key=lambda one: (one.span[0], -one.span[1])):
        if one.span[1] > last[1] or one.span == last:
            last = one.span
            yield one


def _says_more(text: str, permits: Sequence[_Found]) -> bool:
    """Return whether a text says anything beside its permissions, and be it that they hold later or in part."""
    beside, at = [one.beside for one in permits], 0
    for begin, end in sorted(one.span for one in permits):
        beside.append(text[at:begin])
        at = max(at, end)
    words = _SPOKEN.findall(patterns("permits")["every"].sub(" ", "\n".join([*beside, text[at:]]).lower()))
    return bool(_DOUBTFUL.search(text)) or any(
        word not in _PERMITTING and not patterns("permits")["unspaced"].fullmatch(word) for word in words
    )


def discreet(text: str) -> Discretion | None:
    """Return whom a text asks to be kept from, None if it does not."""
    ask = request_in(text)
    return None if ask is None or ask.ends else ask


@lru_cache(maxsize=1_000)
def without_request(text: str) -> str:
    """Return what a text tells beside a request for discretion, the text itself if it makes none or is long."""
    if len(text) > _LONG or not patterns("most")["have"].search(plain := plainly(text)):
        return text
    plain, found = _read(plain)
    return " ".join(_JOINED.sub(" ", _parted(plain, [one.span for one in found])[1]).split()) if found else text


def _read(text: str) -> tuple[str, list[_Found]]:
    """Return a text as it is read, and its requests for discretion: over the ends of its lines if there is none within them."""
    text = plainly(text)
    for read in (text, on_one_line(text)) if "\n" in text else (text,):
        if found := list(_wording_matches(read, "asks")) or list(_wording_matches(read, "announced")):
            return read, found
    return text, []


def _wording_matches(text: str, purpose: str) -> Iterator[_Found]:
    """Yield the matches of wordings that are said as such, not only told or asked of if they ask, and name no song or book."""
    found = (one for one in _every_match(text, purpose) if not _is_title(text, *one.span))
    return found if purpose == "ends" else (one for one in found if not _is_told_of(text, *one.span))


def _is_told_of(text: str, begin: int, end: int) -> bool:
    """Return whether a request is one that a question is about, or that was made to somebody: "what did he tell you in confidence?"."""
    about, first = patterns("titles"), max(0, begin - _LONGEST)
    since = max(text.rfind(sign, first, begin) for sign in ".!?\n") + 1
    told = about["told"].search(text, max(since, first), end + _OVERLAP)
    rest = _WHOLE.match(text, end, end + _LONGEST)
    until = rest.end() if rest else end
    # Of a sentence that begins further ahead the beginning is not looked at.
    asks = text[until : until + 1] == "?" and max(since, first) < begin and (since or not first)
    asked = asks and about["asks"].search(text[since:begin].lstrip())
    return bool(asked) or (told is not None and told.start() < end and told.end() >= begin)


def _is_title(text: str, begin: int, end: int) -> bool:
    """Return whether a match is what something is called: "do not tell a soul is my favourite song"."""
    titles = patterns("titles")
    return bool(titles["is"].match(text, end)) or bool(
        titles["opens"].search(text, max(0, begin - 3), begin)
        and titles["closes"].match(text, end)
        and titles["things"].search(text)
    )


@cache
def patterns(section: str) -> dict[str, re.Pattern[str]]:
    """Return the wordings of a section of the data file, each as one pattern: what says that a request is about `every` thing said, and so on."""
    return {name: re.compile(one, re.IGNORECASE) for name, one in read_wordings(__file__)[section].items()}


def _every_match(text: str, purpose: str) -> Iterator[_Found]:
    wordings = [(name == _DECLINES, one) for name, held, some in _wordings(purpose) if held.search(text.lower()) for one in some]
    for begin, end in _pieces(text):
        for declined, wording, match in ((*one, match) for one in wordings for match in one[1].finditer(text, begin, end)):
            groups = match.groupdict()
            if (groups.get("subject") or "").strip().lower() in _SUBJECTS:
                continue
            group = next((name for name in ("who", "short", "before") if groups.get(name)), None)
            it = (groups.get("it") or "").lower()
            people = groups.get("people") or ""
            asking = _words_of(wording.pattern).union(key_words(people))
            if group is None:
                yield _Found(match.span(), [], asking, it, but=frozenset(each_name(people)))
                continue
            said = groups[group]
            names = trailing_names(said) if group == "before" else leading_names(said)
            if names is not None:
                last = match.start(group) + length_of(said, names) if group == "who" else match.end()
                ahead = clause_of(said, names) if group == "before" else 0
                asking = asking if names or group == "before" else asking.union(key_words(said[: length_of(said, names)]))
                beside = "" if group == "who" else beside_names(said[max(0, ahead) :], names)
                yield _Found((match.start() + ahead, last), names, asking, it, declined, beside)


def _joined(text: str, request: _Found) -> Iterator[_Found]:
    """Yield who is added to a request: in the rest of its sentence, and in further ones that do nothing else."""
    begin, capital = request.span[1], request.names[0][0].isupper()
    rest = _WHOLE.match(text, begin)
    end = min(rest.end() if rest else begin, begin + _LONGEST)
    yield from _added(text, begin, end, capital=capital)
    while (sentence := _WHOLE.search(text, end)) and sentence.end() - sentence.start() <= _OVERLAP:
        start = sentence.end() - len(sentence[0].lstrip(" -–—"))
        added = list(_added(text, start, sentence.end(), capital=capital))
        if not added or added[0].span[0] > start or any(map(str.isalnum, text[added[-1].span[1] : sentence.end()])):
            return
        yield from added
        end = sentence.end()


def _added(text: str, begin: int, end: int, *, capital: bool) -> Iterator[_Found]:
    """Yield who is added in a span, where names have a `capital` letter or need none."""
    for match in (match for _, _, some in _wordings("joins") for wording in some for match in wording.finditer(text[begin:end])):
        names = leading_names(match["too"])
        meant = [one for one in names or () if not capital or OWN & set(one.split()) or one.lstrip("#")[:1].isupper()]
        if meant or names == []:
            yield _Found((begin + match.start(), begin + match.end()), meant, frozenset(key_words(match[0])))


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences, long ones in windows."""
    for sentence in _WHOLE.finditer(text):
        for begin in range(sentence.start(), max(sentence.start() + 1, sentence.end() - _OVERLAP), _LONGEST - _OVERLAP):
            yield begin, min(begin + _LONGEST, sentence.end())


@cache
def _words_of(wording: str) -> frozenset[str]:
    """Return the words of a wording itself, with their stems; a message's other words may name its topic."""
    bare = _GROUP.sub(" ", wording)
    words = {word for form in (bare, re.sub(r"\w\?", "", bare)) for word in _LETTERS.findall(form.casefold())}
    return frozenset(map(stem, words)) | words


@cache
def _wordings(purpose: str) -> Sequence[tuple[str, re.Pattern[str], Sequence[re.Pattern[str]]]]:
    """Return the patterns of asks, announced, joins or ends, by language, behind its name and what all matches of these hold; compiled on
    first use, as that takes 60 ms.

    Most texts hold nothing of what all of these in a language do, and to look for each takes long. Of joins it is not told.
    """
    listed = read_wordings(__file__)
    held = listed.get({"asks": "held"}.get(purpose, f"held_{purpose}"), {})
    return [
        (language, re.compile(held.get(language, "")), [re.compile(one, re.IGNORECASE) for one in some])
        for language, some in listed[purpose].items()
    ]


def _parted(text: str, spans: list[tuple[int, int]]) -> tuple[str, str]:
    """Return the requests, each to the end of its sentence with its topic, and the text around them."""
    asks, beside, at = [], [], 0
    for begin, end in sorted(spans):
        if end <= at:
            continue
        beside.append(text[at:begin])
        behind = _SENTENCE.search(text, end)
        begin, at = max(at, begin), behind.start() if behind else len(text)
        asks.append(text[begin:at])
    return "\n".join(asks), "\n".join([*beside, text[at:]])
