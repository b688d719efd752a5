"""Edits and deletions on a platform while an answer is generated from it.

Messages in a prompt that are not stored are recorded nowhere until the answer is stored. So a turn watches its platform from
before it reads, and reads again if something it was shown is gone.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from weakref import WeakSet


@dataclass(eq=False)
class ChangeWatch:
    """The ids of messages edited or deleted on a platform since a turn began to read."""

    platform: str
    gone: set[str] = field(default_factory=set)


class ConcurrentChanges:
    """Tells every running turn what is edited or deleted on its platform."""

    def __init__(self) -> None:
        # Weak, so that a finished turn is dropped however it ended.
        self._watching: WeakSet[ChangeWatch] = WeakSet()

    def watch(self, platform: str) -> ChangeWatch:
        """Return a watch that is updated as long as somebody references it."""
        watch = ChangeWatch(platform)
        self._watching.add(watch)
        return watch

    def tell(self, platform: str, ids: Collection[str]) -> None:
        """Record messages as edited or deleted."""
        for watch in self._watching:
            if watch.platform == platform:
                watch.gone.update(ids)
