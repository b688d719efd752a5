"""Notes on each server, channel, thread or room that disappeared, kept over restarts."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from bot.reconciliation.unverified_places import UnverifiedPlaces
from memory.core import Memory
from memory.forget.comparison_state import Prefix
from memory.places.scope_settings import under


@dataclass(frozen=True, slots=True)
class NotedPlace:
    """Its name, its admins when it disappeared, which of them were notified, and whether one asked to keep it."""

    name: str
    rulers: tuple[str, ...]
    told: tuple[str, ...] = ()
    kept: bool = False


class PlaceRegister:
    """The notes, by platform and key prefix.

    Nothing can change at a noted place while nothing is heard from it, so its messages count as verified.
    """

    def __init__(self, memory: Memory, unverified: UnverifiedPlaces, platforms: Iterable[str]) -> None:
        self._memory = memory
        self._unverified = unverified
        self._noted: dict[str, dict[Prefix, NotedPlace]] = {platform: {} for platform in platforms}

    async def open(self) -> None:
        """Load the notes of earlier processes."""
        for platform, noted in self._noted.items():
            for key, value in (await under(self._memory.db, _scope(platform), "")).items():
                assert isinstance(value, dict)
                prefix = tuple(json.loads(key))
                noted[prefix] = NotedPlace(value["name"], tuple(value["rulers"]), tuple(value["told"]), value["kept"])
                self._unverified.settle(platform, prefix)

    def all(self, platform: str) -> dict[Prefix, NotedPlace]:
        """Return all notes of a platform."""
        return dict(self._noted[platform])

    def get(self, platform: str, prefix: Sequence[str]) -> NotedPlace | None:
        """Return the note with this prefix."""
        return self._noted[platform].get(tuple(prefix))

    def around(self, platform: str, key: Sequence[str]) -> list[Prefix]:
        """Return the noted prefixes that contain a place or group of places."""
        return [prefix for prefix in self._noted[platform] if is_within(prefix, key)]

    async def put(self, platform: str, prefix: Prefix, noted: NotedPlace) -> None:
        """Store a note."""
        await self._memory.settings.set(_scope(platform), json.dumps(prefix), asdict(noted))
        self._noted[platform][prefix] = noted
        self._unverified.settle(platform, prefix)

    async def drop(self, platform: str, prefix: Prefix) -> None:
        """Remove a note."""
        await self._memory.settings.set(_scope(platform), json.dumps(prefix), None)
        self._noted[platform].pop(prefix, None)
        self._unverified.unsettle(platform, prefix)


def is_within(prefix: Sequence[str], key: Sequence[str]) -> bool:
    """Return whether a place's key begins with a prefix."""
    return tuple(key[: len(prefix)]) == tuple(prefix)


def _scope(platform: str) -> str:
    return f"vanished:{platform}"
