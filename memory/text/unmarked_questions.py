"""Which sentences ask although no question mark says so, by their first words and the order of what follows.

Neither English nor German starts a main clause with a question word unless it asks; what else starts with one is a subordinate
clause ("where I live", "was ich mag"), told by the subject that comes before its verb, or an exclamation ("how kind of them").
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from memory.text.function_words import FUNCTION_WORDS
from memory.text.interrogatives import asks_by_its_words
from memory.text.lexical import STOP_WORDS
from memory.text.told.named_things import KIN
from memory.text.word_forms.irregular_verbs import is_past

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LEAD = re.compile(r"(?i)^(?:(?:and|but|so|ok|okay|well|hey|hi|hello|lyra|please|und|aber|also|na|sag mal)[,\s]+)+")
_BE = (
    r"(?:(?:is|are|was|were|am|do|does|did|can|could|will|would|shall|should|have|has|had|might|may|must)(?:n['’]?t)?|won['’]?t)"
)
_THEY = r"(?:i|you|we|they|he|she|it)"
_SUBJECT = rf"(?:a|an|{_THEY}|my|your|his|her|our|their|the|this|that|if)"
_PATTERN = re.compile(
    rf"""(?ix)^(?:
      (?:(?:at|in|on|for|to|from|with|by|of|since|until|about)\s+(?=wh))?
      (?:what|who|where|when|why|how|w(?:h?)ich|whom|whose)(?:'s|’s|'re|’re)?\s+(?:
          {_BE}\b | (?!{_SUBJECT}\b|(?-i:[A-Z]))\w+\s+(?:\w+\s+)?{_BE}\b | about\b | happen(?:s|ed)\b)
      | (?:what|who|where|when|how)(?:['’]?s|['’]d|['’]ll)\b
      | how\s+(?:much|many|often|long|far|old|big|tall|late|soon|good|well)\s+(?!{_SUBJECT}\b)\w+\s+(?!{_SUBJECT}\b)\w+
      | who\s+(?!knows\b|cares\b)\w+
      | (?:do|does|did|have|has|can|could|will|would|should|shall|am)\s+{_THEY}\b
      | (?:do|does|did|is|are|was|were|has|will)\s+(?:my|your|his|her|our|their|there)\b
      | (?:is|are|was|were)\s+(?:{_THEY}|the)\b | (?:(?:does|has|can|could|will|would|should)(?:n['’]t)?|won['’]t)\s+the\s+\w+\s+\w | how\s+come\b
      | (?:is|are|was|were|does|has|will|can|could|should|would)\s+(?:(?-i:(?!I\b)[A-Z]\w+)|{KIN})\s+\w[^,]*$
      | did\s+(?:(?-i:(?!I\b)[A-Z]\w+)|{KIN}|the\s+\w+)\s+(?!(?:and|with|at|in|on|for|to|from|up|today|yesterday|tonight|again|this|last|every)\b)\w
      | list\s+(?:all|every|my|our|the)\b
      | (?:sag\s+mal?|wei(?:ß|ss)t(?:\s+du|e)?\s+(?:noch|zufällig|vielleicht))\s*,?\s+(?:w(?:o|er|ann|ie|as|en|em)|welche\w*)\s+\w
      | (?:sag|nenn|verrat)e?\s+(?:mir|uns)(?:\s+(?:bitte|noch|nochmal|mal|doch|kurz|schnell|einfach))*\s*,?\s+(?:w(?:o|er|ann|ie|as|en|em)|welche\w*)\b
      | recuérdame\s+(?:quién|dónde|cuándo|cómo|cuál|qué)\b
      | (?:(?:tell|show)\s+me|(?:erzähl|zeig)\w*\s+(?:mir|uns)|cuéntame|dime|raconte-moi|dis-moi)\b | remind\s+me\s+(?:what|who|when|where|why|how|which|of|about)\b | any\s+idea\b
      | ¿
      | (?:weißt|erinnerst|kennst)\s+du\b | (?:kannst|könntest)\s+du\s+(?:mir\s+)?(?:\w+\s+)?sagen\b
      | (?:wie\s+)?geh(?:t['’]?|ts?\s+e)s\s+(?:dir|ihnen)\b | wie\s+geht['’]?s\b | gibt['’]?s\s+(?:was|noch|schon|es)\b
    )"""
)
_STATES = re.compile(
    rf"""(?ix)^(?:
      (?:who|when|where|why|how)\s+(?:{_THEY}|my|the)\b
      | remind\s+me\s+to\b
      | which\s+(?:{_BE}|\w+s\s+{_THEY})\b
      | what\s+\w*(?:[^su\W]s|ed)\s+(?:(?:me|us|him|her|them)\s+)?(?:is|was)\b
    )"""
)
_RHETORICAL = re.compile(
    rf"""(?ix)^(?:
      (?:can|could|would|will)\s+(?:you|anyone|anybody)\s+(?:even\s+)?(?:believe|imagine|credit)\b
      | (?:do|did)\s+you\s+know\s+(?:what,|that\b) | (?:did|have)\s+you\s+heard?\s+that\b
      | (?:did|have)\s+(?:i|we)\s+(?:(?:ever|already)\s+)?(?:tell|told|say|said|mention(?:ed)?)\s+(?:(?:to\s+)?you\s+)?(?:yet\s+)?that\b
      | who\s+knew\s+(?:that\b|{_THEY}\b)
      | who(?:\s+(?:would|could)(?:['’]ve|\s+have)|['’]d\s+have)\s+(?:thought|guessed|known|believed|imagined)\b
      | how\s+(?:many\s+times|often)\s+(?:have|must|do|did)\s+(?:i|we)\s+(?:tell|told|ask|asked)\s+(?!you\b)(?:\w+\s+){{1,3}}(?:to|that)\b
      | is\s+it\s+(?:just\s+me\b|any\s+wonder\b)
      | wei(?:ß|ss)t\s+du\s+(?:was\s*,|dass\b) | hab\w*\s+ich\s+(?:dir|euch|ihnen)\s+(?:\w+\s+)?(?:erzählt|gesagt),?\s+dass\b | (?:kannst\s+du|könnt\s+ihr)\s+(?:dir|euch)\s+(?:das\s+)?vorstellen\b
      | wer\s+hätte\s+(?:das\s+)?(?:gedacht|geglaubt|geahnt)\b
    )"""
)
"""What asks in form only: the sentence tells what its speaker marvels at."""
_NO_OBJECT = frozenset("i me you we us they he him she it a an the that my his her our their of to".split())

_ASKING = re.compile(
    r"(?:wer|we[nm]|wessen|wann|warum|wieso|weshalb|wohin|woher|wo|wor?(?:an|auf|aus|bei|durch|für|gegen|in|mit|nach|über|unter|um|von|vor|zu))"
)
_BEFORE = frozenset("mit für bei von zu an in auf aus nach seit bis um über unter vor ab gegen durch neben".split())
_BEHIND = frozenset(
    """ich du er sie es wir ihr man der die das den dem des ein eine einen mein meine meinen dein deine sein seine unser unsere ihre
    wer was immer auch nicht noch sonst für""".split()
)
_GERMAN = frozenset(
    "ich du er es wir man der die das den dem des ein eine einen einem mein meine meinen meinem dein deine mir mich dir uns unser unsere"
    " für von nicht".split()
)
_PLACES = frozenset("im in am an auf beim bei zum zur vom aus".split())
_MEASURES = frozenset("viel viele oft lang lange alt teuer weit groß hoch schwer spät schnell tief breit gut".split())
_LIKE = frozenset(
    "gesagt erwartet geplant befürchtet gewohnt üblich gestern heute morgen immer schon damals früher jedes".split()
)
_FINITE = frozenset(
    "mach sag geh fahr ess kauf brauch treff is ist sind war waren hat haben hatte hatten wird wurde wurden hab habe kann darf muss soll will mag".split()
)
_VERBS = _FINITE | frozenset("hast bist habt seid fahre fährt nehme nimmt mache macht".split())
_SUBJECTS = frozenset("ich du er sie wir ihr man mein meine unser unsere".split())
_NAMED = frozenset("heißt heisst hieß hiess heißen heissen".split())
_WHOLE = (_GERMAN | _PLACES | frozenset("was wem wen wer wo wann schon eigentlich etwas jemals je jemand gegen".split())) - {
    "nicht"
}
"""Some of what a whole question with "ich" has behind its verb, besides nouns."""
_FIRST = frozenset("hat ist wird wurde wurden".split())
_OBJECTS = frozenset("ein eine einen einem den noch jetzt eigentlich schon immer wirklich denn mein meine meinen".split())
_ENGLISH = frozenset("the of and to my your with from was were is are it this that".split())
"""Function words that neither French nor Spanish has: "Comment on the page" is English."""
_DUTCH = frozenset({"hoe", "wie", "waar", "wanneer", "hoeveel", "welke"})
"""With what a Dutch question begins, in which "is" and "was" tell nothing of English."""
_OWN = frozenset("hab war kann muss darf soll will mag".split())
_ENDS = ("t", "te", "ten", "st", "en", "e")
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


def opens_like_a_question(sentence: str) -> bool:
    """Return whether a sentence without a question mark asks, by its first words; one with an exclamation mark does not."""
    if sentence.rstrip().endswith("!"):
        return False
    asked = _LEAD.sub("", sentence.strip(), count=1)
    if _RHETORICAL.match(asked):
        return False
    words = _WORD.findall(asked)
    if _in_german(asked, words):
        return True
    if _STATES.match(asked):
        return False
    asks = _PATTERN.match(asked) or _asks_for_a_subject(words) or _is_lookup(asked)
    if asks:
        return True
    lowered = [word.lower() for word in words]
    english = _ENGLISH - {"is", "was"} if _DUTCH.intersection(lowered[:1]) else _ENGLISH
    return english.isdisjoint(lowered) and asks_by_its_words(asked)


def _asks_for_a_subject(words: Sequence[str]) -> bool:
    """Return whether words ask what or which thing does something: "what scares the dog", "which bus goes there"."""
    if len(words) < 3:
        return False
    first, second, third = words[0].lower(), words[1], words[2].lower()
    if first == "what":
        return second.islower() and _is_verb(second) and not {"is", "was", "are", "were"}.intersection(words[2:])
    if first in ("which", "wich"):
        return second.lower() == "of" or (second.islower() and not _is_verb(second, present=False) and third not in _NO_OBJECT)
    return False


def _is_verb(word: str, *, present: bool = True) -> bool:
    return is_past(word) or (present and word.endswith("s") and word[-2:] not in ("ss", "us", "is"))


def _in_german(asked: str, words: Sequence[str]) -> bool:
    if len(words) < 3 or "," in asked:
        return False
    if words[0].lower() in _BEFORE:
        words = words[1:]
    first, second, third = words[0].lower(), words[1], words[2] if len(words) > 2 else ""
    if first == "was" and second == "für":
        return any(verb in _VERBS and subject in _SUBJECTS for verb, subject in pairwise(words[3:]))
    if first == "was":
        verb = second in _FINITE or (
            second.endswith(_ENDS) and (third[:1].isupper() or not (_GERMAN | _PLACES).isdisjoint(words[2:]))
        )
        return second.islower() and second not in _BEHIND | _LIKE and bool(third) and verb
    if first == "wie":
        return _asks_how(words)
    if re.fullmatch(r"welche[rsnm]?", first):
        return len(words) > 3 and third not in _BEHIND
    if first.startswith("wieviel"):
        return second in _FINITE or third not in _BEHIND
    if _ASKING.fullmatch(first):
        return second.islower() and second not in _BEHIND and bool(third)
    return _verb_first(words)


def _asks_how(words: Sequence[str]) -> bool:
    if len(words) < 3 or words[1] in _LIKE:
        return False
    if words[1] in _NAMED:
        return words[2] != "es"
    if words[1] in _MEASURES:
        return words[2] not in _BEHIND and (len(words) < 4 or words[3] not in _BEHIND or words[2].islower())
    if words[-1] in _FINITE and words[1] not in _FINITE:
        return False
    return (
        words[1].islower()
        and words[1].endswith((*_ENDS, "r", "ß", "f", "ng", "m"))
        and (words[2] in _GERMAN - {"von", "für"} or words[2][0].isupper())
    )


def _verb_first(words: Sequence[str]) -> bool:
    """Return whether a verb comes before its subject; what leaves out its subject ("war beim Arzt") has nothing of the kind.

    Nor has what leaves out its object ("hab ich gestern endlich gekauft").
    """
    first, second, third = words[0].lower(), words[1], words[2] if len(words) > 2 else ""
    if first in _FIRST:
        return second in ("der", "die", "das", "mein", "meine", "unser", "unsere", "er", "sie", "es") or second[0].isupper()
    if first.endswith("t") and len(first) > 3 and second[0].isupper() and third in _OBJECTS:
        return True
    if second == "ich":
        return (first in _OWN or (first.endswith("e") and first not in _LIKE)) and any(
            word in _WHOLE or word[0].isupper() for word in words[2:]
        )
    return second == "wir" and first.endswith("en")


def _is_lookup(fragment: str) -> bool:
    """Return whether a fragment only names a detail, as typed into a search box: "router password", "Rezept für Kimchi".

    It states nothing: the detail itself, a number or a verb would have to follow.
    """
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
