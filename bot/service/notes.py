"""What an adapter keeps for itself over restarts, in the settings of the memory."""

from typing import Any

from memory.places.settings import KeptSettings


class KeptNotes:
    """The notes of one platform's adapter."""

    def __init__(self, kept: KeptSettings, platform: str) -> None:
        self._kept = kept
        self._scope = f"adapter:{platform}"

    async def get(self, name: str) -> Any:
        """Return a value as it was put, None where there is none."""
        return await self._kept.get(self._scope, name)

    async def put(self, name: str, value: Any) -> None:
        """Keep a value that JSON can hold."""
        await self._kept.set(self._scope, name, value)


class NoNotes:
    """The notes of an adapter where no memory is open: none."""

    async def get(self, name: str) -> Any:
        """Return None."""

    async def put(self, name: str, value: Any) -> None:
        """Keep nothing."""
