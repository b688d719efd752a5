"""Facts that do not fit together: they say the same but for a name or a number."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from memory.text.lexical import key_words
from memory.text.proper_names import names
from memory.types import Statement

_SHARED = 2
_DIFFERENCES = ({1}, {1, 2})


def contradictions(facts: Sequence[Statement], most: int) -> list[tuple[Statement, Statement]]:
    """Return pairs of standing facts that cannot both be meant, at most so many, the older of a pair first.

    One has one word that the other lacks, the other one or two instead, and on each side a number or a name is among them.
    """
    said = [(fact, set(key_words(fact.text).values()), _marked(fact.text)) for fact in facts]
    common = Counter(stem for _, words, _ in said for stem in words)
    holding: defaultdict[str, list[int]] = defaultdict(list)
    found: list[tuple[Statement, Statement]] = []
    for at, (one, words, marked) in enumerate(said):
        # Who shares two words shares another than the most common one.
        rarer = sorted(words, key=lambda stem: (common[stem], stem))[:-1]
        for other, others, marks in (said[number] for number in sorted({n for stem in rarer for n in holding[stem]})):
            mine, theirs = words - others, others - words
            if len(words & others) < _SHARED or {len(mine), len(theirs)} not in _DIFFERENCES:
                continue
            if mine & marked and theirs & marks:
                found.append((other, one))
        if len(found) >= most:
            break
        for stem in words:
            holding[stem].append(at)
    return found[:most]


def _marked(text: str) -> set[str]:
    """Return the stems of the names and numbers of a sentence; what stands first is written large in any case."""
    named = names(text)
    return {stem for word, stem in key_words(text).items() if word.removesuffix("'s") in named or any(map(str.isdigit, word))}
