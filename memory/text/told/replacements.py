"""News that something is no longer as it was, told without the words in which it was told first: "new wifi password: …", "we've moved",
"Mia's turned 7", "I've switched to oat milk", "I sold the Skoda, we have a Kia now", "he's not my boss any more, Priya is".

Read by rule, in English, German, French and Spanish. What shares the verb and subject of the earlier statement is read as a claim.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import STOP_WORDS, stem
from memory.text.numbers import COUNT_WORDS
from memory.text.questions import is_question
from memory.text.told.named_values import TYPED, WORD, Correctable, ValueKind, left_of

_MOST_CHARACTERS = 400
_MAY_TELL = re.compile(
    r"(?i)\b(?:new|neue\w?|nouve\w+|nuev[oa]|now|moved|umgezogen|déménagé|mud\w+|turned|turns|geworden|ans|cumpl\w+|tiene|any ?more|no longer|nicht mehr|plus|ya no"
    r"|switched|changed|gone over|umgestiegen|passée?s?|cambi\w+|pas[éa]\w*|left|quit|sold|gave up|got rid|dropped|ditched|resigned|verkauft|gekündigt|aufgegeben"
    r"|vendu\w*|quitté\w*|vend\w+|dej\w+|from now on|these days|rescheduled|pushed|turns out|jetzt|nun|inzwischen|mittlerweile|geändert|verlegt|verschoben|maintenant|désormais|changé|ahora|closed|cancelled|ended|not|\w+n['’]t|nicht|gewechselt|changé|got a)\b"
)
_NO_NEWS = re.compile(
    r"(?i)\b(?:too|also|as well|another|second|might|may (?:have|be)|maybe|perhaps|if|want|wants|need|needs|would|should|could|hope|hoping|will|going to|looking for|auch|vielleicht"
    r"|wenn|möchte|brauche|will|würde|aussi|peut-être|voudrais|veux|si|también|quizás?|quiero|necesito)\b"
)
_PAST = re.compile(r"(?i)\b(?:was|were|had|used to|war|hatte|früher|était|avait|era|tenía|antes)\b")
_VALUE = re.compile(r"(?:^|(?<=[^.!?\w]))(?:[A-ZÄÖÜÉÁ][^\W_]+|[^\W_]*\d[^\W_]*)")
_NAME = re.compile(r"\b[A-ZÄÖÜÉÁ][^\W\d_]+")
_OWN = re.compile(
    r"(?i)\b(?:i|we|my|our|us|me|ich|wir|mein\w*|unser\w*|je|j|nous|on|mon|ma|mes|notre|nos|yo|mi|mis|nuestr\w+|me|tomo|uso|bebo|tengo|vivo|trabajo|estudio|conduzco|voy|soy|estoy|como)\b"
)
_COPULA = re.compile(
    r"(?i)\s*(?::|\b(?:is|are|ist|sind|lautet|heißt|est|sont|es|son)\b|['’]s\b)\s*(?:now |jetzt |nun |maintenant |ahora )?"
)

_HOME = re.compile(
    r"(?i)\b(?:we|i)(?:['’]ve| have)? (?:just |finally |all )?moved\b(?! (?:the|it|my|our|that|this|him|her|them|on)\b)|\b(?:at|in) (?:the|our|my) new (?:flat|place|apartment|house|home)\b"
    r"|\b(?:the|our|my) new (?:flat|place|apartment|house|home|address) is\b|\b(?:wir|ich|sind|bin)\b.{0,40}\bumgezogen\b|\b(?:unsere?|meine?|die|das) neue[sn]? (?:wohnung|haus|adresse)\b"
    r"|\b(?:on a|nous avons|j['’]ai) déménagé|\b(?:notre|mon|le|la) nouve\w+ (?:appart\w*|maison|adresse|logement)\b|\b(?:nos|me) (?:hemos |he )?mud(?:amos|ado|é)\b"
    r"|\b(?:nuestr[oa]|mi|el|la) nuev[oa] (?:piso|casa|dirección|apartamento)\b"
)
_LIVES = re.compile(
    r"(?i)\b(?:i|we)(?: both)? live\b|\bi['’]m living\b|\bmy address\b|\b(?:ich|wir) wohnen?\b|\bwohnen? (?:ich|wir)\b|\bmeine adresse\b|\bj['’]habite\b|\b(?:nous|on) habit\w+"
    r"|\bmon adresse\b|\bviv(?:o|imos)\b|\bmi dirección\b"
)
_NEW = re.compile(
    r"(?i)(?:^|\b(?=(?:my|our|mein\w*|unser\w*|mon|ma|notre|mi|nuestr[oa]) ))\W*(?:(?:btw|ok|hey|oh|update|so|fyi|übrigens|au fait|por cierto)\W+)?(?:(?:i|we|there['’]s|here['’]s|das|le|la|el|the|my|our|meine?|unsere?|die|der|mon|ma|notre|mi|nuestr[oa]"
    r"|have|got|hab|['’]ve|i['’]ve|we['’]ve|ich|habe|haben|wir|hier|j['’]ai|on|un|une|una|tengo|a|an|eine?n?|just|jetzt)\s+)*(?:new|neue[srnm]?|nouve(?:au|l|lle)|nuev[oa])\s+"
    r"(?P<thing>[^:,.!?]{2,50}?)(?:\s*:|,? (?:it['’]s|c['’]est|it is)|,(?= (?-i:[A-ZÄÖÜÉ]|\d))| is| ist| lautet| est| es)\s+(?P<value>.+)"
)
_NOW_IS = re.compile(
    r"(?i)^\W*(?:the|my|our|das|die|der|mein\w*|unser\w*|le|la|mon|ma|notre|el|mi)\s+(?P<thing>[^:,.!?]{2,50}?)(?:['’]s| is| ist| lautet| est| es) (?:now|jetzt|nun|maintenant|ahora)\s+(?P<value>.+)"
)
_GENERIC = frozenset(
    map(
        stem,
        "password passcode code number phone mobile mot passe passwort kennwort nummer handynummer telefonnummer numéro téléphone contraseña clave número teléfono".split(),
    )
)
_COUNT = "|".join(sorted((word for word in COUNT_WORDS if len(word) > 2), key=len, reverse=True))
_AGE = re.compile(
    rf"(?P<who>\b[A-ZÄÖÜÉÁ][^\W\d_]+|\b[Ii]\b)(?:['’]s| has| is|['’]ve| have)? (?:just |now |already |finally )?(?i:turned|turns) (?P<n>\d{{1,3}}|(?:{_COUNT}))\b"
    rf"|(?P<who2>\b[A-ZÄÖÜÉÁ][^\W\d_]+) (?:ist|wurde) (?:\w+ ){{0,2}}(?P<n2>\d{{1,3}}|(?:{_COUNT}))(?: jahre)?(?: alt)? ?(?:geworden)?\b"
    rf"|(?P<who3>\b[A-ZÄÖÜÉÁ][^\W\d_]+) (?:a|vient d['’]avoir) (?:eu )?(?:maintenant )?(?P<n3>\d{{1,3}}|(?:{_COUNT})) ans\b"
    rf"|(?P<who4>\b[A-ZÄÖÜÉÁ][^\W\d_]+) (?:ya |ahora )*(?:cumplió|tiene) (?:ya )?(?P<n4>\d{{1,3}}|(?:{_COUNT}))\b"
)
_WAS_AGED = re.compile(
    rf"(?i)(?:['’]s|['’]m|\b(?:is|am|turned|turns|ist|bin|wird|wurde|a|tiene|cumple|cumplió)) (?:now |jetzt |schon )?(?P<n>\d{{1,3}}|(?:{_COUNT}))\b(?=\s*(?:years?\b|jahre?\b|ans\b|años\b|[.!,;]|$))"
)
_NO_MORE = re.compile(
    r"(?i)(?P<who>[^\W_]+)(?:['’]s| is| are)?(?: not|n['’]t| no longer)? (?:my|our) (?P<role>[\w-]+(?: [\w-]+)?)(?P<rest>.*)"
    r"|(?P<who2>[^\W_]+) ist nicht mehr (?:mein|unser)e? (?P<role2>[\w-]+)(?P<rest2>.*)|(?P<who3>[^\W_]+) n['’]est plus (?:mon|ma|notre) (?P<role3>[\w-]+)(?P<rest3>.*)"
    r"|(?P<who4>[^\W_]+) ya no es (?:mi|nuestr[oa]) (?P<role4>[\w-]+)(?P<rest4>.*)"
)
_IS_NOW = re.compile(
    r"(?P<who>\b[A-ZÄÖÜÉÁ][^\W\d_]+)(?:['’]s| is| ist| est| es) (?:(?:now|jetzt|maintenant|ahora) (?:my|our|mein|meine|unsere?|mon|ma|notre|mi|nuestr[oa]) (?P<role>[\w-]+(?: [\w-]+)?)"
    r"|(?:my|our|mein|meine|unsere?|mon|ma|notre|mi|nuestr[oa]) (?P<role2>[\w-]+(?: [\w-]+)?) (?:now|jetzt|maintenant|ahora)\b)"
)
_CHANGED = re.compile(
    r"(?i)(?P<who>[^\W_]+)(?:['’]ve|['’]s| has| have)? (?:just |recently )?(?:changed|switched|got a new|found a new|has a new) (?P<what>[^\W_]+)\b(?! to\b)(?P<then>[,;.:–—-].+| and\b.+)"
    r"|(?P<who2>[^\W_]+) (?:habe?|hat|haben) (?:(?:den|die|das|mein\w*) )?(?P<what2>[^\W_]+) gewechselt(?P<then2>[,;.:].+| und\b.+)"
    r"|\b(?P<who3>j['’]ai|[^\W_]+ a|on a) changé (?:de |d['’])(?P<what3>[^\W_]+)(?P<then3>[,;.:].+| et\b.+)"
    r"|\b(?P<who4>he|hemos|[^\W_]+ ha|cambié|cambiamos) (?:cambiado )?de (?P<what4>[^\W_]+)(?P<then4>[,;.:].+| y\b.+)"
)
_ENGLISH_NO_MORE = re.compile(
    r"(?i)\b(?:no longer my|not (?:my|our)\b.*\bany ?more|n['’]t (?:my|our)\b.*\bany ?more|no longer our)\b"
)
_SWITCHED = re.compile(
    r"(?i)\b(?:i|we)(?:['’]ve| have)? (?:just |now |finally |recently )?(?:switched|changed|gone)(?: over)? to (?P<to>[^.,;!?]{3,40}?)(?=[.,;!?]|$| (?:with|at|in|on|for|from|since|because|now|this|last)\b)"
    r"|\b(?:ich|wir|bin|sind)\b.{0,30}?\bauf (?P<to2>[^.,;!?]{3,40}?) umgestiegen\b|\b(?:je suis|on est|nous sommes) passée?s? (?:à |au |aux )(?:l['’])?(?P<to3>[^.,;!?]{3,40})"
    r"|\b(?:me )?(?:cambié|he cambiado|pasé|me pasé|he pasado) a(?:l| la)? (?P<to4>[^.,;!?]{3,40})"
)
_OVER = re.compile(
    r"(?i)^\W*(?P<who>(?:[\w'’]+ ){0,3}?)(?:['’]ve |have |has |just |finally )*(?:left|quit|sold|gave up|got rid of|dropped|ditched|resigned from|closed|cancelled|ended|stopped working (?:at|for))\s+"
    r"(?:(?:the|my|our|his|her|their|a) )?(?P<what>[^.,;!?]{2,40}?)(?=[.,;!]| and\b)(?P<then>.+)"
    r"|^\W*(?P<who2>(?:[\w'’]+ ){0,3}?)(?:habe|haben|hat) (?:(?:den|die|das|mein\w*|unser\w*|sein\w*|ihr\w*) )(?P<what2>[^.,;!?]{2,40}?) (?:verkauft|gekündigt|aufgegeben)(?P<then2>[.,;! ].+)"
    r"|^\W*(?P<who3>(?:[\w'’]+ ){0,3}?)(?:j['’]ai|ai|a|avons) (?:vendu|quitté|arrêté) (?:(?:le|la|les|mon|ma|mes|notre|son|sa) |l['’])?(?P<what3>[^.,;!?]{2,40}?)(?=[.,;!]| et\b)(?P<then3>.+)"
    r"|^\W*(?P<who4>(?:[\w'’]+ ){0,3}?)(?:vendí|vendimos|he vendido|hemos vendido|dejé|dejamos|he dejado|dejó|ha dejado) (?:(?:el|la|mi|nuestr[oa]|su) )?(?P<what4>[^.,;!?]{2,40}?)(?=[.,;!]| y\b)(?P<then4>.+)"
)
_BESIDES = 3
_REPLACEABLE = TYPED | ValueKind.PLACE
# A message is compared with each later one that was found, in every recall.
_correctable = lru_cache(maxsize=2_000)(Correctable)
_CUE = re.compile(
    r"(?i)\b(?:now|from now on|these days|changed|rescheduled|moved|switched|pushed|turns out|no longer|jetzt|nun|ab jetzt|inzwischen|mittlerweile|geändert|verlegt"
    r"|verschoben|maintenant|désormais|changé|déplacé|ahora|a partir de ahora|cambi(?:ó|ado|aron))\b"
)
_YOU = re.compile(r"(?i)\b(?:you|du|ihr|tu|vous|usted)\b")
_NOT_ROLES = frozenset(map(stem, "any more longer now".split()))
_SOMEBODY = frozenset("he she they it er sie il elle él ella this that".split())
_IS = re.compile(r"(?i):|\b(?:is|ist|heißt|est|es|called|named|s['’]appelle|se llama)\b|['’]s\b")
_DENIED = re.compile(r"(?i)\b(?:not|no longer|nicht|plus|ya no)\b|n['’]t\b")
_NOT_THINGS = frozenset(
    map(
        stem,
        """now yesterday today finally just ago week month year gestern heute jetzt hier maintenant ayer ahora hoy for fürs für pour para im beim vom zum del au aux
        since before already i'm i've we've it's""".split(),
    )
)
Takes = Callable[[str], bool]
"""Tells whether a replacement takes the place of an earlier text by the same person."""


def replaces(older: str, newer: str) -> bool:
    """Return whether a later text tells that what an earlier one by the same person told is no longer so."""
    usable = newer != older and len(older) <= _MOST_CHARACTERS
    return usable and any(takes(older) for takes in replacements(newer)) and not is_question(older)


@lru_cache(maxsize=10_000)
def replacements(text: str) -> tuple[Takes, ...]:
    """Return what tells whether an earlier text is replaced by this one; nothing for a text that tells of no change."""
    if len(text) > _MOST_CHARACTERS or is_question(text) or not _MAY_TELL.search(text) or _NO_NEWS.search(text):
        return ()
    return tuple(_every(text))


def _every(text: str) -> Iterator[Takes]:
    if (found := _HOME.search(text)) and _VALUE.search(text[found.start() + 1 :]):
        yield lambda older: bool(_LIVES.search(older)) and not _PAST.search(older)
    if found := _NEW.search(text) or _NOW_IS.search(text):
        yield _of_thing(_stems(found["thing"]), found["value"])
    if found := _AGE.search(text):
        yield _of_age(*_groups(found, "who", "n"))
    if found := _NO_MORE.search(text):
        who, role = _groups(found, "who", "role")
        if not found["who"] or _ENGLISH_NO_MORE.search(text):
            yield _of_role(who, role)
    if found := _IS_NOW.search(text):
        yield _of_role(found["who"], found["role"] or found["role2"], taken=True)
    if found := _CHANGED.search(text):
        who, what = _groups(found, "who", "what")
        yield _of_what_is_over(
            frozenset(stem(name.lower()) for name in _NAME.findall(who) if name != "I"), _stems(what), named=True
        )
    if found := _SWITCHED.search(text):
        (to,) = _groups(found, "to")
        yield _of_kind(_in_order(to), first=not (found["to"] or found["to2"]))
    if found := _OVER.search(text):
        who, what = _groups(found, "who", "what")
        if not _YOU.search(who):
            yield _of_what_is_over(_stems(who), _stems(" ".join(_NAME.findall(what)) or what))
    if _CUE.search(text) and (newer := Correctable(text)).kinds & _REPLACEABLE:
        yield _of_another_value(newer)
    if denial := next((one for one in re.split(r"[,;.!–—]\s+", text) if _DENIED.search(one)), ""):
        yield _of_what_is_denied(_stems(_CUE.sub(" ", denial)), _stems(text))


def _groups(found: re.Match[str], *parts: str) -> list[str]:
    """Return the groups of the language that matched: each has its own, numbered from the second on; the last part is never empty."""
    own = next(n for n in ("", 2, 3, 4) if found[f"{parts[-1]}{n}"])
    return [found[f"{part}{own}"] for part in parts]


def _of_thing(about: frozenset[str], value: str) -> Takes:
    coded = any(char.isdigit() for char in value)

    def takes(older: str) -> bool:
        copula = _COPULA.search(older)
        if not copula or not about:
            return False
        subject, told = _stems(older[: copula.start()]), older[copula.end() :]
        alike = any(char.isdigit() for char in told) if coded else bool(told.strip())
        return about <= subject and subject - about <= _GENERIC and alike and _words(told) != _words(value)

    return takes


def _of_age(who: str, age: str) -> Takes:
    now = _number(age)

    def takes(older: str) -> bool:
        before = _WAS_AGED.search(older)
        named = who in WORD.findall(older.replace("'s", "").replace("’s", ""))
        return before is not None and named and _number(before["n"]) < now

    return takes


def _of_role(who: str, role: str, *, taken: bool = False) -> Takes:
    """Tell whether somebody was told to be what `who` is no more, or to be what `who` has become (`taken`)."""
    held = frozenset(one for one in _in_order(role) if one not in _NOT_ROLES)
    named = _NAME.fullmatch(who) is not None and who.lower() not in _SOMEBODY

    def takes(older: str) -> bool:
        names = set(WORD.findall(older))
        return (
            bool(held)
            and held <= _stems(older)
            and bool(_OWN.search(older))
            and bool(_IS.search(older))
            and (who not in names if taken else who in names if named else bool(_NAME.search(older)))
            and not _DENIED.search(older)
        )

    return takes


def _of_kind(to: list[str], *, first: bool) -> Takes:
    """Tell what is replaced by another sort of the same thing: soy milk by oat milk."""

    def takes(older: str) -> bool:
        there = _stems(older)
        return (
            len(to) > 1
            and (to[0] if first else to[-1]) in there
            and not there.issuperset(to)
            and bool(_OWN.search(older))
            and not _PAST.search(older)
        )

    return takes


def _of_what_is_over(whose: frozenset[str], what: frozenset[str], *, named: bool = False) -> Takes:
    """Tell whether a text tells of what is over: of whoever it is, if somebody is `named`, else of the speaker or their people."""

    def takes(older: str) -> bool:
        there = _stems(older)
        return (
            bool(what)
            and what <= there
            and whose <= there
            and bool((named and whose) or _OWN.search(older))
            and not _PAST.search(older)
        )

    return takes


def _of_another_value(newer: Correctable) -> Takes:
    """Tell whether a text names another value of a kind that the newer one names, of the same subject and of nothing else."""
    left = left_of(newer.text)

    def takes(older: str) -> bool:
        before = _correctable(older)
        if not before.subject or not before.subject <= newer.stems or before.words <= newer.words:
            return False
        kinds = before.kinds & newer.kinds & _REPLACEABLE
        # "Jonas has 2 sisters now" tells nothing of his age.
        besides = len(left - before.stems)
        return bool(kinds) and before.states and besides <= (0 if kinds is ValueKind.NUMBER else _BESIDES)

    return takes


def _of_what_is_denied(denied: frozenset[str], all_of_it: frozenset[str]) -> Takes:
    """Tell whether a text says just what the newer one denies before it says what is so."""

    def takes(older: str) -> bool:
        there = _stems(older)
        return (
            bool(all_of_it - denied)
            and bool(denied)
            and denied <= there
            and len(there) <= len(denied) + 1
            and not _DENIED.search(older)
        )

    return takes


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else COUNT_WORDS.get(text.lower(), 0)


def _in_order(text: str) -> list[str]:
    words = (word.lower().replace("’", "'") for word in WORD.findall(text))
    plain = (word.removesuffix("'s").removeprefix("l'").removeprefix("d'") for word in words)
    stems = (stem(word) for word in plain if word not in STOP_WORDS and word not in FUNCTION_WORDS)
    return [one for one in stems if one not in _NOT_THINGS]


def _stems(text: str) -> frozenset[str]:
    return frozenset(_in_order(text))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in WORD.findall(text))
