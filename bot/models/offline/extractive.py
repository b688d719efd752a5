"""An extractive writer of digests, without a model: it copies the most informative sentences, with speaker and date.

Sentences are selected by graph centrality over shared stems, and by a choice that avoids repetition.
"""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bot.models.offline.message_kinds import is_question
from bot.models.offline.shortening import shortened
from memory.derive.checks.evidence import Evidence
from memory.ports import Entry, Source, Task
from memory.text.display_names import LYRA
from memory.text.function_words import FIRST_PERSON
from memory.text.lexical import key_words, stem, tokens
from memory.text.quotations import closed, english_day, introduction, named, one_line, quoted
from memory.text.sentence_splitting import sentences

Scores = NDArray[np.float64]

_DAMPING = 0.85
_ROUNDS = 50
_NEAR_DUPLICATE = 0.8
_VARIETY = 0.5


def similarities(sentences: Sequence[str]) -> Scores:
    """Return the cosine between any two sentences over their stems, weighted by inverse sentence frequency."""
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
    """Return the indices of at most `wanted` sentences, in order: high scores first, near-duplicates left out.

    A sentence is penalized by its similarity to those already chosen: maximal marginal relevance, J. Carbonell and J.
    Goldstein, SIGIR 1998, as a factor instead of a difference because the scores here have no upper bound. So is a second
    sentence of the same origin (a message, a digest), so that every origin has a chance.
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


_LEAST = 4
_SHARE = 0.4  # of the usable sentences; with DESIGN's 20 messages an episode this gives about 8
_LONGEST = 240
_FALLBACK = 200
# The graph is dense, so its size is bounded; a gist's transcript (24,000 characters) stays within it.
_MOST_CANDIDATES = 600

_FIGURE = re.compile(r"\d|(?<=[\w,] )[A-Z]\w+")
_PLEASANTRY = re.compile(
    r"(?i)^(?:(?:hi|hello|hey|hallo|bonjour|hola|ciao|thanks?|thank you|danke|merci|gracias|bye|ok(?:ay)?|sure|great|nice|cool|wow"
    r"|lol|haha\w*|yeah|yep|absolutely|definitely|totally|congrats|congratulations|glad|awesome|good (?:morning|evening|night|luck)"
    r"|good to|see you|no problem|sounds|looks|so (?:glad|happy|proud|sorry)|i(?:'m| am) (?:glad|sorry|so))\b"
    r"|(?:that|this|it|what|you|your)(?:['’](?:s|re|ll))?\b)"
)
_PERSONAL = re.compile(rf"(?i)\b(?:{FIRST_PERSON})\b")
_TOLD = re.compile(r'(?:said|answered): "([^"]+)"')
_WORDS_ENOUGH = 8


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A sentence with the index of its source, and its own within that."""

    source: int
    place: int
    text: str

    @property
    def core(self) -> str:
        """The sentence without speaker and date, if it is a digest's sentence with quotes."""
        return " ".join(_TOLD.findall(self.text)) or self.text


class ExtractiveWriter:
    """Writes digests of copied sentences (memory.ports.Writer). Needs no services and never fails."""

    name = "extractive"
    extractive = True

    async def write(self, task: Task) -> list[Entry]:
        """Return the digest's sentences in the order of their sources; none only without sources."""
        return await asyncio.to_thread(_written, task)


def _written(task: Task) -> list[Entry]:
    candidates = _candidates(task)
    chosen = [candidates[at] for at in _chosen(candidates, task)]
    groups = [[one] for one in chosen] if task.kind == "merge" else _paired(chosen, task.sources)
    evidence = Evidence()
    entries = [entry for group in groups for entry in _entries(group, task, evidence)]
    return entries or _fallback(task.sources, evidence)


def _candidates(task: Task) -> list[_Candidate]:
    found = [
        _Candidate(at, place, sentence if task.kind == "merge" else shortened(sentence, _LONGEST))
        for at, source in enumerate(task.sources)
        for place, sentence in enumerate(sentences(source.text))
        if key_words(sentence)
    ]
    if len(found) <= _MOST_CANDIDATES:
        return found
    weights = _weights(found, task)
    weightiest = sorted(range(len(found)), key=lambda at: -weights[at])[:_MOST_CANDIDATES]
    return [found[at] for at in sorted(weightiest)]


def _chosen(candidates: Sequence[_Candidate], task: Task) -> list[int]:
    if not candidates:
        return []
    cosines = similarities([one.core for one in candidates])
    # The root dampens centrality: what everybody talks about is often courtesy, and facts are said once.
    weights: Scores = np.sqrt(centrality(cosines)) * _weights(candidates, task)
    most = max(task.sentences, 1)
    return choose(weights, cosines, [one.source for one in candidates], min(most, max(_LEAST, round(_SHARE * len(candidates)))))


def _weight(sentence: str, speaker: str, people: frozenset[str]) -> float:
    """Return how informative a sentence is by its form alone.

    Names, numbers and statements about oneself are; questions, courtesies and addressing each other by name are not.
    """
    figures = [found for found in _FIGURE.findall(sentence) if found.casefold() not in people]
    weight = (1.0 + 0.25 * min(len(figures), 4)) * min(len(key_words(sentence)) + 1, _WORDS_ENOUGH) / _WORDS_ENOUGH
    if _PERSONAL.search(sentence):
        weight *= 1.4
    if is_question(sentence):
        weight *= 0.4
    if _PLEASANTRY.match(sentence):
        weight *= 0.4
    if speaker == LYRA:  # Lyra's answers rest on what people said, or a weak model made them up: they rank last.
        weight *= 0.01
    return weight


def _weights(candidates: Sequence[_Candidate], task: Task) -> list[float]:
    people = frozenset(word for source in task.sources for word in source.speaker.casefold().split())
    return [_weight(one.core, task.sources[one.source].speaker, people) for one in candidates]


def _paired(chosen: Sequence[_Candidate], sources: Sequence[Source]) -> list[list[_Candidate]]:
    """Join two chosen sentences of the same message, or of consecutive messages on the same day."""
    groups: list[list[_Candidate]] = []
    for one in chosen:
        last = groups[-1][-1] if groups and len(groups[-1]) == 1 else None
        if last and one.source - last.source <= 1 and sources[last.source].said_at[:10] == sources[one.source].said_at[:10]:
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _entries(group: Sequence[_Candidate], task: Task, evidence: Evidence) -> list[Entry]:
    """Return a group as one entry, or split if the check of names and numbers refuses it as a whole."""
    cited = tuple(task.sources[at] for at in dict.fromkeys(one.source for one in group))
    text = group[0].text if task.kind == "merge" else _quotation(group, task.sources)
    if not evidence.judge(text, cited).missing:
        return [Entry(text, tuple(dict.fromkeys(source.label for source in cited)))]
    if len(group) > 1:
        return [entry for one in group for entry in _entries([one], task, evidence)]
    return []


def _quotation(group: Sequence[_Candidate], sources: Sequence[Source]) -> str:
    """Return who said what, and when: On 20 November 2026 Ada said: "…"; Bo answered: "…"."""
    first = sources[group[0].source]
    told = introduction(first.speaker, first.said_at)
    if len(group) == 2 and group[0].source == group[1].source:
        gap = " " if group[1].place == group[0].place + 1 else " … "
        return closed(told + quoted(group[0].text + gap + group[1].text))
    told += quoted(group[0].text)
    for before, one in pairwise(group):
        answers = named(sources[one.source].speaker) != named(sources[before.source].speaker) and is_question(before.text)
        told += f"; {named(sources[one.source].speaker)} {'answered' if answers else 'said'}: {quoted(one.text)}"
    return closed(told)


def _fallback(sources: Sequence[Source], evidence: Evidence) -> list[Entry]:
    """Return one entry for sources without a usable sentence: their longest text shortened, or that there was none."""
    if not sources:
        return []
    longest = max(sources, key=lambda source: len(one_line(source.text)))
    on = english_day(longest.said_at)
    wordless = f"{named(longest.speaker)} sent a message without words{f' on {on}' if on else ''}."
    told = [_quotation([_Candidate(0, 0, shortened(longest.text, _FALLBACK))], [longest])] if longest.text.strip() else []
    for text in (*told, wordless):
        if not evidence.judge(text, [longest]).missing:
            return [Entry(text, (longest.label,))]
    return [Entry("A message without words was sent.", (longest.label,))]
