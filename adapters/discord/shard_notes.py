"""Notes of one shard, beside those of the others: what each keeps as a whole, none may overwrite."""

from typing import Any

from adapters.base import Adapter, Notes


class ShardNotes:
    """The notes of the shard that an adapter is now; of the first, and where there is only one, they are the account's."""

    def __init__(self, notes: Notes, adapter: Adapter) -> None:
        self._notes = notes
        self._adapter = adapter

    async def get(self, name: str) -> Any:
        """Return a value as it was put, or, where this shard never put one, as the account had it before it was divided."""
        own = await self._notes.get(self._named(name))
        return await self._notes.get(name) if own is None else own

    async def put(self, name: str, value: Any) -> None:
        """Keep a value that JSON can hold."""
        await self._notes.put(self._named(name), value)

    def _named(self, name: str) -> str:
        return f"{name} {self._adapter.unit}/{self._adapter.units}" if self._adapter.unit > 0 else name
