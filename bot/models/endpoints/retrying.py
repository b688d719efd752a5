"""Backing off between attempts, and when not to retry."""

import random
from collections.abc import Callable, Sequence
from itertools import count

from bot.errors import ModelBusy, ModelError, ModelGarbled
from bot.models.endpoints.requests import Asked

_MOST_JUNK = 2
Waits = Callable[[int], float] | Sequence[float]
"""The seconds to wait after an attempt (1, 2, …), as a function or a sequence, whose last item repeats."""


def backoff(attempt: int) -> float:
    """Return the seconds to wait after an attempt (1, 2, …): exponential, 1, 2, 4, with up to a quarter of jitter."""
    return 2.0 ** (attempt - 1) * random.uniform(1.0, 1.25)


def policy(waits: Waits, asked: Asked, left: Callable[[], float]) -> Callable[[Exception], bool | float]:
    """Return a retry policy that gives the wait after a failure, or False if it would outlast the seconds `left`.

    After two unusable answers there is no third attempt.
    """
    numbers = count(1)
    wait = waits if callable(waits) else _stepwise(waits)

    def wait_after(error: Exception) -> bool | float:
        if not isinstance(error, ModelError) or not error.transient:
            return False
        if isinstance(error, ModelGarbled) and asked.junk >= _MOST_JUNK:
            return False
        # Waiting does not cure an unusable answer, so retry at once.
        seconds = 0.0 if isinstance(error, ModelGarbled) else wait(next(numbers))
        if isinstance(error, ModelBusy) and error.retry_after is not None:
            seconds = error.retry_after
        return seconds if seconds < left() else False

    return wait_after


def _stepwise(waits: Sequence[float]) -> Callable[[int], float]:
    if not waits:
        raise ValueError("waits need at least one number")
    return lambda attempt: waits[min(attempt, len(waits)) - 1]
