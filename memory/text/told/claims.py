"""Claims in messages, and which later claim supersedes an earlier one: "I live in Graz", "I moved, I live in Vienna now".

A claim has a subject and a value: a place, a name, an amount. Two claims about the same subject are an outdated one and a
current one if only one value can hold, or if the later message speaks of a change.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from memory.text.lazy_patterns import lazy_pattern
from memory.text.lexical import STOP_WORDS, all_stems, stem
from memory.text.questions import is_question
from memory.text.sentence_splitting import clauses
from memory.text.told.related_words import asked_singles

_MOST_CHARACTERS = 1_000
_WORD = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*")
_CHANGE = lazy_pattern(
    r"(?i)\b(?:now|no longer|any ?more|new|correction|instead|changed|switched|moved|actually|these days|since then"
    r"|jetzt|nun|inzwischen|mittlerweile|neue?[nmrs]?|nicht mehr|kein\w* (?:\w+ )?mehr|stattdessen|korrektur|geändert|gewechselt"
    r"|verlegt|verschoben|(?:um)?gezogen)\b"
)
_ENDED = lazy_pattern(
    r"(?i)\b(?:no longer|any ?more|instead|correction|nicht mehr|kein\w* (?:\w+ )?mehr|sondern|statt|stattdessen|korrektur)\b"
)
_ADDS = lazy_pattern(
    r"(?i)\b(?:too|also|as well|another|(?:my|our|his|her|their) other|both|second|auch|noch eine?[nmrs]?|zweite[nmrs]?|außerdem|zusätzlich"
    r"|beide\w*|(?:mein|unser|sein|ihr)\w* andere[nmrs]?)\b"
)
_OLDER = lazy_pattern(
    r"(?i)\b(?:before|previous(?:ly)?|former(?:ly)?|originally|used to|back then"
    r"|(?:my|our|the|his|her|their) (?:old|last|first|original)(?! (?:is|was|names?)\b)"
    r"|früher\w*|vorher|davor|damals|ehemalige?\w*|ursprünglich\w*|(?:mein|unser|sein|ihr|d)\w* (?:alte|vorige|erste)\w*)\b"
)
_PAST = lazy_pattern(
    r"(?i)(?<!\bam )(?<!['’]m )(?<!\bis )(?<!['’]s )(?<!\bare )(?<!['’]re )(?<!\bwas )(?<!\bwere )(?<!\bbe )(?<!\bbeen )(?<!\bget )"
    r"(?<!\bgot )(?<!\bgetting )\bused to\b|\b(?:formerly|previously|in the past|in former times|damals|ehemals|einst|autrefois|jadis"
    r"|antiguamente|solía\w*|antigamente|costumava\w*|un tempo|destijds|dawniej)\b|(?:^|(?<=[.!?] ))(?:früher(?! als)|vroeger(?! dan))\b"
)
"""Says that something was so and is over, but not when it ended."""
_SELF = frozenset("i we ich wir".split())
_ADVERBS = frozenset(
    """now currently still actually finally officially just already longer no not anymore any more instead these days then
    well ok okay oh so hey correction update
    jetzt nun inzwischen mittlerweile derzeit aktuell noch immer mehr nicht seitdem kein keine keinen keiner ab sofort also don't doesn't""".split()
)
_IS = frozenset("is are isn't aren't ist sind heißt heißen lautet lauten beträgt".split())
_BECAME = frozenset("changed moved switched became becomes was were has wurde wurden".split())
_CHANGED = frozenset("changed moved switched rescheduled became becomes verlegt geändert verschoben gewechselt".split())
_SINGLE = frozenset(
    """live lives reside resides work works drive drives study studies cost costs start starts begin begins
    wohne wohnt wohnen lebe lebt leben arbeite arbeitet arbeiten fahre fährt studiere studiert kostet kosten beginnt beginnen
    stehe steht liege liegt""".split()
)
_OPEN = frozenset(
    """am are have has had got like love hate own speak know read want need mag liebe spreche habe haben kann bin sind will
    do did can will would could should think feel hope wish guess mean""".split()
)
_OWN_FORMS = frozenset("live work drive study wohne lebe arbeite fahre studiere".split())
_TELLING = frozenset({*_SELF, "i've", *_IS, *_BECAME, *_CHANGED, *_SINGLE, *_OWN_FORMS, "hat", "wurden"})
_LINKS = frozenset("in at on near by with for from to into as of bei im am an auf als mit für von zu zum zur um nach".split())
_PLACES = frozenset("in at on near im am bei an auf to into nach".split())
_INTO = frozenset("to into in back".split())
_ARTICLES = frozenset("a an ein eine einen einem einer".split())
_MEASURES = frozenset("way lot bit while hour mile little stück weile stunde weg".split())
_DETERMINERS = frozenset(
    """my our the his her their your this that mein meine meinen meinem meiner unser unsere unseren unserem der die das den dem
    sein seine ihr ihre dein deine euer""".split()
)
_NO_SUBJECT = frozenset(
    """it he she they that this there what who where when why how which if because while before after er sie es dass wenn weil ob bevor nachdem wer was
    wo wie als you du""".split()
)
_UNTOLD = frozenset("new old current former neue neuer neuen neues neuem alte alter alten altes".split())
_NEW = lazy_pattern(r"(?i)\b(?:have|has|got|get|haben|habe|hat|bekommen|bekam)\b.*?\b(?:new|neue[nmrs]?)\s+([^\W\d_]+)")
_MADE = lazy_pattern(
    r"(?i)\b(?:changed|moved|switched) (?:the|my|our) ([\w'’ -]{1,60}?) (?:from [\w'’ -]{1,60}? )?to (.+)"
    r"|\b(?:hab\w*|hat|wurden?) (?:der|die|das|den|mein\w*|unser\w*) ([\w-]+) auf (.+) (?:geändert|verlegt|verschoben)"
)
_ATTRIBUTE = lazy_pattern(
    r"(?i)(?:favou?rite|liebling\w*|[\w-]*(?:number|code|password|hint|pin|address|name|colou?r|size|job|rent|nummer|passwort|adresse|größe|farbe"
    r"|beruf|miete))"
)
_SUBJECT = 6
"""The maximum number of words before the verb of a clause."""
_PAST_ENDING = ("ed", "nte", "bte", "ete", "gte", "kte")


@dataclass(frozen=True, slots=True)
class Assertion:
    """One claim: the stems of what it is `about` and of its `value`.

    `link` is the preposition before the value and `kind` its form: a number, a name, a thing with its article, or anything.
    `single` means that one such value holds at a time, `open` that any number of them may.
    """

    about: frozenset[str]
    value: frozenset[str]
    link: str
    kind: str
    single: bool = False
    open: bool = False


@dataclass(frozen=True)
class Claims:
    """All claims of a message, and its text. What is read from the text is read once, as every later message is compared with it."""

    every: tuple[Assertion, ...]
    text: str

    @cached_property
    def changes(self) -> bool:
        """Whether the message reports a change."""
        return _CHANGE.search(self.text) is not None

    @cached_property
    def ended(self) -> bool:
        """Whether the message says that something ended."""
        return _ENDED.search(self.text) is not None

    @cached_property
    def adds(self) -> bool:
        """Whether the message adds to what was there."""
        return _ADDS.search(self.text) is not None

    @cached_property
    def past(self) -> frozenset[str]:
        """The content stems of a message that only says how something was before: "I used to drive a Saab"; else empty."""
        found = _PAST.search(self.text)
        if not found or self.changes or is_question(self.text):
            return frozenset()
        return all_stems(_PAST.sub(" ", self.text))

    @cached_property
    def supersedes(self) -> bool:
        """Whether the message may supersede an earlier one at all: most report no change, and nothing of which there is only one."""
        return any(claim.single or self.changes or self.ended for claim in self.every) and not self.adds


@lru_cache(maxsize=10_000)
def claims(text: str) -> Claims:
    """Return the claims of a message; none for a question."""
    text = text[:_MOST_CHARACTERS]
    return Claims(() if is_question(text) else tuple(_every(text)), text)


def asks_for_older(question: str) -> bool:
    """Return whether a question asks for an earlier state."""
    return bool(_OLDER.search(question))


def superseded(older: Claims, newer: Claims, asked: frozenset[str]) -> bool:
    """Return whether a later message supersedes a claim of an earlier one by the same person.

    `asked` are the stems of the question that found both: a question that names the older value wants the older one.
    """
    return any(
        _replaces(was, now, newer) and not asked & (was.value - now.value)
        for was in older.every
        for now in newer.every
        if was.about == now.about
    )


def _replaces(was: Assertion, now: Assertion, newer: Claims) -> bool:
    alike = was.kind == now.kind and was.link == now.link
    if newer.adds or (now.value >= was.value and not newer.ended):
        return False
    if was.open or now.open:
        return newer.ended and bool(was.value & now.value)
    if was.single and now.single:
        near = was.link == now.link or {was.link, now.link} <= _PLACES | {""} or newer.ended
        return bool(newer.changes and near) or bool(alike and was.kind)
    return newer.changes and (newer.ended or alike or bool(was.value & now.value))


def _every(text: str) -> Iterator[Assertion]:
    if not _may_claim(text):
        return
    for found in _NEW.finditer(text):
        # "We have a new landlord": whatever is known of him, the old one is gone.
        yield Assertion(_about([found[1]]), frozenset({"new"}), "", "", single=True)
    for found in _MADE.finditer(text):
        what, value = (found[at] or found[at + 2] for at in (1, 2))
        if claim := _of_thing(what.split(), "changed", _WORD.findall(next(iter(clauses(value)), ""))):
            yield claim
    for clause in clauses(text):
        words = [word for word in _WORD.findall(clause) if word.lower() not in _ADVERBS]
        if claim := _claim(words):
            yield claim


def _may_claim(text: str) -> bool:
    """Return whether a text has a word that claims need: a quick check that rules out most texts."""
    folded = text.lower().replace("’", "'")
    return any(part in folded for part in ("new", "neue", "hab")) or not _TELLING.isdisjoint(_WORD.findall(folded))


def _claim(words: Sequence[str]) -> Assertion | None:
    # Treat "I've moved" as "I moved".
    words = [piece for word in words for piece in ([word[0]] if word.lower().replace("’", "'") == "i've" else [word])]
    folded = [word.lower().replace("’", "'") for word in words]
    if not folded or folded[0] in _NO_SUBJECT:
        return None
    for at, word in enumerate(folded[:_SUBJECT]):
        if word in _SELF:
            if at and folded[at - 1] in _NO_SUBJECT:
                return None
            # "Seit Mai wohne ich in Wien" and "Since May I live in Vienna".
            turned = word in ("ich", "wir") and at > 0
            verb = folded[at - 1] if turned else folded[at + 1] if at + 1 < len(folded) else ""
            return _of_speaker(verb, words[at + 1 if turned else at + 2 :])
    if folded[0] in _OWN_FORMS:
        return _of_speaker(folded[0], words[1:])
    if folded[0] in _IS and len(words) > 3 and folded[1] in _DETERMINERS:
        return _of_thing(words[1:3], folded[0], words[3:])
    at = next((n for n, word in enumerate(folded[: _SUBJECT + 2]) if n and word in _IS | _SINGLE | _BECAME), 0)
    return _of_thing(words[:at], folded[at], words[at + 1 :]) if at else None


def _of_speaker(verb: str, rest: Sequence[str]) -> Assertion | None:
    if (verb == "moved" and rest and rest[0].lower() in _INTO) or rest[-1:] in (["gezogen"], ["umgezogen"]):
        return _assertion(_about(["live"]), [word for word in rest if not word.endswith("gezogen")], single=True)
    if not verb or verb.endswith(_PAST_ENDING):
        return None
    return _assertion(_about([verb]), rest, single=verb in _SINGLE, open=verb in _OPEN)


def _of_thing(subject: Sequence[str], verb: str, rest: Sequence[str]) -> Assertion | None:
    if verb in _BECAME and not _CHANGED.intersection({verb, *(word.lower() for word in (*rest[:2], *rest[-1:]))}):
        return None
    rest = [word for word in rest if word.lower() not in _CHANGED and word.lower() not in ("been", "to", "worden")]
    about = _about([*subject, *([verb] if verb in _SINGLE else [])])
    lasting = any(_ATTRIBUTE.fullmatch(word) for word in subject)
    claim = _assertion(about, rest, single=True) if about else None
    if claim and verb not in _SINGLE | _CHANGED and not lasting and not claim.kind:
        return Assertion(claim.about, claim.value, claim.link, claim.kind)
    if claim and lasting:
        return Assertion(claim.about, claim.value, "", "its own", single=True)
    return claim


def _assertion(about: frozenset[str], rest: Sequence[str], *, single: bool = False, open: bool = False) -> Assertion | None:
    value = frozenset(stem(word.lower()) for word in rest if word.lower() not in STOP_WORDS)
    if not value:
        return None
    link = rest[0].lower() if rest[0].lower() in _LINKS else ""
    body = rest[1:] if link else rest
    if any(char.isdigit() for word in body for char in word):
        kind = "number"
    elif body and body[0].lower() in _ARTICLES:
        # "A long way" is no thing that somebody drives.
        kind = "" if _MEASURES.intersection(word.lower() for word in body[1:3]) else "thing"
    else:
        kind = "name" if any(word[0].isupper() for word in body) else ""
    return Assertion(about, value, link, kind, single, open)


def _about(words: Sequence[str]) -> frozenset[str]:
    """Return the stems of a subject; related words such as "live" and "address" count as one."""
    told = [word.lower().removesuffix("'s") for word in words]
    stems = {stem(word) for word in told if word not in STOP_WORDS | _DETERMINERS | _UNTOLD}
    return frozenset(one for each in stems for one in (asked_singles(each) or {each}))
