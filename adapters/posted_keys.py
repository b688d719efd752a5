"""What a connection posts, by which it tells what another program posts with the same account: a copy of Lyra answers everybody twice."""

import logging
import time

from adapters.recent import Recent

_MOST = 1_000

log = logging.getLogger(__name__)


class PostedKeys:
    """The keys of what one connection to a platform posted."""

    def __init__(self, platform: str) -> None:
        self._platform = platform
        self._began = time.time_ns() // 1_000
        self._keys: Recent[str, None] = Recent(_MOST)
        self._told = False

    def add(self, key: str) -> None:
        """Record the key of a post, before it is sent."""
        self._keys[key] = None

    def see(self, key: str, at: int) -> None:
        """Warn, once, of a post of her account from after the beginning (`at`, microseconds UTC) that has another key; '' is none."""
        if self._told or not key or key in self._keys or at < self._began:
            return
        self._told = True
        log.warning(
            "Another program posts as Lyra on %s, with her account. If it is a copy of her, everybody is answered twice.",
            self._platform.capitalize(),
        )
