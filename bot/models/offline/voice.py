"""The voice that speaks when no chat model is configured: it quotes what was said, or admits that there is nothing.

It never pretends to be a model. What it says is a function of the question and of what recall found.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bot.models.offline.date_texts import moment
from bot.models.offline.sentences import closed, one_line, quoted, shortened, split
from bot.models.offline.understanding import Act, Topic, hear, is_about_lyra, is_question, topic
from memory.text.lexical import key_words
from memory.types import Exchange, Hit, Kind

NO_MODEL = "I am Lyra, and no model is connected: I keep, find and summarize what you tell me."
NOT_READ = "I kept that it came, but not what is in it: that I cannot read or hear."

_UNREAD = re.compile(r"^\[(?:audio|video|image|file) [^\n]*, not read\b", re.MULTILINE)
_QUOTE = 300
_FURTHER = 2
_NEAR = 0.1  # scores within a tenth of the best count as equal
_NOT_NOW = re.compile(
    r"(?i)\b(?:when|first|ever|before|once|originally|used to|back then|wann|zuerst|quand|premi[eè]re?|cuándo|primer[oa]?)\b"
)
_OWN = re.compile(r"(?i)\b(?:i|my|me|mine|we|our|ich|mein\w*|je|mon|ma|mes|mi|mis|io|mio|mia)\b")
# What an answer to a kind of question looks like.
_SHAPES = (
    (r"name|called|hei(?:ß|ss)\w*|appel\w*|llama\w*", r"name[ds]?|call(?:ed|s)?|hei(?:ß|ss)\w*|appel\w*|llama\w*"),
    (r"how (?:many|much|old|long|often|far)|what (?:time|year|date|day)|when|number|age|wie ?viele?|wann", r"\w*\d\w*"),
    (r"where|wo|où|dónde", r"in|at|near|from|to|bei|à|en"),
)


@dataclass(frozen=True, slots=True)
class VoiceQuestion:
    """A message to answer: who sent it, the present instant in microseconds UTC, and the time zone to tell times in."""

    text: str
    asker: str
    now: int
    time_zone: str


@dataclass(frozen=True, slots=True)
class VoiceAnswer:
    """What to say, the hits it quotes, and whether it only repeats memory (and so enters no recall and no digest)."""

    text: str
    cites: tuple[Hit, ...]
    echo: bool


@dataclass(frozen=True, slots=True)
class _Found:
    """A hit that may be quoted: the stems of the question that it covers, and whether it has an answer's shape and speaker."""

    hit: Hit
    covers: frozenset[str]
    weak: frozenset[str]
    shaped: bool
    own: bool
    asks: bool

    @property
    def rank(self) -> tuple[int, bool, bool]:
        return len(self.covers), self.shaped, self.own


class OfflineVoice:
    """Answers without a model."""

    def answer(self, asked: VoiceQuestion, hits: Sequence[Hit], known: Callable[[str], bool]) -> VoiceAnswer:
        """Return what to say to a message.

        `hits` are recall's, best first; `known` says whether any statement in view holds a stem. Raises nothing of its own.
        """
        heard = hear(asked.text)
        name = one_line(asked.asker)
        if heard.act is Act.QUESTION:
            return _answered(asked, heard.question, hits, known)
        text = {
            Act.GREETING: f"Hello, {name}." if name else "Hello.",
            Act.FAREWELL: f"Goodbye, {name}." if name else "Goodbye.",
            Act.THANKS: "You are welcome.",
        }.get(heard.act, NOT_READ if _UNREAD.search(asked.text) else "Kept.")
        return VoiceAnswer(text, (), echo=True)


def _answered(asked: VoiceQuestion, question: str, hits: Sequence[Hit], known: Callable[[str], bool]) -> VoiceAnswer:
    about = topic(question)
    if not about.strong and not (about.weak and _OWN.search(question)):
        return VoiceAnswer(NO_MODEL, (), echo=True)
    found = _quotable(asked, question, about, hits)
    chosen = _chosen(question, found, about)
    if not chosen and is_about_lyra(question):
        return VoiceAnswer(NO_MODEL, (), echo=True)
    covered = frozenset().union(*(one.covers for one in chosen))
    missing = [word for stemmed, word in about.admit.items() if stemmed not in covered and not known(stemmed)]
    parts = list(_told(asked, about, chosen))
    if missing:
        parts.append(f"Nothing about {_listed(missing)} yet.")
    if not parts:
        parts.append(_without_quote(about))
    return VoiceAnswer(" ".join(parts), tuple(one.hit for one in chosen), echo=True)


def _without_quote(about: Topic) -> str:
    if about.admit:
        kept = _listed(list(about.admit.values()))
        return f"I kept something about {kept}, but found no answer in it; the command recall looks for more."
    return "Nothing about that yet." if about.strong else NO_MODEL


def _listed(words: Sequence[str]) -> str:
    *first, last = (f'"{word}"' for word in words)
    return f"{', '.join(first)} or {last}" if first else last


# Choosing what to quote


def _quotable(asked: VoiceQuestion, question: str, about: Topic, hits: Sequence[Hit]) -> list[_Found]:
    """Return the hits that people said and that share a word with the question; questions only where there is nothing else."""
    found = [_weighed(asked, question, about, hit) for hit in hits if _said(hit.exchange)]
    found = [one for one in found if (one.covers if about.strong else one.weak)]
    return [one for one in found if not one.asks] or [one for one in found if _adds(one, about)]


def _adds(one: _Found, about: Topic) -> bool:
    """Whether a question asked before holds more than this one asks for."""
    return bool(topic(one.hit.exchange.text).strong - about.strong)


def _said(exchange: Exchange) -> bool:
    return (
        exchange.kind is Kind.SAID
        and exchange.role not in ("assistant", "system")
        and not exchange.echo
        and bool(exchange.text.strip())
    )


def _weighed(asked: VoiceQuestion, question: str, about: Topic, hit: Hit) -> _Found:
    stems = set(key_words(f"{hit.exchange.speaker}\n{hit.exchange.text}").values())
    return _Found(
        hit=hit,
        covers=about.strong & stems,
        weak=about.weak & stems,
        shaped=_shaped(question, hit.exchange.text),
        own=bool(_OWN.search(question)) and _is_asker(asked, hit.exchange),
        asks=_asks(hit.exchange.text),
    )


def _asks(text: str) -> bool:
    sentences = split(text)
    return bool(sentences) and all(map(is_question, sentences))


def _shaped(question: str, text: str) -> bool:
    """Whether text has what the question asks for: a number after "how many", a place after "where"."""
    return any(re.search(rf"(?i)\b(?:{asks})\b", question) and re.search(rf"(?i)\b(?:{has})\b", text) for asks, has in _SHAPES)


def _is_asker(asked: VoiceQuestion, exchange: Exchange) -> bool:
    return one_line(exchange.speaker).casefold() == one_line(asked.asker).casefold()


def _chosen(question: str, found: Sequence[_Found], about: Topic) -> list[_Found]:
    """Return the best hit and, where they cover further words of the question, up to two more."""
    chosen: list[_Found] = []
    rest = list(found)
    open_stems = about.strong
    while rest and len(chosen) <= _FURTHER and (open_stems or not chosen):
        best = _best(question, rest)
        if chosen and not best.covers:
            break
        chosen.append(best)
        open_stems -= best.covers
        rest = [replace(one, covers=one.covers & open_stems) for one in rest if one is not best]
    return chosen


def _best(question: str, found: Sequence[_Found]) -> _Found:
    """Return the hit that covers most; among near-equals the newest, if the question is about now."""
    top = max(found, key=lambda one: one.rank)  # the first of equals: recall's order
    if _NOT_NOW.search(question):
        return top
    least = top.hit.score - abs(top.hit.score) * _NEAR
    equals = [one for one in found if one.rank == top.rank and one.covers == top.covers and one.hit.score >= least]
    return max(equals, key=lambda one: one.hit.exchange.said_at, default=top)


# Saying it


def _told(asked: VoiceQuestion, about: Topic, chosen: Sequence[_Found]) -> Iterator[str]:
    speaker = None
    for one in chosen:
        exchange = one.hit.exchange
        when = moment(exchange.said_at, asked.now, asked.time_zone)
        if speaker is None:
            start = f"{_who(asked, one, 'You', 'Someone')} {when}"
        else:
            start = f"Also, {when}" if exchange.speaker == speaker else f"Also, {_who(asked, one, 'you', 'someone')} {when}"
        quote = quoted(shortened(exchange.text, _QUOTE, lambda text: _weight(text, about)))
        yield closed(f"{start}: {quote}")
        speaker = exchange.speaker


def _who(asked: VoiceQuestion, one: _Found, you: str, someone: str) -> str:
    if _is_asker(asked, one.hit.exchange):
        return f"{you} {'asked' if one.asks else 'told'} me"
    return f"{one_line(one.hit.exchange.speaker) or someone} {'asked' if one.asks else 'said'}"


def _weight(text: str, about: Topic) -> int:
    stems = set(key_words(text).values())
    return 2 * len(stems & about.strong) + len(stems & about.weak)
