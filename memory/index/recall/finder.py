"""The way in: a question goes in, the items that answer it come out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.errors import EmbeddingFailed
from memory.index.indexing import MESSAGES
from memory.index.recall.domain_indexes import DomainIndexes, Loaded
from memory.index.recall.query import ParsedQuery, Query, understood
from memory.index.recall.ranking import Scored, rank
from memory.index.recall.selection import Picked, select
from memory.index.recall.words import bm25, holding
from memory.index.vectors import VectorStore
from memory.index.when import Window
from memory.ports import Vectors


@dataclass(frozen=True, slots=True)
class Found:
    """A scored item of a kind, its neighbours' keys (None at the ends of a session), and the signals that found it."""

    item: int
    kind: int
    score: float
    why: tuple[str, ...]
    before: int | None
    after: int | None
    said_at: int


@dataclass(frozen=True, slots=True)
class Staged:
    """What is not there yet and is ranked beside what is, and the items that are left out."""

    loaded: Loaded | None = None
    gone: frozenset[int] = frozenset()


_NOTHING = Staged()


class Recall:
    """Ranks the items of some domains for a question."""

    def __init__(self, domain_indexes: DomainIndexes, vectors: VectorStore | None) -> None:
        self._domain_indexes = domain_indexes
        self._vectors = vectors

    async def find(
        self, query: Query, domains: Sequence[int], *, relative: bool = True, staged: Staged = _NOTHING
    ) -> list[Found]:
        """Return the best k items of these domains, best first; ties in the order they were stored.

        Where a time is told by an event ("before the move"), what is said about that is looked for first, unless not `relative`.
        With something `staged`, as they would be ranked if it were there.
        """
        space = await self._space()
        loaded = await self._domain_indexes.of(domains, space)
        question = understood(query, loaded)
        if question.asked.around and relative:
            question = replace(question, window=await self._around(query, question, domains) or question.window)
        asked = await self._vector(question.text) if space else None
        if await self._space() != space:
            # The embedder turned out to be another than it was.
            loaded = await self._domain_indexes.of(domains, await self._space())
        # From here on nothing waits: what is ranked stays as it is.
        if staged.loaded:
            loaded = [*loaded, staged.loaded]
        query = replace(query, exclude={*query.exclude, *staged.gone})
        domain_indexes = [one.domain_indexes[kind] for kind in query.kinds for one in loaded if len(one.domain_indexes[kind])]
        if not domain_indexes:
            return []
        words = bm25(domain_indexes, question.words)
        scored = rank(query, question, domain_indexes, words, [domain_index.scan(asked) for domain_index in domain_indexes])
        return _told(select(scored, query.k), scored, question)

    async def _around(self, query: Query, question: ParsedQuery, domains: Sequence[int]) -> Window | None:
        around = question.asked.around
        assert around is not None
        event = await self.find(replace(query, text=around.anchor, k=1, kinds=(MESSAGES,)), domains, relative=False)
        return Window(event[0].said_at + around.low, event[0].said_at + around.high) if event else None

    async def _space(self) -> int:
        return await self._vectors.space() if self._vectors else 0

    async def _vector(self, text: str) -> Vectors | None:
        if self._vectors is None:
            return None
        try:
            return await self._vectors.query(text)
        except EmbeddingFailed:
            return None


def _told(picked: Sequence[Picked], scored: Sequence[Scored], question: ParsedQuery) -> list[Found]:
    held = [
        {word: holding(one.domain_index, terms, [pick.document for pick in picked if pick.at == at]) for word, terms in question.words.items()}
        for at, one in enumerate(scored)
    ]  # fmt: skip
    seen = Counter[int]()
    found = []
    columns = [
        tuple(column.now for column in (of.items, of.before, of.after, of.times))
        for of in (one.domain_index.documents for one in scored)
    ]
    for pick in picked:
        one, (items, before, after, times) = scored[pick.at], columns[pick.at]
        words = [word for word, mask in held[pick.at].items() if mask[seen[pick.at]]]
        seen[pick.at] += 1
        found.append(
            Found(
                int(items[pick.document]),
                one.domain_index.kind,
                round(pick.score, 4),
                _why(one, pick, words),
                one.domain_index.item(int(before[pick.document])),
                one.domain_index.item(int(after[pick.document])),
                int(times[pick.document]),
            )
        )
    return found


def _why(one: Scored, pick: Picked, words: Sequence[str]) -> tuple[str, ...]:
    signals = [f"words: {', '.join(words)}"] if words else []
    if one.cosine[pick.document] > 0:
        signals.append(f"meaning {one.cosine[pick.document]:.2f}")
    if one.voice[pick.document]:
        signals.append("whose words are asked for")
    if one.timely[pick.document]:
        signals.append("the time that is asked for")
    if pick.others:
        signals.append(f"said {pick.others + 1} times")
    return tuple(signals or ["beside a hit"])
