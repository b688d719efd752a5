"""A mapping that keeps only its latest entries."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(OrderedDict[K, V]):
    """A mapping of at most `most` entries, oldest first: the oldest give way. One that is set again is the newest."""

    def __init__(self, most: int, entries: Mapping[K, V] | Iterable[tuple[K, V]] = ()) -> None:
        self._most = most
        super().__init__(entries)

    def __setitem__(self, key: K, value: V) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
