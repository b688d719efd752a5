"""Which sentences ask although no question mark says so: in English and German, and by `questions` in further languages.

Neither English nor German starts a main clause with a question word unless it asks; what else starts with one is a subordinate
clause ("where I live", "was ich mag"), told by the subject that comes before its verb, or an exclamation ("how kind of them").
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

from memory.text.function_words import FUNCTION_WORDS
from memory.text.language_detection import function_words, language
from memory.text.lexical import STOP_WORDS, tokens
from memory.text.questions import asks_by_its_words
from memory.text.told.named_things import KIN
from memory.text.word_forms.spellings import is_slip
from memory.text.word_forms.verb_forms import is_past
from memory.text.wordings import read_wordings

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ENGLISH = frozenset("the of and to my your with from was were is are it this that".split())
"""Function words that neither French nor Spanish has: "Comment on the page" is English."""
_ONLY_ENGLISH = frozenset("the my your this that with were".split())
_SLIPPED = "what where when which who how was wann wie comment quand quel quelle cuándo quién dónde cómo".split()
"""The words that begin a question, and that may be mistyped."""
_DUTCH = frozenset({"hoe", "wie", "waar", "wanneer", "hoeveel", "welke"})
"""The beginning of a Dutch question, in which "is" and "was" are not English."""
_NO_OBJECT = frozenset("i me you we us they he him she it a an the that my his her our their of to".split())

# German
_QUESTION_WORD = re.compile(
    r"(?:wer|we[nm]|wessen|wann|warum|wieso|weshalb|wohin|woher|wo|wor?(?:an|auf|aus|bei|durch|für|gegen|in|mit|nach|über|unter|um|von|vor|zu))"
)
_PREPOSITIONS = frozenset(
    """mit für bei von zu an in auf aus nach seit bis um über unter vor ab gegen durch neben im am beim zum zur vom""".split()
)
_LITTLE = frozenset(
    """ich du er sie es wir ihr man der die das den dem des ein eine einen einem mein meine meinen meinem dein deine mir mich dir uns
    unser unsere ihre sein seine für von wer was immer auch nicht noch sonst jetzt schon eigentlich""".split()
)
"""Pronouns, articles and a few little words: a question has one behind its verb, a subordinate clause or a phrase where a question
has its verb ("was ich mag", "was für")."""
_COMMON_VERBS = frozenset(
    """mach sag geh fahr ess kauf brauch treff is ist sind war waren hat haben hatte hatten wird wurde wurden hab habe kann darf muss soll
    will mag hast bist habt seid fahre fährt nehme nimmt mache macht""".split()
)
_AUXILIARIES = frozenset("hat ist wird wurde wurden".split())
_ENDINGS = ("t", "te", "ten", "st", "en", "e")
_MEASURES = frozenset("viel viele oft lang lange alt teuer weit groß hoch schwer spät schnell tief breit gut".split())
_CALLED = frozenset("heißt heisst hieß hiess heißen heissen".split())
_AS = frozenset("gesagt erwartet geplant befürchtet gewohnt üblich gestern heute morgen immer schon damals früher jedes".split())
"""What follows "wie" where it compares."""
_AGAIN = frozenset("nochmal nochmals noch mal gleich doch denn eigentlich".split())
"""What somebody says who once knew: "wie war nochmal der Name"."""
_BEHIND_I = (_LITTLE | _PREPOSITIONS | frozenset("wem wen wo wann etwas jemals je jemand".split())) - frozenset(
    "nicht noch auch immer sonst jetzt".split()
)
"""Some of what a whole question with "ich" has behind its verb, besides nouns."""

# Details that are only named, as into a search box
_LINKS = ("of", "for", "at", "in", "to", "from")
_TELLING = frozenset(
    """a an new no another wrong old good nice great happy bad same different any some i you we they he she it this that and or
    need want use change update check send ask tell give write note save keep find love hate remember forget
    neu neue neuer neues kein keine ein eine falsche falscher alte alter brauche habe hab suche vergesse zapomniałam zapomniałem zgubiłam zgubiłem potrzebuję szukam
    olvidé perdí necesito oublié perdu dimenticato perso esqueci perdi preciso vergeten kwijt""".split()
)


@cache
def _wordings() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    """Return the patterns of each language by their meaning, as unmarked_questions.toml has and explains them."""
    return {
        name: {purpose: re.compile(pattern, re.IGNORECASE | re.VERBOSE) for purpose, pattern in patterns.items()}
        for name, patterns in read_wordings(__file__, KIN=KIN).items()
        if name != "parts"
    }


def opens_like_a_question(sentence: str) -> bool:
    """Return whether a sentence without a question mark asks; one with an exclamation mark does not.

    In other languages than English, German and French, neither does one of more than 80 characters or with a comma.
    """
    if sentence.rstrip().endswith("!"):
        return False
    return any(map(_asks, [sentence.strip(), *_without_slip(sentence.strip())]))


def _without_slip(sentence: str) -> Iterator[str]:
    """Yield a sentence with the question word that its first word is but for a letter: "wi heißt", "waht is", "coment s'appelle"."""
    first = _WORD.match(sentence := _wordings()["english"]["lead"].sub("", sentence, count=1))
    word = first[0].lower() if first else ""
    spoken = tokens(sentence)
    english = not _ONLY_ENGLISH.isdisjoint(spoken)  # "wat is my address" is no Dutch
    known = frozenset() if english else function_words().get(language(spoken) or "", FUNCTION_WORDS)
    if first and word not in STOP_WORDS | known:
        yield from (one + sentence[first.end() :] for one in _SLIPPED if is_slip(word, one))


def _asks(sentence: str) -> bool:
    english, german = _wordings()["english"], _wordings()["german"]
    asked = english["lead"].sub("", sentence, count=1)
    if english["rhetorical"].match(asked) or german["rhetorical"].match(asked):
        return False
    words = _WORD.findall(asked)
    if _asks_in_german(asked, words):
        return True
    if english["states"].match(asked):
        return False
    if (
        english["asks"].match(asked)
        or _asks_for_a_subject(words)
        or _wordings()["any"]["requests"].match(asked)
        or _is_lookup(asked)
    ):
        return True
    lowered = [word.lower() for word in words]
    english_words = _ENGLISH - {"is", "was"} if _DUTCH.intersection(lowered[:1]) else _ENGLISH
    return english_words.isdisjoint(lowered) and asks_by_its_words(asked)


def _asks_for_a_subject(words: Sequence[str]) -> bool:
    """Return whether words ask what or which thing does something: "what scares the dog", "which bus goes there"."""
    if len(words) < 3:
        return False
    first, second, third = words[0].lower(), words[1], words[2].lower()
    if first == "what":
        return second.islower() and _is_verb(second) and not {"is", "was", "are", "were"}.intersection(words[2:])
    if first in ("which", "wich"):
        return second.lower() == "of" or (second.islower() and not _is_verb(second, present=False) and third not in _NO_OBJECT)
    return False


def _is_verb(word: str, *, present: bool = True) -> bool:
    return is_past(word) or (present and word.endswith("s") and word[-2:] not in ("ss", "us", "is"))


def _asks_in_german(asked: str, words: Sequence[str]) -> bool:
    if _wordings()["german"]["asks"].match(asked):
        return True
    if len(words) < 3 or "," in asked:
        return False
    if words[0].lower() in _PREPOSITIONS:
        words = words[1:]
    first, second, third = words[0].lower(), words[1], words[2] if len(words) > 2 else ""
    if first == "was" and second == "für":
        return any(verb in _COMMON_VERBS and subject in _LITTLE for verb, subject in pairwise(words[3:]))
    if first == "wie":
        return _asks_how(words)
    if first.startswith(("welche", "wieviel")):
        return third not in _LITTLE or second in _COMMON_VERBS
    if first != "was" and not _QUESTION_WORD.fullmatch(first):
        return _verb_first(words)
    if not (third and second.islower()) or second in _LITTLE | _AS:
        return False
    follows = third[:1].isupper() or not (_LITTLE | _PREPOSITIONS).isdisjoint(words[2:])
    return first != "was" or second in _COMMON_VERBS or (second.endswith(_ENDINGS) and follows)


def _asks_how(words: Sequence[str]) -> bool:
    words = [words[0], *(word for word in words[1:] if word not in _AGAIN)]
    if len(words) < 3 or words[1] in _AS:
        return False
    if words[1] in _CALLED:
        return words[2] != "es"
    if words[1] in _MEASURES:
        return words[2] not in _LITTLE and (len(words) < 4 or words[3] not in _LITTLE or words[2].islower())
    if words[-1] in _COMMON_VERBS and words[1] not in _COMMON_VERBS:
        return False
    return (
        words[1].islower()
        and words[1].endswith((*_ENDINGS, "r", "ß", "f", "ng", "m"))
        and (words[2] in _LITTLE - {"von", "für"} or words[2][0].isupper())
    )


def _verb_first(words: Sequence[str]) -> bool:
    """Return whether a verb comes before its subject; what leaves out its subject ("war beim Arzt") has nothing of the kind.

    Nor has what leaves out its object ("hab ich gestern endlich gekauft").
    """
    first, second, third = words[0].lower(), words[1], words[2] if len(words) > 2 else ""
    if first in _AUXILIARIES:
        return second in ("der", "die", "das", "mein", "meine", "unser", "unsere", "er", "sie", "es") or second[0].isupper()
    if first.endswith("t") and len(first) > 3 and second[0].isupper() and third in _LITTLE:
        return True
    if second == "ich":
        asks = first in _COMMON_VERBS or (first.endswith("e") and first not in _AS)
        return asks and any(word in _BEHIND_I or word[0].isupper() for word in words[2:])
    return second == "wir" and first.endswith("en")


def _is_lookup(fragment: str) -> bool:
    """Return whether a fragment only names a detail, as typed into a search box: "router password", "Rezept für Kimchi".

    It states nothing: the detail itself, a number or a verb would have to follow.
    """
    found = _wordings()["any"]["looked_up"].match(fragment.strip())
    if not found:
        return False
    before, after = found["first"].casefold().split(), (found["last"] or "").casefold().split()
    if not (before or after) or (found["trait"] and not (after or found["whose"] or before[-1].endswith("s"))):
        return False
    return (
        _TELLING.isdisjoint(before)
        and not any(map(is_past, before[:-1] or before))
        and not (found["last"] and _says(found, fragment != fragment.lower()))
    )


def _says(found: re.Match[str], capital: bool) -> bool:
    """Return whether a verb follows whose the detail is: "the code for the garage changed", but not "the code for the stolen bike"."""
    *more, last = found["last"].split()
    english = found["link"].casefold() in _LINKS
    if any(word.casefold() in (STOP_WORDS if english else FUNCTION_WORDS) for word in (*more, last)):
        return True
    verb = last.islower() and (last.endswith("s") if english else capital)
    return is_past(last.casefold()) or bool(more and verb)
