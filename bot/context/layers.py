"""Rendering memory in a prompt: pieces, each quoted line by line."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bot.models.offline.spoken_languages import spoken_language
from bot.models.offline.voice import manner
from memory.bank.block import HEAD, Block, bullet
from memory.index.hits import DigestHit, Hit
from memory.text.budget import FittedLayer, Layer, TokenBudget, clip
from memory.text.display_names import LYRA, display_name
from memory.text.lexical import stem
from memory.text.lexical import tokens as words
from memory.text.prompt_lines import FOLLOWED, NOTED, QUOTED, prompt_line
from memory.text.time import periods
from memory.text.time.relative_dates import DatedText
from memory.text.time.times import local
from memory.tiers import open_things
from memory.tiers.manners import of_speakers, speaker_key
from memory.tiers.selfstate import SelfState, StateOfMind
from memory.types import MINUTE, Digest, Exchange, Statement


def silence(since: int, until: int) -> str:
    """Return how long nothing was said between two instants, 2 days or 3 hours; '' if it was less than an hour."""
    minutes = max(0, until - since) // MINUTE
    for size, name in ((60 * 24, "day"), (60, "hour")):
        if n := minutes // size:
            return f"{n:,} {name if n == 1 else f'{name}s'}"
    return ""


ONLY_YOURS = "only in your own words"
_OWN_NAME = re.compile(r'(.+) wants to be called "\1"\.')
_MOST = 200
_MOST_OF_A_DIGEST = 300
_MOST_OF_A_PLACE = 80
_MOST_OF_A_REPLY = 40
_ARCS = {"arc": "Going on", "trend": "Trend"}
_MOODS = ((-0.6, "low"), (-0.2, "a little low"), (0.2, "even"), (0.6, "good"), (1.0, "very good"))
_ENERGIES = ((0.2, "very low"), (0.4, "low"), (0.6, "steady"), (0.8, "high"), (1.0, "very high"))

_WISHES = {
    "continuity": "You would like to catch up on what was said.",
    "coherence": "You would like to put in order what you know.",
    "curiosity": "You are curious about what is new.",
}
_FELT = 0.5


@dataclass(frozen=True, slots=True)
class LayerPiece:
    """One entry of a layer: its lines, its plain content, the items it comes from, and its position."""

    text: str
    says: str
    keys: frozenset[int]
    place: tuple[int, ...] = ()

    @property
    def said(self) -> str:
        """The content, normalized for whitespace and case."""
        return " ".join(self.says.casefold().split())


@dataclass(frozen=True, slots=True)
class ShownLayer:
    """The entries of a layer, in reading order."""

    fitted: FittedLayer
    title: str
    pieces: Sequence[LayerPiece]

    @property
    def block(self) -> str:
        """The title and its entries; '' if there are none."""
        return "\n".join([self.title, *(piece.text for piece in self.pieces)]) if self.pieces else ""

    @property
    def keys(self) -> frozenset[int]:
        """The items shown."""
        return frozenset(key for piece in self.pieces for key in piece.keys)


class InView:
    """What is already in view, so that no later layer repeats it."""

    def __init__(self) -> None:
        self._said: set[str] = set()

    def copy(self) -> "InView":
        """Return an independent copy."""
        other = InView()
        other._said = set(self._said)
        return other

    def is_new(self, piece: LayerPiece) -> bool:
        """Return whether nothing in view says the same."""
        return piece.said not in self._said

    def note(self, pieces: Iterable[LayerPiece]) -> None:
        """Mark these as in view."""
        self._said.update(piece.said for piece in pieces)

    def show(self, room: TokenBudget, name: str, share: float, title: str, pieces: Iterable[LayerPiece]) -> ShownLayer:
        """Show the entries, most important first, that are not in view yet and fit into the room."""
        new: dict[str, LayerPiece] = {}
        for piece in pieces:
            new.setdefault(piece.said, piece)
        fresh = [piece for piece in new.values() if self.is_new(piece)]
        fitted = room.fill(Layer(name, [piece.text for piece in fresh], share, title))
        shown = sorted(fresh[: len(fitted.shown)], key=lambda piece: piece.place)
        self.note(shown)
        return ShownLayer(FittedLayer(name, [piece.text for piece in shown], fitted.cut, fitted.tokens), title, shown)


def facts(known: Sequence[Statement], time_zone: str) -> list[LayerPiece]:
    """Return the profile facts, most recently seen first; they are read grouped by subject."""
    groups: dict[str, int] = {}
    for fact in sorted(known, key=lambda fact: fact.key):
        groups.setdefault(_subject(fact.text), fact.key)
    return [
        LayerPiece(
            prompt_line(clip(fact.text, _MOST), NOTED, note=f"{_day(fact.last_at, time_zone)}{', inferred' if fact.kind == 'inferred' else ''}"),
            fact.text, frozenset({fact.key}),
            (groups[_subject(fact.text)], int(fact.kind == "inferred"), fact.key),
        )
        for fact in _newest(known)
    ]  # fmt: skip


def arcs(told: Sequence[Statement]) -> list[LayerPiece]:
    """Return the narrative lines, newest first; stories are read before trends."""
    kinds = list(_ARCS)
    return [
        LayerPiece(
            prompt_line(clip(line.text, _MOST), QUOTED, label=_ARCS.get(line.kind, _ARCS["arc"])), line.text, frozenset({line.key}),
            (kinds.index(line.kind) if line.kind in kinds else 0, line.key),
        )
        for line in _newest(told)
    ]  # fmt: skip


def bank(block: Block) -> list[LayerPiece]:
    """Return the lines of a rendered bank below its heading, newest first."""
    lines = [line for line in block.text.removeprefix(HEAD).splitlines() if line.strip()]
    return [
        LayerPiece(prompt_line(line, QUOTED), line, frozenset(one.key for one in block.shown if bullet(one) in line), (at,))
        for at, line in enumerate(lines)
    ]


def self_state(state: SelfState) -> list[LayerPiece]:
    """Return her self-state in words, and her self-description."""
    mood = feeling(state.mind)
    lines = [
        LayerPiece(prompt_line(clip(one.text, _MOST), NOTED), one.text, frozenset({one.key}), (one.key,))
        for one in _newest(state.narrative)
    ]
    return [LayerPiece(mood, mood, frozenset()), *lines]


def feeling(mind: StateOfMind) -> str:
    """Return mood, energy and drives in words."""
    mood = f"Your mood is {_step_name(mind.mood, _MOODS)}, your energy {_step_name(mind.energy, _ENERGIES)}."
    return " ".join([mood, *(wish for name, wish in _WISHES.items() if mind.drives[name] >= _FELT)])


def digests(summary: Sequence[Digest], time_zone: str) -> list[LayerPiece]:
    """Return the digests of a conversation, newest first; they are read oldest first."""
    return [
        LayerPiece(
            prompt_line(clip(one.text, _MOST_OF_A_DIGEST), QUOTED, label=_day(one.first_at, time_zone)),
            one.text,
            frozenset({one.key}),
            (one.first_at, one.key),
        )
        for one in reversed(summary)
    ]


def gist(hit: DigestHit, time_zone: str) -> LayerPiece:
    """Return a recalled gist with its conversation."""
    one = hit.digest
    where = f'{_day(one.first_at, time_zone)}, in "{display_name(hit.session, _MOST_OF_A_PLACE)}"'
    line = prompt_line(clip(one.text, _MOST_OF_A_DIGEST), QUOTED, label=where)
    return LayerPiece(line, one.text, frozenset({one.key}), (one.first_at, one.key))


def era(one: Statement) -> LayerPiece:
    """Return a recalled era paragraph or bank bullet, with the time it covers."""
    line = prompt_line(clip(one.text, _MOST), QUOTED, label=_period(one))
    return LayerPiece(line, one.text, frozenset({one.key}), (one.first_at, one.key))


def message(said: Exchange, time_zone: str, *, receipt: str = "", note: str = "", most: int | None = None) -> LayerPiece:
    """Return a recalled message with speaker and time, and with the weekday if its text refers to a day relative to it.

    `receipt` is the id by which it can be opened, `note` what is to be known of it (`note_on`), `most` the maximum tokens of its text.
    """
    shown = clip(said.text, _MOST if most is None else most)
    is_relative = DatedText(local(said.said_at, time_zone).date(), shown).has_any()
    when = f"{local(said.said_at, time_zone):{'%A, ' if is_relative else ''}%d %B %Y %H:%M}"
    label = ", ".join(part for part in (when, receipt and f"receipt {receipt}", note) if part)
    line = prompt_line(shown, QUOTED, label=label, speaker=said.speaker)
    return LayerPiece(line, line, frozenset({said.key}), (said.said_at, said.key))


def note_on(hit: Hit, time_zone: str) -> str:
    """Return that a recalled message was corrected later, what it corrects, or that she alone said it; '' for most."""
    if hit.corrects:
        return f"correcting what was said on {local(hit.corrects.said_at, time_zone):%d %B %Y %H:%M}"
    if hit.corrected is not None:
        return "corrected later"
    return ONLY_YOURS if hit.only_hers else ""


def recalled(hit: Hit, time_zone: str) -> LayerPiece:
    """Return a recalled message; what corrects another one is read directly after that."""
    piece = message(hit.exchange, time_zone, note=note_on(hit, time_zone))
    at = hit.corrects
    return replace(piece, place=(at.said_at, at.key, *piece.place)) if at else piece


def moment(now: int, asked: Sequence[Exchange], recent: Sequence[Exchange], time_zone: str) -> str:
    """Return the current day and time, who is speaking, and for how long nothing was said here if it was an hour or more."""
    names = " and ".join(dict.fromkeys(f'"{display_name(one.speaker)}"' for one in asked))
    at = f'Today is {local(now, time_zone):%A, %d %B %Y, %H:%M}. The message at the end is from {names}, whom you call "you"'
    # Not when the message before was written: a small model takes that for the time of this one.
    lasted = silence(recent[-1].said_at, asked[0].said_at) if recent else ""
    return f"{at}; before it, nothing was said here for {lasted}." if lasted else f"{at}."


def answer_language(asked: Sequence[Exchange], wanted: Sequence[Statement]) -> str:
    """Return in which language to answer each speaker, by their last message.

    '' where that is English, the prompt's own, or unclear, and for whoever has a language among the manners `wanted`.
    """
    spoken: dict[str, str] = {}
    for one in {speaker_key(one): one for one in asked}.values():
        if not manner(of_speakers(wanted, [one])).language:
            spoken[display_name(one.speaker)] = spoken_language(one.text)
    languages = set(spoken.values())
    alone = len(languages) == 1 and len({speaker_key(one) for one in asked}) == len(spoken)
    called = {"": languages.pop()} if alone else {f' "{name}"': language for name, language in spoken.items()}
    return "".join(
        f" Answer{who} in {language.title()}, unless another language is asked for."
        for who, language in called.items()
        if language not in ("", "english")
    )


def manners(wanted: Sequence[Statement]) -> str:
    """Return the manners that the people being answered asked for, '' if none; not the name that they have anyway."""
    lines = [prompt_line(one.text, FOLLOWED) for one in wanted if not _OWN_NAME.fullmatch(one.text)]
    return "\n".join(["How they want you to talk; do so in your answer:", *lines]) if lines else ""


def disliked(replies: Sequence[Exchange]) -> str:
    """Return the answers that were marked as bad, '' if none, so that the next one does not imitate them."""
    lines = [prompt_line(clip(one.text, _MOST_OF_A_REPLY), QUOTED, speaker=LYRA) for one in replies]
    return (
        "\n".join(["These answers of yours were not liked; do it otherwise, without a word about it:", *lines]) if lines else ""
    )


def open_thing(one: Statement | None, time_zone: str) -> str:
    """Return the topic to bring up again, '' if none: something announced by a person, or something left open."""
    if one is None:
        return ""
    speaker = one.writer if one.tier == open_things.TIER else ""
    line = prompt_line(clip(one.text, _MOST), QUOTED, label=f"{local(one.first_at, time_zone):%A, %d %B %Y}", speaker=speaker)
    return f"To take up again, once, if it fits what is said now:\n{line}"


def _newest(statements: Sequence[Statement]) -> list[Statement]:
    return sorted(statements, key=lambda one: (-one.last_at, one.key))


def _subject(text: str) -> str:
    return next((stem(word) for word in words(text)), "")


def _day(at: int, time_zone: str) -> str:
    return f"{local(at, time_zone):%d %B %Y}"


def _period(one: Statement) -> str:
    shown = periods.period_label(one.period)
    return f"{date.fromisoformat(f'{shown}-01'):%B %Y}" if periods.rung(one.period) == periods.MONTH else shown


def _step_name(value: float, steps: Sequence[tuple[float, str]]) -> str:
    return next((name for most, name in steps if value <= most), steps[-1][1])
