"""Which sentences stand for the rest: graph centrality over shared stems, and a choice that does not repeat itself."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory.text.lexical import key_words, stem, tokens

Scores = NDArray[np.float64]

_DAMPING = 0.85
_ROUNDS = 50
_NEAR_DUPLICATE = 0.8
_VARIETY = 0.5


def similarities(sentences: Sequence[str]) -> Scores:
    """Return the cosine between any two sentences over their stems, weighted by how few sentences hold a stem."""
    bags = [_bag(sentence) for sentence in sentences]
    spread = Counter(word for bag in bags for word in bag)
    columns = {word: at for at, word in enumerate(spread)}
    matrix = np.zeros((len(bags), max(len(columns), 1)))
    for row, bag in enumerate(bags):
        for word, count in bag.items():
            matrix[row, columns[word]] = count * np.log1p(len(bags) / spread[word])
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    unit = matrix / np.where(lengths, lengths, 1.0)
    cosines: Scores = unit @ unit.T
    return cosines


def _bag(sentence: str) -> Counter[str]:
    meaningful = key_words(sentence)
    return Counter(stem(word) for word in tokens(sentence) if word in meaningful)


def centrality(cosines: Scores) -> Scores:
    """Return how central each sentence is, 1.0 being the average.

    Continuous LexRank with damping: G. Erkan, D. R. Radev, "LexRank: Graph-based Lexical Centrality as Salience in Text
    Summarization", Journal of Artificial Intelligence Research 22 (2004), section 3.2 and formula 3; the same walk as
    TextRank (R. Mihalcea, P. Tarau, EMNLP 2004).
    """
    count = len(cosines)
    weights = cosines.sum(axis=1, keepdims=True)
    steps = np.where(weights > 0, cosines / np.where(weights, weights, 1.0), 1.0 / max(count, 1))
    scores = np.ones(count)
    for _ in range(_ROUNDS):
        scores = (1 - _DAMPING) + _DAMPING * (steps.T @ scores)
    return scores


def choose(scores: Scores, cosines: Scores, origins: Sequence[int], wanted: int) -> list[int]:
    """Return the places of at most `wanted` sentences, in order: high scores first, near-duplicates left out.

    A sentence is worth less the more it resembles one already chosen: maximal marginal relevance, J. Carbonell and
    J. Goldstein, SIGIR 1998, as a factor instead of a difference because the scores here have no upper bound. So is a
    second one of the same origin (a message, a digest), so that all of them have a chance to be heard.
    """
    chosen: list[int] = []
    source = np.asarray(origins)
    likeness = np.zeros(len(scores))
    taken = np.zeros(len(scores))
    open_to_choice = np.ones(len(scores), dtype=bool)
    while len(chosen) < wanted and open_to_choice.any():
        worth = scores * (1 - _VARIETY * likeness) / (1 + taken)
        best = int(np.argmax(np.where(open_to_choice, worth, -1.0)))
        chosen.append(best)
        open_to_choice[best] = False
        taken += source == source[best]
        likeness = np.maximum(likeness, cosines[best])
        open_to_choice &= likeness < _NEAR_DUPLICATE
    return sorted(chosen)
