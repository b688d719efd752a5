"""How often somebody may be wrong: whoever shows wrong tokens again and again is told to wait, until they show the right one."""

import time
from collections.abc import Callable

_MOST = 10
_SECONDS = 60.0
_CALLERS = 10_000


class Attempts:
    """Counts wrong tokens by the address they come from."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._wrong: dict[str, list[float]] = {}

    def blocked(self, caller: str) -> bool:
        """Say whether a caller was wrong too often: they are told to wait rather than that it was wrong."""
        return len(self._recent(caller)) >= _MOST

    def wrong(self, caller: str) -> None:
        """Note that a caller showed something wrong."""
        recent = [*self._recent(caller), self._now()]
        self._wrong.pop(caller, None)
        self._wrong[caller] = recent[-_MOST:]
        while len(self._wrong) > _CALLERS:
            del self._wrong[next(iter(self._wrong))]

    def _recent(self, caller: str) -> list[float]:
        since = self._now() - _SECONDS
        return [at for at in self._wrong.get(caller, ()) if at > since]
