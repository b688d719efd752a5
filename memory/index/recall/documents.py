"""The items of one kind in one domain, numbered in the order they were stored, and how messages adjoin each other.

Messages of a session are ordered by time. A stretch is a part of a session without a break of six hours, a run consecutive
messages of one speaker within a stretch; both are identified by their first message. A DM never ends, so stretches, not
sessions, have a topic.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from memory.index.indexing import OWN
from memory.index.recall.columns import Column, Floats, Ints, Mask, held_bytes
from memory.index.when.told_times import LONGEST_STAY
from memory.index.when.values import Window
from memory.text import lexical
from memory.text.word_forms.spellings import plain_spellings
from memory.types import MINUTE

BREAK = 360 * MINUTE
NO_NAMES = frozenset({"user", "assistant", "system", "human", "ai", "bot", "me", "you"})
"""Placeholders that exports of other programs use in place of a name."""
NONE = -1
_FEW = 32


class MessageOrder(NamedTuple):
    """The first and last messages of sessions, and the first messages and lengths of stretches."""

    firsts: Ints
    lasts: Ints
    starts: Ints
    lengths: Ints


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """How messages adjoin each other, and sums over a message's neighbours and its stretch.

    Messages are mostly stored in the order they were said, one conversation after the other. Then the neighbours' scores are the
    score array shifted by one and a stretch is a slice, which takes a fifth of the time of index lookups; both paths give the
    same result.

    `before` and `after` are the numbers of the neighbours, NONE for none; `stretches` is the number of the first message of
    each one's stretch; `order` is None if the messages are not all stored in order.
    """

    before: Ints
    after: Ints
    stretches: Ints
    order: MessageOrder | None

    @classmethod
    def of(cls, before: Ints, after: Ints, stretches: Ints) -> "Neighbourhood":
        """Return the neighbourhood of messages, with its order if they are stored in order."""
        here = np.arange(len(before))
        behind = bool(((before == here - 1) | (before < 0)).all() and (stretches[1:] >= stretches[:-1]).all())
        if not (behind and len(before)):
            return cls(before, after, stretches, None)
        starts = np.flatnonzero(np.append(True, stretches[1:] != stretches[:-1]))
        lengths = np.diff(np.append(starts, len(before)))
        return cls(before, after, stretches, MessageOrder(np.flatnonzero(before < 0), np.flatnonzero(after < 0), starts, lengths))

    def beside(self, scores: Floats) -> Floats:
        """Return for each message the sum of its neighbours' scores."""
        if self.order is None:
            # A missing neighbour is -1 and so reads the zero appended to the scores.
            padded = np.append(scores, np.float32(0))
            sums: Floats = padded.take(self.before, mode="wrap") + padded.take(self.after, mode="wrap")
            return sums
        both = np.empty_like(scores)
        both[1:] = scores[:-1]
        both[self.order.firsts] = 0
        before = both[self.order.lasts]
        both[:-1] += scores[1:]
        both[self.order.lasts] = before
        return both

    def best_around(self, scores: Floats) -> Floats:
        """Return for each message the best score in its stretch, at least 0."""
        if self.order is None:
            best = np.zeros(len(scores), np.float32)
            np.maximum.at(best, self.stretches, scores)
            return best[self.stretches]
        best = np.maximum(np.maximum.reduceat(scores, self.order.starts), np.float32(0))
        return np.repeat(best, self.order.lengths)


class Documents:
    """The items of one domain index as columns, one entry per item. Messages are `linked`: they have neighbours.

    `before` and `after` are the numbers of the neighbours, NONE at the ends of a session; `stretches` and `runs` hold the
    number of the first message of each one's stretch and run. `tellers`, `told_from` and `told_until` have one entry per time
    that a document tells of besides its own. `names` numbers the speakers, `called` maps each word of a name to the speakers
    who bear it, `hers` are the names Lyra spoke under.
    """

    def __init__(self, *, linked: bool) -> None:
        self.linked = linked
        self.items = Column(np.int64)
        self.sessions = Column(np.int64)
        self.times = Column(np.int64)
        self.speakers = Column(np.int64)
        self.traits = Column(np.uint8)
        self.fingerprints = Column(np.int64)
        self.before = Column(np.int64)
        self.after = Column(np.int64)
        self.stretches = Column(np.int64)
        self.runs = Column(np.int64)
        self.tellers = Column(np.int64)
        self.told_from = Column(np.int64)
        self.told_until = Column(np.int64)
        self.names: dict[str, int] = {}
        self.called: dict[str, set[str]] = {}
        self.hers: set[str] = set()
        self._last: dict[int, int] = {}
        self._neighbourhood: Neighbourhood | None = None

    def __len__(self) -> int:
        return len(self.items)

    @property
    def nbytes(self) -> int:
        """The allocated memory in bytes."""
        return held_bytes(self)

    def add(
        self, items: Ints, sessions: Ints, times: Ints, speakers: Sequence[str], traits: Ints, fingerprints: Ints,
        tells: Sequence[bytes | None],
    ) -> None:  # fmt: skip
        """Append items, in ascending order and all newer than the existing ones."""
        start, n = len(self), len(items)
        self._neighbourhood = None
        self.items.extend(items)
        self.sessions.extend(sessions)
        self.times.extend(times)
        self.speakers.extend([self._number(speaker) for speaker in speakers])
        self.traits.extend(traits)
        self.hers.update(speaker for speaker, trait in zip(speakers, traits.tolist(), strict=True) if trait & OWN)
        # Equal digests condense different messages, so they are never merged as duplicates.
        self.fingerprints.extend(fingerprints if self.linked else np.zeros(n))
        told = [(start + at, np.frombuffer(some, np.int64)) for at, some in enumerate(tells) if some]
        self.tellers.extend([document for document, edges in told for _ in edges[::2]])
        self.told_from.extend([edge for _, edges in told for edge in edges[::2].tolist()])
        self.told_until.extend([edge for _, edges in told for edge in edges[1::2].tolist()])
        for column in (self.before, self.after):
            column.extend(np.full(n, NONE))
        for column in (self.stretches, self.runs):
            column.extend(np.arange(start, start + n))
        if self.linked and n > _FEW:
            self._relink(np.isin(self.sessions.now, sessions))
        elif self.linked:
            for document in range(start, start + n):
                self._link(document)

    @property
    def neighbourhood(self) -> Neighbourhood:
        """How messages adjoin each other; cached until more are added."""
        if self._neighbourhood is None:
            self._neighbourhood = Neighbourhood.of(self.before.now, self.after.now, self.stretches.now)
        return self._neighbourhood

    def items_beside(self, column: Column, documents: Ints) -> list[int | None]:
        """Return the items that a column (`before` or `after`) has for these documents, None where it has none."""
        others = column.now[documents]
        items = self.items.now[others].tolist()
        return [None if other == NONE else item for other, item in zip(others.tolist(), items, strict=True)]

    def number(self, item: int) -> int:
        """Return the number of an item, NONE if it is not here."""
        at = int(np.searchsorted(self.items.now, item))
        return at if at < len(self) and self.items.now[at] == item else NONE

    def then(self, window: Window, *, ahead: bool) -> tuple[Mask, Ints]:
        """Return a mask of the items said in a window or telling of a time at least half inside it or of days around it, and the
        instant of each.

        A time after the message that tells of it counts only if the window lies `ahead`.
        """
        mask: Mask = (self.times.now >= window.start) & (self.times.now < window.end)
        if not len(self.tellers):
            return mask, self.times.now
        start, end = self.told_from.now, self.told_until.now
        inside = np.minimum(end, window.end) - np.maximum(start, window.start)
        within = (2 * inside >= end - start) | ((inside == window.end - window.start) & (end - start < LONGEST_STAY))
        if not ahead:
            within &= start <= self.times.now[self.tellers.now]
        when = self.times.now.copy()
        # Of several matching times of a document, the first one counts.
        when[self.tellers.now[within][::-1]] = start[within][::-1]
        mask[self.tellers.now[within]] = True
        return mask, when

    def _number(self, speaker: str) -> int:
        known = self.names.get(speaker)
        if known is not None:
            return known
        for word in name_words(speaker) - NO_NAMES:
            for form in forms_of_name(word):
                self.called.setdefault(form, set()).add(speaker)
        return self.names.setdefault(speaker, len(self.names))

    def numbers(self, name: str) -> list[int]:
        """Return the numbers of the speakers with this name, ignoring case; failing that, of those whose name contains its
        words.
        """
        same = [number for known, number in self.names.items() if known.casefold() == name.casefold()]
        words = name_words(name)
        bearers = [set().union(*(self.called.get(form, ()) for form in forms_of_name(word))) for word in words]
        named = set.intersection(*bearers) if bearers else set()
        return same or [self.names[speaker] for speaker in named]

    def said_by(self, numbers: Sequence[int]) -> Mask:
        """Return a mask of the documents of these speakers."""
        # A look-up by number takes a tenth of the time of numpy's search among any values.
        theirs = np.zeros(len(self.names), np.bool_)
        theirs[list(numbers)] = True
        said: Mask = theirs[self.speakers.now]
        return said

    def _link(self, document: int) -> None:
        """Append a message to its session; relink the session if the message is older than its last one."""
        session = int(self.sessions.now[document])
        last = self._last.get(session)
        if last is None:
            self._last[session] = document
        elif self.times.now[document] >= self.times.now[last]:
            self._last[session] = document
            self.after.now[last], self.before.now[document] = document, last
            if self.times.now[document] - self.times.now[last] <= BREAK:
                self.stretches.now[document] = self.stretches.now[last]
                if self.speakers.now[document] == self.speakers.now[last]:
                    self.runs.now[document] = self.runs.now[last]
        else:
            self._relink(self.sessions.now[: document + 1] == session)

    def _relink(self, of: Mask) -> None:
        chosen = np.flatnonzero(of)
        sessions, times, speakers = (column.now[chosen] for column in (self.sessions, self.times, self.speakers))
        order = np.lexsort((chosen, times, sessions))
        chosen, sessions, times, speakers = chosen[order], sessions[order], times[order], speakers[order]
        same = sessions[1:] == sessions[:-1]
        self.before.now[chosen] = np.where(np.append(False, same), np.roll(chosen, 1), NONE)
        self.after.now[chosen] = np.where(np.append(same, False), np.roll(chosen, -1), NONE)
        together = same & (times[1:] - times[:-1] <= BREAK)
        self.stretches.now[chosen] = _firsts(chosen, together)
        self.runs.now[chosen] = _firsts(chosen, together & (speakers[1:] == speakers[:-1]))
        ends = np.append(~same, True)
        self._last.update(zip(sessions[ends].tolist(), chosen[ends].tolist(), strict=True))


def name_words(name: str) -> set[str]:
    """Return the words of a name; single characters only if there are no longer words."""
    words = {word.removesuffix("'s") for word in lexical.tokens(name)}
    longer = {word for word in words if len(word) > 1}
    return longer or words


def forms_of_name(word: str) -> set[str]:
    """Return the forms without accents and special letters by which a word of a name is known."""
    return {lexical.unaccented(form) for form in plain_spellings(word)}


def _firsts(chosen: Ints, joined: Mask) -> Ints:
    """Return the first entry of each entry's group; `joined` tells for all but the first whether they continue a group."""
    starts = np.append(True, ~joined)
    first: Ints = chosen[starts][np.cumsum(starts) - 1]
    return first
