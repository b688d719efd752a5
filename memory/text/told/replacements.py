"""News that something is no longer as it was, told without the words in which it was told first: "new wifi password: …", "we've moved",
"Mia's turned 7", "I've switched to oat milk", "I sold the Skoda, we have a Kia now", "he's not my boss any more, Priya is".

Read by rule, in English, German, French and Spanish. What shares the verb and subject of the earlier statement is read as a claim.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from memory.text.function_words import FUNCTION_WORDS
from memory.text.lazy_patterns import lazy_pattern
from memory.text.lexical import STOP_WORDS, stem
from memory.text.numbers import COUNT_WORDS
from memory.text.questions import is_question
from memory.text.told.claims import claims, superseded
from memory.text.told.correction_wordings import correction
from memory.text.told.named_values import TYPED, WORD, Correctable, ValueKind, correctable, left_of, whose
from memory.text.wordings import any_of, read_wordings

_MOST_CHARACTERS = 400
_WORDINGS = read_wordings(__file__)
_WORDS = {name: lazy_pattern(rf"(?i)\b(?:{any_of(said)})\b") for name, said in _WORDINGS["words"].items()}
_PATTERNS = {name: {key: lazy_pattern(one) for key, one in said.items()} for name, said in _WORDINGS["patterns"].items()}
_PAST = _WORDS["past"]
_VALUE = lazy_pattern(r"(?:^|(?<=[^.!?\w]))(?:[A-ZÄÖÜÉÁ][^\W_]+|[^\W_]*\d[^\W_]*)")
_NAME = lazy_pattern(r"\b[A-ZÄÖÜÉÁ][^\W\d_]+")
_COPULA = lazy_pattern(
    r"(?i)\s*(?::|\b(?:is|are|ist|sind|lautet|heißt|est|sont|es|son)\b|['’]s\b)\s*(?:now |jetzt |nun |maintenant |ahora )?"
)
_GENERIC = frozenset(
    map(
        stem,
        "password passcode code number phone mobile mot passe passwort kennwort nummer handynummer telefonnummer numéro téléphone contraseña clave número teléfono".split(),
    )
)
_COUNT = "|".join(sorted((word for word in COUNT_WORDS if len(word) > 2), key=len, reverse=True))
_WAS_AGED = lazy_pattern(
    rf"(?i)(?:['’]s|['’]m|\b(?:is|am|turned|turns|ist|bin|wird|wurde|a|tiene|cumple|cumplió)) (?:now |jetzt |schon )?(?P<n>\d{{1,3}}|(?:{_COUNT}))\b(?=\s*(?:years?\b|jahre?\b|ans\b|años\b|[.!,;]|$))"
)
_BESIDES = 3
_REPLACEABLE = TYPED | ValueKind.PLACE
_YOU = lazy_pattern(r"(?i)\b(?:you|du|ihr|tu|vous|usted)\b")
_PARTNERS = frozenset(
    map(
        stem,
        """girlfriend boyfriend partner wife husband fiancé fiancée freundin freund frau mann copine copain petite novia novio mujer marido
        ragazza ragazzo namorada namorado vriendin vriend dziewczyna chłopak девушка парень""".split(),
    )
)
_NOT_ROLES = frozenset(map(stem, "any more longer now".split()))
_SOMEBODY = frozenset("he she they it er sie il elle él ella this that".split())
_IS = lazy_pattern(r"(?i):|\b(?:is|ist|heißt|est|es|called|named|s['’]appelle|se llama)\b|['’]s\b")
_DENIED = lazy_pattern(r"(?i)\b(?:not|no longer|nicht|plus|ya no)\b|n['’]t\b")
_NOT_THINGS = frozenset(
    map(
        stem,
        """now ago week month year jetzt maintenant ahora hoy fürs beim vom already""".split(),
    )
)
Takes = Callable[[str], bool]
"""Tells whether a replacement takes the place of an earlier text by the same person."""


def replaces(older: str, newer: str) -> bool:
    """Return whether a later text says that what an earlier one by the same person said is no longer so."""
    usable = newer != older and len(older) <= _MOST_CHARACTERS
    return usable and any(takes(older) for takes in replacements(newer)) and not is_question(older)


def tells_anew(newer: str, older: str) -> bool:
    """Return whether a later text by the same person says something else about what an earlier one was about, in words of its own."""
    return replaces(older, newer) or superseded(claims(older), claims(newer), frozenset())


def reads_as_correction(text: str) -> bool:
    """Return whether a text corrects what was told before, or reports a change in it, or something of which there is only one."""
    return correction(text) is not None or bool(replacements(text)) or claims(text).supersedes


@lru_cache(maxsize=10_000)
def replacements(text: str) -> tuple[Takes, ...]:
    """Return predicates that say whether an earlier text is replaced by this one; none for a text that reports no change."""
    told = len(text) <= _MOST_CHARACTERS and _WORDS["may_tell"].search(text) and not _WORDS["no_news"].search(text)
    return tuple(_every(text)) if told and not is_question(text) else ()


def _every(text: str) -> Iterator[Takes]:
    if (found := _WORDS["home"].search(text)) and _VALUE.search(text[found.start() + 1 :]):
        yield _tells_home
    for _, found in _matches("thing", text):
        yield partial(_tells_thing, _stems(found["thing"]), found["value"])
    for _, found in _matches("age", text):
        yield partial(_tells_age, found["who"], _number(found["n"]))
    for _, found in _matches("no_more", text):
        yield partial(_tells_role, found["who"], _role(found), False)
    for _, found in _matches("is_now", text):
        yield partial(_tells_role, found["who"], _role(found), True)
    for _, found in _matches("parted", text):
        yield from (partial(_tells_role, found["who"] or found["of"], frozenset((role,)), False) for role in _PARTNERS)
    for _, found in _matches("changed", text):
        names = frozenset(stem(name.lower()) for name in _NAME.findall(found["who"]) if name != "I")
        yield partial(_tells_what_is_over, names, _stems(found["what"]), bool(names))
    for language, found in _matches("switched", text):
        to = _in_order(found["to"])
        yield partial(_tells_kind, frozenset(to), to[0 if language in ("french", "spanish") else -1] if len(to) > 1 else "")
    for _, found in _matches("over", text):
        if not _YOU.search(found["who"]):
            what = _stems(" ".join(_NAME.findall(found["what"])) or found["what"])
            yield partial(_tells_what_is_over, _stems(found["who"]), what, False)
    if _WORDS["cue"].search(text) and (newer := Correctable(text)).kinds & _REPLACEABLE:
        yield partial(_tells_another_value, newer, left_of(text))
    if denial := next((one for one in re.split(r"[,;.!–—]\s+", text) if _DENIED.search(one)), ""):
        denied = _stems(_WORDS["cue"].sub(" ", denial))
        if denied and (besides := _stems(text) - denied):
            yield partial(_tells_what_is_denied, denied, besides, whose(text))


def _matches(name: str, text: str) -> list[tuple[str, re.Match[str]]]:
    """Return the first match of a pattern that has one, with its language."""
    return [(language, found) for language, one in _PATTERNS[name].items() if (found := one.search(text))][:1]


def _role(found: re.Match[str]) -> frozenset[str]:
    return frozenset(one for one in _in_order(found["role"]) if one not in _NOT_ROLES)


def _tells_home(older: str) -> bool:
    return bool(_WORDS["lives"].search(older)) and not _PAST.search(older)


def _tells_thing(about: frozenset[str], value: str, older: str) -> bool:
    """Return whether a text gives another value of the same form to the thing that `about` names."""
    copula = _COPULA.search(older)
    if not copula or not about:
        return False
    subject, told = _stems(older[: copula.start()]), older[copula.end() :]
    alike = _has_digit(told) if _has_digit(value) else bool(told.strip())
    return about <= subject and subject - about <= _GENERIC and alike and _words(told) != _words(value)


def _tells_age(who: str, age: int, older: str) -> bool:
    """Return whether a text gives a lower age of somebody."""
    before = _WAS_AGED.search(older)
    named = who in WORD.findall(older.replace("'s", "").replace("’s", ""))
    return before is not None and named and _number(before["n"]) < age


def _tells_role(who: str, held: frozenset[str], taken: bool, older: str) -> bool:
    """Return whether a text says that somebody is what `who` no longer is, or what `who` has become (`taken`)."""
    names = set(WORD.findall(older))
    if taken:
        is_of = who not in names
    else:
        is_named = _NAME.fullmatch(who) is not None and who.lower() not in _SOMEBODY
        is_of = who in names if is_named else bool(_NAME.search(older))
    return (
        is_of
        and bool(held)
        and held <= _stems(older)
        and _is_own(older)
        and bool(_IS.search(older))
        and not _DENIED.search(older)
    )


def _tells_kind(to: frozenset[str], sort: str, older: str) -> bool:
    """Return whether a text names another kind of the same sort of thing: soy milk, where oat milk is new."""
    there = _stems(older)
    return bool(sort) and sort in there and not there >= to and _is_own(older) and not _PAST.search(older)


def _tells_what_is_over(whose: frozenset[str], what: frozenset[str], named: bool, older: str) -> bool:
    """Return whether a text is about what is over: for anybody, if somebody is `named`, else of the speaker or their people."""
    return bool(what) and what | whose <= _stems(older) and (named or _is_own(older)) and not _PAST.search(older)


def _tells_another_value(newer: Correctable, left: frozenset[str], older: str) -> bool:
    """Return whether a text names another value of a kind that the newer one names, of the same subject and of nothing else."""
    before = correctable(older)
    if not before.subject or not before.subject <= newer.stems or before.words <= newer.words:
        return False
    kinds = before.kinds & newer.kinds & _REPLACEABLE
    # "Jonas has 2 sisters now" tells nothing of his age.
    return bool(kinds) and before.states and len(left - before.stems) <= (0 if kinds is ValueKind.NUMBER else _BESIDES)


def _tells_what_is_denied(denied: frozenset[str], besides: frozenset[str], of: frozenset[str], older: str) -> bool:
    """Return whether a text says what the newer one denies, of nobody else; a figure only of what is told `besides`, if anything is."""
    there, theirs = _stems(older), whose(older)
    words = frozenset(one for one in besides if not _has_digit(one))
    if (words and all(map(_has_digit, denied)) and not words & there) or (of and theirs and not of & theirs):
        return False
    return denied <= there and len(there) <= len(denied) + 1 and not _DENIED.search(older)


def _is_own(text: str) -> bool:
    return _WORDS["own"].search(text) is not None


def _has_digit(text: str) -> bool:
    return any(char.isdigit() for char in text)


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else COUNT_WORDS.get(text.lower(), 0)


def _in_order(text: str) -> list[str]:
    words = (word.lower().replace("’", "'") for word in WORD.findall(text))
    plain = (word.removesuffix("'s").removeprefix("l'").removeprefix("d'") for word in words)
    stems = (stem(word) for word in plain if word not in STOP_WORDS and word not in FUNCTION_WORDS)
    return [one for one in stems if one not in _NOT_THINGS]


@lru_cache(maxsize=2_000)
def _stems(text: str) -> frozenset[str]:
    return frozenset(_in_order(text))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in WORD.findall(text))
