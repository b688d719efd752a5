"""Growable arrays."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

_GROUPS = 4
_GROUP = 64


def reached(values: Floats, n: int) -> np.float32:
    """Return a threshold that at least the n highest values reach, and in a large array only few others."""
    if len(values) <= n:
        return np.float32(-np.inf)
    if len(values) >= _GROUPS * n * _GROUP:
        # At least n values reach the n-th highest group maximum; partitioning group maxima takes a tenth of the time.
        whole = len(values) // _GROUP
        values = values[: whole * _GROUP].reshape(_GROUP, whole).max(axis=0)
    return np.float32(np.partition(values, len(values) - n)[len(values) - n])


def held_bytes(owner: object) -> int:
    """Return the allocated memory of the columns that an object has, in bytes."""
    return sum(one.nbytes for one in vars(owner).values() if isinstance(one, Column))


class Column:
    """A growable column of values, or of rows of `width` values."""

    def __init__(self, dtype: DTypeLike, width: int = 0) -> None:
        self._held: NDArray[Any] = np.empty((64, width) if width else 64, dtype)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    @property
    def now(self) -> NDArray[Any]:
        """The current values, as a writable view."""
        return self._held[: self._n]

    @property
    def nbytes(self) -> int:
        """The allocated memory in bytes."""
        return int(self._held.nbytes)

    def reserve(self, n: int) -> None:
        """Make room for n more values, so that what is appended in parts is allocated once."""
        wanted = self._n + n
        if wanted > len(self._held):
            held = np.empty((max(wanted, 2 * len(self._held)), *self._held.shape[1:]), self._held.dtype)
            held[: self._n] = self.now
            self._held = held

    def extend(self, values: ArrayLike) -> None:
        """Append values."""
        added = np.asarray(values, self._held.dtype)
        wanted = self._n + len(added)
        self.reserve(len(added))
        self._held[self._n : wanted] = added
        self._n = wanted
