"""Corrections said as messages of their own: "no wait, at 6", "I meant Saturday", "scratch that, we moved it to the park".

Recognized by rule. Such a message names a value and seldom what it is the value of, so what it corrects is the last thing its
speaker said before that has a value of that kind. What begins alike and tells something else ("actually I like it") is none.
"""

import re
from dataclasses import dataclass
from enum import Flag, auto
from functools import cached_property, lru_cache

from memory.text.function_words import FUNCTION_WORDS
from memory.text.lexical import STOP_WORDS, stem
from memory.text.numbers import COUNT_WORDS
from memory.text.questions import is_question
from memory.text.time.dates import MONTHS, WEEKDAYS

_MOST_CHARACTERS = 160
_LONGEST_CORRECTED = 600
_FRAGMENT, _LOOSE_FRAGMENT, _FEW = 2, 5, 4
"""The most words of a correction that are no value, after a word that may mean anything and after one that says so."""
_NEAR, _FAR = 12, 30
"""How many messages of its speaker a correction looks back over."""

_WEEKDAYS = "|".join(
    [
        *sorted(WEEKDAYS, key=len, reverse=True),
        *"lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado domingo".split(),
    ]
)
_ORDINALS = frozenset("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split())
_MONTHS = "|".join(sorted(MONTHS, key=len, reverse=True))
_COUNT = "|".join(
    sorted(
        (word for word, n in COUNT_WORDS.items() if 0 < n < 13 and len(word) > 2 and word not in _ORDINALS), key=len, reverse=True
    )
)
_HOUR = rf"(?:\d{{1,2}}(?:[:.h]\d{{2}})?|(?:{_COUNT}))"
_TIME = re.compile(
    rf"(?i)\b(?:(?:at|by|from|until|till|around|um|ab|gegen|bis|à|vers|dès|a las?|sobre las|hasta las) {_HOUR}(?!\.? ?(?:{_MONTHS})\b)\b(?! ?(?:euros?|kilo|km|%))"
    rf"|\d{{1,2}}:\d{{2}}|\d{{1,2}} ?h ?(?:\d{{2}})?\b|\d{{1,2}} ?(?:uhr|heures?|o['’]?clock|[ap]\.?m)\b|(?:half|quarter) (?:past|to) \w+|halb (?:\w+)"
    rf"|(?:at |à |um |a )?(?:noon|midnight|mittags?|mitternacht|midi|minuit|mediodía|medianoche)\b)"
)
_DAY = re.compile(
    rf"(?i)\b(?:(?:{_WEEKDAYS})s?\b|\d{{1,2}}(?:st|nd|rd|th)\b(?: of (?:{_MONTHS}))?|\d{{1,2}}\.? (?:de )?(?:{_MONTHS})\b|(?:{_MONTHS}) \d{{1,2}}\b"
    r"|tomorrow|übermorgen|demain|mañana\b|next (?:week|month|year)|nächste\w? (?:woche|monat))"
)
_NUMBER = re.compile(rf"(?i)\b(?:\w*\d[\w.,]*\b|(?:{_COUNT})\b)")
_ALONE = re.compile(rf"(?i)(?:1?\d|2[0-4]|{_COUNT})")
_PLACE = re.compile(
    r"(?i)\b(?:in|at|on|near|to|im|am|auf|ins|in der|in den|beim?|à|au|chez|dans|en|a) (?:(?:the|my|our|a|der|die|das|den|dem|le|la|les|l['’]|el|los|las)\s?)*[^\W\d_]{3}"
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_STRONG = re.compile(
    r"(?i)^\W*(?:(?:oh|ah|ach|uh|äh|no|nein|non|wait|sorry|oops|ups|pardon|perdón|perdona),? )*"
    r"(?:i meant(?: to (?:say|write))?|i mean\b(?! it)|scratch that|strike that|make (?:that|it)|correction\b|my mistake|my bad|typo\b|(?:changes? of plans?|planänderung|changement de programme|cambio de planes)(?= ?[:,])|i misspoke|i was wrong|i got that wrong"
    r"|forget (?:that(?= ?[,.;:!–—-])|what i said)|ich (?:meinte|meine)\b|korrektur\b|(?:vergiss|streich) das(?= ?[,.;:!–—-])|tippfehler\b|mein fehler|falsch(?=,)|stimmt nicht(?=,)|stattdessen"
    r"|je voulais dire|oublie(?: ça)?(?= ?[,.;:!–—-])|faute de frappe|erratum|plutôt|rectification|quise decir|quería decir|corrección\b|olvida(?: eso)?(?= ?[,.;:!–—-])|mejor dicho|me equivoqué|digo)\b[\s,:;.!–—-]*"
)
_WEAK = re.compile(
    r"(?i)^\W*(?:(?:oh|ah|ach|hm+|u[hm](?=[, ]no|,)|äh|euh|eh|argh|ugh|damn|mist|quatsch|blödsinn|mince|zut|well|ok|sorry|oops|ups|whoops|pardon|désolée?|entschuldigung|perdón|perdona|no+|nope|nah|nein|nee|ne|nö|non|wait|hang on|hold on|warte|moment"
    r"|attends|espera|actually|turns out|rather|instead|eigentlich|doch|tatsächlich|en fait|finalement|en realidad|al final|mejor)\b[\s,:;.!…–—-]*)+(?:that )?"
)
_BEHIND = re.compile(
    r"(?i)[\s,–—-]+(?:sorry|oops|ups|i meant?|my bad|my mistake|mein(?:t)?e ich|je veux dire|je voulais dire|pardon|perdón|quiero decir|quise decir)\W*$"
)
_FILLS = re.compile(r"(?i)\b(?:oh|ah|ach|hm+|u[hm]|äh|euh|eh|argh|ugh|damn|mist|mince|zut|well|ok)\b|\W+")
_OTHERWISE = re.compile(
    r"(?i)(?:about|for|to|wegen|für|pour|por|before|until|is it|is that|are|do|does|did|when|what|how|why|who|ist|wann|was|wie|quand|cuándo|qué)\b"
    r"|.*\b(?:today|heute|aujourd['’]hui|hoy)\b"
)
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
_STATES = re.compile(
    r"(?i)(?:['’](?:s|re|m)\b|\b(?:is|are|meets?|meeting|seeing|starts?|begins?|leaves?|lands?|opens?|closes?|comes?|turns?|costs?|called|ist|sind|heißt|kostet|trifft|treffen|beginnt"
    r"|findet|kommt|est|sont|s['’]appelle|coûte|commence|arrive|es|son|está|están|cuesta|empieza|llega|sale|se llama|will|wird|sera|será)\b)"
)
_PAST = re.compile(r"(?i)\b(?:was|were|had|did|went|got|came|yesterday|ago|war|hatte|gestern|hier|ayer|fue|était)\b(?! moved)")
_I = re.compile(r"(?i)(?:i|ich|je|j['’]|yo)\b")
_TAIL = re.compile(r"(?i)[,;.!–—]\s+(?=(?:i|my|the|ich|je|me|sorry|of course|obviously|natürlich|bien sûr|claro)\b).*$")
_EMPTY = (
    FUNCTION_WORDS
    | STOP_WORDS
    | frozenset(
        """it its that's it's the a an of in at on to is was be now please then instead really just after all one day morning afternoon evening tonight night early late
        o'clock uhr jetzt nun doch erst schon bitte morgens abends früh spät vormittag nachmittag abend matin soir après-midi maintenant plutôt du le la les
        mañana tarde noche ahora en el los las de por am pm h euro euros dollars bucks pounds kg km percent for not nicht pas und et y moved changed we i rather
        verlegt verschoben wurde""".split()
    )
)


class ValueKind(Flag):
    """What sort of values a text names."""

    NONE = 0
    TIME = auto()
    DAY = auto()
    NUMBER = auto()
    NAME = auto()
    PLACE = auto()


_TYPED = ValueKind.TIME | ValueKind.DAY | ValueKind.NUMBER


@dataclass(frozen=True)
class Correctable:
    """What a text may be corrected in."""

    text: str

    @cached_property
    def kinds(self) -> ValueKind:
        """The sorts of values that it names."""
        return _kinds(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its words, but those that tell nothing."""
        return _stems(self.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """All its words, folded."""
        return frozenset(map(_folded, _WORD.findall(self.text)))

    @cached_property
    def figures(self) -> tuple[str, ...]:
        """The days, times and numbers that it names, in order."""
        return tuple(found.lower() for pattern in (_DAY, _TIME, _NUMBER) for found in pattern.findall(self.text))

    @property
    def states(self) -> bool:
        """Whether it tells what is so or is to come, rather than what was."""
        return _STATES.search(self.text) is not None and not _PAST.search(self.text)


@dataclass(frozen=True, slots=True)
class Correction:
    """What a message puts right: the `kinds` of the values it names, those `values`, what it says it is `about`, and what it is `not`.

    It is `certain` where its words say that it corrects, and an `answer` where they may as well answer a question.
    """

    kinds: ValueKind
    values: frozenset[str]
    about: frozenset[str]
    no_more: frozenset[str]
    certain: bool
    answer: bool

    @property
    def reach(self) -> int:
        """How many messages of its speaker it may look back over."""
        if self.certain and (self.kinds & _TYPED or self.no_more or self.about):
            return _FAR
        return _NEAR

    def is_of(self, told: Correctable) -> bool:
        """Return whether this corrects what an earlier message told: it has another value of that kind, or the one that is no more."""
        if is_question(told.text) or len(told.text) > _LONGEST_CORRECTED or self.values <= told.words:
            return False
        if self.no_more:
            return self.no_more <= told.words
        if typed := self.kinds & _TYPED:
            return bool(typed & told.kinds) and (not self.about or bool(self.about & told.stems))
        if self.about & told.stems:
            return told.states
        return self.certain and bool(self.kinds & told.kinds) and told.states


@lru_cache(maxsize=10_000)
def correction(text: str) -> Correction | None:
    """Return what a message corrects by its words; None if it is no correction."""
    if len(text) > _MOST_CHARACTERS or is_question(text):
        return None
    text = " ".join(text.split())
    text, behind = _BEHIND.subn("", text)
    strong = _STRONG.match(text)
    weak = None if strong else _WEAK.match(text)
    if weak and not _FILLS.sub("", weak[0]):
        weak = None  # "ok, at 6 then" agrees
    if strong or weak:
        rest = text[(strong or weak).end() :]  # type: ignore[union-attr]
        return _read(rest, certain=strong is not None, answer=not (strong or behind) and bool(_ONLY_NO.match(text)))
    if behind and len(text.split()) <= _FEW:
        return _read(text, certain=False, answer=False)
    if found := _NOT.search(text):
        valued = found["old2"] or _kinds(found["new"]) & _kinds(found["old"]) & _TYPED
        return _read(text, certain=False, answer=True) if valued and found.start() == 0 else None
    if moved := _MOVED_TO.search(text):
        what, to = (next(filter(None, (moved[f"{part}{n}"] for n in ("", 2, 3, 4, 5)))) for part in ("what", "to"))
        return _moved(what, to)
    for clause in re.split(r"[,;.!–—]\s+", text):
        if _NOW.match(clause) and (read := _read(clause, certain=False, answer=False)):
            about = _stems(text) - _stems(clause)
            return Correction(read.kinds, read.values, about, read.no_more, certain=True, answer=False) if about else None
    return None


def _moved(what: str, to: str) -> Correction | None:
    kinds, about = _kinds(to), _stems(what)
    if not kinds & (_TYPED | ValueKind.PLACE) or not about or len(about) > _LOOSE_FRAGMENT:
        return None
    return Correction(kinds & ~ValueKind.NAME, _values(to), about, frozenset(), certain=True, answer=False)


def _read(rest: str, *, certain: bool, answer: bool) -> Correction | None:
    rest = _TAIL.sub("", rest.strip(" \t,:;.!–—-")).strip()
    if not rest or _OTHERWISE.match(rest):
        return None
    if found := _NOT.search(rest):
        new, old = (found["new"], found["old"]) if found["old"] else (found["new2"], found["old2"])
        return Correction(_kinds(new), _values(new), frozenset(), frozenset([_folded(old)]), certain, answer)
    moved = _MOVED.search(rest) is not None
    body = _IT_IS.sub("", rest)
    kinds = _kinds(body)
    left = _left(body)
    if not certain and not left and _I.match(rest):
        return None  # "sorry, I'm late on Tuesday"
    if kinds & _TYPED:
        if len(left) > (_LOOSE_FRAGMENT if certain else _FRAGMENT):
            return None
        return Correction(kinds & ~ValueKind.NAME, _values(body), left, frozenset(), certain, answer)
    words = frozenset(map(_folded, _WORD.findall(body)))
    if not left or len(_WORD.findall(body)) > (_LOOSE_FRAGMENT + 1 if certain else _LOOSE_FRAGMENT):
        return None
    if not certain:
        # "No, the south gate": a thing alone, beside something of that name.
        named = re.match(r"(?i)(?:the|in|at|der|die|das|le|la|el)\b", body) and len(left) <= _FRAGMENT
        return Correction(kinds, words, left, frozenset(), certain, answer) if named else None
    return Correction(kinds or ValueKind.PLACE if moved else kinds, words, left, frozenset(), certain, answer)


def _kinds(text: str) -> ValueKind:
    # A number that stands alone may be an hour.
    found, rest = ValueKind.TIME if _ALONE.fullmatch(text.strip()) else ValueKind.NONE, text
    for kind, pattern in ((ValueKind.DAY, _DAY), (ValueKind.TIME, _TIME)):
        if pattern.search(rest):
            found |= kind
            rest = pattern.sub(" ", rest)
    if _NUMBER.search(rest):
        found |= ValueKind.NUMBER
    if _PLACE.search(rest):
        found |= ValueKind.PLACE
    if any(word[0].isupper() for word in _WORD.findall(rest)[0 if len(rest.split()) < 3 else 1 :]):
        found |= ValueKind.NAME
    return found


def _left(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that are no values."""
    for pattern in (_DAY, _TIME, _NUMBER):
        text = pattern.sub(" ", text)
    return _stems(text)


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for found in _WORD.findall(text) if (word := _folded(found)) not in _EMPTY and len(word) > 1)


def _values(text: str) -> frozenset[str]:
    words = frozenset(_folded(word) for word in _WORD.findall(text))
    return words - _EMPTY or words


def _folded(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s")
