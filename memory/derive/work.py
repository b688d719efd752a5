"""A piece of work of a tier above gists: what is to be written, from what, and how it is kept."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from memory.derive.progress import Progress
from memory.ports import Entry, Source, TaskKind
from memory.store.database import Transaction

Publish = Callable[[Transaction, Sequence[Entry] | None, str, int], Awaitable[None]]
Cut = Callable[[Sequence[Entry]], list[Entry]]
Still = Callable[[Transaction], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Work:
    """One piece: a tier, what it covers, what it is written from, and how what comes back is kept.

    `texts` is what was read, by item: it must read the same when the work is published. `publish` is given the entries (None
    where it was given up), who wrote them, and when. `cut` cuts an answer to what was asked for, or raises WriterRefused;
    `still` says whether the work is wanted as it was found; one call reads at most `most_sources` sources.
    """

    tier: str
    period: str
    kind: TaskKind
    joined: TaskKind
    sentences: int
    sources: Sequence[Source]
    texts: Mapping[int, str]
    progress: Progress
    publish: Publish
    cut: Cut | None = None
    still: Still | None = None
    most_sources: int | None = None
    today: str = ""


Due = Callable[[], Awaitable[Work | None]]
