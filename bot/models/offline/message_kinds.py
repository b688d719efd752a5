"""Classification of messages by words (greeting, thanks, question, statement), and the topic of a question."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import permutations

from bot.models.offline.spoken_languages import detect_language
from memory.text.function_words import FUNCTION_WORDS
from memory.text.language_detection import first_names, function_words, language, scripts_of
from memory.text.lexical import STOP_WORDS, all_stems, key_words, spelled_stems, stem, tokens
from memory.text.lexical import unspaced as unspaced_part
from memory.text.questions import is_question as is_marked_question
from memory.text.sentence_splitting import sentences
from memory.text.told.named_values import Correctable
from memory.text.told.related_words import telling
from memory.text.unmarked_questions import opens_like_a_question
from memory.text.word_forms.compound_words import LANGUAGES, SHORTEST, is_part, joined, splits
from memory.text.word_forms.name_forms import declined
from memory.text.word_forms.spellings import is_slip
from memory.text.word_forms.verb_forms import GERMAN, verb_forms
from memory.text.wordings import read_wordings


class MessageKind(Enum):
    """The kind of a message."""

    GREETING = auto()
    FAREWELL = auto()
    THANKS = auto()
    CHATTER = auto()
    QUESTION = auto()
    STATEMENT = auto()


@dataclass(frozen=True, slots=True)
class ClassifiedMessage:
    """A classified message; for a question, `question` is its asking part."""

    act: MessageKind
    question: str = ""


@dataclass(frozen=True, slots=True)
class Topic:
    """The topic of a question.

    `admit` maps stems whose absence is worth reporting to the words as written; `weak` holds the others. `spelled` maps the stems
    to those of their words' other spellings and of the compounds that they make, `made_of` to those of the words that they are made of.
    """

    admit: dict[str, str]
    unspaced: frozenset[str]
    weak: frozenset[str]
    spelled: Mapping[str, frozenset[str]]
    made_of: Mapping[str, Collection[frozenset[str]]]

    @property
    def strong(self) -> frozenset[str]:
        """The stems that an answer should cover."""
        return frozenset(self.admit) | self.unspaced


_CLOSING = "\"'”’»)] \n"
_HEAD = r"(?i)[^\w?¿]*"
_WORDINGS = read_wordings(__file__)
_HELLO, _FAREWELLS, _THANKING, _BEHIND = ("|".join(_WORDINGS[purpose]) for purpose in ("hello", "farewell", "thanks", "behind"))
_TAIL = rf"(?:[\s,]+(?:{_BEHIND}))*"
_END = r"[^\w?¿]*$"
_GREETING = re.compile(rf"{_HEAD}(?:{_HELLO}){_TAIL}[^\w¿]*$")
_OPENING = re.compile(rf"{_HEAD}(?:{_HELLO})(?:\s+(?:lyra|there))?(?:(?<=lyra)|\s*,)[\s,]+(?=\w)")
"""A greeting that opens a sentence with something else in it."""
_FAREWELL = re.compile(rf"{_HEAD}(?:{_FAREWELLS}){_TAIL}{_END}")
_THANKED = "|".join(_WORDINGS["thanked"])
_THANKS = re.compile(
    rf"{_HEAD}(?:many |much(?:as|ísimas) |mil |grand )?(?:{_THANKING}){_TAIL}(?:[\s,]+(?:{_THANKED}))?{_TAIL}{_END}"
)
_CHATTER = re.compile(rf"{_HEAD}(?:{'|'.join(_WORDINGS['chatter'])}){_TAIL}{_END}")
_CLOCK = re.compile(rf"(?i)\W*(?:{'|'.join(_WORDINGS['clock'])}){_TAIL}\W*")

_COURTESIES = (
    (MessageKind.GREETING, _GREETING),
    (MessageKind.FAREWELL, _FAREWELL),
    (MessageKind.THANKS, _THANKS),
    (MessageKind.CHATTER, _CHATTER),
)

_ASIDE = re.compile(
    r"(?i)(?:sorry,? )?i (?:forgot|forget|can['’]?t (?:remember|recall)|don['’]?t (?:remember|know|recall))(?: it| that)?[\s.!…]*$"
)
_TO_LYRA = re.compile(rf"(?i){'|'.join(_WORDINGS['to_lyra'])}")
_UNANSWERABLE = re.compile(rf"(?i){'|'.join(_WORDINGS['unanswerable'])}")
_REMINDER = re.compile(rf"(?i){'|'.join(_WORDINGS['reminder'])}")
_LONGEST_REMINDER = 500
_FEELS = re.compile(
    r"(?i)^\W*(?:do|did|don['’]?t) you (?:like|love|hate|miss|trust) (?:me|us)\b|^\W*(?:magst|liebst|hasst|vermisst) du (?:mich|uns)\b"
)

_KINDS = frozenset(key_words(_WORDINGS["kinds"]).values())
_EMPTY = frozenset(stem(word) for word in _WORDINGS["empty"].casefold().split())
_ELSEWHERE = FUNCTION_WORDS | frozenset(_WORDINGS["elsewhere"].split())
_ENGLISH = STOP_WORDS - _ELSEWHERE
_FOREIGN = frozenset(key_words(" ".join(_ELSEWHERE)).values())
_LACKING = frozenset(word for said in _WORDINGS["lacking"] for word in said.casefold().split())
_ASKING = frozenset(_WORDINGS["asking"].split())
_LITTLE_WORDS = frozenset().union(*function_words().values())
_ELIDED = re.compile(r"(?i)\b(?:[cdjlmnst]|qu)['’](?=[^\W\d_]{2})")
_LISTED = frozenset(
    "french spanish italian portuguese dutch polish russian turkish arabic"
    " czech danish finnish greek hindi hungarian norwegian romanian swedish".split()
)
"""Languages whose little words are all those of language detection."""
_DECLINED = ("e", "em", "en", "er", "es")
_ADDRESSING = frozenset("i sie ihr ihre ihrem ihren ihrer ihnen du dir dich dein deine euch euer".split())
"""What is written with a capital although it names nobody."""
_SHORTEST_DECLINED = 3
_POSSESSIVE, _SUFFIX = re.compile(r"['’][sS]$"), re.compile(r"['’]\w*$")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ASKED_UNSPACED = re.compile(
    r"[说讲做](?:过|了)?什么|何を(?:[話言]|し(?!て))\w*|뭐라고?\s(?:했|말)\w*|为什么|什么时候|什么|怎么样?|多少|几[点号岁月个次]?|哪[里儿个天]?|谁|吗|呢|何[時歳人色曜日]?|なん[でだの]?|誰|どこ|いつ|いくら|どう|だっけ|っけ"
    r"|(?<!\w)(?:어디|언제|누구|누가|무슨|무엇|뭐|뭘|왜|어떻게|얼마|몇|내가?|나[는의]?|제가?|저[는의]?)\w*"
)
"""Question words of languages that write them without spaces, or with a particle at the end."""
_PARTICLES = re.compile("[\u3040-\u309f]+")  # Hiragana alone is grammar more often than meaning


def hear(text: str) -> ClassifiedMessage:
    """Classify a message by its last sentence, ignoring a final greeting or thanks."""
    said = sentences(text)
    courteous = next((act for act in map(_courtesy, said) if act), None)
    telling = [_after_greeting(sentence) for sentence in said if not _courtesy(sentence)]
    while len(telling) > 1 and _ASIDE.match(telling[-1]):
        telling.pop()
    if not telling:
        return ClassifiedMessage(courteous or MessageKind.STATEMENT)
    if not is_question(telling[-1]):
        return ClassifiedMessage(MessageKind.STATEMENT)
    start = len(telling)
    while start and is_question(telling[start - 1]):
        start -= 1
    return ClassifiedMessage(MessageKind.QUESTION, " ".join(telling[start:]))


def _after_greeting(sentence: str) -> str:
    greeting = _OPENING.match(sentence)
    return sentence[greeting.end() :] if greeting else sentence


def _courtesy(sentence: str) -> MessageKind | None:
    for act, pattern in _COURTESIES:
        if pattern.match(sentence):
            return act
    return None


def is_question(sentence: str) -> bool:
    """Return whether a sentence asks, by its question mark or its first words."""
    return is_marked_question(sentence.rstrip(_CLOSING)) or opens_like_a_question(sentence)


def asks(text: str) -> bool:
    """Return whether a text consists of questions alone."""
    said = sentences(text)
    return bool(said) and all(map(is_question, said))


def tells(text: str) -> bool:
    """Return whether a text states something: more than questions, greetings, thanks and words such as "ok"."""
    return any(key_words(one) and not is_question(one) and not _courtesy(one) for one in sentences(text))


def is_about_lyra(question: str) -> bool:
    """Return whether a question is about what Lyra is, likes or can do, rather than what she remembers."""
    return _TO_LYRA.search(question) is not None


def asks_to_be_reminded(text: str) -> bool:
    """Return whether a message asks to be reminded of something later; of a long one, its beginning is read."""
    return _REMINDER.search(text[:_LONGEST_REMINDER]) is not None


def is_unanswerable(question: str) -> bool:
    """Return whether no message answers a question: what Lyra feels for the asker, what she is, advice, a sum, what she does not know."""
    return bool(_FEELS.match(question) or _UNANSWERABLE.search(question))


def asks_the_time(text: str) -> bool:
    """Return whether a message asks what time or day it is."""
    return _CLOCK.fullmatch(text) is not None


def tells_nothing_of(text: str, question: str) -> bool:
    """Return whether a text has nothing beside a question's words, their slips, and those of who needs, lost or forgot what is asked for."""
    asked = all_stems(question).union(*map(telling, all_stems(question)))
    words = {word.casefold().replace("’", "'").removesuffix("'s") for word in _WORD.findall(question)}
    lacks = False
    for at, word in enumerate(_WORD.findall(unelided(text))):
        small = word.casefold().replace("’", "'").removesuffix("'s")
        if small in words or not asked.isdisjoint(all_stems(small)) or small == "lyra":
            continue
        lacking = small in _LACKING or small in _ASKING or any(is_slip(small, one) for one in words & _ASKING)
        lacks = lacks or lacking
        is_little = small in STOP_WORDS or small in _ELSEWHERE or small in _LITTLE_WORDS or stem(small) in _KINDS
        if (at and word[0].isupper() and word != "I") or not (lacking or is_little):
            return False
    return (lacks or not words.isdisjoint(_ASKING)) and set(Correctable(text).figures) <= set(Correctable(question).figures)


def topic(question: str, asked_in: str = "") -> Topic:
    """Return the topic of a question, or of a part of what is `asked_in` one.

    Fragments of a script without spaces are searched for, but not reported.
    """
    question = _ASKED_UNSPACED.sub(" ", unelided(question))
    written = {found.casefold().replace("’", "'"): found for found in _WORD.findall(question)}
    # "son", "war" and "hat" mean something in English only
    english = not _ENGLISH.isdisjoint(tokens(question))
    spoken = language(tokens(question))
    told = detect_language(asked_in or question)
    named = _names(question, spoken)
    little = function_words()[spoken] if spoken in _LISTED else frozenset()
    admit: dict[str, str] = {}
    unspaced: set[str] = set()
    weak: set[str] = set()
    for word, stemmed in key_words(question).items():
        if unspaced_part(word) and "hangul" not in scripts_of(word):
            unspaced.update({stemmed} if len(word) > 1 and not _PARTICLES.fullmatch(word) else ())
        elif unspaced_part(word) and word not in written:
            unspaced.add(stemmed)  # of a Korean word, which may have a particle
        elif stemmed in _KINDS:
            weak.add(stemmed)
        elif (
            stemmed and stemmed not in _EMPTY and (english or word in named or not (word in little or _is_grammar(word, stemmed)))
        ):
            admit.setdefault(stemmed, (_SUFFIX if told == "turkish" else _POSSESSIVE).sub("", written.get(word, word)))
    spelled = dict(spelled_stems(question))
    made_of: dict[str, list[frozenset[str]]] = {}
    for word, own in key_words(question).items():
        if own in admit and len(word) >= _SHORTEST_DECLINED:
            spelled[own] |= {stemmed for form in declined(word, told) for stemmed in key_words(form).values()}
    if spoken in (GERMAN, None):  # "Wo singt Mira?" is too short to tell
        spelled |= {own: spelled[own] | frozenset(map(stem, verb_forms(word))) for word, own in key_words(question).items()}
    if spoken in LANGUAGES:
        large = {stemmed: word.casefold() for stemmed, word in admit.items() if len(word) >= SHORTEST}
        for (one, first), (other, last) in permutations(large.items(), 2):
            made = frozenset(map(stem, joined(first, last)))
            spelled |= {one: spelled[one] | made, other: spelled[other] | made}
        made_of = {stemmed: [frozenset(map(stem, pair)) for pair in splits(word)] for stemmed, word in large.items()}
    return Topic(admit, frozenset(unspaced), frozenset(weak), spelled, made_of)


def unelided(text: str) -> str:
    """Return a text without what French puts before an apostrophe: "d'enfants", "l'appart"."""
    return _ELIDED.sub(" ", text)


def _is_grammar(word: str, stemmed: str) -> bool:
    """Return whether a word is a function word of another language than English, or one declined; "Luis" is no form of "lui"."""
    return word in _ELSEWHERE or (stemmed in _FOREIGN and word.endswith(_DECLINED))


def _names(question: str, spoken: str | None) -> frozenset[str]:
    """Return the names in a question that are function words of other languages: first names, and what has a capital ("Hans")."""
    grammar = _ADDRESSING | function_words().get(spoken or "", frozenset())
    later = (word.casefold() for word in _WORD.findall(question)[1:] if word[0].isupper())
    return frozenset(later) - grammar | (first_names(tokens(question), spoken) if spoken else frozenset())


def in_compounds(about: Topic, texts: Iterable[str]) -> Topic:
    """Return a topic with the compounds of these texts that have a word of it which none of those that state something has alone."""
    stated = [(text, all_stems(text)) for text in texts if tells(text)]
    apart = about.strong.difference(*(stems for _, stems in stated))
    # A note such as "Zahnarzttermin um 10" tells no language; a question with parts of compounds does.
    spoken = LANGUAGES | {None} if about.made_of else LANGUAGES
    long = frozenset().union(*(stems for text, stems in stated if apart and language(tokens(text)) in spoken))
    made = {one: frozenset(stem for stem in long if is_part(one, stem)) for one in apart}
    return replace(about, spelled={**about.spelled, **{one: about.spelled.get(one, frozenset()) | made[one] for one in apart}})
