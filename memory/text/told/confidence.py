"""Words that ask for discretion: what was said is not for somebody, or for nobody else, or may be told now.

Who is meant stands in the words as a name; whether there is somebody of that name is for others to find out. A request that is
all of a message is about what its speaker said before.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from memory.text.lexical import key_words
from memory.text.told.topics import spoken, topic
from memory.types import Discretion

_WHO = r"(?P<who>[^.!?;:\n]{1,120})"
_BEFORE = r"(?P<before>(?:@?[\w'’#-]+ ){0,3}@?[\w'’#-]+)"
_NOT = r"(?:do not|don['’]?t|never|must not|mustn['’]t|should not|shouldn['’]t|cannot|can['’]t|may not|not to|please not)"
_OF = r"(?:this|that|it|these|those|all (?:of )?this|everything|anything|what [^.!?\n]{1,60}|(?:my|our|the) \w+)"

_SPOKEN = (
    r"(?:[^.!?\n]{0,40}?\b(?:mention|say|talk|speak|tell|bring|show|repeat|discuss|write|answer|ask|use|read)\b[^.!?\n]{0,40}?)?"
)

# Of each language: with a name behind, with a name before, without one.
_BEHIND = (
    rf"(?P<subject>\b\w+ )?\b{_NOT} (?:ever )?(?:tell|inform|show) {_WHO}",
    rf"\b{_NOT} (?:ever )?let (?P<short>[^.!?;:\n]{{1,60}}?) (?:know|find out|hear|see|learn|read)\b",
    rf"\b(?:never|not|nothing|{_NOT})\b{_SPOKEN}[ ,]+(?:when|while|whenever|if|as long as) (?P<short>[^.!?;:\n]{{1,60}}?)"
    r"(?: (?:is|are|was|might be|may be|comes)|['’]s) (?:also )?(?:around|here|there|present|near|nearby|listening|reading|along|online"
    r"|with us|in the (?:room|channel|chat|thread))\b",
    rf"\b(?:never|not|{_NOT})\b{_SPOKEN}[ ,]+in front of {_WHO}",
    r"\bi (?:do not|don['’]?t|would not|wouldn['’]?t|never) (?:ever )?want (?P<short>[^.!?;:\n]{1,60}?) to (?:ever )?"
    r"(?:know|find out|hear|learn|see|read)\b",
    r"\bi(?:['’]d| would) (?:rather|prefer|like it if|prefer it if)(?: that)? (?P<short>[^.!?;:\n]{1,60}?) "
    r"(?:did not|didn['’]?t|does not|doesn['’]?t|not|never) (?:to )?(?:know|find out|hear|learn|see|read)\b",
    r"\bich (?:will|möchte|mag) nicht,? dass (?P<short>[^.!?;:\n]{1,60}?) (?:(?:es|das|davon|etwas davon|je) )*"
    r"(?:weiß|erfährt|hört|mitbekommt|liest|wissen|erfahren|hören|mitbekommen|lesen)\b",
    rf"\b(?:never|not|{_NOT}) (?:ever )?(?:mention|say|repeat|reveal|show|talk about|speak of)\b[^.!?\n]{{0,40}}? to {_WHO}",
    r"\b(?:not a word|say nothing|nothing)(?: about [^.!?\n]{1,40}?)? to (?=\S)" + _WHO,
    rf"(?<!\bwe )(?<!\bi )(?<!\bthey )\b(?:keep|hide|conceal) {_OF} (?:\w+ )?(?:away )?from {_WHO}",
    rf"\b(?:this|that|it|which)(?:['’]s| is| stays| remains) (?:a )?(?:secret from|surprise for) {_WHO}",
    rf"\btell {_OF} to (?=nobody|no one|no-one){_WHO}",
    r"\b(?:sage?|erzähle?|verrate?|zeige?) (?:(?:es|das|dies|davon) )?(?P<short>[^.!?;:\n]{1,60}?)(?: (?:bitte|davon|bloß|ja))* "
    r"(?:nichts|nicht|nie|kein wort)\b",
    r"\b(?:nie|niemals|nicht|nichts)\b[^.!?\n]{0,40}?\bwenn (?P<short>[^.!?;:\n]{1,60}?) (?:dabei|da|hier|anwesend|in der nähe) (?:ist|sind)\b",
    rf"\b(?:ne |n['’]en |n['’]|le |lui )+(?:dis|parle|raconte|montre) (?:pas|rien|jamais)(?: \w+){{0,2}}? à {_WHO}",
    rf"\bno (?:(?:se lo|le|lo|les) )?(?:digas|cuentes|menciones)(?: \w+){{0,2}}? a {_WHO}",
    rf"\bnon (?:dirlo|dirglielo|raccontarlo|dire|raccontare)(?: \w+){{0,2}}? a {_WHO}",
    rf"\b(?:vertel|zeg) (?:(?:het|dit|dat) (?:niet|nooit)|niets|niks) (?:aan|tegen) {_WHO}",
    rf"\bnão (?:contes?|digas?|fales?)(?: \w+){{0,2}}? (?:a|ao|à|para|pra|pro) {_WHO}",
)
_AHEAD = (
    rf"{_BEFORE} (?:must|may|should|can|is|are)(?: not|n['’]t|not| never)(?: to)?(?: ever)? (?:know|find out|learn|hear|see|read|be told)\b",
    rf"{_BEFORE} (?:does not|doesn['’]t|do not|don['’]t) (?:have|need) to know\b",
    rf"{_BEFORE} (?:darf|soll|sollte|dürfen|sollen) (?:(?:es|das|davon) )?(?:nichts?|nie|niemals) (?:davon )?(?:wissen|erfahren|hören|mitbekommen)\b",
)
_ALONE = (
    r"\b(?:just|only|strictly|keep \w+|stays?|remains?|that['’]s|it['’]s|this is|it is|that is),? (?:just |only |strictly )?between "
    r"(?:us|you and me|me and you|you and i|ourselves)\b(?: two)?",
    r"\bbetween (?:you and me|me and you|us two|the two of us|you and i)\b(?! is| are)",
    rf"\bkeep {_OF} (?:a )?(?:secret|private|confidential|to yourself|quiet|for yourself)(?! from)\b",
    r"\b(?:nobody|no one|no-one)(?: else)? (?:must|should|may|can|needs to|has to|is to)(?: ever)? (?:know|find out|hear|learn)\b",
    r"\b(?:tell|show) (?:nobody|no one|no-one)\b",
    r"\bin (?:strict |strictest |full )?confidence\b(?! (?:interval|in|that))",
    r"\b(?:this|that|it)(?:['’]s| is| stays| remains) (?:a secret|confidential|just for you)(?! from)\b",
    r"\bfor your ears only\b",
    r"[(\[] ?(?:strictly |top )?(?:confidential|secret|vertraulich|geheim|confidentiel|confidencial|vertrouwelijk) ?[)\]]",
    r"(?<![^\s.!?])(?:strictly )?(?:confidential(?:ly)?|vertraulich)(?= ?[:–—-])",
    r"\b(?:bleibt?|bleiben|behalte?|ist|nur|bitte)\b[^.!?\n]{0,15}? unter uns\b(?: beiden)?",
    r"\bbehalte? (?:das|es|dies)(?: bitte)? für dich\b",
    r"\bsage? (?:(?:es|das) )?(?:bitte )?(?:niemandem|keinem)\b",
    r"\bim vertrauen\b",
    r"\b(?:reste|juste|seulement)\b[^.!?\n]{0,10}? entre (?:nous|toi et moi)\b",
    r"\bgarde (?:ça|cela|le) pour toi\b",
    r"\b(?:queda|quede|solo|esto)\b[^.!?\n]{0,10}? entre (?:nosotros|tú y yo|tu y yo)\b",
    r"\b(?:resti|rimanga|resta|solo)\b[^.!?\n]{0,10}? (?:tra|fra) (?:noi|me e te)\b",
    r"\b(?:blijft|blijven|houd|alleen)\b[^.!?\n]{0,15}? (?:onder|tussen) ons\b",
    r"\b(?:fica|fique|só|apenas)\b[^.!?\n]{0,10}? entre (?:nós|você e eu)\b",
)
_ENDS = (
    r"\byou (?:may|can|are free to|are allowed to) (?:now |finally )tell (?P<who>[^.!?;:\n]{1,120})",
    r"\byou (?:may|can|are free to|are allowed to) tell (?P<short>[^.!?;:\n]{1,60}?)(?: (?:about )?(?:this|that|it))? (?:now|after all|anyway)\b",
    rf"{_BEFORE} (?:may|can) (?:know|hear)(?: (?:about |of )?(?:this|that|it))? now\b",
    r"\b(?:this|that|it)(?:['’]s| is) (?:no longer a secret|no secret any ?more|not a secret any ?more)\b",
    r"\bdu (?:darfst|kannst) (?:(?:es|das) )?(?P<short>[^.!?;:\n]{1,60}?) (?:jetzt|nun) (?:sagen|erzählen|verraten)\b",
)
_SENTENCE = re.compile(r"[.!?;:\n–—]|, | - ")
_AND = re.compile(r",|&|\b(?:or|and|nor|oder|und|et|ou|y|e|of|en)\b")
_OWN = frozenset(
    "my our your his her their the a mein meine meinem meiner deinem deiner unserem der dem die mon ma mes mi mis".split()
)
_EVERYBODY = frozenset(
    "anyone anybody anything everyone everybody nobody others people soul one no-one noone niemandem niemand keinem jemandem personne "
    "nadie nessuno niemand ninguém alguém".split()
)
_NO_NAME = frozenset(
    "me us you yourself it this that lies stories jokes tales fibs whether what how if mir uns dir es das mich moi nous toi".split()
)
_SUBJECTS = frozenset("i he she they it who people did does do could".split())
_FILLERS = frozenset(
    "please pls ok okay oh hey hi hello thanks thank lyra btw way really remember mean well said course right bitte danke das es dies ça cela eso esto questo dit dat isto isso que".split()
)
_LOOKED_AT = 8_000
# No request is longer, and none goes over the end of a sentence.
_WHOLE = re.compile(r"[^.!?\n]{1,300}")


def asked(text: str) -> Discretion | None:
    """Return what a text asks for, None where it asks for no discretion. One that asks for it nowhere takes it back nowhere."""
    text = text[:_LOOKED_AT]
    found = list(_found(text, _asks()))
    if found:
        named = [name for _, names in found for name in names]
        everybody = any(not names for _, names in found)
        spans = [span for span, _ in found]
        back = _is_all(text, spans)
        about = topic(text if back else _sentences(text, spans), named, _asking())
        return Discretion(() if everybody else tuple(dict.fromkeys(named)), back, topic=about)
    ended = [] if text.rstrip().endswith("?") else list(_found(text, _ended()))
    return Discretion(tuple(dict.fromkeys(name for _, names in ended for name in names)), ends=True) if ended else None


def discreet(text: str) -> Discretion | None:
    """Return from whom a text asks to be kept, None where it does not."""
    ask = asked(text)
    return None if ask is None or ask.ends else ask


def _found(text: str, patterns: Sequence[re.Pattern[str]]) -> Iterator[tuple[tuple[int, int], list[str]]]:
    """Yield where a text asks for it, with the names of whom it is about: none where that is everybody."""
    for sentence in _WHOLE.finditer(text):
        for match in (one for pattern in patterns for one in pattern.finditer(text, *sentence.span())):
            groups = match.groupdict()
            if (groups.get("subject") or "").strip().lower() in _SUBJECTS:
                continue
            said = groups.get("who") or groups.get("short") or groups.get("before")
            if said is None:
                yield match.span(), []
                continue
            names = _last(said) if groups.get("before") else _names(said)
            if names is not None:
                group = next(name for name in ("who", "short", "before") if groups.get(name))
                end = match.start(group) + _length(said, names) if group == "who" else match.end()
                yield (match.start("before") if group == "before" else match.start(), end), names


@cache
def _asks() -> Sequence[re.Pattern[str]]:
    """Return what asks for discretion, compiled when somebody's words are read, as that takes 8 ms."""
    return [re.compile(pattern, re.IGNORECASE) for pattern in (*_BEHIND, *_AHEAD, *_ALONE)]


@cache
def _ended() -> Sequence[re.Pattern[str]]:
    """Return what takes it back."""
    return [re.compile(pattern, re.IGNORECASE) for pattern in _ENDS]


def _names(said: str) -> list[str] | None:
    """Return the names with which words begin, [] for everybody, None where they begin with none."""
    found: list[str] = []
    for part in _AND.split(said):
        words = part.split()
        if not words:
            continue
        named = words[:2] if words[0].lower() in _OWN and len(words) > 1 else words[:1]
        first = named[-1].strip("'\"’(),@").lower()
        if first in _EVERYBODY:
            return []
        if first in _NO_NAME or (found and found[0][0].isupper() and not named[0].lstrip("@")[0].isupper() and len(named) == 1):
            break
        for word in words[len(named) :]:
            if not (word[0].isupper() or word[0] == "#"):
                break
            named.append(word)
        found.append(" ".join(named).strip("'\"’(),@"))
        if len(named) < len(words):
            break
    return [name.removesuffix("'s").removesuffix("’s") for name in found if name] or None


def _last(said: str) -> list[str] | None:
    """Return the name with which words end."""
    words = said.split()
    named = [words[-1]]
    for word in reversed(words[:-1]):
        if not (word[0].isupper() and named[0][0].isupper()) and word.lower() not in _OWN:
            break
        named.insert(0, word)
        if word.lower() in _OWN:
            break
    if named[-1].lower() in _NO_NAME | {"i", "we"}:
        return None
    return [] if named[-1].lower() in _EVERYBODY else [" ".join(named).strip("@")]


def _length(said: str, names: list[str]) -> int:
    """Return how many characters of words these names take with which they begin."""
    return max((said.find(name) + len(name) for name in names), default=len(said.split()[0]))


@cache
def _asking() -> frozenset[str]:
    """Return the words of asking, in every language."""
    return spoken((*_BEHIND, *_AHEAD, *_ALONE)) | _FILLERS | _EVERYBODY


def _sentences(text: str, spans: list[tuple[int, int]]) -> str:
    """Return what asks for it, each with what follows in its sentence."""
    ends = [(begin, _SENTENCE.search(text, end)) for begin, end in spans]
    return "\n".join(text[begin : behind.start() if behind else len(text)] for begin, behind in ends)


def _is_all(text: str, spans: list[tuple[int, int]]) -> bool:
    """Say whether a text says nothing but that, and what that is about."""
    rest, at = "", 0
    for begin, end in sorted(spans):
        rest += text[at:begin] if begin > at else ""
        # What follows in the same sentence says what is meant.
        behind = _SENTENCE.search(text, end)
        at = max(at, behind.start() if behind else len(text))
        rest += "\n"
    return _FILLERS.issuperset(key_words(rest + text[at:]))
