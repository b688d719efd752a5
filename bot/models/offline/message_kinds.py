"""Classification of messages by words (greeting, thanks, question, statement), and the topic of a question."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import permutations

from bot.models.offline.sentence_splitting import is_marked_question, split
from memory.text.function_words import FUNCTION_WORDS
from memory.text.language_detection import language
from memory.text.lexical import STOP_WORDS, all_stems, key_words, spelled_stems, stem, tokens
from memory.text.unmarked_questions import opens_like_a_question
from memory.text.word_forms.compound_words import LANGUAGES, SHORTEST, is_part, joined, splits
from memory.text.word_forms.german_verbs import GERMAN, verb_forms


class MessageKind(Enum):
    """The kind of a message."""

    GREETING = auto()
    FAREWELL = auto()
    THANKS = auto()
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


_TAIL = r"(?:[\s,]+(?:there|lyra|again|everyone|all|dear|so much|very much|a lot|bien|schön|mille))*[\s.!,…]*$"
_HELLO = (
    r"(?i)(?:hi+|hello|hey+|hiya|yo|good (?:morning|evening|afternoon|day)|greetings|hallo|moin|servus|guten (?:morgen|tag|abend)"
    r"|bonjour|bonsoir|salut|hola|buen[oa]s (?:días|tardes|noches)|ciao|buongiorno|olá|oi)"
)
_GREETING = re.compile(_HELLO + _TAIL)
_OPENING = re.compile(_HELLO + r"(?:\s+(?:lyra|there))?(?:(?<=lyra)|\s*,)[\s,]+(?=\w)")
"""A greeting that opens a sentence with something else in it."""
_FAREWELL = re.compile(
    r"(?i)(?:bye(?: bye)?|goodbye|good night|see you(?: later| soon| tomorrow)?|tschüss|gute nacht|bis (?:bald|später|morgen|dann)|au revoir|adiós)"
    + _TAIL
)
_THANKS = re.compile(r"(?i)(?:many )?(?:thanks|thank you|thx|ty|cheers|danke|merci|gracias|grazie|obrigad[oa]|dank je)" + _TAIL)

_ASIDE = re.compile(
    r"(?i)(?:sorry,? )?i (?:forgot|forget|can['’]?t (?:remember|recall)|don['’]?t (?:remember|know|recall))(?: it| that)?[\s.!…]*$"
)
_TO_LYRA = re.compile(
    r"(?i)\b(?:are|were|can|could|will|would|do|did|have) you (?!ever\b|remember|recall|remind|know|tell|say|find|show|have\b)|^(?:tell me an?|erzähl\w* (?:mir|uns) eine?n?|cuéntame una?|raconte-moi une?) |^(?:na,? )?wie geht(?:['’]?s| es)(?: (?:dir|ihnen))?\b(?! \w*(?:mein|dein|ihr|sein|unser|de[rnm]|die))|^was machst du\b"
)
_FEELS = re.compile(
    r"(?i)^\W*(?:do|did|don['’]?t) you (?:like|love|hate|miss|trust) (?:me|us)\b|^\W*(?:magst|liebst|hasst|vermisst) du (?:mich|uns)\b"
)

# Words that only state the kind of answer wanted: they help to find it, but "nothing about name" would report no gap.
_KINDS = frozenset(
    stem(word.casefold())
    for word in """
    name names named call called kind sort type thing things time times day days date year years place number amount person people
    heißen heißt heiße hieß appelle appeler llama llamo llamar chiama chiamo nombre nom nome naam
    """.split()
)
# Words of asking, remembering and time, and verbs of little meaning: neither searched for nor reported.
_EMPTY = frozenset(
    stem(word.casefold())
    for word in """
    something anything everything stuff week month hour minute way one part detail details fact many much long often old about
    best better gern gerne liebsten viel viele vielen today yesterday tomorrow tonight morning evening night ago last next first ever always never now still currently recently
    lately already yet again before really also maybe exactly anyway anyhow together lyra monday tuesday wednesday thursday friday saturday sunday
    remember remind recall know knew known tell told say said saying talk talked mention mentioned speak spoke ask asked answer
    forget forgot think thought mean meant want wanted need find show help please
    get got go goes going went gone come came make made take took give gave put let keep kept use used happen happened
    erinnerst weißt kennst souviens recuerdas sabes sais
    """.split()
)
_ELSEWHERE = FUNCTION_WORDS | frozenset(
    """
    wer wen wem wessen was wann wo wohin woher warum wieso weshalb wie welche welcher welches welchen noch denn
    qui quoi quel quelle quels quelles quand où comment pourquoi combien est-ce qué quién cuándo dónde cómo cuál cuánto cuánta
    chi cosa quando dove perché come quale quanto quem onde qual wat waar wanneer hoe hast bist kannst habe hab habt hatte me no so do is he
    macht machst tut tust
    j'ai qu'est qu'est-ce avons avez ont suis sommes étais était étions que à
    кто что чего кого где куда откуда когда почему зачем как какой какая какое какие чей чья ты тебя тебе вы вас вам обо мне меня мой
    моя моё мои моего моей мою моих моему знаешь помнишь расскажи kto co czego kogo gdzie dokąd skąd kiedy dlaczego jak jaki jaka
    jakie jesteś ty ciebie mnie mój moja moje mojego mojej moją wiesz pamiętasz kim neyi nerede nereye neden nasıl hangi sen sana
    seni benim bana beni biliyorsun hatırlıyor musun mısın
    """.split()
)
_ENGLISH = STOP_WORDS - _ELSEWHERE
_FOREIGN = frozenset(stem(word.casefold()) for word in _ELSEWHERE)
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NO_SPACES = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
_PARTICLES = re.compile("[\u3040-\u309f]+")  # Hiragana alone is grammar more often than meaning


def hear(text: str) -> ClassifiedMessage:
    """Classify a message by its last sentence, ignoring a final greeting or thanks."""
    sentences = split(text)
    courteous = next((act for act in map(_courtesy, sentences) if act), None)
    telling = [_after_greeting(sentence) for sentence in sentences if not _courtesy(sentence)]
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
    for act, pattern in ((MessageKind.GREETING, _GREETING), (MessageKind.FAREWELL, _FAREWELL), (MessageKind.THANKS, _THANKS)):
        if pattern.match(sentence):
            return act
    return None


def is_question(sentence: str) -> bool:
    """Return whether a sentence asks, by its question mark or its first words."""
    return is_marked_question(sentence) or opens_like_a_question(sentence)


def tells(text: str) -> bool:
    """Return whether a text states something: more than questions, greetings, thanks and words such as "ok"."""
    return any(key_words(one) and not is_question(one) and not _courtesy(one) for one in split(text))


def is_about_lyra(question: str) -> bool:
    """Return whether a question is about what Lyra is, likes or can do, rather than what she remembers."""
    return bool(_TO_LYRA.search(question))


def asks_what_lyra_feels(question: str) -> bool:
    """Return whether a question is about what Lyra feels for the asker, which no message answers."""
    return bool(_FEELS.match(question))


def topic(question: str) -> Topic:
    """Return the topic of a question. Fragments of a script without spaces are searched for, but not reported."""
    written = {found.casefold().replace("’", "'"): found for found in _WORD.findall(question)}
    # "son", "war" and "hat" mean something in English only
    empty = _EMPTY if _ENGLISH.intersection(tokens(question)) else _EMPTY | _FOREIGN
    admit: dict[str, str] = {}
    unspaced: set[str] = set()
    weak: set[str] = set()
    for word, stemmed in key_words(question).items():
        if _NO_SPACES.search(word):
            unspaced.update({stemmed} if len(word) > 1 and not _PARTICLES.fullmatch(word) else ())
        elif stemmed in _KINDS:
            weak.add(stemmed)
        elif stemmed and stemmed not in empty:
            admit.setdefault(stemmed, re.sub(r"['’][sS]$", "", written.get(word, word)))
    spelled = dict(spelled_stems(question))
    made_of: dict[str, list[frozenset[str]]] = {}
    spoken = language(tokens(question))
    if spoken in (GERMAN, None):  # "Wo singt Mira?" is too short to tell
        spelled |= {stem(word): spelled[stem(word)] | frozenset(map(stem, verb_forms(word))) for word in key_words(question)}
    if spoken in LANGUAGES:
        large = {stemmed: word.casefold() for stemmed, word in admit.items() if len(word) >= SHORTEST}
        for (one, first), (other, last) in permutations(large.items(), 2):
            made = frozenset(map(stem, joined(first, last)))
            spelled |= {one: spelled[one] | made, other: spelled[other] | made}
        made_of = {stemmed: [frozenset(map(stem, pair)) for pair in splits(word)] for stemmed, word in large.items()}
    return Topic(admit, frozenset(unspaced), frozenset(weak), spelled, made_of)


def in_compounds(about: Topic, texts: Iterable[str]) -> Topic:
    """Return a topic with the compounds of these texts that have a word of it which none of those that state something has alone."""
    stated = [(text, all_stems(text)) for text in texts if tells(text)]
    apart = about.strong.difference(*(stems for _, stems in stated))
    long = frozenset().union(*(stems for text, stems in stated if apart and language(tokens(text)) in LANGUAGES))
    made = {one: frozenset(stem for stem in long if is_part(one, stem)) for one in apart}
    return replace(about, spelled={**about.spelled, **{one: about.spelled.get(one, frozenset()) | made[one] for one in apart}})
