"""How much a question asks for: one thing, a list, a sequence of events, or a summary; and how many names it lists."""

import re
from collections.abc import Mapping
from enum import Enum
from functools import cache

from memory.text.lazy_patterns import lazy_pattern

Phrases = Mapping[str, str]


class Breadth(Enum):
    """What a question asks for; it decides how the results are assembled."""

    ONE = "one thing"
    LIST = "several of a kind"
    ORDER = "what happened, in its order"
    WHOLE = "all of something, summed up"

    @property
    def spread(self) -> bool:
        """Whether results are spread over conversations, because the answer is scattered over several."""
        return self in (Breadth.LIST, Breadth.ORDER)

    @property
    def of_theme(self) -> bool:
        """Whether to search for the theme of a question rather than for its sentence."""
        return self in (Breadth.ORDER, Breadth.WHOLE)

    @property
    def with_replies(self) -> bool:
        """Whether Lyra's replies belong to the results as much as what people said."""
        return self is Breadth.WHOLE


_WHOLE: Phrases = {
    "english": r"summar(?:y|ies|i[sz]e|i[sz]es|i[sz]ing)|sum (?:it |them |that |this )?(?:all )?up|overview|recap"
    r"|(?:everything|all) (?:about|(?:that )?(?:i|we)(?:'ve| have)? (?:know|knew|said|told|talked|discussed|did|done|tried))",
    "german": r"fasse?\b.+\bzusammen|zusammenfass\w+|zusammengefasst|überblick|alles (?:über|zu|zum|zur|was)",
    "french": r"résum\w+|récapitul\w+|vue d['’]ensemble|tout (?:ce qu\w*|sur)",
    "spanish": r"resum\w+|recapitul\w+|todo (?:sobre|lo que)",
    "italian": r"riassu\w+|riepilog\w+|panoramica|tutto (?:su\w*|quello che|ciò che)",
    "portuguese": r"resum\w+|recapitul\w+|visão geral|tudo (?:sobre|o que)",
    "dutch": r"samenvat\w*|vat\b.+\bsamen|overzicht|alles (?:over|wat)",
}
_ORDER: Phrases = {
    "english": r"in order(?! to)|(?:in )?(?:what|which|the) order|order (?:in which|of)|chronolog\w+|(?:the )?sequence of|timeline"
    r"|one after (?:the other|another)",
    "german": r"reihenfolge|der reihe nach|chronolog\w+|nacheinander|zeitliche\w* ablauf",
    "french": r"(?:dans )?(?:quel|l['’]) ?ordre|chronolog\w+|l['’]un après l['’]autre",
    "spanish": r"(?:en|el|qué) orden|cronol\w+|uno tras otro",
    "italian": r"(?:in|che|quale|l['’]) ?ordine|cronolog\w+|uno dopo l['’]altro",
    "portuguese": r"(?:em|a|que|por) ordem|cronol\w+|um após o outro",
    "dutch": r"volgorde|chronolog\w+|achtereenvolgens|na elkaar",
}
_LIST: Phrases = {
    "english": r"^(?:what|which) (?:[\w'’-]+ )*?[\w-]{3,}s (?:has|have|had|did|does|do|are|were)|^(?:what|which) (?:are|were)"
    r"|^where (?:has|have)|in what ways|^who (?:are|were)|all (?:of )?(?:the|my|his|her|our|their|your)|list",
    "german": r"^welche \w+(?:en|er|s) (?:hab\w*|hat\w*|sind|waren|kenn\w*|gibt)|(?:was|wen|wer|wo|welche \w+) (?:\w+ ){0,3}(?:alles|überall)"
    r"|alle (?:meine|die|unsere|deine|seine|ihre)|liste",
    "french": r"^quel(?:le)?s|tous (?:les|mes|nos)|toutes (?:les|mes|nos)|liste",
    "spanish": r"^¿? ?(?:qué \w+s|cuáles)|tod[oa]s (?:los|las|mis|nuestr[oa]s)|lista",
    "italian": r"^quali|tutt[ie] (?:i|gli|le)|elenc\w+",
    "portuguese": r"^quais|tod[oa]s (?:os|as)|lista",
    "dutch": r"^welke \w+(?:en|s)|alle (?:\w+en|mijn|onze)|lijst",
}
_NAME = r"[A-ZÀ-ÞА-Я]\w+(?: [A-ZÀ-ÞА-Я]\w+){0,2}"
_ONE_NAME = lazy_pattern(_NAME)
_NAMES = lazy_pattern(rf"(?:{_NAME}, )+{_NAME},? (?:and|or|und|oder|et|ou|y|o|e|en|of|i|и|или|ve|veya) {_NAME}")
_ALL = ((Breadth.WHOLE, _WHOLE), (Breadth.ORDER, _ORDER), (Breadth.LIST, _LIST))


def breadth(text: str, language: str) -> Breadth:
    """Return how much a question asks for; the broadest match of its language's phrases wins."""
    return next((one for one, phrases in _ALL if speaks(phrases, language, text)), Breadth.ONE)


def names_listed(text: str) -> int:
    """Return how many names a question lists in one go: three in "when do Ada, Bob and Eve come home", else 0."""
    found = _NAMES.findall(text) if ", " in text else ()
    return max((len(_ONE_NAME.findall(names)) for names in found), default=0)


def speaks(phrases: Phrases, language: str, text: str) -> bool:
    """Return whether a text contains one of the phrases of its language."""
    ours = phrases.get(language)
    return ours is not None and _as_words(ours).search(text) is not None


@cache
def _as_words(phrases: str) -> re.Pattern[str]:
    return lazy_pattern(rf"(?<![\w'])(?:{phrases})(?![\w'])", re.IGNORECASE)
