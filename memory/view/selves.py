"""How Lyra is with those who read one place."""

from memory.tiers import selfstate
from memory.tiers.selfstate import Moment, SelfState
from memory.view.binding import Binding


class SelfStates:
    """Lyra's state of mind at home."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding

    async def now(self) -> SelfState:
        """Return how Lyra is at home."""
        return await selfstate.state(self._b.db, self._b.home)

    async def history(self) -> list[Moment]:
        """Return how Lyra was at home, the newest first."""
        return await selfstate.history(self._b.db, self._b.home)

    async def reset(self) -> None:
        """Let Lyra be at home as at the beginning: no mood, no drives, nothing said of herself."""
        async with self._b.db.transaction() as tx:
            await selfstate.reset(tx, self._b.home, self._b.shared.clock.now())
