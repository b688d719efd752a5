"""What memory needs from outside. Whoever opens it hands these in; nothing here reaches out by itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]
"""Is told how much of how much is done of long work."""


class Clock(Protocol):
    """The time, so that tests can hold it still."""

    def now(self) -> int:
        """Return the present instant in microseconds UTC."""
        ...


class Ids(Protocol):
    """Fresh identifiers, so that tests can fix them."""

    def new(self) -> str:
        """Return a new identifier of at least 128 random bits."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors.

    `name` identifies model and revision: vectors of differently named embedders are never compared.
    """

    @property
    def name(self) -> str: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one finite, non-zero row a text, in order: float32 (len(texts), dimension).

        Raises memory.errors.EmbeddingFailed; then no text was embedded.
        """
        ...


@runtime_checkable
class Replacing(Protocol):
    """What an embedder may be as well: one that stands in for others, of these names, whose vectors go once it has made its own."""

    @property
    def replaces(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Source:
    """One labelled text that a digest may cite: a message (with its speaker) or a digest below (speaker empty)."""

    label: str
    speaker: str
    said_at: str
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One sentence of a digest with the labels of the sources it rests on."""

    text: str
    cites: tuple[str, ...]


TaskKind = Literal["gist", "merge", "profile", "era", "narrative", "self", "conversation", "bank"]
"""A gist of messages, the merge of digests into one; the facts, the month, the arcs and the self-narrative that digests tell;
an entry of the bank from messages, and one from entries."""


@dataclass(frozen=True, slots=True)
class Task:
    """What to write, from what, and in at most how many sentences; `known` tells who the people are that it names.

    `today` is the day on which it is written, where what goes on now is told.
    """

    kind: TaskKind
    sources: tuple[Source, ...]
    sentences: int = 8
    known: tuple[Source, ...] = ()
    today: str = ""


class Writer(Protocol):
    """Writes digests. `name` is kept with each of them; `extractive` says that it copies sentences and calls no model."""

    @property
    def name(self) -> str: ...

    @property
    def extractive(self) -> bool: ...

    async def write(self, task: Task) -> list[Entry]:
        """Return the sentences of the digest, each with the labels it cites.

        Raises memory.errors.WriterFailed (try again later) or memory.errors.WriterRefused (unusable answer, kept).
        """
        ...


class ChatModel(Protocol):
    """Thinks when asked. `name` is kept with each thought."""

    @property
    def name(self) -> str: ...

    async def answer(self, system: str, user: str) -> str:
        """Return the answer to a prompt as it comes.

        Raises memory.errors.WriterFailed (try again later) or memory.errors.WriterRefused (too long for it).
        """
        ...
