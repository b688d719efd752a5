"""Rows whose sealed columns open as they are read, and nothing before that."""

from collections.abc import Iterator, Sequence
from typing import Any

from memory.store.postgresql.sealing.envelope import is_sealed, opened
from memory.store.postgresql.sealing.keyring import Keyring


class SealedRow:
    """One result row, of which some columns may be sealed."""

    __slots__ = ("_at", "_keys", "_sealed", "_values")

    def __init__(self, at: dict[str, int], values: Sequence[Any], sealed: frozenset[int], keys: Keyring) -> None:
        self._at = at
        self._values = values
        self._sealed = sealed
        self._keys = keys

    def __getitem__(self, name: str, /) -> Any:
        return self._opened(self._at[name])

    def __iter__(self) -> Iterator[Any]:
        return (self._opened(at) for at in range(len(self._values)))

    def _opened(self, at: int) -> Any:
        value = self._values[at]
        return opened(self._keys, value) if at in self._sealed and is_sealed(value) else value
