"""Names in a text: people, pets, places and projects, as far as its words tell.

"My dog Bruno" says that Bruno is a dog and whose; "in Graz" that Graz is a place. Any other word capitalized within a sentence
may be a name; in a language that capitalizes nouns, only names with such cues count.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from memory.text.display_names import TAG, likeness
from memory.text.language_detection import function_words, language
from memory.text.lexical import STOP_WORDS, tokens
from memory.text.told.full_names import full_names


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


_KIN = (
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
_CUES = (
    (NamedKind.PET, rf"\b(?i:{_OWNER}) (?:\w+ )?(?P<alias>(?i:{_PETS})),? {_NAME}"),
    (NamedKind.PET, rf"\b(?P<alias>(?i:{_PETS})){_SAID_OF} {_NAME}"),
    (NamedKind.PERSON, rf"\b(?i:{_OWNER}) (?:[a-zäöü]+ )?(?P<alias>(?i:{_KIN})),? {_NAME}"),
    (NamedKind.PERSON, rf"\b(?P<alias>(?i:{_KIN})){_SAID_OF} {_NAME}"),
    (NamedKind.PET, rf"{_NAME} (?:is|ist) (?i:{_OWNER}) (?:\w+ )?(?P<alias>(?i:{_PETS}))\b"),
    (NamedKind.PERSON, rf"{_NAME},? (?:(?:is|ist) )?(?i:my|our|mein\w{{0,2}}|unser\w{{0,2}}) (?:[a-zäöü]+ )?(?P<alias>(?i:{_KIN}))\b"),
    (NamedKind.PROJECT, rf"\b(?i:projec?kt?|project)(?:,? (?:is |was )?(?:called|named)| heißt| namens)? {_NAME}"),
    (NamedKind.PROJECT, rf"\b(?:the|our|my|das|unser) {_NAME} (?i:project|projekt)\b"),
    (NamedKind.PLACE, rf"\b(?i:lives?|lived|living|moved|moving|moves|flew|fly|travel\w*|trip|drove|holiday|weekend|office|house|flat|born|wohn\w*|zieh\w*|zog)"
     rf" (?:(?:back|over) )?(?i:in|to|near|nach|at) {_NAME}"),
    (NamedKind.PLACE, rf"\b(?i:city|town|village|island|country|stadt|dorf|insel)(?: of)? {_NAME}"),
    (NamedKind.PLACE, rf"\b(?:in|near) (?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b){_NAME}"),
)  # fmt: skip
_ONE, _FULL = r"(?P<short>[A-ZÀ-ÖØ-Þ][\w’-]{0,30})", _NAME.replace("<name>", "<full>")
_SURNAMED = (
    rf"\b{_ONE},? {_FULL} (?:that is|meine ich)\b",
    rf"\b{_ONE},? (?:that is|i\.e\.|I mean|meaning|ich meine|also),? {_FULL}",
    rf"\b{_ONE} \({_FULL}\)",
    rf"\b(?:by|with) {_ONE},? I mean {_FULL}",
    rf"\b{_ONE}['’]s (?:full|whole|real) name is {_FULL}",
    rf"\b{_ONE}['’]s (?:last name|surname|family name) is (?P<last>[A-ZÀ-ÖØ-Þ][\w’-]{{0,30}})",
    rf"\b{_ONE} heißt (?:mit (?:ganzem|vollem) Namen |eigentlich ){_FULL}",
    rf"\b{_ONE} heißt mit (?:Nachnamen|Familiennamen) (?P<last>[A-ZÀ-ÖØ-Þ][\w’-]{{0,30}})",
)
_CALLED = re.compile(rf"\b(?:my|our|mein\w{{0,2}}|unser\w{{0,2}}) (?:\w+ )?(?P<alias>{_KIN}|{_PETS})\b", re.IGNORECASE)
_LARGE = re.compile(rf"(?:(?<=[\w,;:'’\"(]\s)|(?<=\b[DM]r\.\s)|(?<=\bMs\.\s)|(?<=\bMrs\.\s)|(?<=\bProf\.\s)){_NAME}")
_SPEECH = frozenset(":'’\"(")
_WRITES_NOUNS_LARGE = frozenset({"german"})
_NO_NAME = frozenset(
    "i i'm i've i'll i'd ok okay god english german french spanish italian lyra mr mrs ms dr monday tuesday wednesday thursday friday "
    "saturday sunday january february march april may june july august september october november december christmas easter internet "
    "montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember weihnachten".split()
)
_PART_OF_NONE = _NO_NAME.union(_KIN.split("|"), _PETS.split("|"), ("project", "projekt"))
_KINDS = rf"(?:{_KIN}|{_PETS}|project|projekt|city|town|village|island|country|stadt|dorf|insel)"
_ASKED = re.compile(
    rf"(?i)^(?:(?:the|an?|my|our|his|her|their|mein\w{{0,2}}|unser\w{{0,2}}|der|die|das) )?(?:{_KINDS} )?(?P<name>\S.*?)(?: {_KINDS})?$"
)
_MOST = 40
_LOOKED_AT = 8_000
_LONGEST = 3
_MOST_WORDS, _MOST_KEYS = 400, 300


@cache
def _cues() -> list[tuple[NamedKind, re.Pattern[str]]]:
    """Return the cues for names by kind; compiled on first use, as that takes longer than the rest of a start."""
    return [(kind, re.compile(pattern)) for kind, pattern in _CUES]


@cache
def _surnames() -> list[re.Pattern[str]]:
    """Return the patterns that link a short name with a full one."""
    return [re.compile(form) for form in _SURNAMED]


def named(text: str) -> list[NamedThing]:
    """Return the names in a text, each once, those with a known kind first."""
    text = text[:_LOOKED_AT]
    found: dict[str, NamedThing] = {}
    for kind, pattern in _cues():
        for match in pattern.finditer(text):
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
            said = " ".join(words[at : at + some])
            said = said.removesuffix("'s").removesuffix("’s")
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
    for match in (match for pattern in _surnames() for match in pattern.finditer(text[:_LOOKED_AT])):
        said = match.groupdict()
        full = said.get("full") or f"{said['short']} {said['last']}"
        if said["short"] in full.split() and full != said["short"]:
            found[said["short"]] = full
    return found


def names_asked(name: str) -> list[str]:
    """Return the possible names in what is asked about, the whole first: "project Atlas" and "the Atlas project" mean Atlas."""
    whole = " ".join(name.split())
    match = _ASKED.match(whole)
    plain = (match["name"] if match else whole).strip("'’\"“”„?!.").removesuffix("'s").removesuffix("’s")
    return list(dict.fromkeys(one for one in (whole, plain) if one))


def aliases_in(text: str) -> list[str]:
    """Return what a text calls unnamed people and pets: "sister" for "my sister"."""
    return [match["alias"].lower() for match in _CALLED.finditer(text[:_LOOKED_AT])]


def _full(text: str) -> list[list[str]]:
    return full_names(text, _PART_OF_NONE, nouns_large=_writes_nouns_large(text))


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
    words = list(_own(name.removesuffix("'s").removesuffix("’s").split()))
    return " ".join(words).strip("'’-")


def _own(words: list[str]) -> Iterator[str]:
    for word in words:
        if word.lower() in _NO_NAME:
            return
        yield word
