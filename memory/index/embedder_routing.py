"""The routing of texts between two embedders: one for English, and one for other languages; or all to a multilingual one.

As long as a domain holds only English and is asked in English, the first embeds everything. From then on the second embeds the
whole domain, so that a question in one language finds what was said in another, and the first only what is certainly English.
"""

from collections.abc import Collection, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from memory.errors import EmbeddingFailed
from memory.index.vectors import VectorStore, waiting
from memory.ports import Clock, Embedder, MultilingualEmbedder, Progress, Vectors
from memory.store.database import DatabaseAccess
from memory.text import lexical
from memory.text.language_detection import language
from memory.text.off_loop import off_loop
from memory.types import Domain

ENGLISH = "english"


class AskedVectors(NamedTuple):
    """A question as one unit vector per space, the one that fits its language best first.

    `surer` is the space in which meaning is more reliable than words, 0 for none: that of other languages than English if the
    question is not certainly English, and that of a multilingual embedder. `across` says that the question is compared across
    languages, `as_one` that a multilingual embedder compares it, for which all languages are one.
    """

    by_space: Mapping[int, Vectors] = MappingProxyType({})
    surer: int = 0
    across: bool = False
    as_one: bool = False


class EmbedderRouting:
    """The vector stores of an English embedder and of one for other languages (`others`); either may be missing.

    An embedder that has all languages in one space takes the place of both.
    """

    def __init__(self, db: DatabaseAccess, clock: Clock, first: Embedder | None, others: Embedder | None) -> None:
        self._db = db
        self._as_one = isinstance(first, MultilingualEmbedder)
        if self._as_one:
            first, others = None, first
        both = first is not None and others is not None
        self._first = VectorStore(db, first, clock, self._in_english if both else None) if first else None
        self._others = VectorStore(db, others, clock, self._in_others if both else None) if others else None
        self._stores = [store for store in (self._first, self._others) if store]
        self._opened: set[int] = set()

    async def spaces(self) -> tuple[int, ...]:
        """Return the spaces in which anything was embedded."""
        for store in self._stores:
            await store.space()
        return self.used

    @property
    def used(self) -> tuple[int, ...]:
        """The spaces in which anything was embedded, as far as this process has read them."""
        return tuple([store.used for store in self._stores if store.used])

    async def query(self, text: str, held: Collection[int]) -> AskedVectors:
        """Return a question as vectors, none if no embedder serves.

        A question that is certainly not English is not compared in the English space if another serves. Only spaces in `held`
        are used, if any: languages spoken elsewhere change nothing in view.
        """
        told = await off_loop(len(text), partial(spoken, text))
        stores = self._stores if told == ENGLISH else self._stores[::-1]
        asked: dict[int, Vectors] = {}
        for store in stores:
            if store.used and (not held or store.used in held) and not (asked and told not in (ENGLISH, None)):
                try:
                    vector = await store.query(text)
                except EmbeddingFailed:
                    continue
                asked[store.used] = vector
        others = self._others.used if self._others else 0
        if self._first is None:
            return AskedVectors(asked, others, across=bool(asked) and told != ENGLISH, as_one=self._as_one)
        return AskedVectors(asked, others if told != ENGLISH else 0, across=next(iter(asked), 0) == others != 0)

    async def open_to(self, domain: Domain, question: str) -> bool:
        """Have a domain that holds only English embedded for other languages, too, if a question is in one of them; return whether
        that begins now.

        The first messages are embedded at once, the others are left to `catch_up`. Raises EmbeddingFailed.
        """
        if (
            self._first is None
            or self._others is None
            or domain.key in self._opened
            or await off_loop(len(question), partial(spoken, question)) in (ENGLISH, None)
            or await self._others.holds(domain)
        ):
            return False
        self._opened.add(domain.key)
        try:
            await self._others.look_again(domain)
            await self._others.catch_up(domain, most=1)
            return await self._others.holds(domain)
        finally:
            self._opened.discard(domain.key)

    async def catch_up(self, domain: Domain, tell: Progress | None = None, most: int | None = None) -> int:
        """Embed items without a vector, at most about `most` per store; return how many. Raises EmbeddingFailed.

        `tell` reports progress as (done, total), an item being done once every embedder has had it.
        """
        tells = [partial(self._tell, tell, nth) if tell else None for nth in range(len(self._stores))]
        return sum([await store.catch_up(domain, told, most) for store, told in zip(self._stores, tells, strict=True)])

    def _tell(self, tell: Progress, nth: int, done: int, total: int) -> None:
        tell((nth * total + done) // len(self._stores), total)

    async def waiting(self) -> int:
        """Return how many items wait for a vector."""
        return await waiting(self._db, self._stores)

    async def _in_english(self, domain: Domain, texts: Mapping[int, str]) -> tuple[set[int], int]:
        assert self._others
        mixed = await self._others.holds(domain)
        told = await _languages_of(texts)
        mine = {item for item, one in told.items() if one == ENGLISH or (one is None and not mixed)}
        # What the other would look at, only to leave it, is marked with the vectors.
        return mine, 0 if mixed or len(mine) < len(texts) else await self._others.left()

    async def _in_others(self, domain: Domain, texts: Mapping[int, str]) -> tuple[set[int], int]:
        assert self._first and self._others
        told = await _languages_of(texts)
        if domain.key not in self._opened and not await self._others.holds(domain):
            if all(one in (ENGLISH, None) for one in told.values()):
                return set(), 0
            # Until now everything was English: what was left to the first embedder is embedded as well.
            await self._others.look_again(domain)
        if foreign := {item: texts[item] for item, one in told.items() if one != ENGLISH}:
            await self._first.leave(domain, foreign)
        return set(texts), 0


async def _languages_of(texts: Mapping[int, str]) -> dict[int, str | None]:
    """Return the language of each text, detected off the event loop if they are long."""
    return await off_loop(sum(map(len, texts.values())), lambda: {item: spoken(text) for item, text in texts.items()})


def spoken(text: str) -> str | None:
    """Return the language of a text by its words, else its script; None if neither is known."""
    words = lexical.tokens(text)
    known = language(words)
    if known not in (ENGLISH, None):
        # A line of foreign names and titles ("Das Boot, Der Untergang") would have the whole domain embedded anew.
        known = language(lexical.tokens(_without_names(text)))
    return known or next((word for word in map(lexical.unspaced, words) if word), None)


def _without_names(text: str) -> str:
    """Return a text without its capitalized words, except at the beginning of a sentence."""
    words = text.split()
    return " ".join(
        [word for before, word in zip([".", *words], words, strict=False) if before[-1] in ".!?…" or not word.istitle()]
    )
