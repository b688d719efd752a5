"""By which forms of a name somebody is named in a text, in scripts with spaces and without, declined or not."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from memory.text import lexical
from memory.text.display_names import likeness, untagged
from memory.text.language_detection import language

LONGEST = 3
"""The maximum number of words of a name that count."""

_SHORTEST = 3
_WORD = re.compile(r"\w+(?:['’.-]\w+)*")
_PART = re.compile(r"[^\W_]+")
"""A part of a word: "Bob'd" and "Bob-Ben" name Bob, too."""
_UNSPACED_LENGTHS = range(6, 1, -1)
"""How many characters in a row are tried in a script without spaces; names of one character are too many words."""
_HAN_OR_HANGUL = re.compile("[\u3400-\u9fff]+|[\uac00-\ud7a3]+")
_GIVEN, _FAMILY_OF_JAPAN = 2, 4
_PROCLITICS = ("وفبلك", "ובלמהשכ")
"""What Arabic and Hebrew write together with the name after it: "and", "to", "with" and the like."""
_CASES = {
    "cyrillic": ("а я у ю е и ы і ой ей ою ею ом ем ём ии ию ией ові еві", "а я ия й ь о"),
    "polish": ("a y i u e ę ą o ie owi em iem", "a o"),
    "czech": ("a y i u e ě o ů ou ovi em ou", "a o e"),
    "serbian": ("a e i u o om em", "a o"),
    "lithuanian": ("o ui ą e ai io iui į yje ės ei ę", "as is us a ė"),
    "finnish": ("n a ä lla llä lle lta ltä ssa ssä sta stä an en in on kin ksi", ""),
    "estonian": ("l le t ga s st i e u a", ""),
    "hungarian": ("t ot et at nak nek val vel ban ben ra re ról ről hoz hez tól től é ék", ""),
    "greek": ("υ ου η α ο ε", "ς ος ης ας α η"),
}
"""The endings that a language adds to names, and those that names have by themselves."""
_ENDINGS = {
    name: (tuple(sorted(endings.split(), key=len, reverse=True)), ("", *bare.split())) for name, (endings, bare) in _CASES.items()
}
_NO_NAMES = frozenset(map(likeness, (
    *("the", "der", "die", "das", "ein", "eine", "mein", "meine", "los", "las"),
    *("just", "not", "your", "our", "this", "that", "all"),
)))  # fmt: skip
"""Words that names of several words may begin with, and that stand for nobody by themselves."""


def forms(name: str) -> set[str]:
    """Return the forms by which somebody is named: the full name, its first word, and in Han and Hangul the given name."""
    words = _WORD.findall(untagged(name))
    found = {likeness(" ".join(words[:LONGEST]))}
    if words and len(words[0]) >= _SHORTEST:
        found.add(likeness(words[0]))
    if len(words) == 1 and len(words[0]) > _GIVEN and _HAN_OR_HANGUL.fullmatch(words[0]):
        found.add(likeness(words[0][-_GIVEN:]))
        if len(words[0]) >= _FAMILY_OF_JAPAN:
            found.add(likeness(words[0][:_GIVEN]))
    return found - {""}


def mentions(text: str, is_name: Callable[[str], bool]) -> Iterator[tuple[int, int]]:
    """Yield the spans of a text whose form is a name, the longest of each place first."""
    tongue = language(lexical.tokens(text)) or ""

    @cache
    def names(said: str) -> bool:
        return any(form not in _NO_NAMES and is_name(form) for form in _bare(said, tongue))

    for pattern in (_WORD, _PART):
        words = list(pattern.finditer(text))
        for length in range(LONGEST, 0, -1):
            for some in (words[at : at + length] for at in range(len(words) - length + 1)):
                if names(" ".join(one[0] for one in some)):
                    yield some[0].start(), some[-1].end()
    for begin, end in lexical.unspaced_spans(text):
        alike = [likeness(char) if char.isalnum() else "" for char in text[begin:end]]
        for length in _UNSPACED_LENGTHS:
            for at in range(len(alike) - length + 1):
                if is_name("".join(alike[at : at + length])):
                    yield begin + at, begin + at + length


def _bare(said: str, tongue: str) -> Iterator[str]:
    """Yield the forms that words may be of, without what a language adds to a name."""
    form = likeness(said.removesuffix("'s").removesuffix("’s"))
    yield form
    # "Bobs" may be the German genitive.
    if len(form) > _SHORTEST and form.endswith("s"):
        yield form[:-1]
    if said[:1] in _PROCLITICS[0] or said[:1] in _PROCLITICS[1]:
        yield from (likeness(said[cut:]) for cut in (1, 2) if len(said) - cut >= _SHORTEST)
    if said[:1].isupper() and " " not in said:
        endings, bare = _ENDINGS.get("cyrillic" if "\u0400" <= said[0] < "\u0500" else tongue, ((), ()))
        for ending in endings:
            if said.endswith(ending) and len(said) - len(ending) >= _GIVEN:
                yield from (likeness(said.removesuffix(ending) + one) for one in bare)
