"""Parsing a question: its words, whose words it asks for, and of what time."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from memory.index.indexing import ENGLISH, MESSAGES
from memory.index.recall.breadth import Breadth, breadth, names_listed, speaks
from memory.index.recall.documents import forms_of_name
from memory.index.recall.domain_indexes import Loaded
from memory.index.recall.unknown_words import with_compounds, with_meant
from memory.index.when.told_times import asked_ahead, asks_ahead
from memory.index.when.values import TimedQuestion, Window
from memory.index.when.vocabulary import DOINGS, LIGHT
from memory.text import lexical
from memory.text.display_names import LYRA, TAG
from memory.text.language_detection import language as language_of
from memory.text.off_loop import off_loop
from memory.text.word_forms.name_forms import declined, is_cyrillic, transliterated
from memory.text.word_forms.spellings import other_spellings
from memory.text.word_forms.verb_forms import GERMAN, PAST_FORMS, past_stems, verb_forms, with_s

_MINE = {
    "english": r"i|i'm|i've|i'd|i'll|me|my|mine|myself",
    "german": r"ich|mich|mir|mein|meine[mnrs]?",
    "french": r"je|j'\w+|moi|mon|ma|mes",
    "spanish": r"yo|mi|mis|mí",
    "italian": r"io|mio|mia|miei|mie",
    "portuguese": r"eu|meu|minha|meus|minhas",
    "dutch": r"ik|mij|mijn",
}
# "Can you tell me what I said" still asks for the asker's words.
_YOURS = {
    "english": r"(?:did|have|had) you|you (?:said|told|suggested|recommended|mentioned|advised|explained|answered|wrote|promised)"
    r"|your (?:\w+ )?(?:advice|answer|suggestion|recommendation|reply|explanation|recipe|poem|story|joke|promise|idea|tip)s?",
    "german": r"hast du|hattest du|sagtest du|du (?:hast|hattest|sagtest)"
    r"|deine? (?:\w+ )?(?:rat|antwort|vorschlag|vorschläge|ideen?|rezepte?|gedichte?|geschichte|witz|tipps?|versprechen)",
    "french": r"(?:as-tu|tu (?:m')?as|t'as) (?:dit|écrit|proposé|conseillé|recommandé|promis)|(?:ton|ta|tes) (?:conseil|réponse|recette|poème|idée|histoire|blague|promesse)s?",
    "spanish": r"(?:me )?(?:dijiste|escribiste|sugeriste|recomendaste|aconsejaste|prometiste|propusiste)|tus? (?:consejo|respuesta|receta|poema|idea|historia|chiste|promesa)s?",
}
_SAYING = (
    r"say|says|said|tell|tells|told|mention(?:s|ed)?|writes?|wrote|suggest(?:s|ed)?|recommend(?:s|ed)?|advised?|promised?"
    r"|sagte?|erzählte?|schrieb|dijo|contó|escribió|disse"
)
_WHO_SAYS = (
    rf"{{name}}(?:(?:,|,? (?:and|or|und|oder|y|o|et|ou)) \w+)* (?:\w+ )?(?:{_SAYING})", r"(?:hat|habe) {name} (?:.+ )?(?:gesagt|erzählt|geschrieben)", r"(?:dijo|contó|disse) {name}",
    r"{name} a (?:dit|raconté|écrit)", r"a (?:dit|raconté|écrit) {name}",
)  # fmt: skip


MOST_CHARACTERS = 4_000
MOST_WORDS = 400
"""The limits of a question; of a longer one, the beginning and the end are kept, as they tell what it is about."""
_CYRILLIC = frozenset({"russian", "serbian"})
_NAME = re.compile(r"(?<=\w )[^\W\d_a-zа-яё][\w']+")
_FEW = 3
"""In how many languages a mistyped word is looked for where that of the question is not known."""


class Query(NamedTuple):
    """A question: its text, the number of hits wanted, and filters by kind, session, time (`within`), speaker and items.

    `asker` is the name of the person asking among several, '' where Lyra has only one to talk with. `now` and `time_zone`
    define what "yesterday" means; `window` is the time asked for if the text names none. `by_words` ignores vectors.
    """

    text: str
    k: int
    kinds: tuple[int, ...] = (MESSAGES,)
    session: int | None = None
    exclude: Collection[int] = ()
    asker: str = ""
    now: int = 0
    time_zone: str = "UTC"
    window: Window | None = None
    within: Window | None = None
    speaker: str = ""
    by_words: bool = False


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query.

    `words` maps each word as written to its terms in every language in view; `text` is what gets embedded. `voices` are the
    speakers whose words it asks for (`alone`: it names nothing else), `of_people` asks for the words of anybody but Lyra,
    `of_lyra` for hers. `at_large` asks for anything said or done at a time, `sayers` are those who said what it asks for,
    `ahead` means that its time is still to come, `breadth` how much it asks for, `mistyped` are words taken for others,
    `names` how many it lists, `naming` the words that name a speaker, `across` means that it is compared across languages,
    `as_one` that they are all one to its embedder.
    """

    words: Mapping[str, Sequence[int]]
    text: str
    voices: frozenset[str]
    alone: bool
    of_people: bool
    of_lyra: bool
    asked: TimedQuestion
    window: Window | None = None
    at_large: bool = False
    sayers: frozenset[str] = frozenset()
    ahead: bool = False
    breadth: Breadth = Breadth.ONE
    mistyped: frozenset[str] = frozenset()
    names: int = 0
    naming: frozenset[str] = frozenset()
    across: bool = False
    as_one: bool = False


async def times(query: Query) -> TimedQuestion:
    """Return the times that a query tells; a long query is parsed off the event loop, which it would block."""
    read = partial(asked_ahead, ends(query.text), query.now, query.time_zone)
    return await off_loop(len(query.text), read)


def parse_query(query: Query, timed: TimedQuestion, loaded: Sequence[Loaded]) -> ParsedQuery:
    """Parse a query, given its times, against the domains in view.

    Names of speakers are left out of the embedded text unless nothing else is left: a name draws the vector to every message
    that contains it. (On conversations between friends, this took the evidence that vectors alone find in the top ten from 25
    to 64 percent.)
    """
    query = query._replace(text=ends(query.text))
    # The words "last week" in a message from another time are not what is asked for.
    window = query.window or timed.window
    if window and window.instead and not _any_in(window, loaded) and _any_in(window.instead, loaded):
        window = window.instead
    text = timed.rest if window and not timed.dated else query.text
    languages = sorted({ENGLISH}.union(*(one.languages for one in loaded)))
    words = _outer(lexical.query_terms(text, languages))
    detected = language_of(lexical.tokens(query.text))
    words = _as_told(_telling(words) if window else words, german=GERMAN in languages and detected in (GERMAN, None))
    words = _as_written(words, text, detected, languages)
    called = _called(query, [*words, *_capitalized(query.text)], loaded)
    words = with_compounds(words, detected, loaded)
    words, meant = with_meant(words, [detected] if detected else languages[:_FEW], loaded, called, query.exclude)
    hers = {name for one in loaded for name in one.domain_indexes[MESSAGES].documents.hers}
    voices, sayers = _fullest(called), _fullest({word: called[word] for word in called if _says(word, query.text)})
    language = detected or ENGLISH
    yours = speaks(_YOURS, language, query.text)
    mine = not yours and speaks(_MINE, language, query.text)
    if mine and query.asker:
        voices |= {query.asker}
    alone = bool(called) and set(called) >= set(words)
    text = _as_meant(text if alone else _without(text, called), meant)
    yours = yours or bool(voices & hers and not mine and not _called_upon(query.text, called))
    at_large = window is not None and lexical.query_stems(timed.rest) <= DOINGS
    return ParsedQuery(
        words, text, voices - hers, alone, mine and not query.asker, yours, timed, window, at_large, sayers - hers,
        window is not None and asks_ahead(query.text, window, query.now), breadth(query.text, language), frozenset(meant), names_listed(query.text),
        frozenset(called),
    )  # fmt: skip


def asks_for_hers(text: str) -> bool:
    """Return whether a question asks for what Lyra said."""
    return speaks(_YOURS, language_of(lexical.tokens(text)) or ENGLISH, text) or _says(LYRA, text)


def _as_meant(text: str, meant: Mapping[str, str]) -> str:
    """Return a text with its mistyped words as they are meant, as a slip leads its vector astray; what may be a name is left."""
    for word, form in meant.items():
        text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", form, text)
    return text


def _telling(words: dict[str, list[int]]) -> dict[str, list[int]]:
    """Return the words of a question about a time without light verbs: in "how far did I run" and "go climbing" the other word is
    what is asked for.
    """
    return {word: terms for word, terms in words.items() if word not in LIGHT} or words


def _as_told(words: dict[str, list[int]], *, german: bool) -> dict[str, list[int]]:
    """Add other forms of verbs to the words of a question: "when did I break it" also finds "broke", and "wer singt?" "ich singe",
    but "say that again" not all that was said.
    """
    return {
        word: terms if lexical.stem(word) in DOINGS else list(dict.fromkeys([*terms, *_forms(word, german=german)]))
        for word, terms in words.items()
    }


def _forms(word: str, *, german: bool) -> Iterable[int]:
    yield from (lexical.term(lexical.stem(form)) for form in PAST_FORMS.get(word, ()))
    if word.endswith("ing"):
        yield from map(lexical.term, sorted(past_stems(lexical.stem(word))))
    if german:
        yield from (lexical.term(lexical.stem(form, GERMAN), GERMAN) for form in sorted(verb_forms(word)) + with_s(word))


def _as_written(words: dict[str, list[int]], text: str, detected: str | None, languages: Sequence[str]) -> dict[str, list[int]]:
    """Add what the words of a question look like elsewhere: "Juergen" also finds "Jürgen", "wi-fi" "wifi", and "Elenę" "Elena"."""
    forms = {word: set(some) for word, some in other_spellings(text, words).items()}
    for word in _in_other_alphabets(text, words, languages):
        forms[word] = forms.get(word, set()) | set(transliterated(word))
    declining = [] if detected == ENGLISH else [detected] if detected else languages
    for word in words:
        forms[word] = forms.get(word, set()).union(*(declined(word, name) for name in declining))
    return {
        word: list(
            dict.fromkeys(
                [*terms, *(lexical.term(lexical.stem(form, name), name) for form in sorted(forms[word]) for name in languages)]
            )
        )
        for word, terms in words.items()
    }


def _in_other_alphabets(text: str, words: Iterable[str], languages: Sequence[str]) -> list[str]:
    """Return the words that may be names which a message in view spells in the other alphabet: capitalized, but not first."""
    if _CYRILLIC.isdisjoint(languages) and not any(map(is_cyrillic, words)):
        return []
    names = {word.casefold().removesuffix("'s") for word in _NAME.findall(text.replace("’", "'"))}
    return [word for word in words if word.removesuffix("'s") in names]


def _any_in(window: Window, loaded: Sequence[Loaded]) -> bool:
    """Return whether any message was said in a window or tells of it."""
    return any(bool(one.domain_indexes[MESSAGES].documents.then(window, ahead=True)[0].any()) for one in loaded)


def ends(text: str) -> str:
    """Return a text, cut to its beginning and end if it is too long, at word boundaries if it has any."""
    if len(text) <= MOST_CHARACTERS or len(text := text.strip()) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half].rsplit(maxsplit=1)[0]}\n{text[-half:].split(maxsplit=1)[-1]}"


def _outer(words: dict[str, list[int]]) -> dict[str, list[int]]:
    """Return the words, cut to the first and last if there are too many."""
    return dict([*words.items()][: MOST_WORDS // 2] + [*words.items()][-MOST_WORDS // 2 :])


def _says(name: str, text: str) -> bool:
    """Return whether a question asks for what the bearer of a name said."""
    named = re.escape(_plain(name))
    return any(re.search(rf"(?i)\b(?:{form.format(name=named)})\b", text) for form in _WHO_SAYS)


def _capitalized(text: str) -> list[str]:
    """Return stop words that are capitalized although they do not start a sentence: such a word may be a name."""
    return [word.lower() for word in re.findall(r"(?<=\S\s)[A-Z]\w+", text) if word.lower() in lexical.STOP_WORDS]


def _called_upon(text: str, called: Iterable[str]) -> bool:
    """Return whether a text begins by addressing one of these names."""
    first = lexical.tokens(text)[:1]
    return bool(first) and first[0] in called


def _called(query: Query, words: Iterable[str], loaded: Sequence[Loaded]) -> dict[str, set[str]]:
    """Return the words that are part of a speaker's name, with these speakers."""
    every = [one.domain_indexes[kind].documents.called for one in loaded for kind in query.kinds]
    found: dict[str, set[str]] = {}
    for word in words:
        for form in forms_of_name(_plain(word)):
            found.setdefault(word, set()).update(*(called.get(form, ()) for called in every))
    return {word: speakers for word, speakers in found.items() if speakers}


def _fullest(called: Mapping[str, set[str]]) -> frozenset[str]:
    """Return the speakers named: of those who share a word, the ones with most of their words in the question."""
    named = Counter(speaker for speakers in called.values() for speaker in speakers)
    # A name without a tag does not mean its tagged bearers as long as there is an untagged one.
    for speaker in list(named):
        tag = TAG.search(speaker)
        if tag and tag[1] not in called and TAG.sub("", speaker) in named:
            named[speaker] = 0
    return frozenset(
        speaker
        for speakers in called.values()
        for speaker in speakers
        if named[speaker] and named[speaker] == max(named[other] for other in speakers)
    )


def _plain(word: str) -> str:
    return word.removesuffix("'s")


def _without(text: str, words: Collection[str]) -> str:
    """Return a text without these words and their possessive endings."""
    for word in words:
        text = re.sub(rf"(?<!\w){re.escape(_plain(word))}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE)
    return " ".join(text.split())
