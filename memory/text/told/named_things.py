"""Names in a text: people, pets, places and projects, as far as its words tell.

"My dog Bruno" says that Bruno is a dog and whose; "in Graz" that Graz is a place. Any other word capitalized within a sentence
may be a name; in a language that capitalizes nouns, only names with such cues count. Adjacent capitalized words are read as one
name ("Ben Miller" does not mean Ben, nor "Bruno Mars" Bruno the dog), unless the first seems capitalized only because it starts
a sentence.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import takewhile

from memory.text.display_names import TAG, likeness
from memory.text.language_detection import function_words, language
from memory.text.lazy_patterns import lazy_pattern
from memory.text.lexical import STOP_WORDS, tokens
from memory.text.word_forms.spellings import without_possessive


class NamedKind(StrEnum):
    """The kind of thing a name belongs to; UNKNOWN if nothing tells."""

    PERSON = "person"
    PET = "pet"
    PLACE = "place"
    PROJECT = "project"
    UNKNOWN = ""


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A name in a text, its kind, and what else the speaker calls its bearer ('sister'), '' for nothing."""

    name: str
    kind: NamedKind = NamedKind.UNKNOWN
    alias: str = ""


KIN = (
    "sister|brother|mother|father|mom|mum|dad|son|daughter|wife|husband|partner|girlfriend|boyfriend|fiancée?|aunt|uncle|cousin|niece"
    "|nephew|grandmother|grandfather|grandma|grandpa|granny|friend|colleague|coworker|boss|manager|neighbou?r|roommate|flatmate|teacher"
    "|doctor|dentist|therapist|trainer|mentor|twin|stepmother|stepfather|stepson|stepdaughter"
    "|schwester|bruder|mutter|vater|mama|papa|sohn|tochter|frau|mann|freund|freundin|tante|onkel|cousine|nichte|neffe|oma|opa|kollege"
    "|kollegin|chef|chefin|nachbar|nachbarin|lehrer|lehrerin|ärztin|arzt|mitbewohner|mitbewohnerin"
)
_PETS = (
    "dog|cat|puppy|kitten|horse|pony|rabbit|bunny|hamster|parrot|budgie|canary|tortoise|turtle|goldfish|fish|snake|lizard|ferret|goat|hen"
    "|hund|katze|kater|pferd|kaninchen|papagei|wellensittich|schildkröte|welpe"
)
_OWNER = r"(?:my|our|his|her|their|mein\w{0,2}|unser\w{0,2}|sein\w{0,2}|ihr\w{0,2}|[A-Z]\w+['’]s)"
_NAME = r"(?P<name>[A-ZÀ-ÖØ-Þ][\w'’-]{0,30}(?:\s(?:(?:van|von|de|della|da|du|le|la)\s(?:de[rn]?\s)?)?[A-ZÀ-ÖØ-Þ][\w'’-]{0,30}){0,2}(?:#[a-z2-7]{4})?)"
_SAID_OF = r"(?:,? (?:is |was |ist )?(?:called|named|heißt|namens)|['’]s name is)"
_CUES = [(kind, lazy_pattern(form)) for kind, form in (
    (NamedKind.PET, rf"\b(?i:{_OWNER}) (?:\w+ )?(?P<alias>(?i:{_PETS})),? {_NAME}"),
    (NamedKind.PET, rf"\b(?P<alias>(?i:{_PETS})){_SAID_OF} {_NAME}"),
    (NamedKind.PERSON, rf"\b(?i:{_OWNER}) (?:[a-zäöü]+ )?(?P<alias>(?i:{KIN})),? {_NAME}"),
    (NamedKind.PERSON, rf"\b(?P<alias>(?i:{KIN})){_SAID_OF} {_NAME}"),
    (NamedKind.PET, rf"{_NAME} (?:is|ist) (?i:{_OWNER}) (?:\w+ )?(?P<alias>(?i:{_PETS}))\b"),
    (NamedKind.PERSON, rf"{_NAME},? (?:(?:is|ist) )?(?i:my|our|mein\w{{0,2}}|unser\w{{0,2}}) (?:[a-zäöü]+ )?(?P<alias>(?i:{KIN}))\b"),
    (NamedKind.PROJECT, rf"\b(?i:projec?kt?|project)(?:,? (?:is |was )?(?:called|named)| heißt| namens)? {_NAME}"),
    (NamedKind.PROJECT, rf"\b(?:the|our|my|das|unser) {_NAME} (?i:project|projekt)\b"),
    (NamedKind.PLACE, rf"\b(?i:lives?|lived|living|moved|moving|moves|flew|fly|travel\w*|trip|drove|holiday|weekend|office|house|flat|born|wohn\w*|zieh\w*|zog)"
     rf" (?:(?:back|over) )?(?i:in|to|near|nach|at) {_NAME}"),
    (NamedKind.PLACE, rf"\b(?i:city|town|village|island|country|stadt|dorf|insel)(?: of)? {_NAME}"),
    (NamedKind.PLACE, rf"\b(?:in|near) (?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b){_NAME}"),
)]  # fmt: skip
_ONE, _FULL = r"(?P<short>[A-ZÀ-ÖØ-Þ][\w’-]{0,30})", _NAME.replace("<name>", "<full>")
_SURNAMED = [
    lazy_pattern(form)
    for form in (
        rf"\b{_ONE},? {_FULL} (?:that is|meine ich)\b",
        rf"\b{_ONE},? (?:that is|i\.e\.|I mean|meaning|ich meine|also),? {_FULL}",
        rf"\b{_ONE} \({_FULL}\)",
        rf"\b(?:by|with) {_ONE},? I mean {_FULL}",
        rf"\b{_ONE}['’]s (?:full|whole|real) name is {_FULL}",
        rf"\b{_ONE}['’]s (?:last name|surname|family name) is (?P<last>[A-ZÀ-ÖØ-Þ][\w’-]{{0,30}})",
        rf"\b{_ONE} heißt (?:mit (?:ganzem|vollem) Namen |eigentlich ){_FULL}",
        rf"\b{_ONE} heißt mit (?:Nachnamen|Familiennamen) (?P<last>[A-ZÀ-ÖØ-Þ][\w’-]{{0,30}})",
    )
]
_CALLED = lazy_pattern(rf"\b(?:my|our|mein\w{{0,2}}|unser\w{{0,2}}) (?:\w+ )?(?P<alias>{KIN}|{_PETS})\b", re.IGNORECASE)
_LARGE = lazy_pattern(rf"(?:(?<=[\w,;:'’\"(]\s)|(?<=\b[DM]r\.\s)|(?<=\bMs\.\s)|(?<=\bMrs\.\s)|(?<=\bProf\.\s)){_NAME}")
_SPEECH = frozenset(":'’\"(")
_WRITES_NOUNS_LARGE = frozenset({"german"})
_NO_NAME = frozenset(
    "i i'm i've i'll i'd ok okay god english german french spanish italian lyra mr mrs ms dr monday tuesday wednesday thursday friday "
    "saturday sunday january february march april may june july august september october november december christmas easter internet "
    "montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember weihnachten".split()
)
_PART_OF_NONE = _NO_NAME.union(KIN.split("|"), _PETS.split("|"), ("project", "projekt"))
_KINDS = rf"(?:{KIN}|{_PETS}|project|projekt|city|town|village|island|country|stadt|dorf|insel)"
_ASKED = lazy_pattern(
    rf"(?i)^(?:(?:the|an?|my|our|his|her|their|mein\w{{0,2}}|unser\w{{0,2}}|der|die|das) )?(?:{_KINDS} )?(?P<name>\S.*?)(?: {_KINDS})?$"
)
_WORD = lazy_pattern(r"[^\W\d_][\w'’-]*(?:#[a-z2-7]{4})?")
_SPELLED = lazy_pattern(r"(?<=[\w,;:'’\"(]\s)\w[\w'’-]*")
_NEW_SENTENCE = lazy_pattern(r"(?:^|[.!?:;\n…])[\s\"“„'(\[*>-]*$")
_OPENERS = STOP_WORDS | frozenset(
    """today tomorrow yesterday tonight later maybe perhaps even still yet both either neither every many like unlike near without since
    unless although though poor dear little big old young sweet good bad great happy funny silly hello hey thanks thank congrats sorry
    saw met told gave took ask tell give let say said got bought fed put sent heard read see visit meet help need want love hate miss
    wish hope think know guess remember call text phone remind show bring take make get buy feed poor may uncle aunt auntie mr mrs ms
    miss dr sir lady lord saint st captain king queen prince princess lake mount river fort port
    gestern heute morgen dann als wenn weil dass ob nachdem bevor seit auch nur schon noch wieder doch aber und oder denn der die das
    ein eine mein meine unser unsere sein seine ihr ihre armer arme liebe lieber kleine kleiner hallo danke herr frau onkel tante""".split()
)
_PLACED = frozenset("in near at from to of nach aus bei in".split())
_GERMAN_PROPER = frozenset("von mit über bei für gegen ohne um an als".split())
_MOST_OF_A_NAME = 3
_MOST = 40
_LOOKED_AT = 8_000
_LONGEST = 3
_MOST_WORDS, _MOST_KEYS = 400, 300


def named(text: str) -> list[NamedThing]:
    """Return the names in a text, each once, those with a known kind first."""
    text = text[:_LOOKED_AT]
    found: dict[str, NamedThing] = {}
    for kind, form in _CUES:
        for match in form.finditer(text):
            name = _plain(match["name"])
            if name:
                alias = (match.groupdict().get("alias") or "").lower()
                found.setdefault(key(name), NamedThing(name, kind, alias))
    whole = _full(text)
    for words in whole:
        found.setdefault(key(" ".join(words)), NamedThing(" ".join(words)))
    parts = {key(word) for words in whole for word in words}
    if not _writes_nouns_large(text):
        for match in _LARGE.finditer(text):
            name = _plain(match["name"])
            if name and key(name) not in parts and not _opens_speech(text[: match.start()], name):
                found.setdefault(key(name), NamedThing(name))
    return list(found.values())[:_MOST]


def spelled_names(text: str) -> set[str]:
    """Return the words that may be names by their spelling alone, capitalized within a sentence, in lower case without possessive endings."""
    found = (word for word in _SPELLED.findall(text) if word[0].isupper())
    return {word.casefold().replace("’", "'").removesuffix("'s") for word in found}


def key(name: str) -> str:
    """Return the lookup key of a name; a tag is part of it, so that accounts are told apart."""
    tag = TAG.search(name)
    return f"{likeness(TAG.sub('', name))}#{tag[1]}" if tag else likeness(name)


def keys_in(text: str) -> dict[str, str]:
    """Return the keys of possible names in a text, of up to three words, with these words; at most 300."""
    words = re.findall(r"[\w'’-]+(?:#[a-z2-7]{4})?", text[:_LOOKED_AT])[:_MOST_WORDS]
    found: dict[str, str] = {}
    for at in range(len(words)):
        for some in range(1, _LONGEST + 1):
            said = without_possessive(" ".join(words[at : at + some]))
            if at + some <= len(words) and not (some == 1 and said.lower() in STOP_WORDS):
                found.setdefault(key(said), said)
            if len(found) == _MOST_KEYS:
                return found
    return found


def inside_full_names(text: str) -> set[str]:
    """Return the keys of words first used within a longer name, so that nothing is attributed to them alone."""
    text = text[:_LOOKED_AT]
    found: set[str] = set()
    for words in _full(text):
        before = text.partition(" ".join(words))[0]
        alone = set(keys_in(before))
        found.update(key(word) for word in words if key(word) not in alone)
    return found


def surnamed(text: str) -> dict[str, str]:
    """Return full names by short name, for people a text gives both of: "Ben, Ben Miller that is"."""
    found: dict[str, str] = {}
    for match in (match for form in _SURNAMED for match in form.finditer(text[:_LOOKED_AT])):
        said = match.groupdict()
        full = said.get("full") or f"{said['short']} {said['last']}"
        if said["short"] in full.split() and full != said["short"]:
            found[said["short"]] = full
    return found


def names_asked(name: str) -> list[str]:
    """Return the possible names in what is asked about, the whole first: "project Atlas" and "the Atlas project" mean Atlas."""
    whole = " ".join(name.split())
    match = _ASKED.match(whole)
    plain = without_possessive((match["name"] if match else whole).strip("'’\"“”„?!."))
    return list(dict.fromkeys(one for one in (whole, plain) if one))


def aliases_in(text: str) -> list[str]:
    """Return what a text calls unnamed people and pets: "sister" for "my sister"."""
    return [match["alias"].lower() for match in _CALLED.finditer(text[:_LOOKED_AT])]


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    begins: bool
    beside: bool


def _full(text: str) -> list[list[str]]:
    """Return the names of two or three words in a text, each as its words, in order.

    If the language capitalizes all nouns, only names at the start of a sentence or right after a preposition count.
    """
    words, nouns_large = list(_words(text)), _writes_nouns_large(text)
    found: list[list[str]] = []
    at = 0
    while at < len(words):
        end = at + 1
        if _may_be_name(words[at]):
            while (
                end < min(len(words), at + _MOST_OF_A_NAME)
                and words[end].beside
                and _may_be_name(words[end])
                and not words[end - 1].text.endswith(("'s", "’s"))
            ):
                end += 1
        if end - at > 1 and _is_one(words, at, end, nouns_large=nouns_large):
            found.append([without_possessive(word.text) for word in words[at:end]])
            at = end
        else:
            at += 1
    return found


def _is_one(words: Sequence[_Word], at: int, end: int, *, nouns_large: bool) -> bool:
    first, before = words[at], words[at - 1].text.lower() if at and words[at].beside else ""
    if first.begins:
        opens = first.text.lower().endswith(("ed", "ing", "ly")) if not nouns_large else False
        follows = end < len(words) and words[end].beside and words[end].text[0].islower()
        return not opens and (follows or not nouns_large)
    return before in _GERMAN_PROPER if nouns_large else not (before in _PLACED and end - at == 2 and _goes_on(words, end))


def _goes_on(words: Sequence[_Word], end: int) -> bool:
    """Return whether a verb may follow, so that the last word is a subject: "in Graz Lea bought"."""
    return end < len(words) and words[end].beside and words[end].text.endswith(("ed", "s", "t"))


def _may_be_name(word: _Word) -> bool:
    large, small = word.text[0].isupper() and len(word.text) > 1, word.text.lower()
    return large and small not in _PART_OF_NONE and small not in _OPENERS


def _words(text: str) -> Iterator[_Word]:
    end = -1
    for match in _WORD.finditer(text):
        yield _Word(match[0], bool(_NEW_SENTENCE.search(text[max(0, match.start() - 8) : match.start()])) or not match.start(),
                    end >= 0 and text[end : match.start()] == " ")  # fmt: skip
        end = match.end()


def _writes_nouns_large(text: str) -> bool:
    """Return whether the language of a text capitalizes nouns; in short texts, function words decide."""
    words = tokens(text)
    if language(words) in _WRITES_NOUNS_LARGE:
        return True
    german = function_words().get("german", frozenset())
    return sum(word in german for word in words) > sum(word in STOP_WORDS for word in words)


def _opens_speech(before: str, word: str) -> bool:
    """Return whether a word is capitalized only because it begins direct speech: "Ana said: The rain stopped"."""
    return word.lower() in STOP_WORDS and before.rstrip()[-1:] in _SPEECH


def _plain(name: str) -> str:
    """Return a name without its possessive ending and cut before the first word that is not a name; '' if nothing is left."""
    words = takewhile(lambda word: word.lower() not in _NO_NAME, without_possessive(name).split())
    return " ".join(words).strip("'’-")
