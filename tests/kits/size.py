"""How much a run proves: a part of the slow proofs in `make test`, all of them in `make torture`."""

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")
TORTURE = os.environ.get("LYRA_TORTURE") == "1"


def examples(n: int) -> int:
    """Return how many examples a property is tried on: a fifth of n, and forty times n under LYRA_TORTURE=1."""
    return 40 * n if TORTURE else max(1, n // 5)


def breaks(waits: int, n: int) -> range:
    """Return the waits at which work is broken off: n of them, spread evenly, or every one under LYRA_TORTURE=1."""
    return range(1, waits + 1, 1 if TORTURE else max(1, waits // n))


def few(cases: Iterable[T], n: int = 1) -> list[T]:
    """Return the first n of the cases of a slow test, all of them under LYRA_TORTURE=1."""
    return list(cases) if TORTURE else list(cases)[:n]
