"""Which of the messages that were found answer a question, and how well."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from bot.models.offline.asking import Aim, QuestionPart
from bot.models.offline.ownership import LASTING, OWN, SPEAKING, is_anothers, names_in, telling_of, tells_of_others
from bot.models.offline.sentences import one_line, split
from bot.models.offline.things import compound, things
from bot.models.offline.understanding import is_question, topic
from memory.index.when.values import Window
from memory.text.lexical import key_words, stem
from memory.text.told.related_words import singles, telling
from memory.types import MINUTE, Exchange, Hit, Kind

MOST_LISTED = 12
_FURTHER = 2
_NEAR = 0.1  # scores within a tenth of the best count as equal
_TOGETHER = 60 * MINUTE
_HALF_A_DAY = 12 * 60 * MINUTE
_FEW = 2
_ASKED = re.compile(r"(?i)\b(?:i|we) ask(?:ed)? you\b|\bich dich .*\bgefragt\b")
_NOT_NOW = re.compile(
    r"(?i)\b(?:when(?! (?:is|are|do|does)\b)|first|ever|before|once|originally|used to|back then|wann(?! ist\b)|zuerst|quand"
    r"|premi[eè]re?|cuándo(?! es\b)|primer[oa]?)\b"
)
_CHANGED = re.compile(r"(?i)\b(?:now|correction|no longer|not any ?more|instead|change of plan|jetzt|nicht mehr|ahora|ya no)\b")
_NAME = re.compile(r"(?<=[\w,] )[A-Z][^\W_]+(?:['’]s)?")
_CORRECTS = re.compile(r"(?i)(?:correction|i meant|scratch that|i was wrong|korrektur|ich meinte|corrección|quise decir)\b")
_NUMBER = r"\w*\d\w*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand"
# What an answer to a kind of question looks like.
_SHAPES = (
    (r"name|called|hei(?:ß|ss)\w*|appel\w*|llama\w*", r"name[ds]?|call(?:ed|s)?|hei(?:ß|ss)\w*|appel\w*|llama\w*"),
    (r"how old|age|wie alt", r"years? old|turned|aged|born|jahre alt"),
    (r"how (?:many|much|long|often|far)|what (?:time|year|date|day)|when|number|wie ?viele?|wann", _NUMBER),
    (r"where|wo|où|dónde", r"in|at|near|from|to|bei|à|en"),
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit that may be quoted: the stems of the question that it covers itself, and `near` it what was said there covers.

    `shaped` says that it has an answer's shape, `own` that the asker tells it of themself, `asks` that it is a question.
    """

    hit: Hit
    covers: frozenset[str]
    weak: frozenset[str]
    near: frozenset[str]
    shaped: bool
    own: bool
    asks: bool

    @property
    def rank(self) -> tuple[int, int, bool, bool]:
        """What makes it the better answer, first things first."""
        return len(self.covers), len(self.near), self.shaped, self.own


class Choice:
    """Chooses among what was found for somebody."""

    def __init__(self, asker: str, hits: Sequence[Hit]) -> None:
        self._asker = one_line(asker).casefold()
        self._hits = hits
        near = [one for hit in hits for one in (hit.exchange, hit.before, hit.after) if one and one.role == "assistant"]
        self._assistants = {one.session: one.speaker for one in near if one.speaker.casefold().partition("#")[0] != "lyra"}
        self._stems = {id(hit): frozenset(key_words(f"{hit.exchange.speaker}\n{hit.exchange.text}").values()) for hit in hits}

    def is_asker(self, exchange: Exchange) -> bool:
        """Say whether the asker said a message."""
        return one_line(exchange.speaker).casefold() == self._asker

    def assistant(self, hit: Hit) -> str:
        """Return the name of another assistant than Lyra that was talked with where a message was said; '' for none."""
        return self._assistants.get(hit.exchange.session, "")

    def omits(self, window: Window) -> bool:
        """Say whether more was found of a time than is listed."""
        return sum(_is_said(hit.exchange) and window.holds(hit.exchange.said_at) for hit in self._hits) > MOST_LISTED

    def of(self, part: QuestionPart) -> list[Candidate]:
        """Return what answers a part of a question: for a list in the order of time, else the best first."""
        match part.aim:
            case Aim.TIME:
                return self._of_time(part)
            case Aim.ASKER:
                return self._of_asker(part)
            case Aim.ABOUT:
                return self._about(part)
            case Aim.SAID:
                return self._said_by(part) or self._answer(replace(part, about=topic(part.text)))
            case Aim.LIST if len(listed := self._listed(part)) > 1:
                return listed
        return self._answer(part)

    # Of each kind

    def _of_time(self, part: QuestionPart) -> list[Candidate]:
        window = part.window
        if window is None:
            return []
        own, questions = bool(SPEAKING.search(part.text)), _ASKED.search(part.text) is not None
        then = [one for one in self._quotable(part) if window.holds(one.hit.exchange.said_at) and one.asks == questions]
        # What was imported may have another name for who asks.
        told = [one for one in then if own and self.is_asker(one.hit.exchange)] or then
        return spread(told) if window.heart is None else nearest(told, window.heart)

    def _of_asker(self, part: QuestionPart) -> list[Candidate]:
        told = [one for one in self._quotable(part) if self.is_asker(one.hit.exchange) and not one.asks]
        told = [one for one in told if LASTING.search(one.hit.exchange.text)]
        chosen: list[Candidate] = []
        known: set[int] = set()
        for one in sorted(told, key=lambda one: -one.hit.exchange.said_at):
            kinds = singles(self._stems[id(one.hit)])
            if not kinds & known and len(chosen) < MOST_LISTED:
                chosen.append(one)
            known |= kinds
        return _in_order(chosen)

    def _about(self, part: QuestionPart) -> list[Candidate]:
        (whom,) = part.about.strong
        of = [one for one in self._quotable(part) if whom in one.covers and not one.asks]
        of.sort(key=lambda one: -telling_of(whom, one.hit.exchange.text))
        return _in_order(of[: MOST_LISTED - 4]) or self._answer(part)

    def _said_by(self, part: QuestionPart) -> list[Candidate]:
        said = [one for one in self._quotable(part) if one.hit.exchange.speaker.casefold() == part.name.casefold()]
        said = [one for one in said if not one.asks and (one.covers or not part.about.strong)]
        return _in_order(said[: MOST_LISTED - 4])

    def _listed(self, part: QuestionPart) -> list[Candidate]:
        own = bool(SPEAKING.search(part.text))
        of = [one for one in self._within(part, self._quotable(part)) if part.name in one.covers and not one.asks]
        return _in_order([one for one in of if one.own or not own][: MOST_LISTED - 4])

    def _answer(self, part: QuestionPart) -> list[Candidate]:
        """Return the best hit and, where they cover further names and things of the question, up to two more."""
        about = part.about
        found = [one for one in self._quotable(part) if (one.covers if about.strong else one.weak)]
        found = [one for one in found if not one.asks] or [one for one in found if _adds(one, about.strong)]
        found = _of_names(self._within(part, found), part.text)
        chosen: list[Candidate] = []
        left = about.strong
        while found and len(chosen) <= _FURTHER and (left or not chosen):
            best = _best(part.text, found, self._stems)
            if chosen and not best.covers:
                break
            chosen.append(best)
            if len(chosen) == 1:
                left &= things(part.text)
            left -= best.covers
            found = [replace(one, covers=one.covers & left, near=one.near & left) for one in found if one is not best]
        return [*chosen, *self._corrections(part, chosen)]

    def _corrections(self, part: QuestionPart, chosen: Sequence[Candidate]) -> list[Candidate]:
        """Return, for each answer that somebody corrected later, their last correction of what it names."""
        found: list[Candidate] = []
        for one in chosen:
            said, names = one.hit.exchange, names_in(one.hit.exchange.text)
            later = [
                other
                for other in self._quotable(part)
                if _CORRECTS.match(other.hit.exchange.text)
                and other.hit.exchange.speaker == said.speaker
                and other.hit.exchange.said_at > said.said_at
                and names & names_in(other.hit.exchange.text)
            ]
            last = max(later, key=lambda other: other.hit.exchange.said_at, default=None)
            if last and all(last.hit is not other.hit for other in (*chosen, *found)):
                found.append(last)
        return found

    def _within(self, part: QuestionPart, found: Sequence[Candidate]) -> list[Candidate]:
        """Return what was said in the time that is asked for; all where nothing was."""
        window = part.window
        then = [one for one in found if window and window.holds(one.hit.exchange.said_at)]
        return then or list(found)

    # Weighing

    def _quotable(self, part: QuestionPart) -> list[Candidate]:
        return [self._weighed(part, hit) for hit in self._hits if _is_said(hit.exchange)]

    def _weighed(self, part: QuestionPart, hit: Hit) -> Candidate:
        stems, strong, text = self._stems[id(hit)], part.about.strong, hit.exchange.text
        covers = frozenset(one for one in strong if one in stems or telling(one) & stems)
        covers -= {one for one in covers if is_anothers(one, part.text, text)}
        whole = compound(part.text)
        shaped = _shaped(part.text, text)
        if whole and whole.head not in stems and not (shaped and whole.head not in strong):
            covers -= whole.stems
        own = self.is_asker(hit.exchange)
        if own and SPEAKING.search(part.text) and tells_of_others(text, covers.union(*map(telling, covers))):
            own = False
            covers -= {one for one in covers if singles([one])}
        return Candidate(
            hit=hit,
            covers=covers,
            weak=part.about.weak & stems,
            near=(strong - covers) & self._beside(hit) if covers else frozenset(),
            shaped=shaped,
            own=bool(OWN.search(part.text)) and own,
            asks=asks(text),
        )

    def _beside(self, hit: Hit) -> frozenset[str]:
        """Return the stems of what was said in the same conversation within an hour."""
        at, session = hit.exchange.said_at, hit.session
        near = [one for one in self._hits if one.session == session and abs(one.exchange.said_at - at) <= _TOGETHER]
        return frozenset().union(*(self._stems[id(one)] for one in near))


def spread(found: Sequence[Candidate]) -> list[Candidate]:
    """Return what was found in the order of time; of much the fullest of each of twelve equal shares."""
    ordered = _in_order(found)
    shares = [ordered[len(ordered) * at // MOST_LISTED : len(ordered) * (at + 1) // MOST_LISTED] for at in range(MOST_LISTED)]
    if len(ordered) <= MOST_LISTED:
        return ordered
    return [max(share, key=lambda one: len(one.hit.exchange.text)) for share in shares]


def nearest(found: Sequence[Candidate], heart: int) -> list[Candidate]:
    """Return, in the order of time, what was said on the day of an instant; of a day of few words the twelve nearest to it."""
    by_distance = sorted(found, key=lambda one: abs(one.hit.exchange.said_at - heart))[:MOST_LISTED]
    that_day = [one for one in by_distance if abs(one.hit.exchange.said_at - heart) <= _HALF_A_DAY]
    return _in_order(that_day if len(that_day) > _FEW else by_distance)


def missing(part: QuestionPart, chosen: Sequence[Candidate], known: Callable[[str], bool]) -> list[str]:
    """Return the words of a question that nothing is known of: beside an answer only names and things."""
    whole = compound(part.text)
    covered = frozenset().union(*(one.covers | one.near for one in chosen))
    lacking = [stemmed for stemmed in part.about.admit if stemmed not in covered]
    named = things(part.text)
    if chosen or any(stemmed in named for stemmed in lacking):
        lacking = [stemmed for stemmed in lacking if stemmed in named]
    if whole and (whole.stems | {whole.head}) & set(lacking):
        rest = [part.about.admit[one] for one in lacking if one not in whole.stems | {whole.head} and not known(one)]
        return [*rest, whole.written]
    return [part.about.admit[stemmed] for stemmed in lacking if not known(stemmed)]


def asks(text: str) -> bool:
    """Say whether a text is nothing but questions."""
    sentences = split(text)
    return bool(sentences) and all(map(is_question, sentences))


def _is_said(exchange: Exchange) -> bool:
    return (
        exchange.kind is Kind.SAID
        and exchange.role not in ("assistant", "system")
        and not exchange.echo
        and bool(exchange.text.strip())
    )


def _of_names(found: Sequence[Candidate], question: str) -> list[Candidate]:
    """Return what covers a name of the question; all where nothing does."""
    names = frozenset(stem(word.casefold().removesuffix("'s")) for word in _NAME.findall(question))
    return [one for one in found if (one.covers | one.near) & names] or list(found)


def _in_order(found: Sequence[Candidate]) -> list[Candidate]:
    return sorted(found, key=lambda one: (one.hit.exchange.said_at, one.hit.exchange.key))


def _adds(one: Candidate, strong: Collection[str]) -> bool:
    """Whether a question asked before holds more than this one asks for."""
    return bool(topic(one.hit.exchange.text).strong - set(strong))


def _best(question: str, found: Sequence[Candidate], stems: dict[int, frozenset[str]]) -> Candidate:
    """Return the hit that covers most. If the question is about now, the newest of near-equals and of what contradicts."""
    top = max(found, key=lambda one: one.rank)  # the first of equals: recall's order
    if _NOT_NOW.search(question):
        return top
    least = top.hit.score - abs(top.hit.score) * _NEAR
    single = singles(top.covers)
    equals = [
        one
        for one in found
        if one.rank == top.rank
        and one.covers == top.covers
        and (one.hit.score >= least or single & singles(stems[id(one.hit)]) or _CHANGED.search(one.hit.exchange.text))
    ]
    return max(equals, key=lambda one: one.hit.exchange.said_at, default=top)


def _shaped(question: str, text: str) -> bool:
    """Whether text has what the question asks for: a number after "how many", a place after "where"."""
    return any(re.search(rf"(?i)\b(?:{asks})\b", question) and re.search(rf"(?i)\b(?:{has})\b", text) for asks, has in _SHAPES)
