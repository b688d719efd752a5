"""The past forms of English verbs that no stemmer finds: "broke" and "broken" of "break"."""

from collections.abc import Mapping, Sequence
from functools import cache

from memory.text.lexical import stem

_VERBS = """
become became|begin began begun|bend bent|bite bit bitten|bleed bled|blow blew blown|break broke broken|bring brought|build built
burn burnt|buy bought|catch caught|choose chose chosen|come came|deal dealt|dig dug|draw drew drawn|dream dreamt|drink drank drunk
drive drove driven|eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|fly flew flown|forget forgot forgotten
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|hang hung|hear heard
hide hid hidden|hold held|keep kept|know knew known|lead led|learn learnt|leave left|lend lent|lie lay lain|light lit|lose lost
make made|mean meant|meet met|pay paid|read|ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|sell sold
send sent|sew sewn|shake shook shaken|shine shone|shoot shot|show shown|sing sang sung|sink sank sunk|sit sat|sleep slept
speak spoke spoken|spend spent|stand stood|steal stole stolen|stick stuck|sting stung|sweep swept|swim swam swum|swing swung
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood|wake woke woken
wear wore worn|weep wept|win won|write wrote written
"""
PAST_FORMS: Mapping[str, Sequence[str]] = {
    verb: forms for verb, *forms in (line.split() for line in _VERBS.replace("\n", "|").split("|") if line) if forms
}
"""The past forms of each verb."""


_PASTS = frozenset(form for forms in PAST_FORMS.values() for form in forms)


def is_past(word: str) -> bool:
    """Return whether a lower-case word looks like a past form of an English verb, irregular or in -ed."""
    return word in _PASTS or word.endswith("ed")


def past_stems(stemmed: str) -> frozenset[str]:
    """Return the stems of the past forms of a verb, given its stem; none for another word."""
    return _stems().get(stemmed, frozenset())


@cache
def _stems() -> Mapping[str, frozenset[str]]:
    return {stem(verb): frozenset(map(stem, forms)) for verb, forms in PAST_FORMS.items()}
