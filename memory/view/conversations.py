"""The conversations of one home."""

from memory.types import Session, SessionRef
from memory.view.binding import Binding


class Conversations:
    """The sessions of one home."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding

    async def all(self) -> list[Session]:
        """Return the sessions at home, newest first."""
        return await self._b.sessions()

    async def get(self, ref: SessionRef, name: str) -> Session:
        """Return the session of a place at home, made and named after it if it is new."""
        return await self._b.shared.places.session(self._b.home, ref, name, self._b.shared.clock.now())

    async def active(self, platform: str, place: str) -> SessionRef:
        """Return the conversation at a place now; a new one where the last was for others to know."""
        return SessionRef(platform, place, await self._b.shared.places.stay(platform, place, self._b.home))

    async def begin(self, platform: str, place: str) -> SessionRef:
        """Begin a fresh conversation at a place."""
        return SessionRef(platform, place, await self._b.shared.places.begin(platform, place, self._b.home))

    async def named(self, name: str) -> Session:
        """Return the session at home of that name or id. Raises NotFound."""
        return await self._b.shared.places.named(self._b.home, name)

    async def last_heard(self) -> int:
        """Return when somebody, be it Lyra, last said something at home; 0 where nobody did."""
        row = await self._b.db.one(
            "SELECT coalesce(max(last_at), 0) AS last FROM sessions WHERE domain = :d", {"d": self._b.home.key}
        )
        return int(row["last"]) if row else 0
