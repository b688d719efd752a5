"""How the signals become one rank.

Both signals are put on one scale for each question: words by their best score, or by a part of what holding all of them would
score where even the best holds little of what is asked, meaning by how far above the usual message of
this conversation its nearest one stands, so that a signal that tells nothing apart weighs nothing, and a message that has no
vector yet stands where the usual one does. They are added. Then a message takes a quarter of each neighbour's score, because
answers stand beside what was asked, and a share of the best of its stretch, because a conversation is about something. What
asks rather than tells, and what Lyra said herself, counts a little less, and stands behind the best of what people told where
that is not far from it. Whose words a question is about is worth a fixed part of the best score: it lifts what was found, and
never carries alone past a good one what was not. What a named one said, or what was said at a time, where that is asked for,
comes first: the best of it, and of the rest the more the nearer it is to that, so that what tells of that time elsewhere stays.

The parts were chosen for what they do, the figures as round numbers from the middle of where nothing changes much; README
says what was reached.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory.index.indexing import ASKS, MESSAGES, OWN
from memory.index.recall.columns import Floats, Ints, Mask
from memory.index.recall.documents import Documents
from memory.index.recall.domain_index import DomainIndex
from memory.index.recall.meaning import Similarities
from memory.index.recall.query import ParsedQuery, Query
from memory.index.when.values import Window

NEIGHBOUR = 0.25
STRETCH = 0.3
ASKING = 0.9
LYRA = 0.7
VOICE = 0.4
FIRST = 1.5
SHARPLY = 4
NEARER = 0.25
NEWEST = 0.1
CONTENDING = 0.5
ANSWERING = 0.3
JUST_BEHIND = (0.98, 0.99)
FEW = 10
LEAST = 0.1
MUCH = 0.3


@dataclass(frozen=True, slots=True)
class Scored:
    """One shard's documents with their rank score (0: not wanted), their cosine, and whose words or time was asked for."""

    domain_index: DomainIndex
    score: Floats
    cosine: Floats
    voice: Mask
    timely: Mask


def rank(
    query: Query,
    question: ParsedQuery,
    domain_indexes: Sequence[DomainIndex],
    words: Sequence[Floats],
    meant: Sequence[Similarities],
) -> list[Scored]:
    """Score the documents of shards, be they of one kind or several; `words` and `meant` are their scores by each signal."""
    own = [lexical + meaning for lexical, meaning in zip(words, _above_usual(meant), strict=True)]
    scores = _with_neighbours(question, domain_indexes, own)
    lifted = _lifted(question, domain_indexes, scores)
    if question.asked.now:
        _lift_the_newest(domain_indexes, lifted)
    _put_behind(
        question,
        [(one.documents, score) for one, (score, _, _) in zip(domain_indexes, lifted, strict=True) if one.kind == MESSAGES],
    )
    return [
        Scored(domain_index, _only(query, domain_index.documents, score), one.cosines, voice, timely)
        for domain_index, (score, voice, timely), one in zip(domain_indexes, lifted, meant, strict=True)
    ]


def _with_neighbours(question: ParsedQuery, domain_indexes: Sequence[DomainIndex], own: Sequence[Floats]) -> list[Floats]:
    """Return scores with what the messages around a message add to it.

    What stands above messages has nobody beside it: beside messages it is lifted as the best of them was.
    """
    scores = [
        _weighed(domain_index.documents, score, question) if domain_index.kind == MESSAGES else score
        for domain_index, score in zip(domain_indexes, own, strict=True)
    ]
    of_messages = [n for n, domain_index in enumerate(domain_indexes) if domain_index.kind == MESSAGES]
    before, after = _best([own[n] for n in of_messages]), _best([scores[n] for n in of_messages])
    lift = np.float32(after / before if before else 1)
    return [score if n in of_messages else score * lift for n, score in enumerate(scores)]


def _best(scores: Sequence[Floats]) -> float:
    return max((float(score.max(initial=0)) for score in scores), default=0.0)


def by_share(words: Sequence[Floats], most: float, *, sharply: bool = False) -> list[Floats]:
    """Scale scores by words so that the best is 1, or less where it is far from the `most` that a question's words could score.

    Else one common word in a message would weigh as much as what all the question means in another. Where that is known better
    than its words, as in a language whose words take many forms, it is `sharply` less.
    """
    top, much = _best(words), MUCH * most
    if top <= 0:
        return list(words)
    share = min(1.0, top / much) if much else 1.0
    return [score * np.float32((share**2 if sharply else share) / top) for score in words]


def _above_usual(meant: Sequence[Similarities]) -> list[Floats]:
    """Scale cosines so that their mean is 0 and the best is 1; what is below the mean is 0.

    Where even the best is hardly above the mean, nothing is near, and none is made to look so.
    """
    there = sum(one.count for one in meant)
    if not there:
        return [one.cosines for one in meant]
    # A few messages tell nothing of what is usual.
    usual = sum(float(one.cosines[one.there].sum()) for one in meant) / (there + FEW)
    above = max(LEAST, max(float(one.cosines[one.there].max()) for one in meant if one.count) - usual)
    scaled = []
    for one in meant:
        meaning = np.zeros(len(one.cosines), np.float32)
        meaning[one.there] = np.maximum(0, (one.cosines[one.there] - np.float32(usual)) * np.float32(1 / above))
        scaled.append(meaning)
    return scaled


def _weighed(documents: Documents, own: Floats, question: ParsedQuery) -> Floats:
    """Return scores of messages with what their neighbours and their stretch add."""
    if not question.of_lyra:
        own = _less(own, documents, OWN, LYRA)
    around = documents.neighbourhood
    score = own + np.float32(NEIGHBOUR) * around.beside(own)
    score += np.float32(STRETCH) * around.best_around(score) * (score > 0)
    return _less(score, documents, ASKS, ASKING)


def _less(score: Floats, documents: Documents, trait: int, weight: float) -> Floats:
    """Return scores in which those of messages of a trait count `weight` of themselves."""
    those = documents.traits.now & np.uint8(trait)
    if not those.any():
        return score
    less: Floats = those * np.float32((weight - 1) / trait)
    less += 1
    return score * less


def _lifted(
    question: ParsedQuery, domain_indexes: Sequence[DomainIndex], scores: Sequence[Floats]
) -> list[tuple[Floats, Mask, Mask]]:
    """Return scores with what whose words and which time is asked for adds, and which documents that is."""
    best = np.float32(_best(scores) or 1)
    named = _named(question, domain_indexes)
    every = [domain_index.documents for domain_index in domain_indexes]
    voiced = [_voices(documents, named) for documents in every]
    timely, when = zip(*(_timely(question, documents) for documents in every), strict=True)
    lifts = [np.zeros(len(score), np.float32) for score in scores]
    if named or question.of_lyra or question.of_people:
        for lift, voice, documents, score in zip(lifts, voiced, every, scores, strict=True):
            lift += np.float32(VOICE) * (voice | (_hers_or_not(question, documents) & (score > 0)))
    if question.sayers:
        _put_first(lifts, scores, [_voices(documents, question.sayers) for documents in every], alike=question.alone)
    if question.window:
        _put_first(lifts, scores, timely, alike=question.at_large)
        if question.window.heart is not None:
            near = [_nearness(question.window, question.window.heart, times) for times in when]
            _put_nearest_first(lifts, [score / best for score in scores], timely, near, alone=question.at_large)
    return [(score + best * lift, voice, then) for score, lift, voice, then in zip(scores, lifts, voiced, timely, strict=True)]


def _put_first(lifts: Sequence[Floats], scores: Sequence[Floats], those: Sequence[Mask], *, alike: bool) -> None:
    """Lift the best of some documents to the top, and what is worse by much less; all `alike` where nothing tells them apart."""
    best = np.float32(0 if alike else _best([score[some] for score, some in zip(scores, those, strict=True)]))
    for lift, score, some in zip(lifts, scores, those, strict=True):
        lift[some] += np.float32(FIRST) * ((score[some] / best) ** SHARPLY if best else np.float32(1))


def _put_nearest_first(
    lifts: Sequence[Floats], scores: Sequence[Floats], those: Sequence[Mask], near: Sequence[Floats], *, alone: bool
) -> None:
    """Lift what is of a time the more the nearer it is to its heart; where the time is all that is asked for, nothing else counts."""
    for lift, score, some, nearness in zip(lifts, scores, those, near, strict=True):
        lift[some] *= 1 + np.float32(1 if alone else NEARER) * nearness[some]
        if alone:
            lift[some] -= score[some]


def _nearness(window: Window, heart: int, times: Ints) -> Floats:
    """Return how near instants of a time are to its heart: 1 there, 0 as far away as its ends."""
    reach = max(heart - window.start, window.end - heart, 1)
    nearness: Floats = np.maximum(0, 1 - np.abs(times - heart) / reach).astype(np.float32)
    return nearness


def _named(question: ParsedQuery, domain_indexes: Sequence[DomainIndex]) -> frozenset[str]:
    """Return whose words are asked for: nobody's where everybody's in view would be, and anything else is asked for too."""
    speakers = frozenset(name for domain_index in domain_indexes for name in domain_index.documents.names)
    return question.voices if question.alone or not speakers <= question.voices else frozenset()


def _voices(documents: Documents, named: frozenset[str]) -> Mask:
    """Say which messages are of these speakers; her own name is how Lyra is called upon."""
    numbers = [documents.names[name] for name in named if name in documents.names]
    if not numbers:
        return np.zeros(len(documents), np.bool_)
    voiced: Mask = np.isin(documents.speakers.now, numbers) & ((documents.traits.now & OWN) == 0)
    return voiced


def _hers_or_not(question: ParsedQuery, documents: Documents) -> Mask:
    """Say which messages are Lyra's where a question asks for hers, and which are not where it asks for those of people."""
    hers: Mask = (documents.traits.now & OWN) != 0
    if question.of_people:
        return ~hers
    return hers & np.bool_(question.of_lyra)


def _timely(question: ParsedQuery, documents: Documents) -> tuple[Mask, Ints]:
    """Say which documents are of a time, by when they were said or by what they tell of, and when each was."""
    if question.window is None:
        return np.zeros(len(documents), np.bool_), documents.times.now
    return documents.then(question.window, ahead=question.ahead)


def _lift_the_newest(domain_indexes: Sequence[DomainIndex], lifted: Sequence[tuple[Floats, Mask, Mask]]) -> None:
    """Lift those that are not far behind the best by how new they are among each other, wherever they stand."""
    best = _best([score for score, _, _ in lifted])
    near = [np.flatnonzero((score > 0) & (score >= best * np.float32(CONTENDING))) for score, _, _ in lifted]
    times = np.concatenate(
        [domain_index.documents.times.now[some] for domain_index, some in zip(domain_indexes, near, strict=True)]
    )
    newness = np.argsort(np.argsort(times, kind="stable"), kind="stable") / max(1, len(times) - 1)
    start = 0
    for (score, _, _), some in zip(lifted, near, strict=True):
        score[some] *= 1 + np.float32(NEWEST) * newness[start : start + len(some)].astype(np.float32)
        start += len(some)


def _put_behind(question: ParsedQuery, messages: Sequence[tuple[Documents, Floats]]) -> None:
    """Put what asks, and what Lyra said unless that is asked for, just behind the best of what tells, if it is not far behind."""
    others = np.uint8(ASKS if question.of_lyra else ASKS | OWN)
    telling = [(documents.traits.now & others) == 0 for documents, _ in messages]
    told = np.float32(_best([score[tells] for (_, score), tells in zip(messages, telling, strict=True)]))
    best = np.float32(_best([score for _, score in messages]))
    if told == 0 or told < best * np.float32(ANSWERING):
        return
    lowest, highest = (told * np.float32(share) for share in JUST_BEHIND)
    for (_, score), tells in zip(messages, telling, strict=True):
        above = ~tells & (score >= highest)
        score[above] = lowest + (highest - lowest) * score[above] / best


def _only(query: Query, documents: Documents, score: Floats) -> Floats:
    """Return scores with 0 for what is not wanted."""
    if query.session is not None:
        score = score * (documents.sessions.now == query.session)
    if query.within:
        score = score * documents.then(query.within, ahead=query.within.end > query.now)[0]
    if query.speaker:
        score = score * np.isin(documents.speakers.now, documents.numbers(query.speaker))
    if query.exclude:
        items = documents.items.now
        gone = np.fromiter(query.exclude, np.int64, len(query.exclude))
        at = np.searchsorted(items, gone)
        at = at[at < len(items)]
        score = score.copy()
        score[at[np.isin(items[at], gone)]] = 0
    return score
