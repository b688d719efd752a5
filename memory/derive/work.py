"""A piece of work for a tier above gists: what to write, from what, and how to store it."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.derive.progress import Progress
from memory.ports import Entry, Task
from memory.store.database import Transaction

Publish = Callable[[Transaction, Sequence[Entry] | None, str, int], Awaitable[None]]
Cut = Callable[[Sequence[Entry]], list[Entry]]
Still = Callable[[Transaction], Coroutine[Any, Any, bool]]


@dataclass(frozen=True, slots=True)
class Work:
    """One piece: a tier, the period it covers, what to write from which sources, and how the result is stored.

    `texts` is what was read, by item: it must be unchanged when the work is published. `publish` is given the entries (None if
    it was given up), their writer, and the time. `before` is the progress as it was found, which must stand then, unless `still`
    tells whether the work is still wanted. `cut` trims an answer to what was asked for, or raises WriterRefused; one call reads at
    most `most_sources` sources.
    """

    tier: str
    period: str
    task: Task
    texts: Mapping[int, str]
    progress: Progress
    publish: Publish
    before: Progress | None = None
    cut: Cut | None = None
    still: Still | None = None
    most_sources: int | None = None


Due = Callable[[], Awaitable[Work | None]]
