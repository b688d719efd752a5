"""Of whom a message tells what is asked: of the person the question names, of its speaker, of the one it addresses, or of another.

Only the sentences that hold most of what is asked count. "Tom is allergic to nuts" does not answer "what is Ben allergic to?",
nor does Ben's "glad your son is okay" tell of a son of Ben's. What no word attributes to anybody stays. English and German are read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memory.index.hits import Certainty, Hit
from memory.index.indexing import ENGLISH
from memory.text import lexical
from memory.text.language_detection import function_words
from memory.text.language_detection import language as language_of
from memory.text.lazy_patterns import lazy_pattern
from memory.text.questions import is_question
from memory.text.sentence_splitting import sentences
from memory.text.told.named_things import KIN
from memory.text.word_forms.spellings import without_possessive

_GERMAN, _NAME = "german", r"[A-ZÀ-ÖØ-Þ][\w-]+"


def _words(words: str) -> re.Pattern[str]:
    return lazy_pattern(rf"(?i)(?<![\w'’-])(?:{words})(?![\w-])")


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How a language tells of whom a sentence is: words for its speaker, alone or with others, for whom it addresses and for others;
    the beginnings "she told me that" and "Ben is"; and a name in a question that may be a person's.
    """

    alone: re.Pattern[str]
    together: re.Pattern[str]
    addressed: re.Pattern[str]
    others: re.Pattern[str]
    reporting: re.Pattern[str]
    subject: re.Pattern[str]
    asked: re.Pattern[str]

    def of_speaker(self, sentence: str) -> bool:
        """Return whether a sentence is about its speaker, alone or with others."""
        return self.alone.search(sentence) is not None or self.together.search(sentence) is not None


_GRAMMARS: Mapping[str, _Grammar] = {
    ENGLISH: _Grammar(
        lazy_pattern(
            r"(?i)(?<![\w'’-])(?:i|me|my|mine|myself)(?![\w-])"
            r"|^\W*(?:(?:also|just|even|finally|already|recently) )*(?:been|got|had|went|took|bought|saw|made|found|met|\w{2,}ed)\b"
        ),
        _words("we|us|our|ours|ourselves"),
        _words("you|your|yours|yourself|yourselves"),
        _words("he|she|his|her|hers|him|himself|herself"),
        lazy_pattern(
            r"(?i)^\W*\w+ (?:has |had )?(?:told|tells|says|said|writes|wrote|thinks|thought)(?: (?:me|us))?(?: that)?\b"
        ),
        lazy_pattern(
            rf"^\W*(?P<name>{_NAME})(?:['’]s\b|(?:,? and {_NAME})?,? (?:\w+ly )?(?:is|was|are|were|has|had|have|can|can['’]t|could|will"
            r"|won['’]t|would|does|doesn['’]t|did|didn['’]t|\w{2,}s(?! (?:are|were|have|do|don['’]t|can|will|must|need|cost|go|come|start|end|hang|lie|live|stand|sit|fit|belong)\b)|\w{2,}ed|lost|broke|got|gave|went|came|took|made|bought|found|left|met"
            r"|told|saw|sold|won|wrote|drove|grew)\b)"
        ),
        lazy_pattern(
            rf"(?<=\w )(?<!\bin )(?<!\bat )(?<!\bto )(?<!\bfrom )(?<!\bnear )(?P<name>{_NAME})(?: {_NAME})*(?:['’]s)?(?![\w-])"
        ),
    ),
    _GERMAN: _Grammar(
        _words(r"ich|mich|mir|mein\w{0,2}"),
        _words(r"wir|uns|unser\w{0,2}"),
        _words(r"du|dich|dir|dein\w{0,2}|euch|euer|eure\w?"),
        _words(r"er|sie|ihm|ihn|ihr\w{0,2}|sein(?:e[mnrs]?)?"),
        lazy_pattern(
            r"(?i)^\W*\w+ (?:hat (?:mir|uns) (?:erzählt|gesagt|geschrieben)|sagte?|meinte?|erzählte?|schreibt|schrieb)(?: (?:mir|uns))?,? dass\b"
        ),
        lazy_pattern(
            rf"^\W*(?:(?:[Aa]m )?\w+ [a-zäöüß]+ (?P<then>{_NAME})(?= [a-zäöüß])"
            rf"|(?P<name>{_NAME})(?: und {_NAME})? (?:ist|war|sind|waren|hat|hatte|haben|kann|will|wird|muss|[a-zäöüß]{{2,}}te?)\b"
            rf"|(?:\w+ )+von (?P<of>{_NAME}) |(?P<whose>[A-ZÄÖÜ][a-zäöüß]+)s (?=[A-ZÄÖÜ]))"
        ),
        lazy_pattern(
            r"^\W*(?:\w+ ){0,2}(?:wo\w*|w[aeio]\w+|welche\w*(?: \w+)?) (?!(?:d(?:er|ie|as|e[nm])|(?:k?ein|[mds]ein|ihr|unser)\w*) )[a-zäöüß]+(?: sich)?"
            r" (?P<name>[A-ZÄÖÜ]\w*(?:[^\Ws]|s(?! [A-ZÄÖÜ])))\b"
            rf"|\bvon (?P<of>{_NAME})|(?P<whose>[A-ZÄÖÜ][a-zäöüß]+)s (?=[A-ZÄÖÜ])"
            r"|^\W*(?![Ww])[A-ZÄÖÜa-zäöü][a-zäöüß]*t (?P<first>[A-ZÄÖÜ][a-zäöüß]+)\b"
        ),
    ),
}
_OWN_KIN = lazy_pattern(rf"(?i)(?<!\w)(?:my|our|mein\w{{0,2}}|unser\w{{0,2}}) (?:[\w-]+ )?(?:{KIN})(?!\w)")
_WORD, _ONESELF = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*"), _words(r"i|me|my|mine|myself|ich|mich|mir|mein\w{0,2}")
_GREETING = r"(?:hey|hi|hello|thanks|thank you|wow|oh|yeah|yes|yep|sure|great|cool|nice|good (?:morning|evening|night)|congrats|well|so|sorry|dear|ok(?:ay)?|bye|hallo|danke|ja|liebe[rn]?|guten morgen)"
_SAYING = lazy_pattern(
    r"(?i)\b(?:says?|said|tells?|told|mention\w*|suggest\w*|recommend\w*|advi[cs]e\w*|thinks?|thought|feels?|opinions?|sag\w*|gesagt|erzähl\w*|rät|denk\w*|findet)\b"
)
_NO_NAME = lexical.STOP_WORDS | frozenset(
    """der die das ein eine mein meine dein deine unser unsere sein seine ihr ihre es man heute gestern morgen jetzt dann dort hier nun
    wir er sie ich du today yesterday tomorrow tonight work dinner lunch breakfast everything nothing something everyone nobody lyra
    monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag
    january february march april may june july august september october november december
    januar februar märz mai juni juli oktober dezember""".split()
)
_SHORT = 3
_LONGEST = 600
"""Messages of more characters tell of so much that no sentence stands for all."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """Whom a question asks about: the bearer of a name (its words, lower case), or its speaker if it names nobody.

    `stems` are those of its other words; `two` means that only two people talk.
    """

    name: frozenset[str]
    stems: frozenset[str]
    language: str
    two: bool


@dataclass(frozen=True, slots=True)
class _Message:
    """A hit with its sentences, and the grammar that they are read by."""

    hit: Hit
    sentences: Sequence[str]
    grammar: _Grammar


def apart_from_others(question: str, hits: Mapping[int, Hit], asker: str = "") -> Mapping[int, Hit]:
    """Return hits with those weak that tell what is asked of somebody else than the question is about.

    `asker` is the name of who asks among others. The very hits are returned if none is weakened.
    """
    some = {key: hit for key, hit in hits.items() if hit.certainty is not Certainty.WEAK}
    asked = _whom_asked(question, hits) if some else None
    if asked is None:
        return hits
    others = [key for key, hit in some.items() if _tells_of_another(asked, hit, asker)]
    return {**hits, **{key: hits[key]._replace(certainty=Certainty.WEAK) for key in others}} if others else hits


def _whom_asked(question: str, hits: Mapping[int, Hit]) -> _Asked | None:
    """Return whom a question asks about; None if that is nobody ("painted"), several people, or what somebody said."""
    best = next(iter(hits.values())).exchange.text
    language = language_of(lexical.tokens(question)) or _mostly(question, _mostly(best, ENGLISH))
    if language not in _GRAMMARS or _SAYING.search(question):
        return None
    grammar = _GRAMMARS[language]
    speakers = {hit.exchange.speaker for hit in hits.values() if hit.exchange.role == "user"}
    names = _names(question, grammar, speakers, hits)
    if len(names) > 1 or (not names and (_OWN_KIN.search(question) or not _ONESELF.search(question))):
        return None
    name = next(iter(names), frozenset())
    stems = _stems(question, language) - {lexical.stem(word, language) for word in name}
    return _Asked(name, frozenset(stems), language, len(speakers) == 2)


def _mostly(text: str, unknown: str) -> str:
    """Return whether a text is rather German or English, by its function words."""
    words = set(lexical.tokens(text))
    german, english = len(words & function_words()[_GERMAN]), len(words & lexical.STOP_WORDS)
    return unknown if german == english else _GERMAN if german > english else ENGLISH


def _names(question: str, grammar: _Grammar, speakers: set[str], hits: Mapping[int, Hit]) -> set[frozenset[str]]:
    """Return the names of people in a question that somebody bears or that a message tells of."""
    words = {_bare(word) for word in _WORD.findall(question)} - _NO_NAME
    found = {frozenset(own) for speaker in speakers if (own := words & set(_WORD.findall(speaker.casefold())))}
    texts = [hit.exchange.text for hit in hits.values()]
    for name in _names_found(grammar.asked, question):
        if any(name in text and not is_question(text) for text in texts) and _bare(name) not in _NO_NAME.union(*found):
            found.add(frozenset((_bare(name),)))
    return found


def _tells_of_another(asked: _Asked, hit: Hit, asker: str) -> bool:
    """Return whether a message tells what is asked of somebody else, and in no sentence of who is asked about."""
    text = hit.exchange.text
    if hit.exchange.role == "assistant" or len(text) > _LONGEST:
        return False
    told, grammar = _sentences(text), _GRAMMARS[_mostly(text, asked.language)]
    held = [len(asked.stems & _stems(one, asked.language)) for one in told]
    telling = [at for at, n in enumerate(held) if n == max(held, default=0)]
    if asked.name and _bears(hit.exchange.speaker, asked.name) and all(is_question(told[at]) for at in telling):
        # Who asks that of the other may have told as much of themselves: "I took up pottery. Do you do any pottery?"
        telling += [at for at, one in enumerate(told) if not is_question(one) and grammar.of_speaker(one)]
    of_asked = {_is_of_asked(asked, _Message(hit, told, grammar), at, asker) for at in telling}
    return True not in of_asked and False in of_asked


def _is_of_asked(asked: _Asked, message: _Message, at: int, asker: str) -> bool | None:
    """Return whether a sentence of a message is about who is asked about; None if that cannot be told."""
    grammar, sentence, speaker = message.grammar, message.sentences[at], message.hit.exchange.speaker
    own = _OWN_KIN.sub(" ", sentence)
    if not asked.name:
        if asker and speaker.casefold() != asker.casefold():
            return None
        if grammar.of_speaker(grammar.reporting.sub(" ", own)):
            return True
        return False if _OWN_KIN.match(sentence) else _of_third(asked, message, at)
    if _tells_of(sentence, asked.name):
        return True
    if _bears(speaker, asked.name):
        if grammar.of_speaker(own):
            return True
        return False if grammar.addressed.search(own) or _takes_up(asked, message.hit) else None
    if grammar.addressed.search(own):
        return True if _is_addressed(asked, message.hit) else None
    third = _of_third(asked, message, at)
    if third is None and grammar.alone.search(own):
        return False
    return None if grammar.together.search(own) else third


def _of_third(asked: _Asked, message: _Message, at: int) -> bool | None:
    """Return whether a sentence is about who is asked about, by its subject or by whom its pronoun stands for."""
    grammar, said = message.grammar, message.sentences
    if _subject(asked, message, said[at]):
        return False
    if not grammar.others.search(said[at]):
        return None
    before = message.hit.before.text if message.hit.before else ""
    for earlier in (*said[:at][::-1], *_sentences(before)[::-1]):
        if _tells_of(earlier, asked.name):
            return True
        if _subject(asked, message, earlier) or any(
            _may_be_another(asked, name) for name in _names_found(grammar.asked, earlier)
        ):
            return False
    return None


def _subject(asked: _Asked, message: _Message, sentence: str) -> bool:
    """Return whether a sentence begins with the name of somebody else, perhaps after "my brother"."""
    kin, words = _OWN_KIN.match(sentence), _WORD.findall(message.hit.exchange.text)
    names = _names_found(message.grammar.subject, sentence[kin.end() :].lstrip(" ,") if kin else sentence)
    return any(_may_be_another(asked, name) and name.lower() not in words for name in names)


def _may_be_another(asked: _Asked, name: str) -> bool:
    bare = _bare(name)
    return not (bare in _NO_NAME or bare in asked.name or lexical.stem(bare, asked.language) in asked.stems)


def _takes_up(asked: _Asked, hit: Hit) -> bool:
    """Return whether a message takes up what somebody else told of what is asked just before, and does not answer a question."""
    before = hit.before
    if before is None or before.speaker == hit.exchange.speaker or before.role == "assistant" or is_question(before.text):
        return False
    both = _stems(before.text, asked.language) & _stems(hit.exchange.text, asked.language)
    return not asked.stems.isdisjoint(both)


def _is_addressed(asked: _Asked, hit: Hit) -> bool:
    asks = hit.before and _bears(hit.before.speaker, asked.name)
    return bool(asked.two or asks) or any(_addressing(word).search(hit.exchange.text) for word in asked.name)


def _bears(speaker: str, name: frozenset[str]) -> bool:
    """Return whether a speaker bears a name, perhaps a longer one: Mel is Melanie."""
    return any(
        word == one or (len(one) >= _SHORT and word.startswith(one)) for word in _WORD.findall(speaker.casefold()) for one in name
    )


def _tells_of(sentence: str, name: frozenset[str]) -> bool:
    """Return whether a sentence tells of the bearer of a name, and does not only address them."""
    return any(_named(word).search(_addressing(word).sub(" ", sentence)) for word in name)


@lru_cache(maxsize=1_000)
def _named(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?i)(?<!\w){re.escape(word)}(?:['’]?s)?(?!\w)")


@lru_cache(maxsize=1_000)
def _addressing(word: str) -> re.Pattern[str]:
    name = re.escape(word)
    return re.compile(rf"(?i)^\W*(?:{_GREETING}[,!.]? ){{0,2}}{name}\s*(?:[,!.:–—]|$)|[,!.?] *{name}\s*(?:[,!.?]|$)")


def _names_found(form: re.Pattern[str], text: str) -> Iterator[str]:
    """Return the names that a form of several finds in a text."""
    return (next(one for one in match.groupdict().values() if one) for match in form.finditer(text))


def _stems(text: str, language: str) -> set[str]:
    empty = function_words()[_GERMAN] if language == _GERMAN else lexical.STOP_WORDS
    return {lexical.stem(word, language) for word in lexical.tokens(text) if word not in empty}


def _sentences(text: str) -> list[str]:
    """Return the sentences of a message, and what its pictures show."""
    return sentences(text.replace("[image: ", "\n"))


def _bare(word: str) -> str:
    return without_possessive(word.casefold().replace("’", "'"))
