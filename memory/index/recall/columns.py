"""Arrays that grow at their end."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Ints = NDArray[np.int64]
Numbers = NDArray[np.int32]
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


class Column:
    """A column of values, or of rows of `width` values, to which more are added in place."""

    def __init__(self, dtype: DTypeLike, width: int = 0) -> None:
        self._held: NDArray[Any] = np.empty((64, width) if width else 64, dtype)
        self._n = 0

    def __len__(self) -> int:
        return self._n

    @property
    def now(self) -> NDArray[Any]:
        """The values, as they are; what is written into them stays."""
        return self._held[: self._n]

    @property
    def nbytes(self) -> int:
        """The memory it takes."""
        return int(self._held.nbytes)

    def extend(self, values: ArrayLike) -> None:
        """Add values behind the last one."""
        added = np.asarray(values, self._held.dtype)
        wanted = self._n + len(added)
        if wanted > len(self._held):
            held = np.empty((max(wanted, 2 * len(self._held)), *self._held.shape[1:]), self._held.dtype)
            held[: self._n] = self.now
            self._held = held
        self._held[self._n : wanted] = added
        self._n = wanted
