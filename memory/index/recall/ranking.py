"""The combination of all signals into one ranking.

Both signals are scaled per question. Words are divided by their best score, damped where even the best falls far short of a
message that holds all the words. Cosines are measured from that of the average message of this conversation and divided by the
best, so that a signal without contrast weighs nothing; a message that has no vector yet is taken to be as near in meaning as by
words, or what was said just now would stand below whatever is a little near. The two are added. A message then gains a quarter
of each neighbour's score, because answers adjoin what was asked, and a share of the best score in its stretch, because a
conversation has a topic. Questions and Lyra's own messages weigh a little less, and rank behind the best statement of a person
if that is close. A matching speaker adds a fixed part of the best score: it lifts good matches, but cannot alone carry a poor
one past a good one. Where a question asks for what a named person said, or for what was said at a time, those messages come
first: the best of them, and the others by how close they are to it, so that good matches outside are kept.

The weights were chosen for their effect, as round numbers from the middle of the range in which little changes; docs/measured.md
has the results.
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
BY_CHANCE = 4


@dataclass(frozen=True, slots=True)
class Scored:
    """The documents of one domain index with rank score (0: filtered out), cosine, and masks of speaker and time matches."""

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
    """Score the documents of domain indexes of any kinds; `words` and `meant` are their scores by each signal."""
    own = [lexical + meaning for lexical, meaning in zip(words, _above_usual(meant, words), strict=True)]
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
    """Return scores with the contributions of surrounding messages added.

    Digests have no neighbours: when ranked with messages, they are scaled up as much as the best message was.
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
    """Scale word scores so that the best is 1, or less if it is far from `most`, the highest score the words could give.

    Otherwise a single common word would weigh as much as the whole meaning of the question. The damping is raised to a power
    (BY_CHANCE) if `sharply`, where meaning is more reliable than words: in languages that inflect much, and with a stronger embedder.
    """
    top, much = _best(words), MUCH * most
    if top <= 0:
        return list(words)
    share = min(1.0, top / much) if much else 1.0
    return [score * np.float32((share**BY_CHANCE if sharply else share) / top) for score in words]


def _above_usual(meant: Sequence[Similarities], words: Sequence[Floats]) -> list[Floats]:
    """Scale cosines so that their mean becomes 0 and the best 1; those below the mean become 0, those missing the score by `words`.

    If even the best is hardly above the mean, nothing is near, and the scale does not exaggerate the difference.
    """
    there = sum(one.count for one in meant)
    if not there:
        return [one.cosines for one in meant]
    # Smoothed, as a few messages do not tell what is usual.
    usual = sum(float(one.cosines[one.there].sum()) for one in meant) / (there + FEW)
    above = max(LEAST, max(float(one.cosines[one.there].max()) for one in meant if one.count) - usual)
    scaled = []
    for one, lexical in zip(meant, words, strict=True):
        near = one.cosines[one.there] - np.float32(usual)
        near *= np.float32(1 / above)
        np.maximum(near, 0, out=near)
        if one.count == len(one.cosines):
            scaled.append(near)
            continue
        meaning = lexical.copy()
        meaning[one.there] = near
        scaled.append(meaning)
    return scaled


def _weighed(documents: Documents, own: Floats, question: ParsedQuery) -> Floats:
    """Return message scores with the contributions of neighbours and stretch."""
    if not question.of_lyra:
        own = _less(own, documents, OWN, LYRA)
    around = documents.neighbourhood
    score = around.beside(own)
    score *= np.float32(NEIGHBOUR)
    score += own
    best = around.best_around(score)
    best *= np.float32(STRETCH)
    best *= score > 0
    score += best
    return _less(score, documents, ASKS, ASKING)


def _less(score: Floats, documents: Documents, trait: int, weight: float) -> Floats:
    """Return scores with those of messages with a trait multiplied by `weight`."""
    those = documents.traits.now & np.uint8(trait)
    if not those.any():
        return score
    less: Floats = those * np.float32((weight - 1) / trait)
    less += 1
    return score * less


def _lifted(
    question: ParsedQuery, domain_indexes: Sequence[DomainIndex], scores: Sequence[Floats]
) -> list[tuple[Floats, Mask, Mask]]:
    """Return scores lifted by speaker and time matches, with the masks of both."""
    named = _named(question, domain_indexes)
    if not (named or question.of_lyra or question.of_people or question.sayers or question.window):
        nobody = [np.zeros(len(score), np.bool_) for score in scores]
        return list(zip(scores, nobody, nobody, strict=True))
    best = np.float32(_best(scores) or 1)
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
    """Lift the best of the masked documents to the top and the others by how close they are to it; equally if `alike`."""
    best = np.float32(0 if alike else _best([score[some] for score, some in zip(scores, those, strict=True)]))
    for lift, score, some in zip(lifts, scores, those, strict=True):
        lift[some] += np.float32(FIRST) * ((score[some] / best) ** SHARPLY if best else np.float32(1))


def _put_nearest_first(
    lifts: Sequence[Floats], scores: Sequence[Floats], those: Sequence[Mask], near: Sequence[Floats], *, alone: bool
) -> None:
    """Boost matches of a time by nearness to its heart; if the question asks for the time `alone`, no other score counts."""
    for lift, score, some, nearness in zip(lifts, scores, those, near, strict=True):
        lift[some] *= 1 + np.float32(1 if alone else NEARER) * nearness[some]
        if alone:
            lift[some] -= score[some]


def _nearness(window: Window, heart: int, times: Ints) -> Floats:
    """Return how near instants are to the heart of a window: 1 there, 0 at its farther end."""
    reach = max(heart - window.start, window.end - heart, 1)
    nearness: Floats = np.maximum(0, 1 - np.abs(times - heart) / reach).astype(np.float32)
    return nearness


def _named(question: ParsedQuery, domain_indexes: Sequence[DomainIndex]) -> frozenset[str]:
    """Return the speakers asked for; none if the question names everybody in view and asks for something else, too."""
    speakers = frozenset(name for domain_index in domain_indexes for name in domain_index.documents.names)
    return question.voices if question.alone or not speakers <= question.voices else frozenset()


def _voices(documents: Documents, named: frozenset[str]) -> Mask:
    """Return a mask of the messages by these speakers; Lyra's are excluded, as using her name is addressing her."""
    numbers = [documents.names[name] for name in named if name in documents.names]
    if not numbers:
        return np.zeros(len(documents), np.bool_)
    voiced: Mask = documents.said_by(numbers) & ((documents.traits.now & OWN) == 0)
    return voiced


def _hers_or_not(question: ParsedQuery, documents: Documents) -> Mask:
    """Return a mask of Lyra's messages if the question asks for hers, of all others if it asks for people's."""
    hers: Mask = (documents.traits.now & OWN) != 0
    if question.of_people:
        return ~hers
    return hers & np.bool_(question.of_lyra)


def _timely(question: ParsedQuery, documents: Documents) -> tuple[Mask, Ints]:
    """Return a mask of the documents said in the window or telling of it, and the instant of each."""
    if question.window is None:
        return np.zeros(len(documents), np.bool_), documents.times.now
    return documents.then(question.window, ahead=question.ahead)


def _lift_the_newest(domain_indexes: Sequence[DomainIndex], lifted: Sequence[tuple[Floats, Mask, Mask]]) -> None:
    """Boost the contenders for the top by their relative newness, across all domain indexes."""
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
    """Move questions, and Lyra's messages unless asked for, just behind the best statement if that is close."""
    others = np.uint8(ASKS if question.of_lyra else ASKS | OWN)
    telling = [(documents.traits.now & others) == 0 for documents, _ in messages]
    if all(tells.all() for tells in telling):
        return
    told = np.float32(_best([score * tells for (_, score), tells in zip(messages, telling, strict=True)]))
    best = np.float32(_best([score for _, score in messages]))
    if told == 0 or told < best * np.float32(ANSWERING):
        return
    lowest, highest = (told * np.float32(share) for share in JUST_BEHIND)
    for (_, score), tells in zip(messages, telling, strict=True):
        above = ~tells & (score >= highest)
        score[above] = lowest + (highest - lowest) * score[above] / best


def _only(query: Query, documents: Documents, score: Floats) -> Floats:
    """Return scores with those filtered out by the query set to 0."""
    if query.session is not None:
        score = score * (documents.sessions.now == query.session)
    if query.within:
        score = score * documents.then(query.within, ahead=query.within.end > query.now)[0]
    if query.speaker:
        score = score * documents.said_by(documents.numbers(query.speaker))
    if query.exclude:
        items = documents.items.now
        gone = np.fromiter(query.exclude, np.int64, len(query.exclude))
        at = np.searchsorted(items, gone)
        score = score.copy()
        score[at[(at < len(items)) & (items[np.minimum(at, len(items) - 1)] == gone)]] = 0
    return score
