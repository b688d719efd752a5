"""The names and things of a question, about which an answer may be lacking; the question's own verb is not among them."""

import re
from dataclasses import dataclass

from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import STOP_WORDS, stem

_PIECE = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]")
_LEADS = frozenset(
    """
    a an the my your his her our their this that these those its what which any every some no
    in on at of about for with to from into near by like
    der die das dem den des ein eine einen einem einer mein meine meinen meinem meiner unser unsere welche welcher welches
    le la les un une mon ma mes notre el los las una mi mis nuestro nuestra qué de en sobre über von mit
    il lo gli uno mio mia quale o os as um uma meu minha
    """.split()
)
_AUXILIARIES = frozenset("do does did can could will would should has have had".split())
_CALLS = frozenset("called named call heißt heißen llama llamado".split())
_COMPOUND = re.compile(
    r"(?i)(?:\bwhat(?:['’]s| is| are| was| were)|\bwhich (?:is|was))\s+(?:my|our|the|your|his|her|their|\w+['’]s)\s+"
    r"((?:\w+\s+){1,2})(\w+)\s*\??\s*$"
)


@dataclass(frozen=True, slots=True)
class Compound:
    """A thing of several words: their stems, the stem of the last and most important one, and the words."""

    stems: frozenset[str]
    head: str
    written: str


def things(question: str) -> frozenset[str]:
    """Return the stems of a question's names, and of words after an article, possessive, preposition or question word."""
    found: set[str] = set()
    run: list[str] = []
    led, subject = False, False
    before = ""
    for piece in [*_PIECE.findall(question), "?"]:
        word = piece.casefold().replace("’", "'")
        if not word[0].isalnum() or word in STOP_WORDS or word in FUNCTION_WORDS or word in _LEADS:
            found.update(_named(run, verb=subject))
            run = []
            led = word in _LEADS
            subject = led and before in _AUXILIARIES
        elif led:
            run.append(piece.replace("’", "'").removesuffix("'s"))
            if word.endswith("'s"):
                found.update(_named(run, verb=False))
                run = []
        elif piece[0].isupper() and before:
            found.add(stem(word.removesuffix("'s")))
        if not led and word.endswith("'s"):
            led = True
        before = word
    return frozenset(found)


def _named(run: list[str], *, verb: bool) -> list[str]:
    """Return the stems of the names in a run of words, and of its last one, the thing. A `verb` at the end is dropped first."""
    run = run[:-1] if verb and len(run) > 1 else run
    return [stem(word.casefold()) for at, word in enumerate(run) if word[0].isupper() or at == len(run) - 1]


def compound(question: str) -> Compound | None:
    """Return the compound that a question asks for: "my blood type" is not answered by a text about blood."""
    found = _COMPOUND.search(question)
    if not found or found[2].casefold() in _CALLS or found[2].endswith("ing"):
        return None
    words = [word for word in found[1].casefold().split() if word not in STOP_WORDS]
    if not words or len(words) < len(found[1].split()):
        return None
    return Compound(frozenset(map(stem, words)), stem(found[2].casefold()), f"{found[1]}{found[2]}")
