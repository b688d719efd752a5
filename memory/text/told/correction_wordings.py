"""Corrections said as messages of their own: "no wait, at 6", "I meant Saturday", "scratch that, we moved it to the park".

Recognized by rule. Such a message names a value and seldom what it is the value of, so what it corrects is the last thing its
speaker said before that has a value of that kind. What begins alike and tells something else ("actually I like it") is none.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from memory.text.questions import is_question
from memory.text.told.named_values import TYPED, WORD, Correctable, ValueKind, folded, kinds_of, left_of, stems_of, values_of

_MOST_CHARACTERS = 160
_LONGEST_CORRECTED = 600
_FRAGMENT, _LOOSE_FRAGMENT, _FEW = 2, 5, 4
"""The most words of a correction that are no value, after a word that may mean anything and after one that says so."""
_NEAR, _FAR = 12, 30
"""How many messages of its speaker a correction looks back over."""

_STRONG = re.compile(
    r"(?i)^\W*(?:(?:oh|ah|ach|uh|äh|no|nein|non|wait|sorry|oops|ups|pardon|perdón|perdona),? )*"
    r"(?:i meant(?: to (?:say|write))?|i mean\b(?! it)|scratch that|strike that|make (?:that|it)|correction\b|my mistake|my bad|typo\b|(?:changes? of plans?|planänderung|changement de programme|cambio de planes)(?= ?[:,])|i misspoke|i was wrong|i got that wrong"
    r"|forget (?:that(?= ?[,.;:!–—-])|what i said)|ich (?:meinte|meine)\b|korrektur\b|(?:vergiss|streich) das(?= ?[,.;:!–—-])|tippfehler\b|mein fehler|falsch(?=,)|stimmt nicht(?=,)|stattdessen"
    r"|je voulais dire|oublie(?: ça)?(?= ?[,.;:!–—-])|faute de frappe|erratum|plutôt|rectification|quise decir|quería decir|corrección\b|olvida(?: eso)?(?= ?[,.;:!–—-])|mejor dicho|me equivoqué|digo)\b[\s,:;.!–—-]*"
)
_WEAK = re.compile(
    r"(?i)^\W*(?:(?:oh|ah|ay|er+(?=,)|ach|hm+|u[hm](?=[, ]no|,)|äh|euh|eh|argh|ugh|damn|mist|quatsch|blödsinn|mince|zut|well|ok|sorry|oops|ups|whoops|pardon|désolée?|entschuldigung|perdón|perdona|no+|nope|nah|nein|nee|ne|nö|non|wait|hang on|hold on|warte|moment"
    r"|attends|espera|actually|turns out|rather|instead|eigentlich|doch|tatsächlich|en fait|finalement|en realidad|al final|mejor)\b[\s,:;.!…–—-]*)+(?:that )?"
)
_BEHIND = re.compile(
    r"(?i)[\s,–—-]+(?:sorry|oops|ups|actually|i meant?|my bad|my mistake|mein(?:t)?e ich|je veux dire|je voulais dire|pardon|perdón|quiero decir|quise decir)\W*$"
)
_FILLS = re.compile(r"(?i)\b(?:oh|ah|ay|er+|ach|hm+|u[hm]|äh|euh|eh|argh|ugh|damn|mist|mince|zut|well|ok)\b|\W+")
_OTHERWISE = re.compile(
    r"(?i)(?:about|for|to|(?:that |it |this )?as|wegen|für|pour|por|before|until|is it|is that|are|do|does|did|when|what|how|why|who|ist|wann|was|wie|quand|cuándo|qué)\b"
    r"|.*\b(?:today|heute|aujourd['’]hui|hoy)\b"
)
_EXCUSES = re.compile(r"(?i)\b(?:sorry|oops|ups|actually|pardon|perdón)\b")
_RIGHT = re.compile(
    r"(?i)\s+(?:(?:was|is)(?: actually)? (?:right|correct)(?: after all)?|war(?: doch| schon)? richtig|stimmte?(?: doch)?)\W*$"
)
"""What takes a correction back: "no, 7 was right"."""
_ONLY_NO = re.compile(r"(?i)^\W*(?:no+|nope|nein|nee|nö|non|ne)\b[\s,]*(?!wait|warte|attends|espera)")
_IT_IS = re.compile(
    r"(?i)^(?:but |aber |mais |pero )?(?:(?:it|that|he|she|they|we|es|das|er|sie|c|ce|il|elle)?(?:['’ ]?(?:s|re|ll be| is| was| are| will be| should be|ist|sind|war|wird|est|sera|serait))\b"
    r"|(?:it|that)(?:['’]s| is| was| has been| got)? (?:moved|changed|pushed|put) to\b|(?:we|they|i) (?:\w+ )?(?:moved|changed|pushed|put) (?:it|that) to\b"
    r"|(?:es|das) wurde\b|wir (?:haben|treffen)\b|on (?:l['’]a|le fait)\b|es\b|son\b|será\b|lo (?:cambiamos|movimos) (?:a|al)\b)\s*"
)
_NOW = re.compile(
    r"(?i)^(?:it|es|c|das)(?:['’ ]?(?:s|is|ist|est)| will be)\b.*\b(?:now|jetzt|nun|maintenant|after all|instead)\b"
)
_MOVED = re.compile(
    r"(?i)\b(?:moved|pushed|postponed|rescheduled|brought forward|put back|changed|verschoben|verlegt|vorverlegt|déplacée?|repoussée?|aplaz\w+|movi\w+|cambi\w+)\b"
)
_MOVED_TO = re.compile(
    r"(?i)^(?P<what>.{2,60}?)(?:\b|(?=['’]))(?:(?:['’]s|has|is|was|got|have|been|just|now)\s+)*(?:moved|pushed|postponed|rescheduled|brought forward|put back|changed)"
    r"\s+(?:back |forward )?(?:to|until|till)\s+(?P<to>.+)"
    r"|\b(?:i|we)(?:['’]ve| have| had to)? (?:just )?(?:moved?|pushed?|rescheduled?|changed?|postponed?) (?P<what5>(?:my|our|the) .{2,40}?) to (?P<to5>.+)"
    r"|^(?P<what2>.{2,60}?)\b(?:wurde|ist|wird)\s+(?:jetzt |nun )?(?:auf|in|an) (?P<to2>.+?) (?:verlegt|verschoben|vorverlegt|vorgezogen)\b"
    r"|^(?P<what3>.{2,60}?)\b(?:a été|est)\s+(?:déplacée?|repoussée?|reportée?|avancée?)\s+(?P<to3>(?:à|au|en) .+)"
    r"|^(?P<what4>.{2,60}?)\b(?:se (?:movió|cambió|pasó|aplazó)|la (?:cambiaron|movieron)|lo (?:cambiaron|movieron))\s+(?P<to4>(?:al?|para) .+)"
)
_ARTICLES = r"(?:(?:at|on|in|um|am|à|le|la|el|las|den|der|die|the) )*"
_NOT = re.compile(
    rf"(?i)\b(?P<new>[^\s,]+(?: (?:uhr|o['’]clock|pm|am|h))?),? (?:not|nicht|pas|no|und nicht|et pas|y no) {_ARTICLES}(?P<old>[^\s,.!]+)\W*$"
    rf"|\b(?:not|nicht|pas|no) {_ARTICLES}(?P<old2>[^\s,.!]+)(?:,|,? but|,? sondern|,? mais|,? sino) {_ARTICLES}(?P<new2>[^,.!]+)\W*$"
)
_PLACED = frozenset("in at im à en".split())
_THING = re.compile(r"(?i)(?:(?:the|in|at|im|der|die|das|le|la|el|à|en)\b|[^\W\d_]+ (?:\d+|[a-z])$)")
_I = re.compile(r"(?i)\b(?:i|ich|je|j['’]|yo)\b(?! (?:think|guess|believe|mean|glaube|denke|crois|creo)\b)")
_TAIL = re.compile(r"(?i)[,;.!–—]\s+(?=(?:i|my|the|ich|je|me|sorry|of course|obviously|natürlich|bien sûr|claro)\b).*$")


@dataclass(frozen=True, slots=True)
class Correction:
    """What a message puts right: the `kinds` of the values it names, those `values`, what it says it is `about`, and what holds `no_more`.

    It is `certain` where its words say that it corrects, an `answer` where they may as well answer a question, and `topical` where it
    says what it is about as well as what holds.
    """

    kinds: ValueKind
    values: frozenset[str]
    about: frozenset[str]
    no_more: frozenset[str]
    certain: bool
    answer: bool
    topical: bool = False

    @property
    def reach(self) -> int:
        """How many messages of its speaker it may look back over."""
        if self.certain and (self.kinds & TYPED or self.no_more or self.about):
            return _FAR
        return _NEAR

    def is_of(self, told: Correctable) -> bool:
        """Return whether this corrects what an earlier message told: it has another value of that kind, or the one that is no more."""
        if is_question(told.text) or len(told.text) > _LONGEST_CORRECTED or self.values <= told.words:
            return False
        if self.no_more:
            return self.no_more <= told.words
        if typed := self.kinds & TYPED:
            return bool(typed & told.kinds) and (not self.about or bool(self.about & told.stems))
        if self.about & told.stems or (
            self.kinds & told.kinds & ValueKind.PLACE and self.kinds & ValueKind.NAME and self.values & _PLACED & told.words
        ):
            return told.states
        return self.certain and not self.topical and bool(self.kinds & told.kinds) and told.states


@lru_cache(maxsize=10_000)
def correction(text: str) -> Correction | None:
    """Return what a message corrects by its words; None if it is no correction."""
    if len(text) > _MOST_CHARACTERS or is_question(text):
        return None
    text = " ".join(text.split())
    behind = _BEHIND.search(text)
    text = text[: behind.start()] if behind else text
    strong = _STRONG.match(text)
    weak = None if strong else _WEAK.match(text)
    says = strong is not None or (behind is not None and not _EXCUSES.search(behind[0]))
    marked = strong or weak
    if marked or (behind and len(text.split()) <= _FEW):
        rest = text[marked.end() :] if marked else text
        read = _read(rest, certain=says, answer=not (says or behind) and bool(_ONLY_NO.match(text)))
        # "Ok, at 6 then" agrees.
        agrees = weak and not behind and not _FILLS.sub("", weak[0])
        return None if agrees and read and not read.about else read
    if found := _NOT.search(text):
        valued = found["old2"] or kinds_of(found["new"]) & kinds_of(found["old"]) & TYPED
        return _read(text, certain=False, answer=True) if valued and found.start() == 0 else None
    if moved := _MOVED_TO.search(text):
        what, to = (next(filter(None, (moved[f"{part}{n}"] for n in ("", 2, 3, 4, 5)))) for part in ("what", "to"))
        return _moved(what, to)
    for clause in re.split(r"[,;.!–—]\s+", text):
        if (_NOW.match(clause) or (_IT_IS.match(clause) and _MOVED.search(text))) and (
            read := _read(clause, certain=False, answer=False)
        ):
            about = stems_of(text) - stems_of(clause)
            return Correction(read.kinds, read.values, about, read.no_more, True, False, topical=True) if about else None
    return None


def _moved(what: str, to: str) -> Correction | None:
    # "Pushed to May": a month alone is a day after "in".
    kinds, about = kinds_of(to) | kinds_of(f"in {to}") & ValueKind.DAY, stems_of(what)
    if not kinds & (TYPED | ValueKind.PLACE) or not about or len(about) > _LOOSE_FRAGMENT:
        return None
    return Correction(kinds & ~ValueKind.NAME, values_of(to), about, frozenset(), certain=True, answer=False, topical=True)


def _read(rest: str, *, certain: bool, answer: bool) -> Correction | None:
    rest = _TAIL.sub("", rest.strip(" \t,:;.!–—-")).strip()
    rest = _RIGHT.sub("", rest)
    if not rest or _OTHERWISE.match(rest):
        return None
    if found := _NOT.search(rest):
        new, old = (found["new"], found["old"]) if found["old"] else (found["new2"], found["old2"])
        return Correction(kinds_of(new), values_of(new), frozenset(), frozenset([folded(old)]), certain, answer)
    moved = _MOVED.search(rest) is not None
    body = _IT_IS.sub("", rest)
    kinds = kinds_of(body)
    left = left_of(body)
    if not certain and not left and _I.search(rest):
        return None  # "sorry, I'm late on Tuesday", "actually tomorrow I can't"
    if kinds & TYPED:
        if len(left) > (_LOOSE_FRAGMENT if certain else _FRAGMENT):
            return None
        return Correction(kinds & ~ValueKind.NAME, values_of(body), left, frozenset(), certain, answer)
    words = frozenset(map(folded, WORD.findall(body)))
    if not left or len(WORD.findall(body)) > (_LOOSE_FRAGMENT + 1 if certain else _LOOSE_FRAGMENT):
        return None
    if not certain:
        # "No, the south gate", "er, hall C", "ah non, à Nantes": a thing alone, beside something of that name or place.
        named = _THING.match(body) and len(left) <= _FRAGMENT
        return Correction(kinds, words, left, frozenset(), certain, answer) if named else None
    return Correction(kinds or ValueKind.PLACE if moved else kinds, words, left, frozenset(), certain, answer)
