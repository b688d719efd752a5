"""How much a text speaks of people: of the one it is said to, and of others, told from its pronouns.

Languages that leave their pronouns out, and those that are not listed, cannot be told so: there every sentence counts as one
that speaks to somebody. Verbs are not looked at, and neither are names: they are content.
"""

import re
from collections.abc import Sequence

from memory.text.languages import language
from memory.text.lexical import tokens

_WORD = re.compile(r"[^\W\d_]+")
_SAID_TO = {
    "english": "you your yours yourself yourselves",
    "german": "du dich dir dein deine deinem deinen deiner deines euch euer eure eurem euren eurer eures ihr",
    "french": "tu te toi ton ta tes vous votre vos",
    "dutch": "je jij jou jouw jullie u uw",
}
_OF_OTHERS = {
    "english": "he him his himself she her hers herself they them their theirs themselves",
    "german": "er ihn ihm sie ihnen sein seine seinem seinen seiner seines",
    "french": "il ils elle elles lui leur leurs eux son sa ses",
    "dutch": "hij hem zijn zij ze haar hun hen",
}


def spoken_of(sentences: Sequence[str]) -> tuple[float, float]:
    """Return how often a sentence speaks of the one it is said to, and of others, on average."""
    text = " ".join(sentences)
    name = language(tokens(text))
    if name not in _SAID_TO:
        return 1.0, 0.0
    words = _WORD.findall(text.casefold())
    to, of = (frozenset(some[name].split()) for some in (_SAID_TO, _OF_OTHERS))
    return sum(word in to for word in words) / len(sentences), sum(word in of for word in words) / len(sentences)
