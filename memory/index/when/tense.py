"""Whether a question is about the present, the past, or a habit."""

from itertools import pairwise

from memory.index.when.codes import Code
from memory.index.when.tokens import TimeTokens
from memory.index.when.vocabulary import PAST
from memory.text.language_detection import language

_NOW = frozenset(
    """currently nowadays presently lately recently jetzt derzeit momentan zurzeit aktuell heutzutage maintenant actuellement
    ahora actualmente adesso attualmente agora atualmente momenteel tegenwoordig""".split()
)
_NEWEST = frozenset("latest newest current anymore".split())
_NOW_UNLESS_PAST = frozenset("now still today heute aujourd'hui hoy oggi hoje vandaag".split())
_PHRASES = [
    phrase.split()
    for phrase in "these days|at the moment|at present|right now|en ce moment|most recent|no longer|any more|as of now".split("|")
]
_BEGINNINGS = frozenset(phrase[0] for phrase in _PHRASES)
_OLD = frozenset(
    """ever never first always once originally initially previously formerly before earlier former just original
    damals früher jamais avant antes prima mai vroeger""".split()
)
_USED_TO = ("used", "to")
_ASKING = frozenset("what where who whom whose which when why how".split())
_ASKING_IS = frozenset("what's where's who's how's when's".split())
_PRESENT = frozenset("do does is are am don't doesn't isn't aren't".split())
_DOES = frozenset("do does don't doesn't".split())
_OTHER_TENSE = PAST | frozenset("have has haven't hasn't will would could should can can't might may must shall been".split())


def is_now(tokens: TimeTokens) -> bool:
    """Return whether a question is about the present, by its words alone."""
    words = frozenset(tokens.words)
    if ("just" in words and "now" in words) or not _OLD.isdisjoint(words) or _USED_TO in pairwise(tokens.words):
        return False
    if words & _NOW or words & _NEWEST or _phrases(tokens.words):
        return True
    past = not PAST.isdisjoint(words)
    if (not past and words & _NOW_UNLESS_PAST) or (past and _last_time(tokens)):
        return True
    return _verb(tokens) in _PRESENT


def is_past(tokens: TimeTokens) -> bool:
    """Return whether a question is about the past."""
    words = frozenset(tokens.words)
    if language(tokens.words) == "german":
        words -= {"was"}
    return not words.isdisjoint(PAST) or not words.isdisjoint(_OLD) or _USED_TO in pairwise(tokens.words)


def is_habit(tokens: TimeTokens) -> bool:
    """Return whether a question is about a habit."""
    return _verb(tokens) in _DOES


def words_of_now(tokens: TimeTokens) -> list[tuple[int, int]]:
    """Return the spans of words that only mean "now"."""
    alone = [(n, n + 1) for n, word in enumerate(tokens.words) if word in _NOW or word == "now"]
    return alone + _phrases(tokens.words)


def _phrases(words: list[str]) -> list[tuple[int, int]]:
    begun = [n for n, word in enumerate(words) if word in _BEGINNINGS]
    return [(n, n + len(phrase)) for n in begun for phrase in _PHRASES if words[n : n + len(phrase)] == phrase]


def _last_time(tokens: TimeTokens) -> bool:
    """Return whether a question asks for the last occurrence of something: "when did I last see her"."""
    at = tokens.words.index("last") if "last" in tokens.words else 0
    return (
        at > 0
        and tokens.codes[at - 1] in (Code.FUNCTION, Code.OTHER, Code.CAPITALIZED)
        and tokens.codes[at + 1 : at + 2] == Code.OTHER
    )


def _verb(tokens: TimeTokens) -> str:
    """Return the auxiliary after the question word; '' if there is none."""
    asking = False
    for word in tokens.words:
        if word in _ASKING_IS:
            return "is"
        if asking and (word in _PRESENT or word in _OTHER_TENSE):
            return word
        asking = asking or word in _ASKING
    return ""
