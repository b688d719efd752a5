"""Persistent notes of an adapter, in the settings of the memory."""

from typing import Any

from memory.places.scope_settings import KeptSettings


class KeptNotes:
    """The notes of a platform's adapter."""

    def __init__(self, kept: KeptSettings, platform: str) -> None:
        self._kept = kept
        self._scope = f"adapter:{platform}"

    async def get(self, name: str) -> Any:
        """Return a stored value, or None."""
        return await self._kept.get(self._scope, name)

    async def put(self, name: str, value: Any) -> None:
        """Store a JSON value."""
        await self._kept.set(self._scope, name, value)


class NoNotes:
    """Empty notes, for an adapter without an open memory."""

    async def get(self, name: str) -> Any:
        """Return None."""

    async def put(self, name: str, value: Any) -> None:
        """Store nothing."""
