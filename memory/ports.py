"""What memory needs from outside. Whoever opens a memory passes these in; nothing here reaches out by itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
Progress = Callable[[int, int], None]
"""Progress callback of long work: called with how much is done, and the total."""


class Clock(Protocol):
    """The time; tests can freeze it."""

    def now(self) -> int:
        """Return the present instant in microseconds UTC."""


class Ids(Protocol):
    """Source of new identifiers; tests can fix them."""

    def new(self) -> str:
        """Return a new identifier of at least 128 random bits."""


class Embedder(Protocol):
    """Turns texts into vectors.

    `name` identifies model and revision: vectors of differently named embedders are never compared.
    """

    @property
    def name(self) -> str: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one finite, non-zero row per text, in order: float32 (len(texts), dimension).

        Raises memory.errors.EmbeddingFailed, in which case no text was embedded.
        """


@runtime_checkable
class MultilingualEmbedder(Embedder, Protocol):
    """An embedder that has all languages in one space, and embeds questions otherwise than what answers them."""

    async def ask(self, question: str) -> Vectors:
        """Return the unit vector of a question: float32 (dimension,). Raises memory.errors.EmbeddingFailed."""


@runtime_checkable
class Replacing(Protocol):
    """Optional protocol of an embedder that replaces others: vectors of the names in `replaces` go once its own are made."""

    @property
    def replaces(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Source:
    """One labelled text that a digest may cite: a message (with its speaker) or a lower digest (speaker empty)."""

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
"""What a task makes.

gist: from messages; merge: one digest from several; profile, era, narrative, self: the facts, the month, the arcs and the
self-narrative from digests; conversation: a bank entry from messages; bank: a bank entry from other entries.
"""


@dataclass(frozen=True, slots=True)
class Task:
    """What to write, from which sources, in at most `sentences` sentences; `known` identifies the people named.

    `today` is the date of writing, set where the present is described.
    """

    kind: TaskKind
    sources: tuple[Source, ...]
    sentences: int = 8
    known: tuple[Source, ...] = ()
    today: str = ""


class Writer(Protocol):
    """Writes digests. `name` is stored with each; `extractive` marks a writer that copies sentences and calls no model."""

    @property
    def name(self) -> str: ...

    @property
    def extractive(self) -> bool: ...

    async def write(self, task: Task) -> list[Entry]:
        """Return the sentences of the digest, each with the labels it cites.

        Raises memory.errors.WriterFailed (retry later) or memory.errors.WriterRefused (unusable answer, kept).
        """


class ChatModel(Protocol):
    """A chat model for reflections. `name` is stored with each thought."""

    @property
    def name(self) -> str: ...

    async def answer(self, system: str, user: str) -> str:
        """Return the model's raw answer to a prompt.

        Raises memory.errors.WriterFailed (retry later) or memory.errors.WriterRefused (prompt too long).
        """
