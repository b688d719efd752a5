"""Words that say the opposite of each other, of what people tell of themselves: a digest that has one for the other is wrong.

Only pairs of which neither follows from the other seen from elsewhere: who sells to one of two has the other buy.
"""

from functools import cache

from memory.text.lexical import stem

_OPPOSITES = (
    (
        "like likes liked love loves loved enjoy enjoys enjoyed adore adores adored fond mag mochte liebt liebte aime adore gusta encanta",
        "hate hates hated dislike dislikes disliked detest detests detested loathe loathes loathed hasst hasste déteste odia detesta",
    ),
    (
        "accept accepts accepted agree agrees agreed zugesagt angenommen accepte accepté acepta aceptó",
        "decline declines declined refuse refuses refused reject rejects rejected abgesagt abgelehnt refuse refusé rechaza rechazó",
    ),
    ("remember remembers remembered erinnert", "forget forgets forgot forgotten vergisst vergaß vergessen"),
    ("marry marries married heiratet geheiratet", "divorce divorces divorced geschieden"),
    ("start starts started begin begins began begun angefangen begonnen", "stop stops stopped quit quits aufgehört"),
    ("hire hires hired eingestellt", "fire fires fired entlassen gekündigt"),
    ("allow allows allowed erlaubt", "forbid forbids forbade forbidden ban bans banned verboten"),
    ("rise rises rose risen increase increases increased gestiegen", "fall falls fell fallen decrease decreases decreased gesunken"),
)  # fmt: skip


@cache
def _poles() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Return for each word, by its stem, those that say the same and those that say the opposite."""
    found: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for pair in _OPPOSITES:
        one, other = (frozenset(map(stem, words.split())) for words in pair)
        found |= dict.fromkeys(one, (one, other)) | dict.fromkeys(other, (other, one))
    return found


def alike(word: str) -> frozenset[str]:
    """Return the stems that say the same as a stem, itself among them, where it has an opposite."""
    return _poles()[word][0] if word in _poles() else frozenset()


def opposed(word: str) -> frozenset[str]:
    """Return the stems that say the opposite of a stem."""
    return _poles()[word][1] if word in _poles() else frozenset()
