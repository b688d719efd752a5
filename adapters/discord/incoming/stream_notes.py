"""What is noted of an account's channels, which cursors do not tell: since when Lyra listens, which are gone, and which are DMs."""

from adapters.listener import Notes

_MOST = 2_000
"""How many channels of a kind are noted, the newest ones."""
_BEGAN, _GONE, _DMS = "began", "gone", "dms"


class StreamNotes:
    """The notes on the streams of one account. A stream is a channel's id."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def beginning(self) -> int | None:
        """Return the position since which she listens at all, None if that is not noted yet."""
        began: int | None = await self._notes.get(_BEGAN)
        return began

    async def begin(self, position: int) -> None:
        """Note that she listens since a position."""
        await self._notes.put(_BEGAN, position)

    async def gone(self) -> set[str]:
        """Return the streams that are asked for no more."""
        return set(await self._notes.get(_GONE) or ())

    async def add_gone(self, stream: str) -> None:
        """Ask for a stream no more."""
        await self._add(_GONE, stream)

    async def dms(self) -> list[str]:
        """Return the DMs, in the order in which they were noted: Discord lists none."""
        return list(await self._notes.get(_DMS) or ())

    async def add_dm(self, stream: str) -> None:
        """Note a DM."""
        await self._add(_DMS, stream)

    async def _add(self, name: str, stream: str) -> None:
        before = [one for one in await self._notes.get(name) or () if one != stream]
        await self._notes.put(name, [*before, stream][-_MOST:])
