"""Facts that do not fit together: they say the same but for a name or a number."""

from collections.abc import Sequence
from itertools import combinations

from memory.lexical import key_words
from memory.names import names
from memory.types import Statement

_SHARED = 2
_DIFFERENCES = ({1}, {1, 2})


def quarrels(facts: Sequence[Statement], most: int) -> list[tuple[Statement, Statement]]:
    """Return pairs of standing facts that cannot both be meant, at most so many, in the order they were written.

    One has one word that the other lacks, the other one or two instead, and on each side a number or a name is among them.
    """
    said = [(fact, set(key_words(fact.text).values()), _marked(fact.text)) for fact in facts]
    found = []
    for (one, words, marked), (other, others, marks) in combinations(said, 2):
        mine, theirs = words - others, others - words
        if len(words & others) < _SHARED or {len(mine), len(theirs)} not in _DIFFERENCES:
            continue
        if mine & marked and theirs & marks:
            found.append((one, other))
            if len(found) == most:
                break
    return found


def _marked(text: str) -> set[str]:
    """Return the stems of the names and numbers of a sentence; what stands first is written large in any case."""
    named = names(text)
    return {stem for word, stem in key_words(text).items() if word.removesuffix("'s") in named or any(map(str.isdigit, word))}
