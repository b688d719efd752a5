"""Compounds of a question and of messages.

"Fahrradschlüssel" also finds "der Schlüssel vom Fahrrad", and the other way round; and "Zahnarzt" is what a near "Zahnarzttermin" is about.
"""

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np

from memory.index.hits import Certainty, Hit
from memory.index.indexing import MESSAGES
from memory.index.recall.domain_indexes import Loaded
from memory.text import lexical
from memory.text.language_detection import language as language_of
from memory.text.word_forms.compound_words import LANGUAGES, SHORTEST, is_part, joined, splits

_MOST = 6
"""How many words of a question are put together: the number of pairs is the square."""
_NEAR = 0.35
"""The cosine from which a message may be about what a part of its compound names."""


def with_compounds(words: dict[str, list[int]], language: str | None, loaded: Sequence[Loaded]) -> dict[str, list[int]]:
    """Return the words of a question in a language, read as others may have written them; they map to their terms.

    A compound that nobody used counts as its two parts where both were used; two words also find the compound that they make.
    """
    if language not in LANGUAGES:
        return words
    some = [word for word in words if len(word) >= SHORTEST][:_MOST]
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
