"""Words that are found like the name of a month, with which the index has the day of each message: "Julie" is no July.

The day stands in the index as the text does. A word of a question that is no month's name, but has the stem of one, finds what
holds it besides its own day.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from memory.index.indexing import MESSAGES
from memory.index.recall.columns import Ints
from memory.index.recall.domain_index import DomainIndex, Held
from memory.index.when.codes import Code
from memory.index.when.vocabulary import LEXICON
from memory.text import lexical
from memory.types import MINUTE

_ZONES = 14 * 60 * MINUTE
"""How far a local day is from that of UTC."""


def found_in_text(index: DomainIndex, words: Mapping[str, Sequence[int]]) -> dict[int, Held]:
    """Return for each term of these words the passages that hold it: with a month's stem in another word, besides their day."""
    asked = [term for terms in words.values() for term in terms]
    months = _months()
    named = {term for word, terms in words.items() if LEXICON.get(word, (None,))[0] is Code.MONTH for term in terms}
    alike = months.keys() & set(asked) - named if index.kind == MESSAGES else frozenset()
    if not alike:
        return index.postings.find_each(asked)
    found = index.postings.find_each([*asked, *months])
    return {**found, **{term: _besides_the_day(index, found, term) for term in alike}}


def _besides_the_day(index: DomainIndex, found: Mapping[int, Held], term: int) -> Held:
    """Return the passages that hold a month's term, without those of that month whose only such word is in their day."""
    passages, counts = found[term]
    month = _months()[term]
    times = index.documents.times.now[index.owners.now[passages]]
    early, late = _month_of(times - _ZONES), _month_of(times + _ZONES)
    # Where the zone decides, the day is of the month whose name the passage holds.
    others = np.concatenate([found[other][0] for other, number in _months().items() if (number - month) % 12 in (1, 11)])
    in_day = ((early == month) | (late == month)) & ((early == late) | ~np.isin(passages, others))
    left = counts - in_day.astype(counts.dtype)
    return passages[left > 0], left[left > 0]


def _month_of(times: Ints) -> Ints:
    return times.astype("datetime64[us]").astype("datetime64[M]").astype(np.int64) % 12 + 1


@cache
def _months() -> Mapping[int, int]:
    names = "January February March April May June July August September October November December".lower().split()
    return {lexical.term(lexical.stem(name)): number for number, name in enumerate(names, 1)}
