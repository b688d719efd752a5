"""What hearing remembers beside the rooms: events, threads, edits, and what waits for its key."""

from nio import AsyncClient

from adapters.base import Notes
from adapters.matrix.incoming.edits import Edits
from adapters.matrix.incoming.lookups import Lookups
from adapters.matrix.incoming.references import References
from adapters.matrix.incoming.threads import Threads
from adapters.matrix.incoming.undecrypted import Undecrypted
from adapters.matrix.pace import Pace


class TimelineState:
    """All of it, for one connection."""

    def __init__(self, client: AsyncClient, notes: Notes, pace: Pace, references: type[References] = References) -> None:
        self.lookups = Lookups(client)
        self.references = references(client)
        self.threads = Threads(notes)
        self.edits = Edits(notes)
        self.undecrypted = Undecrypted(client, notes, pace)

    async def load(self) -> None:
        """Read what was kept."""
        await self.edits.load()
        await self.undecrypted.load()

    async def settle(self) -> None:
        """Keep what changed, and let go of what served for it."""
        self.references.settle()
        await self.threads.settle()
        await self.edits.settle()
        await self.undecrypted.settle()
