"""Whether a reply holds something of what is forgotten.

A reply that had a message in view goes with it, unless nothing of the message is in it: no content word, number or name that
other messages in its view do not hold as well, and no nearness in meaning: the mean over its sentences of how much nearer each
is to what is forgotten than to what else stood in view, as a difference of cosines. The bound was set on the three sets in
`tests/sets/sparing`, which were written before; `python -m tests.bench.sparing` draws the curve.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from memory.derive.evidence import FUNCTION_WORDS
from memory.errors import EmbeddingFailed
from memory.ports import Embedder, Vectors
from memory.text.lexical import key_words, stem
from memory.text.numbers import COUNT_WORDS

NEAR = -0.22
"""From here on a reply may say what is forgotten: 2 % of the paraphrases lie below, and 38 % of the innocent above."""
_ALONE = 0.4
"""How near a sentence is to what stood in view besides, on average; taken where nothing else did."""
_NUMBER = re.compile(r"\d(?:[\d\s.,:'’/-]*\d)?")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_MOST = 64


def content(text: str) -> frozenset[str]:
    """Return what a text can be known by: the stems of its content words and names, and its numbers, however written."""
    words = {stemmed for word, stemmed in key_words(text).items() if len(word) > 1 and word not in FUNCTION_WORDS}
    counted = {f"#{COUNT_WORDS[word]}" for word in key_words(text) if word in COUNT_WORDS}
    return frozenset((words - ORDINARY) | counted | _numbers(text))


def _numbers(text: str) -> set[str]:
    found: set[str] = set()
    for match in _NUMBER.finditer(text):
        parts = re.findall(r"\d+", match[0])
        found |= {f"#{part.lstrip('0') or '0'}" for part in (*parts, "".join(parts))}
    return found


def shares(reply: str, gone: Iterable[str], others: Iterable[str]) -> bool:
    """Say whether a reply shares content with what is gone that nothing else in its view holds."""
    lost = frozenset().union(*(content(text) for text in gone)) & content(reply)
    if not lost:
        return False
    return bool(lost.difference(*(content(text) for text in others)))


def holding(reply: str, gone: Iterable[str]) -> list[str]:
    """Return the sentences of a reply that share content with what is gone; all of it where none does by itself."""
    lost = frozenset().union(*(content(text) for text in gone))
    return [one for one in sentences(reply) if lost & content(one)] or [reply]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, by which its meaning is compared; of more than 64, as many together as make 64."""
    found = [one.strip() for one in _SENTENCE.findall(text) if any(c.isalnum() for c in one)]
    together = -(-len(found) // _MOST) or 1
    return [" ".join(found[at : at + together]) for at in range(0, len(found), together)]


@dataclass
class Nearness:
    """Compares meanings, and remembers the vectors of one sweep. Without an embedder nothing can be compared."""

    embedder: Embedder | None

    def __post_init__(self) -> None:
        self._known: dict[str, Vectors] = {}

    async def near(self, reply: str, gone: Sequence[str], others: Sequence[str], bound: float = NEAR) -> bool:
        """Say whether a reply is as near in meaning to what is gone as the bound, or that cannot be known."""
        return (margin := await self.margin(reply, gone, others)) is None or margin >= bound

    async def margin(self, reply: str, gone: Sequence[str], others: Sequence[str]) -> float | None:
        """Return how much nearer the sentences of a reply are to what is gone than to what else stood in view, on average.

        None where it cannot be known.
        """
        ours, beside = sentences(reply), [one for text in others for one in sentences(text)]
        lost = [pieces for text in gone if (pieces := sentences(text))]
        if not ours or not lost:
            return -1.0
        try:
            said = await self._vectors(ours)
            besides = (said @ (await self._vectors(beside)).T).max(axis=1) if beside else _ALONE
            # Text by text: among many, something is near to anything.
            return max([float(((said @ (await self._vectors(one)).T).max(axis=1) - besides).mean()) for one in lost])
        except EmbeddingFailed:
            return None

    async def _vectors(self, texts: Sequence[str]) -> Vectors:
        if self.embedder is None:
            raise EmbeddingFailed("There is no embedder.")
        missing = [text for text in dict.fromkeys(texts) if text not in self._known]
        if missing:
            made = await self.embedder.embed(missing)
            unit = made / np.linalg.norm(made, axis=1, keepdims=True)
            self._known.update(zip(missing, unit, strict=True))
        return np.stack([self._known[text] for text in texts])


ORDINARY = frozenset(
    stem(word)
    for word in """
    go goes going gone get gets getting got make makes making made take takes taking took know knows known think thinks thought
    want wants wanted need needs say says said tell tells told talk ask asked see seen look looks like likes good great nice well
    sure thing things something anything everything nothing time today day days now back bit lot much many please thanks thank
    sorry maybe still always never ever way one two glad happy hope feel feels find found give help let come keep put right
    """.split()
)
"""Stems of words that stand in every second message and tell nothing."""
