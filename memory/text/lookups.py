"""Fragments that only name a detail, as typed into a search box: "router password", "Rezept für Kimchi".

They state nothing: the detail itself, a number or a verb would have to follow.
"""

import re

from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import STOP_WORDS
from memory.text.word_forms.irregular_verbs import is_past

_CODES = (
    r"number|password|passcode|pin|code|combination|address|postcode|recipe|iban|surname|opening\s+hours|meter\s+reading|reference"
    r"|\w*-?(?:nummer|passwort|code|kombination|adresse|postleitzahl|rezept|iban|nachname|öffnungszeiten|zählerstand)"
)
_TRAITS = r"birthday|name|colou?r|size|price|geburtstag"
"""The details that are looked up only with whose they are: "big size" and "happy birthday" are not."""
_WHOSE = r"(?:(?:the|my|our|his|her|their|your|mein\w*|unser\w*|de[rnms]|die|das)\s+)"
_NAME = r"(?:[^\W\d_]+(?:['’]s)?(?:-[^\W\d_]+)?)"
_LOOKUP = re.compile(
    rf"(?i)^(?P<whose>{_WHOSE}?)(?P<first>(?:{_NAME}\s+){{0,2}})(?:(?:{_CODES})|(?P<trait>{_TRAITS}))"
    rf"(?:\s+(?P<link>of|for|at|in|to|from|von|vom|für|zu[mr]?|im|am|beim?|de[rs])\s+{_WHOSE}?(?P<last>{_NAME}(?:\s+{_NAME}){{0,2}}))?$"
)
_ENGLISH_LINKS = ("of", "for", "at", "in", "to", "from")
_TELLS = frozenset(
    """a an new no another wrong old good nice great happy bad same different any some i you we they he she it this that and or
    need want use change update check send ask tell give write note save keep find love hate remember forget
    neu neue neuer neues kein keine ein eine falsche falscher alte alter brauche habe hab""".split()
)


def is_lookup(fragment: str) -> bool:
    """Return whether a fragment names a detail of something and tells nothing about it."""
    found = _LOOKUP.match(fragment.strip())
    if not found:
        return False
    before, after = found["first"].casefold().split(), (found["last"] or "").casefold().split()
    if not (before or after) or (found["trait"] and not (after or found["whose"] or before[-1].endswith("s"))):
        return False
    return (
        _TELLS.isdisjoint(before)
        and not any(map(is_past, before[:-1] or before))
        and not (found["last"] and _says(found, fragment != fragment.lower()))
    )


def _says(found: re.Match[str], capital: bool) -> bool:
    """Return whether a verb follows whose the detail is: "the code for the garage changed", but not "the code for the stolen bike"."""
    *more, last = found["last"].split()
    english = found["link"].casefold() in _ENGLISH_LINKS
    if any(word.casefold() in (STOP_WORDS if english else FUNCTION_WORDS) for word in (*more, last)):
        return True
    verb = last.islower() and (last.endswith("s") if english else capital)
    return is_past(last.casefold()) or bool(more and verb)
