"""What people change or remove at a platform while an answer is made from it.

What a prompt shows and memory does not keep is known to nobody until the answer is kept. A turn therefore watches its platform
from before it looks, and where something it was shown went meanwhile it looks again.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from weakref import WeakSet


@dataclass(eq=False)
class Watch:
    """The ids of messages that were changed or removed at a platform since a turn began to look."""

    platform: str
    gone: set[str] = field(default_factory=set)


class Meanwhile:
    """Tells every turn under way what is changed or removed at its platform."""

    def __init__(self) -> None:
        # A turn that is over holds its watch no longer, however it ended.
        self._watching: WeakSet[Watch] = WeakSet()

    def watch(self, platform: str) -> Watch:
        """Return a watch that is told from now on, for as long as somebody holds it."""
        watch = Watch(platform)
        self._watching.add(watch)
        return watch

    def tell(self, platform: str, ids: Collection[str]) -> None:
        """Tell that messages were changed or removed."""
        for watch in self._watching:
            if watch.platform == platform:
                watch.gone.update(ids)
