"""The items of one kind in one domain, numbered in the order they were stored, and how messages stand beside each other.

Messages of a session are in order of time. A stretch is what was said there without a break of six hours, a run what one
speaker said in a row within it; both are named after their first message. A DM never ends, so it is stretches, not sessions,
that are about something.
"""

from collections.abc import Sequence

import numpy as np

from memory.index.indexing import OWN
from memory.index.recall.columns import Column, Ints, Mask
from memory.index.recall.neighbourhood import Neighbourhood
from memory.index.when.values import Window
from memory.text import lexical
from memory.types import MINUTE

BREAK = 360 * MINUTE
NO_NAMES = frozenset({"user", "assistant", "system", "human", "ai", "bot", "me", "you"})
"""What stands in the place of a name in what was exported elsewhere."""
NONE = -1
_FEW = 32


class Documents:
    """The items of one shard as columns, one entry an item. Those of messages are `linked`: they have neighbours.

    `before` and `after` are the numbers of neighbours, NONE at the ends of a session; `stretches` and `runs` the number of the
    first message of each one's stretch and run. `tellers` are the documents that tell of other times than their own, an entry a
    time, with when it begins and ends. `names` numbers the speakers, `called` has them by each word of their names, `hers` are Lyra's.
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
        """The memory they take."""
        columns = (self.items, self.sessions, self.times, self.speakers, self.traits, self.fingerprints)
        told = (self.tellers, self.told_from, self.told_until)
        return sum(column.nbytes for column in (*columns, *told, self.before, self.after, self.stretches, self.runs))

    def add(
        self, items: Ints, sessions: Ints, times: Ints, speakers: Sequence[str], traits: Ints, fingerprints: Ints,
        tells: Sequence[bytes | None],
    ) -> None:  # fmt: skip
        """Take in items, ascending and all newer than those here."""
        start, n = len(self), len(items)
        self._neighbourhood = None
        self.items.extend(items)
        self.sessions.extend(sessions)
        self.times.extend(times)
        self.speakers.extend([self._number(speaker) for speaker in speakers])
        self.traits.extend(traits)
        self.hers.update(speaker for speaker, trait in zip(speakers, traits.tolist(), strict=True) if trait & OWN)
        # A digest that says the same as another does so of other messages.
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
        """How messages stand beside each other, looked at once until more are added."""
        if self._neighbourhood is None:
            self._neighbourhood = Neighbourhood.of(self.before.now, self.after.now, self.stretches.now)
        return self._neighbourhood

    def number(self, item: int) -> int:
        """Return the number of an item, NONE where it is not here."""
        at = int(np.searchsorted(self.items.now, item))
        return at if at < len(self) and self.items.now[at] == item else NONE

    def then(self, window: Window, *, ahead: bool) -> tuple[Mask, Ints]:
        """Say which items were said in a window or tell of a time that lies in it for the most part, and of each when that was.

        What only looked forward to that time counts where it lies `ahead`.
        """
        mask: Mask = (self.times.now >= window.start) & (self.times.now < window.end)
        if not len(self.tellers):
            return mask, self.times.now
        start, end = self.told_from.now, self.told_until.now
        within = 2 * (np.minimum(end, window.end) - np.maximum(start, window.start)) >= end - start
        if not ahead:
            within &= start <= self.times.now[self.tellers.now]
        when = self.times.now.copy()
        # The first of several stands for all.
        when[self.tellers.now[within][::-1]] = start[within][::-1]
        mask[self.tellers.now[within]] = True
        return mask, when

    def _number(self, speaker: str) -> int:
        known = self.names.get(speaker)
        if known is not None:
            return known
        for word in name_words(speaker) - NO_NAMES:
            self.called.setdefault(word, set()).add(speaker)
        return self.names.setdefault(speaker, len(self.names))

    def numbers(self, name: str) -> list[int]:
        """Return the numbers of the speakers of this name, however it is written; where there is none, of those it is a part of."""
        same = [number for known, number in self.names.items() if known.casefold() == name.casefold()]
        words = name_words(name)
        named = set.intersection(*(self.called.get(word, set()) for word in words)) if words else set()
        return same or [self.names[speaker] for speaker in named]

    def _link(self, document: int) -> None:
        """Put a message behind the last one of its session; where it was said earlier, order the session anew."""
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
    """Return the words by which somebody is called, without accents; of a script without spaces no single characters."""
    words = {lexical.unaccented(word.removesuffix("'s")) for word in lexical.tokens(name)}
    longer = {word for word in words if len(word) > 1}
    return longer or words


def _firsts(chosen: Ints, joined: Mask) -> Ints:
    """Return for each entry the first one of its group; `joined` says of each but the first whether it belongs to the last."""
    starts = np.append(True, ~joined)
    first: Ints = chosen[starts][np.cumsum(starts) - 1]
    return first
