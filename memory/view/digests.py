"""What was made of messages: gists, summaries, and the statements above them; facts are corrected and let go."""

from collections.abc import Sequence

from memory.derive import progress
from memory.store.lineage import require_unchanged
from memory.tiers import eras, profile, statements, summaries
from memory.types import Digest, Exchange, Identity, Session, Statement
from memory.view import owners
from memory.view.binding import Binding


class Digests:
    """The digests of one home."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding

    async def all(self) -> list[tuple[Session, Digest]]:
        """Return every gist and summary at home with its session."""
        sessions = {session.key: session for session in await self._b.sessions()}
        return [(sessions[digest.session], digest) for digest in await summaries.of_domain(self._b.db, self._b.home)]

    async def newest_gists(self, n: int) -> list[Digest]:
        """Return the gists of what was talked about last at home, newest first."""
        return await summaries.newest_gists(self._b.db, self._b.home, n)

    async def frontier(self, session: Session) -> list[Digest]:
        """Return the digests that together say everything that was summarized of a session, oldest first."""
        self._b.own(session)
        return await summaries.frontier(self._b.db, session, shown_only=True)

    async def statements(self, tier: str, *, past: bool = False) -> list[Statement]:
        """Return what stands in a tier at home (profile, era, narrative, self, bank), or what stood there before."""
        if past:
            return await statements.history(self._b.db, self._b.home, tier)
        return await statements.standing(self._b.db, self._b.home, tier, shown_only=True)

    async def receipts(self, stated: Sequence[Statement]) -> dict[int, list[Exchange]]:
        """Return the messages of people that statements rest on, by the statement's key."""
        return await statements.cited(self._b.db, [one.key for one in stated])

    async def era_sessions(self) -> dict[str, int]:
        """Return of how many sessions each month's era was told."""
        told = await progress.read_all(self._b.db, self._b.home, eras.TIER)
        return {period: month.sessions for period, month in told.items()}


class Facts:
    """The standing facts of one home."""

    def __init__(self, binding: Binding) -> None:
        self._b = binding

    async def find(self, public_id: str, by: Identity | None = None) -> Statement:
        """Return a standing fact at home that may be corrected or forgotten, as the right of `by` (None: all) allows.

        Raises NotFound, NotYours.
        """
        return await owners.fact(self._b.db, self._b.home, public_id, by)

    async def correct(self, public_id: str, correction: Exchange, by: Identity | None = None) -> Statement:
        """Put what somebody said, a message at home, in the place of a standing fact, as the right of `by` allows.

        Raises NotFound, NotYours, SourceGone.
        """
        await self.find(public_id, by)
        now = self._b.shared.clock.now()
        async with self._b.db.transaction() as tx:
            await require_unchanged(tx, {correction.key: correction.text})
            return await profile.correct(tx, self._b.shared.seal, self._b.home, public_id, correction, now)

    async def forget(self, public_id: str, by: Identity | None = None) -> list[Exchange]:
        """Let a fact go, with what it took the place of, and not come back; return the messages that it rested on.

        As the right of `by` (None: all) allows. Raises NotFound, NotYours.
        """
        await self.find(public_id, by)
        async with self._b.db.transaction() as tx:
            return await profile.forget_fact(tx, self._b.shared.seal, self._b.home, public_id, self._b.shared.clock.now())
