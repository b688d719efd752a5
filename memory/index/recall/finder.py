"""The entry point of recall: a question goes in, ranked items come out; with the word signal, BM25.

Robertson & Zaragoza 2009, k1 1.5, b 0.75, over passages. Statistics are summed over exactly the shards in view, so that nothing
elsewhere moves a rank, and over messages alone where there are any, so that a digest never weakens its sources. As an answer
follows what it answers, the first passage of a message also counts the words of the last passage before it, weighted by BEFORE
(between friends 2.7 points more of the evidence in the top ten; 0.2 to 0.5 do as well). This happens at query time and is
stored nowhere, so that nothing of a forgotten message stays.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TypeVar

import numpy as np

from localization.sentences import marked
from memory.index.embedder_routing import AskedVectors, EmbedderRouting
from memory.index.hits import RawHit
from memory.index.indexing import ENGLISH, MESSAGES
from memory.index.recall.certainty import judge, rarity
from memory.index.recall.columns import Floats, Ints
from memory.index.recall.documents import NONE
from memory.index.recall.domain_index import DomainIndex, Held
from memory.index.recall.domain_indexes import DomainIndexes, Loaded
from memory.index.recall.query import ParsedQuery, Query, parse_query, times
from memory.index.recall.ranking import Scored, by_share, rank
from memory.index.recall.selection import SelectedDocument, select, theme
from memory.index.recall.written_months import found_in_text
from memory.index.when.values import TimedQuestion, Window
from memory.text import lexical
from memory.text.off_loop import off_loop

T = TypeVar("T")
K1 = 1.5
B = 0.75
BEFORE = 0.3


def bm25(domain_indexes: Sequence[DomainIndex], words: Mapping[str, Sequence[int]]) -> tuple[list[Floats], float]:
    """Return the BM25 score of each document of each shard (that of its best passage), and an upper bound of all scores.

    `words` maps each word to its terms.
    """
    most = 0.0
    scores = [np.zeros(len(domain_index.owners), np.float32) for domain_index in domain_indexes]
    counted = [n for n, domain_index in enumerate(domain_indexes) if domain_index.kind == MESSAGES] or range(len(domain_indexes))
    total = sum(len(scores[n]) for n in counted)
    norms = _norms(domain_indexes)
    found = [found_in_text(domain_index, words) for domain_index in domain_indexes]
    for terms in {tuple(terms): None for terms in words.values()}:
        postings = [_held(domain_index, terms, held) for domain_index, held in zip(domain_indexes, found, strict=True)]
        holding = sum(len(postings[n][0]) for n in counted)
        weight = np.float32(rarity(holding, total) * (K1 + 1))
        most += float(weight)
        for domain_index, score, norm, (passages, counts) in zip(domain_indexes, scores, norms, postings, strict=True):
            if len(passages):
                touched, n = _with_before(domain_index, passages, counts)
                score[touched] += weight * n / (n + norm[touched])
    return [_best(domain_index, score) for domain_index, score in zip(domain_indexes, scores, strict=True)], most


def _norms(domain_indexes: Sequence[DomainIndex]) -> list[Floats]:
    """Return the BM25 length normalization of each passage, relative to the average length of its kind."""
    lengths: defaultdict[int, float] = defaultdict(float)
    passages: defaultdict[int, int] = defaultdict(int)
    for domain_index in domain_indexes:
        lengths[domain_index.kind] += float(domain_index.lengths.now.sum())
        passages[domain_index.kind] += len(domain_index.lengths)
    average = {kind: max(1.0, lengths[kind] / max(1, n)) for kind, n in passages.items()}
    return [
        np.float32(K1) * (np.float32(1 - B) + domain_index.lengths.now * np.float32(B / average[domain_index.kind]))
        for domain_index in domain_indexes
    ]


def holding(domain_index: DomainIndex, words: Mapping[str, Sequence[int]], documents: Ints) -> list[tuple[str, ...]]:
    """Return for each of these documents the words it holds by any of their terms."""
    n = len(documents)
    told: list[list[str]] = [[] for _ in documents]
    if not n or not words:
        return [()] * n
    found = found_in_text(domain_index, words)
    total = len(domain_index.owners) + 1
    # One sorted array of the passages of all terms, offset term by term: a single search finds each document's range in all.
    terms = [(word, found[term][0]) for word, some in words.items() for term in some if len(found[term][0])]
    row = np.concatenate([passages + at * total for at, (_, passages) in enumerate(terms)]) if terms else np.empty(0, np.int64)
    edges = np.concatenate([domain_index.firsts.now[documents], domain_index.lasts.now[documents] + 1])
    at = row.searchsorted(np.arange(len(terms))[:, None] * total + edges)
    for term, document in zip(*(places.tolist() for places in np.nonzero(at[:, :n] < at[:, n:])), strict=True):
        word = terms[term][0]
        if not told[document] or told[document][-1] != word:
            told[document].append(word)
    return [tuple(some) for some in told]


def _held(domain_index: DomainIndex, terms: Sequence[int], postings: Mapping[int, Held]) -> Held:
    """Return the passages that hold any of these terms, each once, with summed counts."""
    found = [postings[term] for term in terms]
    if len(found) == 1:
        return found[0]
    counts = np.zeros(len(domain_index.owners), np.float32)
    for passages, n in found:
        counts[passages] += n
    there = np.flatnonzero(counts)
    return there, counts[there]


def _with_before(domain_index: DomainIndex, passages: Ints, counts: Floats) -> tuple[Ints, Floats]:
    """Return passages with their counts, including the weighted counts of the passage before each."""
    if not domain_index.documents.linked:
        return passages, counts
    behind = domain_index.behind[passages]
    answered = behind != NONE
    behind = behind[answered]
    n = np.zeros(len(domain_index.owners), np.float32)
    n[passages] = counts
    touched = np.concatenate([passages, behind[n[behind] == 0]])
    n[behind] += np.float32(BEFORE) * counts[answered]
    return touched, n[touched]


def _best(domain_index: DomainIndex, score: Floats) -> Floats:
    if len(score) == len(domain_index):
        return score
    best: Floats = np.maximum.reduceat(score, domain_index.firsts.now)
    return best


@dataclass(frozen=True, slots=True)
class Staged:
    """Staged items to be ranked along with the published ones, and items to be left out."""

    loaded: Loaded | None = None
    gone: frozenset[int] = frozenset()


_NOTHING = Staged()


class Recall:
    """The ranked search over some domains."""

    def __init__(self, domain_indexes: DomainIndexes, embedder_routing: EmbedderRouting | None) -> None:
        self._domain_indexes = domain_indexes
        self._embedder_routing = embedder_routing

    async def find(
        self, query: Query, domains: Sequence[int], *, relative: bool = True, staged: Staged = _NOTHING
    ) -> list[RawHit]:
        """Return the best k items of these domains, best first; ties in the order they were stored.

        A time told relative to an event ("before the move") is resolved by searching for the event first, if `relative`. The
        items of `staged` are included.
        """
        (found,) = await self.each([query], domains, relative=relative, staged=staged)
        return found

    async def each(
        self, queries: Sequence[Query], domains: Sequence[int], *, relative: bool = True, staged: Staged = _NOTHING
    ) -> list[list[RawHit]]:
        """Like `find`, for several queries with the same question but different kinds.

        The question is parsed and embedded once, from the first query, and all are scored on one scale, except those with
        `by_words`.
        """
        first = queries[0]
        timed = await times(first)
        spaces = await self.spaces()
        loaded = await self._domain_indexes.load(domains, spaces)
        question = await self._unchanging(first, partial(parse_query, first, timed, loaded))
        if question.asked.around and relative:
            question = replace(question, window=await self._around(first, question, domains) or question.window)
        asked = AskedVectors()
        if self._embedder_routing and not all(query.by_words for query in queries):
            asked = await self._embedder_routing.query(question.text, {space for one in loaded for space in one.held})
            question = replace(question, across=asked.across, as_one=asked.as_one)
            if self._embedder_routing.used != spaces:
                # The embedder has changed its space meanwhile.
                loaded = await self._domain_indexes.load(domains, self._embedder_routing.used)
        if staged.loaded:
            loaded = [*loaded, staged.loaded]
        together = first._replace(
            kinds=tuple(sorted({kind for query in queries for kind in query.kinds if query.k and not query.by_words})),
            exclude={*first.exclude, *staged.gone},
        )

        def ranked() -> list[list[RawHit]]:
            scored = _scored(together, question, loaded, asked)
            return [
                _by_words(query, timed, loaded, staged.gone) if query.by_words else _raw_hits(query, scored, question)
                for query in queries
            ]

        return await self._unchanging(first, ranked)

    async def telling(self, words: Collection[str], domains: Sequence[int]) -> list[int]:
        """Return the messages of these domains that hold all of these words in a form that has the same stem, newest first."""
        loaded = await self._domain_indexes.load(domains, await self.spaces())
        found = set[int]()
        async with self._domain_indexes.unchanged():
            for one in loaded:
                index = one.domain_indexes[MESSAGES]
                terms = [lexical.forms_in(word, {ENGLISH, *one.languages}) for word in words]
                held = index.postings.find_each(term for some in terms for term in some)
                told = [np.unique(index.owners.now[np.concatenate([held[term][0] for term in some])]) for some in terms]
                found.update(index.documents.items.now[reduce(np.intersect1d, told)].tolist() if told else ())
        return sorted(found, reverse=True)

    async def _unchanging(self, query: Query, read: Callable[[], T]) -> T:
        """Run `read` while no index changes; for a long query in a thread, as each numpy call may yield to other threads."""
        async with self._domain_indexes.unchanged():
            return await off_loop(len(query.text), read)

    async def _around(self, query: Query, question: ParsedQuery, domains: Sequence[int]) -> Window | None:
        around = question.asked.around
        assert around is not None
        event = await self.find(query._replace(text=around.anchor, k=1, kinds=(MESSAGES,)), domains, relative=False)
        return Window(event[0].said_at + around.low, event[0].said_at + around.high) if event else None

    async def spaces(self) -> tuple[int, ...]:
        """Return the vector spaces in use."""
        return await self._embedder_routing.spaces() if self._embedder_routing else ()


def _scored(query: Query, question: ParsedQuery, loaded: Sequence[Loaded], asked: AskedVectors) -> list[Scored]:
    domain_indexes = [one.domain_indexes[kind] for kind in query.kinds for one in loaded if len(one.domain_indexes[kind])]
    if not domain_indexes:
        return []
    words, most = bm25(domain_indexes, question.words)
    shares = by_share(words, most, sharply=any(asked.surer in one.meanings for one in domain_indexes))
    ranked = rank(query, question, domain_indexes, shares, [domain_index.scan(asked.by_space) for domain_index in domain_indexes])
    if not (question.breadth.of_theme and asked.by_space):
        return ranked
    meant = [domain_index.scan(theme(ranked, asked.by_space)) for domain_index in domain_indexes]
    again = rank(query, question, domain_indexes, shares, meant)
    # Certainty rests on the question itself, not on the theme derived from its results.
    return [replace(one, cosine=first.cosine) for one, first in zip(again, ranked, strict=True)]


def _by_words(query: Query, timed: TimedQuestion, loaded: Sequence[Loaded], gone: frozenset[int]) -> list[RawHit]:
    """Return what matches a query by words alone."""
    question = parse_query(query, timed, loaded)
    return _raw_hits(query, _scored(query._replace(exclude={*query.exclude, *gone}), question, loaded, AskedVectors()), question)


def _raw_hits(query: Query, ranked: Sequence[Scored], question: ParsedQuery) -> list[RawHit]:
    scored = [one for one in ranked if one.domain_index.kind in query.kinds]
    picked = select(scored, query.k, question.breadth) if query.k else []
    if not picked:
        return []
    judged = judge(question, ranked)
    found: dict[tuple[int, int], RawHit] = {}
    picks_of = [[pick for pick in picked if pick.at == at] for at in range(len(scored))]
    documents_of = [np.fromiter((pick.document for pick in picks), np.int64, len(picks)) for picks in picks_of]
    words_of = [holding(one.domain_index, question.words, some) for one, some in zip(scored, documents_of, strict=True)]
    told = list(zip(scored, documents_of, words_of, strict=True))
    nearest = max((near for some in told if (near := judged.nearest_of_all_words(*some)) is not None), default=None)
    for at, (picks, (one, documents, words)) in enumerate(zip(picks_of, told, strict=True)):
        certain = judged.each(one, documents, words, nearest)
        cosines = [round(cosine, 2) if cosine > 0 else None for cosine in one.cosine[documents].tolist()]
        why = _why(one, picks, documents, words, cosines)
        of = one.domain_index.documents
        items, times_said = of.items.now[documents].tolist(), of.times.now[documents].tolist()
        before, after = of.items_beside(of.before, documents), of.items_beside(of.after, documents)
        kind = one.domain_index.kind
        for pick, item, *rest in zip(picks, items, why, before, after, times_said, certain, words, cosines, strict=True):
            found[at, pick.document] = RawHit(item, kind, round(pick.score, 4), *rest)
    return [found[pick.at, pick.document] for pick in picked]


def _why(
    one: Scored,
    picks: Sequence[SelectedDocument],
    documents: Ints,
    words: Sequence[Sequence[str]],
    cosines: Sequence[float | None],
) -> list[tuple[str, ...]]:
    """Return the signals that found each of the picked documents."""
    columns = (column[documents].tolist() for column in (one.voice, one.timely))
    whys = []
    for pick, some, cosine, voice, timely in zip(picks, words, cosines, *columns, strict=True):
        signals = [f"words: {', '.join(some)}"] if some else []
        if cosine is not None:
            signals.append(f"meaning {cosine:.2f}")
        if voice:
            signals.append(marked("whose words are asked for"))
        if timely:
            signals.append(marked("the time that is asked for"))
        if pick.others:
            signals.append(f"said {pick.others + 1} times")
        whys.append(tuple(signals or [marked("beside a hit")]))
    return whys
