"""How long is waited before a model is asked again, and when it is not."""

import random
from collections.abc import Callable, Sequence
from itertools import count

from bot.errors import ModelBusy, ModelError, ModelGarbled
from bot.models.endpoints.requests import Asked

_MOST_JUNK = 2
Waits = Callable[[int], float] | Sequence[float]
"""Seconds to wait after the given attempt (1, 2, …), or those after each; a sequence's last one repeats."""


def backoff(attempt: int) -> float:
    """Return the seconds to wait after the given attempt (1, 2, …): 1, 2, 4 and up to a quarter more, so that many spread."""
    return 2.0 ** (attempt - 1) * random.uniform(1.0, 1.25)


def policy(waits: Waits, asked: Asked, left: Callable[[], float]) -> Callable[[Exception], bool | float]:
    """Return what says after each failure how long to wait. A wait that would outlast the seconds that are `left` is not begun.

    What brought nothing usable twice is not asked a third time.
    """
    numbers = count(1)
    wait = waits if callable(waits) else _stepwise(waits)

    def wait_after(error: Exception) -> bool | float:
        if not isinstance(error, ModelError) or not error.transient:
            return False
        if isinstance(error, ModelGarbled) and asked.junk >= _MOST_JUNK:
            return False
        # Nothing passes by waiting where the model itself had no answer.
        seconds = 0.0 if isinstance(error, ModelGarbled) else wait(next(numbers))
        if isinstance(error, ModelBusy) and error.retry_after is not None:
            seconds = error.retry_after
        return seconds if seconds < left() else False

    return wait_after


def _stepwise(waits: Sequence[float]) -> Callable[[int], float]:
    if not waits:
        raise ValueError("waits need at least one number")
    return lambda attempt: waits[min(attempt, len(waits)) - 1]
