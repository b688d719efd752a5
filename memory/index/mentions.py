"""Which members of a domain a text names."""

from collections.abc import Sequence

from memory.text.display_names import TAG
from memory.text.lexical import plain, tokens

_SHORTEST = 3


def members_named(text: str, members: Sequence[str]) -> set[str]:
    """Return the members that a text names by full name or its first word; one with a tag only by name and tag."""
    words = _words(text)
    names = {member: _words(member) for member in members}
    tagged = _before_tags(words, [name[:-1] if TAG.search(member) else name for member, name in names.items()])
    found = set()
    for member, name in names.items():
        if TAG.search(member):
            stands = any(words[at : at + len(name)] == name for at in range(len(words)))
        else:
            short = name[:1] if name and len(name[0]) >= _SHORTEST else name
            stands = any(
                words[at : at + len(form)] == form and tagged.isdisjoint(range(at, at + len(form)))
                for form in (name, short) if form
                for at in range(len(words))
            )  # fmt: skip
        if stands:
            found.add(member)
    return found


def _words(text: str) -> list[str]:
    """Return the words of a text; tags of names keep their "#"."""
    found: list[str] = []
    for at, piece in enumerate(TAG.split(text)):
        found += [f"#{piece}"] if at % 2 else tokens(plain(piece))
    return found


def _before_tags(words: Sequence[str], names: Sequence[list[str]]) -> set[int]:
    """Return the indices of the words that a tag belongs to: the longest of these names before it, else one word."""
    found: set[int] = set()
    for at, word in enumerate(words):
        if word.startswith("#"):
            length = max((len(name) for name in names if name and words[max(0, at - len(name)) : at] == name), default=1)
            found.update(range(at - length, at))
    return found
