"""Rate limit on wrong tokens: too many of them block a caller for a while, unless the right one is shown."""

import time

_MOST = 10
_SECONDS = 60.0
_CALLERS = 10_000


class TokenAttempts:
    """Counts wrong tokens by caller address."""

    def __init__(self) -> None:
        self._wrong: dict[str, list[float]] = {}

    def blocked(self, caller: str) -> bool:
        """Return whether a caller sent too many wrong tokens lately."""
        return len(self._recent(caller)) >= _MOST

    def wrong(self, caller: str) -> None:
        """Count a wrong token of a caller."""
        recent = [*self._recent(caller), time.monotonic()]
        self._wrong.pop(caller, None)
        self._wrong[caller] = recent[-_MOST:]
        while len(self._wrong) > _CALLERS:
            del self._wrong[next(iter(self._wrong))]

    def _recent(self, caller: str) -> list[float]:
        since = time.monotonic() - _SECONDS
        return [at for at in self._wrong.get(caller, ()) if at > since]
