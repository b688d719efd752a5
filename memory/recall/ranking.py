"""How the signals become one rank.

Both signals are put on one scale for each question: words by their best score, meaning by how far above the usual message of
this conversation its nearest one stands, so that a signal that tells nothing apart weighs nothing, and a message that has no
vector yet stands where the usual one does. They are added. Then a message takes a quarter of each neighbour's score, because
answers stand beside what was asked, and a share of the best of its stretch, because a conversation is about something. What
asks rather than tells, and what Lyra said herself, counts a little less. Whose words or which time a question asks for is
worth a fixed part of the best score: it lifts what was found, and never carries alone past a good one what was not.

The parts were chosen for what they do, the figures as round numbers from the middle of where nothing changes much; README
says what was reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory.findable import ASKS, MESSAGES, OWN
from memory.recall.columns import Floats, Ints, Mask
from memory.recall.documents import Documents
from memory.recall.question import Query, Question
from memory.recall.shard import Shard
from memory.when import Window

NEIGHBOUR = 0.25
STRETCH = 0.3
ASKING = 0.9
LYRA = 0.7
VOICE = 0.4
TIME = 0.4
NEWEST = 0.1
FEW = 10


@dataclass(frozen=True, slots=True)
class Scored:
    """One shard's documents with their rank score (0: not wanted), their cosine, and whose words or time was asked for."""

    shard: Shard
    score: Floats
    cosine: Floats
    voice: Mask
    timely: Mask


def rank(
    query: Query, question: Question, shards: Sequence[Shard], words: Sequence[Floats], meant: Sequence[tuple[Floats, Ints]]
) -> list[Scored]:
    """Score the documents of shards of one kind; `words` and `meant` are their scores by each signal."""
    own = [lexical + meaning for lexical, meaning in zip(_by_best(words), _above_usual(meant), strict=True)]
    if query.kind == MESSAGES:
        own = [_weighed(shard.documents, score, question) for shard, score in zip(shards, own, strict=True)]
    best = max((float(score.max(initial=0)) for score in own), default=0.0)
    return [
        _scored(query, question, shard, score, cosine, best) for shard, score, (cosine, _) in zip(shards, own, meant, strict=True)
    ]


def _by_best(words: Sequence[Floats]) -> list[Floats]:
    top = max((float(score.max(initial=0)) for score in words), default=0.0)
    return [score / np.float32(top) if top > 0 else score for score in words]


def _above_usual(meant: Sequence[tuple[Floats, Ints]]) -> list[Floats]:
    """Scale cosines so that their mean is 0 and the best is 1; what is below the mean is 0."""
    there = sum(len(documents) for _, documents in meant)
    if not there:
        return [cosines for cosines, _ in meant]
    # A few messages tell nothing of what is usual.
    usual = sum(float(cosines[documents].sum()) for cosines, documents in meant) / (there + FEW)
    above = max(float(cosines[documents].max()) for cosines, documents in meant if len(documents)) - usual
    scaled = []
    for cosines, documents in meant:
        meaning = np.zeros(len(cosines), np.float32)
        if above > 0:
            meaning[documents] = np.maximum(0, (cosines[documents] - np.float32(usual)) / np.float32(above))
        scaled.append(meaning)
    return scaled


def _weighed(documents: Documents, own: Floats, question: Question) -> Floats:
    """Return scores of messages with what their neighbours and their stretch add."""
    traits = documents.traits.now
    if not question.of_lyra:
        own = np.where(traits & OWN, own * np.float32(LYRA), own)
    # A missing neighbour is -1: it reads the zero put behind the last score.
    padded = np.append(own, np.float32(0))
    score = own + np.float32(NEIGHBOUR) * (padded[documents.before.now] + padded[documents.after.now])
    best = np.zeros(len(documents), np.float32)
    np.maximum.at(best, documents.stretches.now, score)
    score = np.where(score > 0, score + np.float32(STRETCH) * best[documents.stretches.now], score)
    weighed: Floats = np.where(traits & ASKS, score * np.float32(ASKING), score)
    return weighed


def _scored(query: Query, question: Question, shard: Shard, score: Floats, cosine: Floats, best: float) -> Scored:
    documents = shard.documents
    times = documents.times.now
    found = score > 0 if best else np.ones(len(shard), np.bool_)
    voice = _voices(question, documents)
    lifted = voice | (_people(question, documents) & found)
    timely = _timely(question.window, times) & found
    boost = (best or 1.0) * (VOICE * lifted + TIME * timely)
    newest = 1 + NEWEST * _newness(times) if question.asked.now and len(shard) > 1 else 1
    total: Floats = np.where(_wanted(query, documents), (score + boost) * newest, 0).astype(np.float32)
    return Scored(shard, total, cosine, voice, timely)


def _voices(question: Question, documents: Documents) -> Mask:
    """Say which messages are of the speakers that a question names."""
    voices = [documents.names[name] for name in question.voices if name in documents.names]
    if not voices or len(voices) == len(documents.names):
        return np.zeros(len(documents), np.bool_)
    named: Mask = np.isin(documents.speakers.now, voices)
    return named


def _people(question: Question, documents: Documents) -> Mask:
    """Say which messages are not Lyra's, where a question asks for those."""
    others: Mask = (documents.traits.now & OWN) == 0
    return others & np.bool_(question.of_people)


def _timely(window: Window | None, times: Ints) -> Mask:
    if window is None:
        return np.zeros(len(times), np.bool_)
    timely: Mask = (times >= window.start) & (times < window.end)
    return timely


def _newness(times: Ints) -> Floats:
    first, last = int(times.min()), int(times.max())
    newness: Floats = ((times - first) / max(1, last - first)).astype(np.float32)
    return newness


def _wanted(query: Query, documents: Documents) -> Mask:
    wanted: Mask = np.ones(len(documents), np.bool_)
    if query.session is not None:
        wanted &= documents.sessions.now == query.session
    if query.exclude:
        items = documents.items.now
        gone = np.fromiter(query.exclude, np.int64, len(query.exclude))
        at = np.searchsorted(items, gone)
        at = at[at < len(items)]
        wanted[at[np.isin(items[at], gone)]] = False
    return wanted
