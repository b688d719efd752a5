"""Whose something is, judging by words: the asker's own, or somebody else's."""

import re
from collections.abc import Collection

from bot.models.offline.message_kinds import tells
from bot.models.offline.spoken_languages import detect_language
from memory.index.when.codes import Code
from memory.index.when.vocabulary import LEXICON, MONTHS_OR_NAMES
from memory.text.function_words import FIRST_PERSON, FUNCTION_WORDS, POSSESSIVES, SUBJECTS
from memory.text.lexical import STOP_WORDS, stem
from memory.text.sentence_splitting import clauses, sentences
from memory.text.told import named_things
from memory.text.told.related_words import telling

OWN = re.compile(rf"(?i)\b(?:{FIRST_PERSON}|me)\b")
"""Matches a question about the asker's own things, alone or with others."""
_SUBJECT_WORD = rf"\b(?:{SUBJECTS}|moi)\b"
SPEAKING = re.compile(rf"(?i){_SUBJECT_WORD}")
"""Matches what its speaker does, is or has."""
DOING = re.compile(
    r"(?i)^(?!.*\b(?:who|any(?:one|body)|some(?:one|body)|wer|we[nm]|jemand\w*|qui|quelqu['’]un|quién(?:es)?|alguien)\b)"
    rf".*{_SUBJECT_WORD}"
)
"""Matches a question about what the asker does, is or has, and about no other person."""
_LASTING = re.compile(
    r"(?i)\b(?:i am|i['’]m|i was born|i have|i live|i work|i study|i teach|i play|i go|i like|i love|i hate|i prefer|i can['’]t"
    r"|i don['’]t eat|i speak|i got|i drive|i run|i own|we (?:live|have|moved|married|will|adopted)|(?:my|our) (?:[\w.]+ ){1,3}(?:is|are|has|lives)"
    r"|ich (?:bin|habe|wohne|arbeite|mag|liebe|heiße|spiele|fahre|lerne)|mein\w* \w+ (?:ist|heißt)|wir (?:haben|wohnen)|change of plan"
    r"|soy|estoy|tengo|vivo|trabajo|me (?:llamo|gusta)|mi \w+ (?:\w+ )?es|je (?:suis|m['’]appelle|vis|travaille|joue)|j['’](?:ai|habite|aime|adore)|m(?:on|a) \w+ (?:est|s['’]appelle))\b"
)
"""Matches lasting statements of people about themselves."""
_ONE_SIBLING = re.compile(r"(?i)\b(?:(?P<he>hermano|frère)|(?P<she>hermana|s(?:œ|oe)ur))\b")
_BROTHER = re.compile(r"(?i)\b(?:hermanos?|frères?|brothers?|bruder|brüder|geschwister|siblings?|fratrie)\b")
_SISTER = re.compile(r"(?i)\b(?:hermanas?|s(?:œ|oe)urs?|sisters?|schwestern?|hermanos|geschwister|siblings?|fratrie)\b")
"""Match who may be meant by a brother or a sister: their word for both has the stem of the one, so that each is found for the other."""
_OF_LASTING = frozenset({"english", "german", "spanish", "french"})
"""The languages of these."""

ALONE = re.compile(r"(?i)\b(?:i|my|me|mine|ich|mein\w*|mir|mich|yo|mi|mis)\b")
"""Matches a question about the asker alone."""
NAMELESS = frozenset("user human me you someone".split()) | {""}
"""The stand-ins for a name in imported messages of a person."""

_MINE = f"(?:{POSSESSIVES})"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
KIN = (
    f"{named_things.KIN}|sœur|soeur|frère|mère|père|fils|fille|mari|femme|copine|copain|oncle|amie?|collègue|patronn?e?|voisine?"
    "|herman[oa]|madre|padre|hij[oa]|marido|mujer|espos[oa]|novi[oa]|tí[oa]|prim[oa]|abuel[oa]|amig[oa]|jef[ea]|vecin[oa]"
)
_A_PERSON = re.compile(rf"(?i)\b(?:{KIN})\b")
_MOOD = re.compile(
    r"(?i)\b(?:i am|i['’]m|i feel|we['’]re|ich bin|mir ist|je suis|estoy|soy|sono|estou|ik ben) (?:\w+ ){0,2}?(?:bored|sad|tired|happy|angry|hungry|thirsty"
    r"|stressed|excited|fine|ok|okay|good|great|sick|ill|lonely|annoyed|exhausted|nervous|scared|worried|upset|busy|late|back|home|better|worse|glad|sorry"
    r"|gelangweilt|langweilig|traurig|müde|glücklich|wütend|hungrig|gestresst|krank|einsam|genervt|nervös|froh|wieder da|zu hause|fatiguée?|triste|contente?"
    r"|stressée?|malade|seule?|énervée?|heureu(?:x|se)|cansad[oa]|aburrid[oa]|feliz|enfad[oa]d[oa]|enferm[oa]|contento|contenta|stanc[oa]|felice|moe|blij|ziek)\b"
)
_MY_KIN = re.compile(rf"(?i)^{_MINE} (?:\w+ )?(?:{KIN})(?-i:(?: [A-ZÀ-ÖØ-Þ]\w*)*)$")
"""Matches a subject that is only one's own family or friends."""
_SELF = frozenset("i i'm i've i'd we we're we've my our me us ich wir mein meine meinen unser unsere yo mi mis nosotros".split())
_THEY = frozenset("he she they his her their er sie ihr él ella ellos".split())
_DONE = frozenset("bought saw met went got made took had gave found came left read wrote ate sold built kept began".split())
_DAYS = frozenset(word for word, (code, _) in LEXICON.items() if code in (Code.WEEKDAY, Code.MONTH)) - MONTHS_OR_NAMES
_SUBJECT = 2
"""The most words before a verb that are its subject alone: "Farid's brother lives"."""


def is_lasting(text: str) -> bool:
    """Return whether a text tells something lasting of its speaker; in a language where that cannot be told apart, anything."""
    if _LASTING.search(text):
        return True
    language = detect_language(text)
    return bool(language) and language not in _OF_LASTING and tells(text) and not text.rstrip().endswith(("!", "！"))


def is_mood(text: str) -> bool:
    """Return whether a text tells how its speaker feels, rather than anything of them."""
    return _MOOD.search(text) is not None


def without_people(text: str) -> str:
    """Return a text without the words for relatives, friends and colleagues in it."""
    return _A_PERSON.sub(" ", text)


def is_anothers(stemmed: str, question: str, text: str) -> bool:
    """Return whether a text is about somebody else's where the asker's own is asked for: "Farid's birthday" is not mine.

    Nor is where Farid moved my address, or where my sister lives my brother's.
    """
    if _is_other_sibling(stemmed, question, text):
        return True
    for word in (word for word in _WORD.findall(question) if stem(word.casefold()) == stemmed):
        thing = rf"(?:\w+\s+)?{re.escape(word)}\b"
        if re.search(rf"(?i)\b{_MINE}\s+{thing}", question) and not re.search(rf"(?i)\b{_MINE}\s+{thing}", text):
            owner = re.search(rf"(?i)\b(\w+)['’]s?\s+{thing}", text)
            if owner and not re.search(rf"(?i)\b{owner[1]}\b", question):
                return True
            if not re.search(rf"(?i)\b{re.escape(word)}\b", text) and tells_of_others(text, telling(stemmed)):
                return True
    return False


def _is_other_sibling(stemmed: str, question: str, text: str) -> bool:
    """Return whether a text mentions only a sister where this stem of a question is a brother, or the other way round."""
    for one in _ONE_SIBLING.finditer(question):
        asked, other = (_BROTHER, _SISTER) if one["he"] else (_SISTER, _BROTHER)
        if stem(one[0].casefold()) == stemmed and other.search(text) and not asked.search(text):
            return True
    return False


def tells_of_others(text: str, stems: Collection[str], asked: Collection[str] = ()) -> bool:
    """Return whether a text applies these stems to somebody else: "my sister lives there" is not where I live.

    What a question itself asks about, by its stems, is nobody.
    """
    for clause in clauses(text):
        words = _WORD.findall(clause)
        at = next((n for n, word in enumerate(words) if stem(word.casefold()) in stems), None)
        if at is None:
            continue
        before = [word.casefold().replace("’", "'") for word in words[:at]]
        if _MY_KIN.match(" ".join(words[:at])):
            return not SPEAKING.search(text)  # "my wife works at the zoo and I at the post office"
        if _SELF.intersection(before):
            return before[:1] == ["my"] and any(word[0].isupper() for word in words[1:at])
        begun = bool(words[:at]) and _is_name(words[0]) and stem(before[0]) not in asked
        return begun or bool(_THEY.intersection(before)) or (at <= _SUBJECT and any(map(_is_name, words[:at])))
    return False


def tells_of_self(text: str, stems: Collection[str]) -> bool:
    """Return whether a text applies these stems to its speaker: "I live there"."""
    for clause in clauses(text):
        words = [word.casefold().replace("’", "'") for word in _WORD.findall(clause)]
        if _SELF.intersection(words) and any(stem(word) in stems for word in words):
            return True
    return False


def telling_of(whom: str, text: str) -> int:
    """Return how much a text is about somebody: 3 if a sentence begins with the name, 1 if the name occurs, else 0."""
    stems = [[stem(word.casefold().removesuffix("'s")) for word in _WORD.findall(sentence)] for sentence in sentences(text)]
    return 2 * any(whom in sentence[:3] for sentence in stems) + any(whom in sentence for sentence in stems)


def _is_name(word: str) -> bool:
    folded = word.casefold()
    known = folded in STOP_WORDS or folded in FUNCTION_WORDS or folded in _DONE or folded in _DAYS
    return word[0].isupper() and not known and not folded.endswith(("ing", "ed"))
