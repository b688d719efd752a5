"""Words of a question that nobody in view used, read as they may be meant.

"Fahrradschlüssel" also finds "der Schlüssel vom Fahrrad", and the other way round; "Zahnarzt" is what a near "Zahnarzttermin" is
about; and "greenhose" also finds "greenhouse", if nobody ever spoke of a greenhose.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from memory.index.hits import Certainty, Hit
from memory.index.indexing import ASKS, MESSAGES, OWN
from memory.index.recall.columns import Ints
from memory.index.recall.domain_index import DomainIndex
from memory.index.recall.domain_indexes import Loaded
from memory.text import lexical
from memory.text.language_detection import language as language_of
from memory.text.word_forms.compound_words import LANGUAGES, SHORTEST, is_part, joined, splits
from memory.text.word_forms.spellings import SHORT, may_be_mistyped, single_typos

_JOINED = 6
"""How many words of a question are put together: the number of pairs is the square."""
_NEAR = 0.35
"""The cosine from which a message may be about what a part of its compound names."""
MOST = 2
"""Of how many words of a question it is believed that they are mistyped."""
_LONGER = SHORT.stop
_LONG = 8
"""From how many letters on a word is hardly one slip away from another by chance."""
_MOST_LONG = 8
"""How many such words are tried among other unknown ones: each takes milliseconds, and a pasted text has hundreds."""
_LONG_ENDING = 3
_OFTEN = 8
"""How many passages hold a word that is surely known, whoever said it."""


def with_compounds(words: dict[str, list[int]], language: str | None, loaded: Sequence[Loaded]) -> dict[str, list[int]]:
    """Return the words of a question in a language, read as others may have written them; they map to their terms.

    A compound that nobody used counts as its two parts where both were used; two words also find the compound that they make.
    """
    if language not in LANGUAGES:
        return words
    some = [word for word in words if len(word) >= SHORTEST][:_JOINED]
    made = [(form, pair) for pair in permutations(some, 2) for form in joined(*pair)]
    apart = {word: list(splits(word)) for word in words}
    forms = {form for form, _ in made}.union(*(pair for pairs in apart.values() for pair in pairs))
    terms = {form: lexical.term(lexical.stem(form, language), language) for form in forms}
    held = _held([*terms.values(), *(term for own in words.values() for term in own)], loaded)
    found: dict[str, list[int]] = {}
    for word, own in words.items():
        parts = next((pair for pair in apart[word] if {terms[part] for part in pair} <= held), ())
        if parts and held.isdisjoint(own):
            found |= {part: [*found.get(part, ()), terms[part]] for part in parts}
        else:
            found[word] = [*own, *(terms[form] for form, pair in made if word in pair and terms[form] in held)]
    return found


def likelier_by_compounds(question: str, hits: Mapping[int, Hit]) -> Mapping[int, Hit]:
    """Return hits with those likely that were weak, are near in meaning, and have a word of the question in a compound.

    Only a word that no hit has by itself counts, as the index cannot look into compounds. The very hits are returned if none is likelier.
    """
    weak = [key for key, hit in hits.items() if hit.certainty is Certainty.WEAK and (hit.cosine or 0.0) >= _NEAR]
    if not weak:
        return hits
    read = {key: lexical.tokens(hit.exchange.text) for key, hit in hits.items()}
    asked = lexical.tokens(question)
    told = {word for key, words in read.items() if words != asked for word in words}
    sought = [word for word in lexical.query_terms(question, ()) if word not in told]
    likelier = [
        key
        for key in weak
        if read[key] != asked
        and language_of(read[key]) in LANGUAGES
        and any(is_part(part, word) for part in sought for word in read[key])
    ]
    return {**hits, **{key: hits[key]._replace(certainty=Certainty.LIKELY) for key in likelier}} if likelier else hits


def _held(terms: Sequence[int], loaded: Sequence[Loaded]) -> set[int]:
    asked = np.fromiter(sorted(set(terms)), np.uint64)
    return {term for one in loaded for term in one.domain_indexes[MESSAGES].postings.held(asked)}


def with_meant(
    words: dict[str, list[int]],
    languages: Sequence[str],
    loaded: Sequence[Loaded],
    names: Collection[str],
    exclude: Collection[int],
) -> tuple[dict[str, list[int]], Mapping[str, str]]:
    """Return the words of a question with more terms for those that are mistyped, and these with what they mean.

    Mistyped is what nobody in view used, except in the items to `exclude`, and is one slip of the fingers away from what is held.
    Words that name a speaker (`names`) are taken as they are, and so are the shorter words of a question with several unknown ones:
    it is rather about something else.
    """
    indexes = [one.domain_indexes[MESSAGES] for one in loaded]
    terms = [term for some in words.values() for term in some]
    found = [(index, index.postings.find_each(terms)) for index in indexes]
    unknown = [
        word
        for word, some in words.items()
        if may_be_mistyped(word) and not any(_is_used(index, held[term][0], exclude) for index, held in found for term in some)
    ]
    for least in (_LONGER, _LONG):
        if len(unknown) > MOST:
            unknown = [word for word in unknown if len(word) >= least]
    if not 0 < len(unknown) <= _MOST_LONG:
        return words, {}
    mistyped = [word for word in unknown if word not in names and not _has_long_ending(word, languages)]
    meant = {word: _slips(word, tuple(languages)) for word in mistyped}
    held = {word: {term for index in indexes for term in index.postings.held(some)} for word, some in meant.items()}
    # A plural is one letter away from its singular, and the same term.
    added = {word: [*words[word], *sorted(more)] for word, some in held.items() if (more := some.difference(words[word]))}
    return {**words, **added}, {word: _meant(word, languages, held[word]) for word in added}


def _meant(word: str, languages: Sequence[str], held: Collection[int]) -> str:
    """Return what a mistyped word means, given the terms that it may mean; the word itself if that is not one word."""
    forms = [
        form for form in single_typos(word) if any(lexical.term(lexical.stem(form, name), name) in held for name in languages)
    ]
    return forms[0] if len(forms) == 1 else word


def _has_long_ending(word: str, languages: Sequence[str]) -> bool:
    """Return whether a word ends as words do ("conversations"): it is rather one that nobody used than a mistyped one."""
    return any(len(word) - len(lexical.stem(word, name)) >= _LONG_ENDING for name in languages)


def _is_used(index: DomainIndex, passages: Ints, exclude: Collection[int]) -> bool:
    """Return whether anybody used a word that these passages hold, other than to ask for it, or in what is in view anyway."""
    if not 0 < len(passages) <= _OFTEN:
        return len(passages) > 0
    owners, traits, items = index.owners.now, index.documents.traits.now, index.documents.items.now
    documents = (owners.item(passage) for passage in passages.tolist())
    return any(not traits.item(document) & (ASKS | OWN) and items.item(document) not in exclude for document in documents)


@lru_cache(maxsize=256)
def _slips(word: str, languages: Sequence[str]) -> NDArray[np.uint64]:
    """Return the terms in these languages of what a mistyped word may mean."""
    terms = {lexical.term(lexical.stem(form, name), name) for form in single_typos(word) for name in languages}
    return np.fromiter(sorted(terms), np.uint64, len(terms))
