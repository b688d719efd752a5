"""Which stored messages are unverified: what was stored at a place before a gap, until it has been compared with the history there."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial

from adapters.events import split_key
from adapters.recent import Recent
from memory.forget.comparison_state import ComparisonState, PlaceComparison, Prefix, StoredMessage
from memory.types import Exchange

MOST_REMEMBERED = 50_000
"""How many items are remembered as verified; the oldest are dropped."""


@dataclass(slots=True)
class _Known:
    """What is known of one platform: until when its places are unverified, by the prefix of their keys; how far each was compared;
    the places where nothing can change any more; and the messages verified one by one, each with the gap that it was verified for.
    """

    gaps: dict[Prefix, int] = field(default_factory=dict)
    comparisons: dict[str, PlaceComparison] = field(default_factory=dict)
    settled: set[Prefix] = field(default_factory=set)
    verified: dict[int, int] = field(default_factory=partial(Recent, MOST_REMEMBERED))


class UnverifiedPlaces:
    """The gaps of all platforms, kept over restarts in `state`. Instants are microseconds UTC."""

    def __init__(self, state: ComparisonState, platforms: Iterable[str]) -> None:
        self._state = state
        self._known = {platform: _Known() for platform in platforms}
        self.gaps = 0
        """The number of gaps on any platform since the start."""
        self._numbers: dict[tuple[str, Prefix], int] = {}
        self.incomplete = set[str]()
        """The platforms with places that are still to be compared."""

    async def open(self) -> None:
        """Load the state of earlier processes."""
        for platform, known in self._known.items():
            known.gaps = await self._state.doubts(platform)
            known.comparisons = await self._state.marks(platform)

    async def missed(self, platform: str, prefix: Prefix) -> None:
        """Mark everything stored so far at places with this prefix as unverified."""
        self.gaps += 1
        self.incomplete.add(platform)
        self._numbers[platform, prefix] = self.gaps
        self._known[platform].gaps[prefix] = await self._state.doubt(platform, prefix)

    def has_gap_since(self, number: int, places: Iterable[tuple[str, str]]) -> bool:
        """Return whether anything may have been missed at one of these places (platform and key) since gap `number`."""
        later = [gap for gap, its_number in self._numbers.items() if its_number > number]
        return bool(later) and any(_is_at(gap, place) for place in places for gap in later)

    def settle(self, platform: str, prefix: Prefix) -> None:
        """Mark these places as settled: they are gone, so nothing can change there."""
        self._known[platform].settled.add(prefix)

    def is_settled(self, platform: str, prefix: Prefix) -> bool:
        """Return whether these places are settled."""
        return prefix in self._known[platform].settled

    def unsettle(self, platform: str, prefix: Prefix) -> None:
        """Undo `settle`."""
        self._known[platform].settled.discard(prefix)

    @property
    def latest_gap(self) -> int:
        """The instant of the latest gap anywhere, 0 for none."""
        return max((at for known in self._known.values() for at in known.gaps.values()), default=0)

    def gap(self, platform: str, place: str) -> int:
        """Return the instant until which changes at a place may have been missed, 0 for none."""
        known = self._known.get(platform)
        if known is None or not known.gaps:
            return 0
        key = split_key(place)
        if any(key[: len(prefix)] == prefix for prefix in known.settled):
            return 0
        return max((at for prefix, at in known.gaps.items() if key[: len(prefix)] == prefix), default=0)

    def comparison(self, platform: str, place: str) -> PlaceComparison | None:
        """Return how far a place has been compared since its last gap, None if not at all."""
        compared = self._known[platform].comparisons.get(place)
        return compared if compared and compared.at >= self.gap(platform, place) else None

    def compared_at(self, platform: str, place: str) -> int:
        """Return when a place was last compared, whatever was missed since; 0 for never."""
        compared = self._known[platform].comparisons.get(place)
        return compared.at if compared else 0

    async def record_comparison(self, platform: str, place: str, comparison: PlaceComparison) -> None:
        """Store how far a place has been compared."""
        await self._state.mark(platform, place, comparison)
        self._known[platform].comparisons[place] = comparison

    def record_verified(self, platform: str, message: int, gap: int) -> None:
        """Remember, by its key, a message as verified by a request that was made after `gap`."""
        self._known[platform].verified[message] = gap

    def is_verified(self, platform: str, place: str, message: Exchange | StoredMessage) -> bool:
        """Return whether a message is as its platform has it: nothing can have been missed, or it was compared since."""
        gap = self.gap(platform, place)
        if message.stored_at >= gap:
            return True
        compared = self.comparison(platform, place)
        if compared and (message.said_at, message.key) >= compared.through:
            return True
        return self._known[platform].verified.get(message.key, -1) >= gap


def _is_at(gap: tuple[str, Prefix], place: tuple[str, str]) -> bool:
    (platform, prefix), (where, key) = gap, place
    return platform == where and split_key(key)[: len(prefix)] == prefix
