"""Fragments that only name a detail, as typed into a search box: "router password", "Rezept für Kimchi".

They state nothing: the detail itself, a number or a verb would have to follow.
"""

import re

from memory.text.word_forms.irregular_verbs import PAST_FORMS

_DETAIL = r"(?:number|password|passcode|pin|code|combination|address|postcode|recipe|iban|birthday|surname|name|colou?r|size|price|opening\s+hours|meter\s+reading|reference)"
_GERMAN_DETAIL = r"(?:\w*-?(?:nummer|passwort|code|kombination|adresse|postleitzahl|rezept|iban|geburtstag|nachname|öffnungszeiten|zählerstand))"
_WHOSE = r"(?:(?:the|my|our|his|her|their|your|mein\w*|unser\w*|de[rnms]|die|das)\s+)"
_NAME = r"(?:[^\W\d_]+(?:['’]s)?(?:-[^\W\d_]+)?)"
_LINK = r"(?:of|for|at|in|to|from|von|vom|für|zu[mr]?|im|in|am|beim?|de[rs])"
_LOOKUP = re.compile(
    rf"(?i)^{_WHOSE}?(?P<first>(?:{_NAME}\s+){{0,2}})(?:{_DETAIL}|{_GERMAN_DETAIL})"
    rf"(?P<link>\s+{_LINK}\s+{_WHOSE}?(?P<last>{_NAME}(?:\s+{_NAME})?))?$"
)
_PASTS = frozenset(form for forms in PAST_FORMS.values() for form in forms)
_TELLS = frozenset(
    """a an new no another wrong old good nice great happy bad same different any some this that i you we they he she it and or
    need want use change update check send ask tell give write note save keep find love hate remember forget
    neu neue neuer neues kein keine ein eine falsche falscher alte alter brauche habe hab""".split()
)


def is_lookup(fragment: str) -> bool:
    """Return whether a fragment names a detail of something and tells nothing about it."""
    found = _LOOKUP.match(fragment.strip())
    if not found or not (found["first"] or found["link"]):
        return False
    before, after = found["first"].casefold().split(), (found["last"] or "").casefold().split()
    # A participle before its noun tells nothing ("the stolen bike"), at the end it does ("the code for the garage changed").
    verbs = [*before, *after[-1:]]
    return _TELLS.isdisjoint([*before, *after]) and not any(word in _PASTS or word.endswith(("ed", "ing")) for word in verbs)
