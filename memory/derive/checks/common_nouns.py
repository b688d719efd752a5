"""German common nouns, which are capitalized like names.

A noun is told by what precedes it: "einen Hund" is no name, and neither is "der Hund", unless the same word stands somewhere without an
article, as a name does: "die Helga" beside "mit Helga".
"""

import re
from collections.abc import Sequence

from memory.text.language_detection import language
from memory.text.lexical import tokens

_NOUN = re.compile(r"[^\W\d_]+")
_ENDINGS = "(?:e[nmrs]?)?"
_SURE = rf"(?:[km]?ein|dein|unser|euer){_ENDINGS}|(?:sein|ihr)e[nmrs]?|(?:eur|dies|jed|welch|viel|einig|all|mehrer|beid)e[nmrs]?"
_LIKELY = r"d(?:er|ie|as|en|em|es)|ihr|sein|[ia]m|vom|zum|zur|beim|ins|ans|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|\d+"
_ADJECTIVES = r"(?:(?!(?:über|unter|hinter|wegen|neben|gegen|zwischen|oder|aber|wieder|immer|gestern|morgen|haben|waren|werden)\b)[a-zäöüß]{2,}(?:e|en|er|es|em) ){0,2}"
_BEFORE_SURE, _BEFORE_LIKELY = (re.compile(rf"(?:^|[^\w-])(?<!, )(?i:{some}) {_ADJECTIVES}$") for some in (_SURE, _LIKELY))
_UNCLEAR = re.compile(r", (?i:d(?:er|ie|as|en|em|es)) $")
"""A clause that goes on with "der" or "die" may name somebody next (", die Helga kennt"), unless it is one with "zu"."""
_INFINITIVE = re.compile(r" (?:[a-zäöüß]+ ){0,3}(?:zu [a-zäöüß]+n|[a-zäöüß]+zu[a-zäöüß]+n)\b")
_ALONE = frozenset(
    """angst hunger durst lust zeit geld spaß glück pech hilfe urlaub besuch arbeit schule musik sport hause ende anfang wasser milch brot
    kaffee tee zucker fleisch fisch obst gemüse salz mehl butter käse eier wein bier suppe kuchen fieber schmerzen kopfschmerzen leute eltern
    geschwister kinder freunde menschen tiere uhr euro prozent stunden tage tagen wochen monate monaten jahre jahren minuten meter kilometer mal
    rad fahrrad auto bus bahn zug deutsch englisch abend mittag nachmittag vormittag morgen nacht frühstück""".split()
)
"""Common nouns that often stand without an article."""
_ABSTRACT = re.compile(r"\w{3,}(?:ung|heit|keit|schaft|tion|ität|ismus)(?:en|s)?")
_LONGEST_BEFORE = 48


def is_abstract(word: str) -> bool:
    """Return whether a German word, in lower case, ends like a noun for what cannot be touched: "Freundschaft"."""
    return _ABSTRACT.fullmatch(word) is not None


def common_nouns(texts: Sequence[str]) -> frozenset[str]:
    """Return the words, in lower case, that are common nouns in German texts; none where most is in another language."""
    words = [tokens(text) for text in texts]
    if language([word for some in words for word in some]) != "german":
        return frozenset()
    sure, likely, bare = set[str](), set[str](), set[str]()
    for text, spoken in zip(texts, words, strict=True):
        if language(spoken) not in (None, "german"):
            continue
        for noun in _NOUN.finditer(text):
            if not noun.group()[0].isupper():
                continue
            word, before = noun.group().casefold(), text[max(0, noun.start() - _LONGEST_BEFORE) : noun.start()]
            if word in _ALONE or is_abstract(word) or _BEFORE_SURE.search(before):
                sure.add(word)
            elif _UNCLEAR.search(before):
                likely.update([word] if _INFINITIVE.match(text, noun.end()) else [])
            elif _BEFORE_LIKELY.search(before):
                likely.add(word)
            elif before.endswith(" ") and before.rstrip()[-1:].isalnum():
                bare.add(word)
    return frozenset(sure | (likely - bare))
