"""The names of people in a request for discretion or a permission: at the beginning of a phrase, or at its end."""

import re
from collections.abc import Collection

from memory.text.word_forms.spellings import without_possessive
from memory.text.wordings import read_wordings

_WORDS = {name: frozenset(words.split()) for name, words in read_wordings(__file__)["words"].items()}
OWN, EVERYBODY, JOINS, _NO_NAME, _COMPANY, _BESIDES, _TO, _ARTICLES = (
    _WORDS[name] for name in ("own", "everybody", "joins", "no_name", "company", "besides", "to", "articles")
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_AND = re.compile(rf"(,|\b(?:{'|'.join(sorted(JOINS))}|[aio](?= @?[A-ZÀ-Ž]))\b)")


def leading_names(said: str) -> list[str] | None:
    """Return the names at the beginning of a phrase, [] for everybody, None if it begins with no name."""
    found: list[str] = []
    parts = _AND.split(said.replace("(", " "))
    for joint, part in zip(["", *parts[1::2]], parts[::2], strict=True):
        words = _from_name(part.split(), more=bool(found))
        if not words:
            continue
        named = words[:2] if words[0].lower() in OWN and len(words) > 1 else words[:1]
        first = named[-1].strip("'\"’(),@").lower()
        if found and first in _COMPANY:
            return []
        if first in EVERYBODY or (first.endswith(("'s", "’s")) and len(words) > len(named)):
            # Who somebody's wife is, nobody can tell.
            return None if _NO_NAME.intersection(words[len(named) :][:1]) else []
        if first in _NO_NAME or (found and found[0][:1].isupper() and not named[0].lstrip("@")[:1].isupper() and len(named) == 1):
            break
        if joint == "," and len(named) == 2 and len(words) > 2:
            break  # not a name: "don't tell Ben, my locker is open"
        for word in words[len(named) :]:
            if not (word[0].isupper() or word[0] == "#") or word.replace("’", "'").split("'")[0] == "I":
                break
            named.append(word)
        found.append(" ".join(named).strip("'\"’(),@"))
        if len(named) < len(words):
            break
    return [without_possessive(name) for name in found if name] or None


def _from_name(words: list[str], *, more: bool) -> list[str]:
    """Return words from where a name may begin: behind what joins it to others, and, with `more`, what says "especially" or "to"."""
    at = 0
    while at < len(words) - 1 and (words[at].lower() in JOINS or (more and words[at].lower() in _BESIDES)):
        at += 1
    if words and words[at].lower() in _ARTICLES and words[at + 1 : at + 2] and words[at + 1][:1].isupper():
        at += 1
    if (more or at) and at < len(words) - 1 and words[at].lower() in _TO:
        at += 1
    return words[at:]


def each_name(said: str) -> list[str]:
    """Return the names in a list of people, without those that stand for the speaker or the hearer: "you and Cleo"."""
    return [name for part in _AND.split(said)[::2] if part.strip() for name in leading_names(part) or ()]


def trailing_names(said: str) -> list[str] | None:
    """Return the names at the end of a phrase, several if joined, [] for everybody, None if it ends with no name."""
    words, found, joined = said.split(), [], True
    while words and joined:
        named = [words.pop()]
        while words and (
            words[-1].lower() in OWN
            or (words[-1][0].isupper() and len(words[-1]) > 1 and words[-1][-1] != "," and named[0][0].isupper())
        ):
            named.insert(0, words.pop())
            if named[0].lower() in OWN:
                break
        found.append(" ".join(named).strip("@,"))
        joined = bool(words) and (words[-1].lower() in JOINS or (len(found) > 1 and words[-1][-1] == ","))
        if joined and words[-1].lower() in JOINS:
            words.pop()
    names = [name for name in found if name and name.split()[-1].lower() not in _NO_NAME]
    if not names or len(names) < len(found):
        return None
    return [] if any(name.split()[-1].lower() in EVERYBODY for name in names) else names[::-1]


def beside_names(said: str, names: Collection[str]) -> str:
    """Return the words of a phrase that are neither of these names nor stand for everybody, nor join or own them."""
    named = {word for name in names for word in _WORD.findall(name.lower())} or EVERYBODY
    return " ".join(word for word in _WORD.findall(said.lower()) if word not in named | OWN | JOINS)


def clause_of(said: str, names: list[str]) -> int:
    """Return the offset of the clause that ends with these names."""
    return said.rfind(", ", 0, max(0, said.find(names[0]) if names else 0)) + 1


def length_of(said: str, names: list[str]) -> int:
    """Return the length of the beginning of a phrase that holds these names or, if there are none, that stands for everybody."""
    if names:
        return max(said.find(name) + len(name) for name in names)
    own = False
    for word in _WORD.finditer(said):
        plain = word[0].lower()
        if own or plain in EVERYBODY or plain in _COMPANY:
            return word.end()
        own = plain.endswith(("'s", "’s"))
    return said.find(said.split()[0]) + len(said.split()[0])
