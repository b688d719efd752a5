"""Sparing: whether a reply holds something of what is forgotten.

A reply that had a message in view goes with it, unless nothing of the message is in it: no content word, number or name that
other messages in its view do not hold as well, and no nearness in meaning beyond what the rest of the view explains. Of a few
words the meaning cannot be compared; without an embedder words alone decide. The signs were weighted, and their bound set, on
three of the sets in `tests/sets/sparing`, which were written beforehand; `python -m tests.bench.sparing` draws the curve.
"""

import asyncio
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from memory.errors import EmbeddingFailed
from memory.forget.shared_content import READ, Passage, passages, pieces, spoken_of
from memory.ports import Embedder, Vectors
from memory.text.lexical import unspaced

_NUMBERED_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_LETTERS = 2
"""How many letters of a script without spaces count as a word."""
NEAR = -1.45
"""The bound from which a reply may say what is forgotten: 2 % of the paraphrases lie below, and 19.8 % of the innocent go.

The weights are those of a logistic regression (both classes weighted alike, ridge 1) on the replies of the sets that share no
content, rounded. Weights and bound fitted on every second reply, to miss 2 % of its paraphrases, miss 4.5 % of the others' and
take 18 % of their innocent; weights fitted that way, with a bound that misses 2 % of all, take 22 %.
"""
COMPARED = 9
"""The number of newest items in view whose meaning is compared: the bound was set with a question and at most eight others."""
_SOFT = 0.03
_ALONE = 0.3
"""The average nearness of a sentence to the nearest one in the rest of the view; used if there was no such rest."""
_MEASURED = 4
"""The number of forgotten passages embedded with a view: the likeliest; the others are given the maximum of these."""
_OLDER = 0.01
_LEAST = 6
"""The number of words from which a reply has a meaning to compare; the sets of shorter ones show that theirs says nothing."""


def is_comparable(reply: str) -> bool:
    """Return whether a reply has a meaning of its own; one that is shorter has it from what it answers, whatever its words."""
    return sum(max(1, len(unspaced(word)) // _LETTERS) for word in _NUMBERED_WORD.findall(reply)) >= _LEAST


@dataclass(frozen=True, slots=True)
class OverlapSigns:
    """The signs that a passage of a reply holds a passage of what is forgotten.

    `nearer`: how much nearer its sentences are to what is forgotten than to the rest of the view, on average, as a difference
    of cosines. `theme`: how near what is forgotten is to the rest of the view, since a reply may take from there what both
    share. `toward`: the cosine between the reply and the direction in which what is forgotten moved the meaning of the whole
    view. `to` and `of`: how often a sentence addresses its listener and refers to others, as replies repeat people's words that
    way.
    """

    nearer: float
    theme: float
    toward: float
    to: float
    of: float

    @property
    def score(self) -> float:
        """The weighted sum: the signs' contribution to the log odds."""
        return 12 * self.nearer - 3 * self.theme + 10 * self.toward + 2.2 * self.to + 1.1 * self.of


@dataclass
class Nearness:
    """A comparison of meanings, caching the vectors of one sweep. Without an embedder nothing can be compared."""

    embedder: Embedder | None

    def __post_init__(self) -> None:
        self._known: dict[str, Vectors] = {}

    async def near(self, reply: str, gone: Sequence[str], others: Sequence[str]) -> bool | None:
        """Return whether a reply may say what is gone; None if its meaning cannot be measured."""
        if not is_comparable(reply):
            return bool(gone) and _says_something(reply)
        signs = await self.signs(reply, gone, others)
        return None if signs is None else any(not one.score < NEAR for one in signs)

    async def signs(self, reply: str, gone: Sequence[str], others: Sequence[str]) -> list[OverlapSigns] | None:
        """Return the signs for each passage of a reply with each of what is gone; None if they cannot be measured.

        `others` is the rest of the view, newest last.
        """
        ours, lost, beside = await asyncio.to_thread(_cut, reply, gone, others)
        if not ours or not lost:
            return []
        try:
            await self._learn([*(one for some in (*ours, *lost) for one in some), *beside])
            found = await asyncio.to_thread(self._signs, ours, lost, beside)
            likely = sorted(range(len(lost)), key=lambda at: -max(row[at].score for row in found))[:_MEASURED]
            toward = await self._toward(ours, [lost[at] for at in likely], "\n".join(others)[-READ:] if beside else "")
        except EmbeddingFailed:
            return None
        measured = dict(zip(likely, toward.T, strict=True))
        others_toward = toward.max(axis=1)
        return [
            replace(one, toward=float(measured.get(at, others_toward)[which]))
            for which, row in enumerate(found)
            for at, one in enumerate(row)
        ]

    async def older(self, reply: str, gone: Sequence[str], stays: Sequence[str]) -> bool | None:
        """Return whether a reply is nearer to what an edit removed than to what it left; None if that cannot be measured."""
        ours, lost, left = await asyncio.to_thread(_cut, reply, gone, stays)
        if not ours or not lost:
            return False
        try:
            await self._learn([*(one for some in (*ours, *lost) for one in some), *left])
        except EmbeddingFailed:
            return None
        said = self._vectors([one for some in ours for one in some])
        stayed = (said @ self._vectors(left).T).max(axis=1) if left else _ALONE
        return max(float(((said @ self._vectors(one).T).max(axis=1) - stayed).mean()) for one in lost) >= _OLDER

    def _signs(self, ours: Sequence[Passage], lost: Sequence[Passage], beside: Passage) -> list[list[OverlapSigns]]:
        view = self._vectors(beside) if beside else None
        forgotten = [(vectors, float(_nearest(vectors, view).max())) for vectors in map(self._vectors, lost)]
        found = []
        for passage in ours:
            said, (to, of) = self._vectors(passage), spoken_of(passage)
            besides = _nearest(said, view)
            found.append(
                [OverlapSigns(float((_nearest(said, one) - besides).mean()), theme, 0.0, to, of) for one, theme in forgotten]
            )
        return found

    async def _toward(self, ours: Sequence[Passage], lost: Sequence[Passage], view: str) -> Vectors:
        moved = [" ".join(one) + ("\n" + view if view else "") for one in lost]
        made = await self._embed([*(" ".join(one) for one in ours), *moved, *([view] if view else [])])
        after = made[len(ours) : len(ours) + len(lost)]
        turned: Vectors = made[: len(ours)] @ _unit(after - made[-1] if view else after).T
        return turned

    async def _learn(self, texts: Sequence[str]) -> None:
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            self._known.update(zip(missing, await self._embed(missing), strict=True))

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        if self.embedder is None:
            raise EmbeddingFailed("There is no embedder.")
        return _unit(await self.embedder.embed(texts))

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._known[text] for text in texts])


def _says_something(reply: str) -> bool:
    """Return whether there is a word or a sign in a reply, beside punctuation: a thumb answers a question as well as a word."""
    return any(unicodedata.category(char)[0] in "LNS" for char in reply)


def _cut(reply: str, gone: Iterable[str], others: Iterable[str]) -> tuple[list[Passage], list[Passage], Passage]:
    return passages(reply), [one for text in gone for one in passages(text)], [one for text in others for one in pieces(text)]


def _unit(rows: Vectors) -> Vectors:
    with np.errstate(invalid="ignore"):  # a zero vector has no direction and no score, so its reply goes
        unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit


def _nearest(said: Vectors, view: Vectors | None) -> Vectors:
    """Return the nearness of each to the view, a soft maximum discounted by its size: among many, something is always near."""
    if view is None:
        return np.full(len(said), _ALONE, np.float32)
    cosines = said @ view.T
    most = cosines.max(axis=1, keepdims=True)
    softly: Vectors = most[:, 0] + _SOFT * np.log(np.exp((cosines - most) / _SOFT).mean(axis=1))
    return softly
