"""Analysis of a question, part by part: one thing, a list, a time, somebody's words, what is known about somebody; mistyped words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import pairwise

from bot.models.offline.message_kinds import Topic, hear, topic
from bot.models.offline.spoken_languages import detect_language
from memory.index.when.birthdays import Birthday, birthday
from memory.index.when.days import EARLIEST
from memory.index.when.told_times import asked_ahead
from memory.index.when.values import Window
from memory.index.when.vocabulary import DOINGS
from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import STOP_WORDS, key_words, stem, tokens
from memory.text.questions import asked_about
from memory.text.sentence_splitting import sentences
from memory.text.told.personal_details import PersonalDetail, asked_detail
from memory.text.told.related_words import answering_words
from memory.text.word_forms.spellings import may_be_mistyped, single_typos
from memory.text.wordings import read_wordings
from memory.types import MINUTE

MOST_PARTS = 3
_LONGEST = 1_000
"""How many characters of a question are analysed, its last ones: the patterns take the square of its length."""


class Aim(Enum):
    """The kind of answer wanted."""

    DETAIL = auto()
    ANSWER = auto()
    LIST = auto()
    ABOUT = auto()
    ASKER = auto()
    SAID = auto()
    TIME = auto()


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One part of a question.

    `sought` is the recall query, `window` the time stated. `name` is whose words are asked for, what is listed, or about whom all is
    told, as written; '' for every time that something happened. `day` is a birthday that stands for the time and must be looked up,
    with `window` giving its year. `end` is "first" or "last" where only that of a time is asked for, `people` says that the people met in that time are asked for, `detail` what is asked of oneself.
    """

    text: str
    aim: Aim
    about: Topic
    sought: str
    window: Window | None = None
    name: str = ""
    day: Birthday | None = None
    people: bool = False
    detail: PersonalDetail | None = None
    end: str = ""


_QUESTION_WORDS = r"what|who|where|when|which|how|why|whose|wer|wo|wann|wie|welche\w*|qué|quién|dónde|cuándo|cómo|cuál|où|quand"
_BETWEEN = re.compile(
    rf"(?i)(?<!\s)(?:\s*+(?:,\s*(?:(?:and|und|y|et)\s+)?|;\s*)|\s++(?:and|und|y|et)\s+)(?=(?:{_QUESTION_WORDS})\b"
    r"|(?:is|are|was|were|do|does|did)\s+(?:i|my|we|our|the|he|she|it|they)\b|was\s+(?:ist|hat|habe|war)\b)"
)
_PRONOUN = re.compile(r"(?i)\b(?:he|she|him|her|his|hers|they|them|their|it|its|er|sie|ihm|ihn|ihr|él|ella)\b")
_RECOLLECTION = re.compile(r"(?i)\b(?:know|remember|recall|tell me|weißt du|erzähl\w* mir|sabes|cuéntame|recuerdas|sais)\b")
_ABOUT = re.compile(r"(?i)\b(?:about|of|über|von|de|sobre|sur)\s+(?=\S)")
_ASKER = re.compile(r"(?i)^\w+\s+(?:me|myself|mich|mir|mí|moi)(?: so far| by now| already)?$")
_WORDINGS = read_wordings(__file__)
_WHO_AM_I = re.compile(rf"(?i)^\W*(?:{'|'.join(_WORDINGS['who_am_i'])})\W*$")
_PLAIN_WORDS = (
    (re.compile(r"(?i)\bwhat do(?:es)? (?!you\b)((?:my |our )?\w+) do for (?:a living|work)\b"), r"what is the job of \1"),
    (re.compile(r"(?i)\bwas (?:mache|tue|bin|arbeite) ich (?:beruflich|von beruf)\b"), "was ist mein Beruf"),
    (re.compile(r"(?i)\bbosse\b"), "travaille"),  # its stem is that of the English "boss"
)
_SAID = re.compile("".join(_WORDINGS["said"]))
_LIST = re.compile("".join(_WORDINGS["list"]))
_HOW_OFTEN = re.compile(r"(?i)\b(?:how often|how many times|wie oft|wie viele? ?male?)\b")
_NO_LISTING = re.compile("".join(_WORDINGS["no_listing"]))
_SO_FAR = re.compile(r"(?i)\b(?:so far|until now|up to now|bisher|bis jetzt|bislang|soweit|hasta ahora)\b")
_LIKE = re.compile(r"(?i)^(\W*what (?:was|were) .*?) like(\W*)$")
_TOLD_HER = re.compile("".join(_WORDINGS["told_her"]))
_TOLD_END = re.compile("".join(_WORDINGS["told_end"]))
_SEEN = re.compile("".join(_WORDINGS["seen"]))
_AN_HOUR = 60 * MINUTE
_LASTING = (
    "name called live moved address work job boss family married wedding husband wife sister brother mother father son daughter "
    "friend cat dog pet favourite like love hate allergic birthday born study language play hobby wohne arbeite vivo trabajo"
)
_PIECE = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]")
_LEADS = frozenset(_WORDINGS["leads"].split())
_DETERMINERS = frozenset(_WORDINGS["determiners"].split())
_AUXILIARIES = frozenset("do does did can could will would should has have had".split())
_WISHING = frozenset("like love hate want prefer need going have used able allowed".split())
"""What "to" follows with a verb rather than with a thing: "what do I like to eat"."""
_CALLS = frozenset("called named call heißt heißen llama llamado".split())
_COMPOUND = re.compile("".join(_WORDINGS["compound"]))
_MINE_IN_TURKISH = re.compile(r"[ıiuü]?m(?:[ıiuü]z)?(?:[ıiuü]n|[ıiuüae]|d[ae]n?|l[ae])?$|^(?:ne|kim|kaç|hangi|nasıl|niye|neden)")
_LATELY = re.compile(
    r"(?i)(?:\s+(?:now|again|atm|rn|currently|nowadays|lately|today|tonight|tomorrow|yesterday|anyway|still|please|pls|btw))+(?=\W*$)"
)
"""What may stand behind the thing that is asked for: "what is my address again?" """


@dataclass(frozen=True, slots=True)
class Compound:
    """A thing of several words: their stems, the stem of the last and most important one, and the words."""

    stems: frozenset[str]
    head: str
    written: str


def things(question: str) -> frozenset[str]:
    """Return the stems of a question's names, and of words after an article, possessive, preposition or question word."""
    found: set[str] = set()
    run: list[str] = []
    led, subject = False, False
    before = ""
    opening = _subject_first(question)
    for piece in [*_PIECE.findall(question), "?"]:
        word = piece.casefold().replace("’", "'")
        if not word[0].isalnum() or word in STOP_WORDS or word in FUNCTION_WORDS or word in _LEADS:
            found.update(_named(run, verb=subject))
            run = []
            led = word in _LEADS and not (word == "to" and before in _WISHING)
            subject = led and before in _AUXILIARIES
        elif led:
            run.append(piece.replace("’", "'").removesuffix("'s"))
            if word.endswith("'s"):
                found.update(_named(run, verb=False))
                run = []
        elif piece[0].isupper() and (before or word == opening):
            found.add(stemmed(word))
        if not led and word.endswith("'s"):
            led = True
        before = word
    return frozenset(found)


def _subject_first(question: str) -> str:
    """Return the name (lower case) that a Turkish question begins with; '' if it has none: "kedimin" is "of my cat"."""
    first = next(iter(_PIECE.findall(question)), "")
    name = first.replace("’", "'").casefold()
    turkish = first[:1].isupper() and name not in FUNCTION_WORDS and detect_language(question) == "turkish"
    return name if turkish and not _MINE_IN_TURKISH.search(name) else ""


def stemmed(word: str) -> str:
    """Return the stem by which `topic` knows a word."""
    lowered = word.casefold().removesuffix("'s")
    return next(iter(key_words(lowered).values()), stem(lowered))


def people(question: str) -> frozenset[str]:
    """Return the stems of the names in a question that nothing but a verb or a preposition leads: rather people than things."""
    opening = _subject_first(question)
    found = {stemmed(opening)} if opening else set[str]()
    for before, word in pairwise(_PIECE.findall(question)):
        plain = word.replace("’", "'").removesuffix("'s")
        if (
            plain[0].isupper()
            and before.isalpha()
            and before.casefold() not in _DETERMINERS
            and plain.casefold() not in STOP_WORDS
        ):
            found.add(stemmed(plain))
    return frozenset(found)


def _named(run: list[str], *, verb: bool) -> list[str]:
    """Return the stems of the names in a run of words, and of its last one, the thing. A `verb` at the end is dropped first."""
    run = run[:-1] if verb and len(run) > 1 else run
    return [stemmed(word) for at, word in enumerate(run) if word[0].isupper() or at == len(run) - 1]


def compound(question: str) -> Compound | None:
    """Return the compound that a question asks for: "my blood type" is not answered by a text about blood."""
    found = _COMPOUND.search(_LATELY.sub("", question))
    if not found or found[2].casefold() in _CALLS or found[2].endswith("ing"):
        return None
    words = [word for word in found[1].casefold().split() if word not in STOP_WORDS]
    if not words or len(words) < len(found[1].split()):
        return None
    return Compound(frozenset(map(stem, words)), stem(found[2].casefold()), f"{found[1]}{found[2]}")


def parts(question: str, now: int, time_zone: str) -> list[QuestionPart]:
    """Return the parts of a question, three at most; `now` is in microseconds UTC."""
    return [_part(piece, now, time_zone) for piece in _with_antecedents(pieces(question))]


def pieces(question: str) -> list[str]:
    """Return the texts of the parts of a question, three at most."""
    last = "\n".join(sentences(question))[-_LONGEST:]
    found = [piece.strip() for sentence in last.split("\n") for piece in _BETWEEN.split(sentence) if piece.strip()]
    return [*found[: MOST_PARTS - 1], " ".join(found[MOST_PARTS - 1 :])] if len(found) > MOST_PARTS else found


def _with_antecedents(pieces: list[str]) -> Iterator[str]:
    """Yield the parts of a question; to a part with "she" or "it" the topic of the previous part is appended."""
    before = ""
    for piece in pieces:
        about, meant = topic(piece), things(piece)
        named = [word for stemmed, word in about.admit.items() if stemmed in meant]
        if before and _PRONOUN.search(piece) and not any(word[0].isupper() for word in named):
            yield f"{piece.rstrip('?')} {before}?"
            continue
        before = " ".join([word for word in named if word[0].isupper()] or named)
        yield piece


def _part(text: str, now: int, time_zone: str) -> QuestionPart:
    asked, detail = text, asked_detail(text)
    for idiom, plain in _PLAIN_WORDS:
        text = idiom.sub(plain, text)
    if detail:
        return QuestionPart(text, Aim.DETAIL, topic(text), asked, detail=detail)
    if _WHO_AM_I.match(text):
        return QuestionPart(text, Aim.ASKER, topic(text), _LASTING)
    spoken = _LIKE.sub(r"\1\2", " ".join(_SO_FAR.sub(" ", text).split()))
    if told := _TOLD_END.match(spoken):
        end = "first" if any(told.groupdict().values()) else "last"
        return QuestionPart(text, Aim.TIME, topic(spoken), text, Window(EARLIEST, now + 1), end=end)
    if told := _TOLD_HER.match(spoken):
        start = now - _AN_HOUR if told["just"] or told["eben"] else EARLIEST
        return QuestionPart(text, Aim.TIME, topic(spoken), text, Window(start, now + 1))
    day = birthday(text)
    when = asked_ahead(spoken.replace(day.phrase, " ") if day else spoken, now, time_zone)
    if (when.window or day) and topic(when.rest).strong <= DOINGS and not _NO_LISTING.search(text):
        return QuestionPart(text, Aim.TIME, topic(text), text, when.window, day=day)
    if when.window and (_SEEN.search(when.rest) or _SEEN.search(text)):
        return QuestionPart(text, Aim.TIME, topic(text), text, when.window, people=True)
    about = topic(when.rest if when.window or day else text)
    part = QuestionPart(text, Aim.ANSWER, about, f"{text} {answering_words(about.strong)}".strip(), when.window, day=day)
    if said := _SAID.search(text):
        name, rest = next((said[at], said[at + 1]) for at in (1, 3, 5) if said[at])
        return replace(part, aim=Aim.SAID, about=topic(rest or ""), name=name)
    if asked := asked_about(_last_sentence(text)):
        whom = topic(asked, text)
        if whom.unspaced or len(whom.strong) == 1:
            return replace(part, aim=Aim.ABOUT, about=whom, name=asked)
    if recalled := _recalled(text):
        if _ASKER.match(recalled):
            return replace(part, aim=Aim.ASKER, sought=_LASTING)
        whom = topic(recalled)
        return replace(part, aim=Aim.ABOUT, about=whom) if len(whom.strong) == 1 else part
    if _HOW_OFTEN.search(text) and about.strong:
        return replace(part, aim=Aim.LIST)
    listed = _LIST.match(text)
    if listed and _is_plural(listed[1]) and stem(listed[1].casefold()) in about.strong:
        return replace(part, aim=Aim.LIST, name=stem(listed[1].casefold()))
    return part


def _recalled(text: str) -> str:
    """Return about whom or what the last sentence asks for all that is remembered ("about Ben"); '' if it does not.

    The sentence is searched part by part: one pattern for all of it takes the cube of its length.
    """
    sentence = _last_sentence(text)
    asking = _RECOLLECTION.search(sentence)
    about = _ABOUT.search(sentence, asking.end()) if asking else None
    return sentence[about.start() :] if about else ""


def _last_sentence(text: str) -> str:
    return next(reversed(sentences(text)), "").rstrip(" .?!")


def _is_plural(word: str) -> bool:
    return (word[-1:] == "s" and word[-2:] not in ("ss", "us", "is")) or word[:1].isupper()


def as_meant(question: str, said: Sequence[str]) -> str:
    """Return a question with each word that no statement holds replaced by one of theirs that is one typo away, if it still asks something then."""
    words = list(dict.fromkeys(word for text in said for word in tokens(text)))
    known = {stem(word) for word in words}
    for word in dict.fromkeys(tokens(question)):
        if may_be_mistyped(word) and stem(word) not in known:
            near = single_typos(word)
            if meant := next((one for one in words if one in near), None):
                replaced = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", meant, question, flags=re.IGNORECASE)
                question = replaced if hear(replaced).act is hear(question).act else question
    return question
