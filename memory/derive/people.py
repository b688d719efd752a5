"""Who the people are: what is known of those whom a piece of conversation names, told to whoever condenses it."""

from collections import Counter
from collections.abc import Iterable, Sequence

from memory.derive.naming import words_of
from memory.ports import Source
from memory.text.proper_names import names

MOST = 8
_MOST_CHARACTERS = 1200


def acquainted(episode: Sequence[Source], told: Iterable[Source]) -> list[Source]:
    """Return those of the sentences told that name somebody or something the episode names, the most telling first.

    `told` stands with the newest last; of each name the first sentence that holds it is wanted, as it says who that is.
    """
    said = frozenset[str]().union(*(words_of(source.text) for source in episode))
    speakers = frozenset[str]().union(*(words_of(source.speaker) for source in episode))
    found: list[Source] = []
    seen = Counter[str]()
    for one in told:
        named = {name for name in names(f". {one.text}") if name in said and name not in speakers}
        if any(not seen[name] for name in named):
            found.append(one)
            seen.update(named)
    return found[:MOST]
