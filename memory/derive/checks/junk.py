"""What weak models write in place of a sentence about their sources.

Seen: the rules of the request and its examples, each with a label; data in place of sentences; links that nobody gave; questions
to the reader; words that share nothing with what they cite; clauses that nobody spoke of; a language of another script.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from memory.derive.checks.common_nouns import is_abstract
from memory.derive.checks.concrete_words import ConcreteWords
from memory.derive.checks.written_names import WrittenNames
from memory.ports import Source
from memory.text.display_names import LYRA
from memory.text.function_words import FIRST_PERSON, FUNCTION_WORDS
from memory.text.language_detection import language
from memory.text.lexical import key_words, stem, tokens, unspaced
from memory.text.questions import is_question
from memory.text.quotations import one_line
from memory.text.time.dates import MONTHS, WEEKDAYS
from memory.text.word_forms.verb_forms import past_stems

_MOOD = frozenset("mood tone atmosphere stimmung ton ambiente humeur".split())
"""The mood of a conversation is asked for, but seldom named in it."""
_LEAST_WORDS = 2
_MUCH = 3
_SPACED = re.compile(r"[^\W\d_]")
_OF_A_PROMPT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d|=== ?[0-9a-f]{16}|^[0-9a-f]{16} ?===")
"""What precedes the words of a source in a prompt."""
_EMPTY = frozenset(
    (*MONTHS, *WEEKDAYS, *"say says said tell tells told write writes wrote ask asks asked word words date thing things".split())
)
_DATA = re.compile(r"""[\[{]+\s*["'{]|["']\w+["']\s*:""")
_LINK = re.compile(r"\b(?:https?://|www\.)[^\s<>\"'()\[\]]+", re.IGNORECASE)
_TO_THE_READER = re.compile(
    r"(?:please )?(?:let me know|feel free|i hope (?:this|that) helps|would you like me)\b|(?:sure|certainly|gerne)[,!.]"
    r"|here (?:are|is) (?:the|your|a)\b|hier (?:sind|ist) (?:die|der|das|eine?)\b|(?:sag|sagen sie) (?:mir )?bescheid\b",
    re.IGNORECASE,
)
_OF_THE_ANSWER = re.compile(
    r"(?:please )?(?:note(?: that)?:? )?(?:the|these|this|all)(?: above)? (?:sentences?|lines?|summary|facts?|labels?|citations?)\b"
    r"(?: above)? (?:is|are|was|were|covers?|rests?|cites?)\b",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    r"(?:(?:unfortunately|sadly|sorry|overall|well|leider|also)[,!.]? )?"
    r"(?:i|we|you|my|our|your|ich|wir|du|mein\w{0,2}|dein\w{0,2}|unsere?\w?|je|nous|vous|tu|yo)(?:['’]\w+)? (?-i:[^\W\d_A-ZÀ-Þ])|as an ai\b",
    re.IGNORECASE,
)
"""A beginning in the first or second person, of which a digest does not tell whose it is."""
_OWN = re.compile(rf"\b(?:{FIRST_PERSON}|me|myself|us|mich|mir|uns|moi)\b", re.IGNORECASE)
_SOMEBODY = re.compile(r"(?:^|[.!?] )(?:he|she|er|sie|il|elle|él|ella)\b", re.IGNORECASE)
_QUOTATION = re.compile(
    r"(?P<name>[^\W\d_][^\s:;,.\"“„«]*) (?:said|asked|replied|responded|answered|wrote|added|sagte|fragte|antwortete|schrieb|meinte)"
    r"(?: \w+)?[:,]? [\"“„«](?P<quote>[^\"“”„«»]+)[\"”“»]"
)
"""Who said something, with the words."""
_CLAUSE = re.compile(r"[,;:.!?]\s|\b(?:and|but|because|so|while|which|who|after|before|since|und|aber|weil|während|nachdem)\b")
_FRAMING = frozenset(
    map(
        stem,
        """say says said tell tells told talk talked ask asks asked mention mentioned answer answered reply replied agree agreed promise
        promised feel feels felt mood happy sad glad relieved relief worried overjoyed playful excited relaxed tired grateful now still
        yet also again later then today time want wants wanted decide decided discuss discussed conversation remember
        sagt sagte fragt fragte erzählt erzählte berichtet antwortet bittet freut freute freude froh sorgen sorge angst glücklich dankbar traurig
        stimmung gespräch jetzt noch auch wieder will wollte möchte heute gemeinsam zusammen""".split(),
    )
)
"""What a digest may say of any message."""
_LEAST_SAID, _LEAST_CLAUSE, _HELD = 12, 2, 0.25
"""How many different words must have been said at least, how many content words make a clause a statement, and the share of these that
somebody must have used: more than this."""
_READ = frozenset(("english", "german"))
_LIGHT_GERMAN = FUNCTION_WORDS | frozenset(
    """beim ans ins vom aufs kein keine keinen keiner keinem dieser diese dieses diesem diesen deshalb darum sehr schon doch dort
    dabei damit dazu nun nur mehr man sich ihres seines seiner unsere unseren euer werden wurde wurden hatten kann können muss
    statt findet finden beide beiden geht gehen zeigt zeigen macht machen""".split()
)
_ALIKE, _SHORTEST_ALIKE = 5, 4
"""Words with so many first letters in common count as forms of one word."""
_WORD = re.compile(r"\w+")
_LABELS = re.compile(r"\[[^\]]*\]")
_EAST_ASIAN = frozenset("CJK HIRAGANA KATAKANA HANGUL BOPOMOFO IDEOGRAPHIC".split())
_RUN = 3
"""So many words in a row are the rules' if they stand there and in no source."""


class RequestRules:
    """The rules of a request."""

    def __init__(self, system: str) -> None:
        self._words = _folded_words(_LABELS.sub("", system))

    def hold(self, text: str, cited: Sequence[Source]) -> bool:
        """Return whether a sentence stands in the rules, or most of it does, and not in its sources."""
        said = _folded_words(text)
        words = said.split()
        given = [_folded_words(source.text) for source in cited]
        if len(words) < _LEAST_WORDS or any(said in one for one in given):
            return False
        runs = [f" {' '.join(words[at : at + _RUN])} " for at in range(len(words) - _RUN + 1)]
        theirs = sum(run in self._words and not any(run in one for one in given) for run in runs)
        return said in self._words or 2 * theirs > len(runs)


def _folded_words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def is_formless(text: str) -> bool:
    """Return whether a text is a piece of JSON, or what an assistant says before and after what it was asked for."""
    return bool(_DATA.match(text) or _TO_THE_READER.match(text) or _OF_THE_ANSWER.match(text))


def is_spoken(text: str) -> bool:
    """Return whether a sentence is said by or to somebody, as a refusal is, so that it does not tell whose it is."""
    return _SPOKEN.match(text) is not None


def copied_from(text: str, cited: Sequence[Source]) -> Source | None:
    """Return the message among the sources whose words a sentence copies, letter by letter but for its end, without saying whose they are.

    These are words with "I" or "you", a sentence that begins with "she", and all that only Lyra said.
    """
    line = one_line(text).rstrip(".!?… ")
    if len(line.split()) < _LEAST_WORDS:
        return None
    copy = re.compile(rf"(?<!\w){re.escape(line)}(?!\w)")
    holding = [source for source in cited if source.speaker and copy.search(one_line(source.text))]
    if is_spoken(line) or _OWN.search(line) or _SOMEBODY.search(line) or all(source.speaker == LYRA for source in holding):
        return next(iter(holding), None)
    return None


def misquotes(text: str, sources: Sequence[Source]) -> bool:
    """Return whether a sentence quotes words as somebody's that only others said, by the messages among the sources."""
    for quotation in _QUOTATION.finditer(text):
        quote = one_line(quotation["quote"]).rstrip(".!?… ")
        if len(quote.split()) < _LEAST_WORDS:
            continue
        said = re.compile(rf"(?<!\w){re.escape(quote)}(?!\w)", re.IGNORECASE)
        speakers = {source.speaker.casefold() for source in sources if source.speaker and said.search(one_line(source.text))}
        if speakers and not any(quotation["name"].casefold() in speaker.split() for speaker in speakers):
            return True
    return False


def asks(text: str) -> bool:
    """Return whether a sentence is a question of its own, not one that it reports."""
    return is_question(text) and ":" not in text


def links(text: str, cited: Sequence[Source]) -> list[str]:
    """Return the links of a sentence that stand in none of its sources."""
    found = [link.rstrip(".,;:!?") for link in _LINK.findall(text)]
    return [link for link in found if not any(link in source.text for source in cited)]


def is_in_another_script(text: str, cited: Sequence[Source]) -> bool:
    """Return whether a sentence is mostly in scripts without capitals that none of its sources is in: its names cannot be checked."""
    given = _scripts("".join(f"{source.speaker}{source.text}" for source in cited))
    written = _scripts(text)
    return 2 * sum(n for script, n in written.items() if script and script not in given) > sum(written.values())


def _scripts(text: str) -> Counter[str]:
    """Return how many letters of each script without capitals are in a text ('': of the others); East Asian ones count as one."""
    letters = Counter(letter for letter in unicodedata.normalize("NFKC", text) if letter.isalpha())
    found = Counter[str]()
    for letter, n in letters.items():
        script = unicodedata.name(letter, "").partition(" ")[0].partition("-")[0] if letter.lower() == letter.upper() else ""
        found["CJK" if script in _EAST_ASIAN else script] += n
    return found


def says_nothing(text: str, cited: Sequence[Source]) -> bool:
    """Return whether a sentence has no content words, or none that its sources contain, if both are in one language.

    Text that surrounds sources in a prompt counts as saying nothing, too.
    """
    if _OF_A_PROMPT.search(text) and not any(_OF_A_PROMPT.search(source.text) for source in cited):
        return True
    if unspaced(text) or any(text == source.text for source in cited):
        return False
    if is_bare(text):
        return True
    words = _words(text)
    if not _MOOD.isdisjoint(words):
        return False
    spoken = [word for source in cited for word in tokens(source.text)]
    speakers = [word for source in cited for word in tokens(source.speaker)]
    # A text too short for its language to be detected counts as being in that of its sources.
    told_in = language([*speakers, *spoken])
    if language(words) not in (None, told_in):
        return False
    # Of little, other words may tell, and of another language a sentence that is too short for its own; of much in English, a
    # sentence that shares the speaker's name alone is made up.
    is_much = told_in == "english" and len(set[str]().union(*(_telling(source.text) for source in cited))) >= _MUCH
    shared = spoken if is_much else [*speakers, *spoken]
    return _telling(text).isdisjoint(map(stem, shared))


class SpokenWords:
    """All words of a writer's input, by which a clause that nobody spoke of is known, and the languages they are in."""

    def __init__(self, sources: Sequence[Source]) -> None:
        stems = {stemmed for one in sources for stemmed in key_words(f"{one.speaker} {one.text}").values()}
        self._stems = stems.union(*map(past_stems, stems))
        self._beginnings = {word[:_ALIKE] for word in self._stems} | {word[:_SHORTEST_ALIKE] for word in self._stems}
        spoken = [tokens(one.text) for one in sources]
        self._language = language([word for words in spoken for word in words])
        self._languages = frozenset(map(language, spoken))
        self._concrete = ConcreteWords(sources)

    def is_translated(self, text: str) -> bool:
        """Return whether a text is surely in a language that none of the words are in: no check of it holds then."""
        return bool(self._language) and language(tokens(text)) not in (None, self._language, *self._languages)

    def lack(self, text: str, names: WrittenNames) -> str:
        """Return the first clause of a text that shares almost no content word, names aside, with the words; '' if there is none.

        Only English and German are read.
        """
        if self._language not in _READ or len(self._stems) < _LEAST_SAID or language(tokens(text)) not in (None, self._language):
            return ""
        for clause in _CLAUSE.split(text):
            words = [
                one
                for one in key_words(clause)
                if len(one) > 2 and one.isalpha() and not self._is_light(one) and not names.knows(one)
            ]
            stems = set(map(stem, words)) - _FRAMING
            if len(stems) >= _LEAST_CLAUSE and sum(map(self._has, stems)) <= _HELD * len(stems):
                return one_line(clause)
        return ""

    def _is_light(self, word: str) -> bool:
        return word in _EMPTY or (self._language == "german" and (word in _LIGHT_GERMAN or is_abstract(word)))

    def _has(self, word: str) -> bool:
        if word in self._stems or not self._stems.isdisjoint(past_stems(word)):
            return True
        if self._language == "german" and (
            self._concrete.follows(word) or any(_is_part(word, one) or _is_part(one, word) for one in self._stems)
        ):
            return True
        return word[: _ALIKE if len(word) > _ALIKE else _SHORTEST_ALIKE] in self._beginnings and len(word) >= _SHORTEST_ALIKE


def _is_part(word: str, compound: str) -> bool:
    return len(word) >= _ALIKE and word in compound


def is_no_thought(text: str, cited: Sequence[Source], system: str) -> bool:
    """Return whether a text, free in its words, is none of its own: bare, formless, or the rules of `system`."""
    return is_bare(text) or is_formless(text) or RequestRules(system).hold(text, cited)


def is_bare(text: str) -> bool:
    """Return whether a text has almost no words, or none with any content."""
    return not unspaced(text) and (len(_words(text)) < _LEAST_WORDS or not _telling(text))


def _words(text: str) -> list[str]:
    return [word for word in tokens(text) if _SPACED.search(word)]


def _telling(text: str) -> set[str]:
    return {stemmed for word, stemmed in key_words(text).items() if _SPACED.search(word) and word not in _EMPTY}
