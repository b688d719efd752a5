"""Requests for discretion: from whom a message is to be kept, or that it may be told now.

The people meant are named in the text; whether these names exist is for the caller to resolve. A message that is nothing but a
request is about what its speaker said before.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from memory.text.function_words import FUNCTION_WORDS
from memory.text.language_detection import function_words
from memory.text.lexical import key_words, stem, unspaced
from memory.text.questions import is_question
from memory.text.word_forms.spellings import without_possessive
from memory.text.wordings import read_wordings
from memory.types import Discretion

_SENTENCE = re.compile(r"[.!?;:\n–—。！？；：，、؛،]|, | - ")
_AND = re.compile(r"(,|&|\b(?:or|and|nor|oder|und|noch|et|ou|y|e|of|en)\b)")
_NOT_EITHER = re.compile(
    r"\A\s*(?:(?:(?:also|even|auch|nor|and) )*(?:not|nicht|neither) (?:even |to |auch )?)?(?:(?:from|to|with|around|before|vor|zu|mit|an) )?"
)
_AND_BUT = "(?:but|and|aber|und|mais|et|pero|y|ma|e|maar|en|mas)"
_JOINED = re.compile(rf"(?i)^[\s,;:)–—-]*(?:{_AND_BUT}\b)?[\s,]*|[\s,;:(–—-]+(?:{_AND_BUT}\b)?[\s,.;:(–—-]*$", re.MULTILINE)
"""What joins a request to what it stands beside."""
_MAY_ASK = re.compile(
    r"(?i)\b(?:tell|say|show|mention|let|know|keep|secret|private|confiden|between|sag|erzähl|verrat|wissen|erfahren|unter uns|geheim"
    r"|dis\b|digas|cuentes|entre|dir|raccont|vertel|zeg|contes?|fales?|mów|powie|opowiad|zdradz|wspomin|pokazuj|słowa|wiedzi|dowiedz|między|tajemn"
    r"|sekret|neříkej|vědět|dozvěd|mezi|говор|рассказ|сообщ|показыв|проболт|слова|знать|знал|узна|между|секрет|тайна|кажи|розповід|між|таємн"
    r"|only|except|besides|quiet|silent|sh\b|pst|no account|no c|nur|dicht|ohren|saiba|saper|sappia|segreto|segredo|weten|jezelf|ons\b|noi\b|no one|nobody|niemand|keiner|allen|jedem|get to|gizli|hemlig|poufn|decir|конфид|знат|appre|sache|parl|habl"
    r"|ve?ta\b|vite|vide|deme|çaktır|يعرف|يعلم|söyle|anlat|bahset|göster|bilme|duyma|öğrenme|aramızda|sır|تخبر|تقول|تقل|تحك|تذكر|بيننا|سر|säg|berätta|nämn|mellan|si|sig|fort|mell)"
    r"|告[诉訴]|[说說讲講提]|知道|知ら|バレ|ばれ|알면|알게|保密|秘密|ないで|内緒|ないしょ|黙って|ここだけ|한테|에게|비밀|우리"
)
"""What most requests have; to look for all of their wordings takes a millisecond."""
_WORDS = {name: frozenset(words.split()) for name, words in read_wordings(__file__)["words"].items()}
_JOINS, _OWN, _EVERYBODY, _NO_NAME = (_WORDS[name] for name in ("joins", "own", "everybody", "no_name"))
_SUBJECTS, _FILLERS, _BACK = (_WORDS[name] for name in ("subjects", "fillers", "back"))
_ASKING = _FILLERS | _EVERYBODY | frozenset("mention tell say talk speak keep know never ever about when while if".split())
_GROUP = re.compile(r"\(\?P<\w+>|\(\?[:!<=]+|\\.")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_LOOKED_AT = 8_000
# Matches do not cross sentence ends; longer sentences are searched in overlapping windows.
_NAMELIKE = re.compile(r"\w")
_WHOLE = re.compile(r"[^.!?\n]+")
_LONGEST, _OVERLAP = 300, 80
_SHORTEST, _ENDING = 4, 2
"""The least letters that words have in common, and the most that their endings have, which are forms of one word."""
_ABOUT = "about"


@dataclass(frozen=True, slots=True)
class _Found:
    """A match of a request: its span, the names (empty for everybody), its own words, and what stands for the one thing that it is about (`it`)."""

    span: tuple[int, int]
    names: list[str]
    asking: frozenset[str]
    it: str = ""


def request_in(text: str) -> Discretion | None:
    """Return the request in a text, None if there is none; one that takes back discretion counts only if none asks for it.

    Of a very long text only the beginning and end are read.
    """
    if len(text) > _LOOKED_AT:
        text = f"{text[: _LOOKED_AT // 2]}\n{text[-_LOOKED_AT // 2 :]}"
    found = list(_wording_matches(text, "asks"))
    found += [joined for one in found if one.names for joined in _joined(text, one)]
    if found:
        named = [name for one in found for name in one.names]
        everybody = any(not one.names for one in found)
        asks, beside = _parted(text, [one.span for one in found])
        back = _FILLERS.issuperset(key_words(beside))
        asking = _ASKING.union(*(one.asking for one in found))
        said = "\n".join(text[slice(*one.span)] for one in found)
        about = frozenset(one for one in _topic(text if back else asks, named, asking) if not (unspaced(one) and one in said))
        about = about.union(*(_topic(it, named, _FILLERS) for it in {one.it for one in found if one.it}))
        told = not back and bool(about) and count_held(about, beside) > 0
        return Discretion(() if everybody else tuple(dict.fromkeys(named)), back, topic=about, told=told)
    return None if is_question(text) else _release_in(text)


def _release_in(text: str) -> Discretion | None:
    """Return what a text permits to tell: all that was told, or the one thing that it tells, names or was said last."""
    found = _wording_matches(text, "ends")
    ended = [one for one in found if not (one.names or one.it) or not _is_denied(text, one.span)]
    if not ended:
        return None
    names = tuple(dict.fromkeys(name for one in ended for name in one.names))
    if not all(one.it for one in ended):
        return Discretion(names, ends=True)
    permits, beside = _parted(text, [one.span for one in ended])
    asking = _ASKING.union(*(one.asking for one in ended))
    named = _topic(permits, names, asking) if any(one.it == _ABOUT for one in ended) else frozenset()
    topic = named or (frozenset() if goes_on(beside) else _topic(beside, names, _FILLERS))
    return Discretion(names, ends=True, back=True, topic=topic)


def _is_denied(text: str, span: tuple[int, int]) -> bool:
    """Return whether something denies a permission, in it or before it in its clause."""
    before = [one.end() for one in _SENTENCE.finditer(text, 0, span[0])]
    clause, denies = text[before[-1] if before else 0 : span[1]], read_wordings(__file__)["denies"]
    return bool(re.search(rf"(?i)\b(?:{denies['words']})\b|n['’]t\b|{denies['unspaced']}", clause))


def discreet(text: str) -> Discretion | None:
    """Return whom a text asks to be kept from, None if it does not."""
    ask = request_in(text)
    return None if ask is None or ask.ends else ask


def without_request(text: str) -> str:
    """Return what a text tells beside a request for discretion, the text itself if it makes none."""
    if len(text) > _LOOKED_AT or not _MAY_ASK.search(text) or not (found := list(_wording_matches(text, "asks"))):
        return text
    return " ".join(_JOINED.sub(" ", _parted(text, [one.span for one in found])[1]).split())


def _wording_matches(text: str, purpose: str) -> Iterator[_Found]:
    """Yield the matches of the wordings of asks or ends that are said as such, not only told or asked of, and name no song or book."""
    found = (one for one in _every_match(text, purpose) if not _is_title(text, *one.span))
    return found if purpose == "ends" else (one for one in found if not _is_told_of(text, *one.span))


def _is_told_of(text: str, begin: int, end: int) -> bool:
    """Return whether a request is one that a question is about, or that was made to somebody: "what did he tell you in confidence?"."""
    about, first = _titles(), max(0, begin - _LONGEST)
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
    titles = _titles()
    return bool(titles["is"].match(text, end)) or bool(
        titles["opens"].search(text, max(0, begin - 3), begin)
        and titles["closes"].match(text, end)
        and titles["things"].search(text)
    )


@cache
def _titles() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(one, re.IGNORECASE) for name, one in read_wordings(__file__)["titles"].items()}


def _every_match(text: str, purpose: str) -> Iterator[_Found]:
    wordings = [wording for held, some in _wordings(purpose) if held.search(text) for wording in some]
    for begin, end in _pieces(text):
        for wording, match in ((one, match) for one in wordings for match in one.finditer(text, begin, end)):
            groups = match.groupdict()
            if (groups.get("subject") or "").strip().lower() in _SUBJECTS:
                continue
            group = next((name for name in ("who", "short", "before") if groups.get(name)), None)
            it = (groups.get("it") or "").lower()
            asking = _words_of(wording.pattern)
            if people := groups.get("people"):
                asking = asking.union(key_words(people))
            if group is None:
                yield _Found(match.span(), [], asking, it)
                continue
            said = groups[group]
            names = _trailing_names(said) if group == "before" else _names(said)
            if names is not None:
                last = match.start(group) + _length(said, names) if group == "who" else match.end()
                begin = match.start() + (_clause(said, names) if group == "before" else 0)
                yield _Found((begin, last), names, asking, it)


def _joined(text: str, request: _Found) -> Iterator[_Found]:
    """Yield who is added to a request: in the rest of its sentence, and in further ones that do nothing else."""
    begin, capital = request.span[1], request.names[0][0].isupper()
    rest = _WHOLE.match(text, begin)
    end = min(rest.end() if rest else begin, begin + _LONGEST)
    yield from _added(text, begin, end, capital=capital)
    while (sentence := _WHOLE.search(text, end)) and sentence.end() - sentence.start() <= _OVERLAP:
        start = sentence.end() - len(sentence[0].lstrip(" -–—"))
        added = list(_added(text, start, sentence.end(), capital=capital))
        if not added or added[0].span[0] > start or _NAMELIKE.search(text, added[-1].span[1], sentence.end()):
            return
        yield from added
        end = sentence.end()


def _added(text: str, begin: int, end: int, *, capital: bool) -> Iterator[_Found]:
    """Yield who is added in a span, where names have a `capital` letter or need none."""
    for match in (match for _, some in _wordings("joins") for wording in some for match in wording.finditer(text[begin:end])):
        names = _names(match["too"])
        meant = [one for one in names or () if not capital or _OWN & set(one.split()) or one.lstrip("#")[:1].isupper()]
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
    words = {word for form in (bare, re.sub(r"\w\?", "", bare)) for word in _LETTERS.findall(form.lower())}
    return frozenset(map(stem, words)) | words


@cache
def _wordings(purpose: str) -> Sequence[tuple[re.Pattern[str], Sequence[re.Pattern[str]]]]:
    """Return the patterns of asks, joins or ends, by language, behind what all matches of these hold; compiled on first use, as that
    takes 60 ms.

    Most texts hold nothing of what all requests in a language do, and to look for each takes long. Only asks are told so.
    """
    listed = read_wordings(__file__)
    held = listed["held"] if purpose == "asks" else {}
    return [
        (re.compile(held.get(language, ""), re.IGNORECASE), [re.compile(one, re.IGNORECASE) for one in some])
        for language, some in listed[purpose].items()
    ]


def _names(said: str) -> list[str] | None:
    """Return the names at the beginning of a phrase, [] for everybody, None if it begins with no name."""
    found: list[str] = []
    parts = _AND.split(said.replace("(", " "))
    for joint, part in zip(["", *parts[1::2]], parts[::2], strict=True):
        words = (_NOT_EITHER.sub("", part) if found else part).split()
        if not words:
            continue
        named = words[:2] if words[0].lower() in _OWN and len(words) > 1 else words[:1]
        first = named[-1].strip("'\"’(),@").lower()
        if first in _EVERYBODY or (first.endswith(("'s", "’s")) and len(words) > len(named)):
            # Who somebody's wife is, nobody can tell.
            return None if _NO_NAME.intersection(words[len(named) :][:1]) else []
        if first in _NO_NAME or (found and found[0][:1].isupper() and not named[0].lstrip("@")[:1].isupper() and len(named) == 1):
            break
        if joint == "," and len(named) == 2 and len(words) > 2:
            break  # not a name: "don't tell Ben, my locker is open"
        for word in words[len(named) :]:
            if not (word[0].isupper() or word[0] == "#") or word.replace("’", "'").split("'")[0] == "I":
                break
            named.append(word)
        found.append(" ".join(named).strip("'\"’(),@"))
        if len(named) < len(words):
            break
    return [without_possessive(name) for name in found if name] or None


def _trailing_names(said: str) -> list[str] | None:
    """Return the names at the end of a phrase, several if joined, [] for everybody, None if it ends with no name."""
    words, found, joined = said.split(), [], True
    while words and joined:
        named = [words.pop()]
        while words and (
            words[-1].lower() in _OWN
            or (words[-1][0].isupper() and len(words[-1]) > 1 and words[-1][-1] != "," and named[0][0].isupper())
        ):
            named.insert(0, words.pop())
            if named[0].lower() in _OWN:
                break
        found.append(" ".join(named).strip("@,"))
        joined = bool(words) and (words[-1].lower() in _JOINS or (len(found) > 1 and words[-1][-1] == ","))
        if joined and words[-1].lower() in _JOINS:
            words.pop()
    names = [name for name in found if name and name.split()[-1].lower() not in _NO_NAME]
    if not names or len(names) < len(found):
        return None
    return [] if any(name.split()[-1].lower() in _EVERYBODY for name in names) else names[::-1]


def _clause(said: str, names: list[str]) -> int:
    """Return the offset of the clause that ends with these names."""
    return said.rfind(", ", 0, max(0, said.find(names[0]) if names else 0)) + 1


def _length(said: str, names: list[str]) -> int:
    """Return the length of the beginning of a phrase that holds these names."""
    words = said.split()
    first = " ".join(words[: 2 if words[0].lower() in _OWN else 1])
    return max((said.find(name) + len(name) for name in names), default=said.find(first) + len(first))


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


def _topic(text: str, names: Collection[str], asking: Collection[str]) -> frozenset[str]:
    """Return the words of a request that are neither names nor in `asking`."""
    people = {word for name in names for word in key_words(name)}
    return frozenset(
        word
        for word, stemmed in key_words(text).items()
        if len(word) > 1
        and word not in FUNCTION_WORDS
        and word.partition("'")[0] not in people
        and (word.isascii() or word not in _little())
        and not {word, stemmed, word.rpartition("'")[2]} & set(asking)
    )


@cache
def _little() -> frozenset[str]:
    """Return the words of all languages that name nothing."""
    return frozenset().union(*function_words().values())


def goes_on(text: str) -> bool:
    """Return whether a text has no topic of its own and continues the previous one: "it is 8812 now"."""
    words = key_words(text)
    first = re.match(r"\W*(\w+)", text.lower())
    return bool(first and first[1] in _BACK) or not any(word.isalpha() for word in words)


def count_held(words: Collection[str], text: str) -> int:
    """Return how many of these words a text contains, in any form."""
    there = key_words(text)
    forms = {*there, *there.values()}
    return sum(word in forms or stem(word) in forms or any(_is_other_form(word, one) for one in there) for word in words)


def _is_other_form(word: str, other: str) -> bool:
    """Return whether a word with letters beyond ASCII may be another with another ending: "операцию", "операция"."""
    least = max(_SHORTEST, len(word) - _ENDING, len(other) - _ENDING)
    return not word.isascii() and not unspaced(word) and word[:least] == other[:least] and min(len(word), len(other)) >= least
