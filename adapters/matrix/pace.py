"""How patient the connection is. Tests bring their own."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from adapters.pace import Patience


@dataclass(frozen=True, slots=True)
class Pace(Patience):
    """Waits in seconds. `poll` is how long the homeserver may keep a request that has nothing to tell, `stale` how long after
    its last answer places count as unknown, `keys` how long the key to a message may take."""

    elapsed: Callable[[], float] = time.monotonic
    poll: float = 30.0
    stale: float = 90.0
    keys: float = 20.0
